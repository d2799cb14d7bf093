/**
 * The order in which middleware stands between a program and its nodes, with the reason for each place.
 *
 * Around each node by itself, from the wire outwards:
 *
 * 1. **timeout**. Innermost, so that it measures the node and nothing else: not the wait for a permit, not the window in
 *    which a packet is gathered.
 * 2. **rate limit**. Over the timeout, and under all that sends anything again: what reaches the node has a permit, each
 *    further try and each half of a refused packet too, as the node counts them.
 * 3. **circuit breaker**. Over the rate limit, so that an open circuit spends no permit, and keeps nobody waiting for one.
 *    Under the batching, so that a packet that failed is one failure and not a hundred.
 * 4. **batching**. Outermost around a node, so that what two nodes are asked does not mix, and callers that stand further
 *    out meet in one packet.
 *
 * Over the nodes, from them outwards:
 *
 * 5. **fallback**, **hedge** or **quorum**. Over all that belongs to one node: each node has its own limit, its own circuit
 *    and its own packets.
 * 6. **retry**. Over fallback and hedge: the next node answers sooner than the same one after a wait, so a wait begins when
 *    all nodes have failed. Over the batching: only the calls that failed go again, with whatever is asked by then. But
 *    under a quorum, around each node, because there the answer of another node is no substitute.
 * 7. **dedupe**. Over the retry, so that callers who ask the same share all of it: one place in a packet, one permit, one
 *    wait.
 * 8. **observe**. Outermost: what the program asked, how long it waited, and what came of it.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import { type Middleware, Transport } from "../transport/Transport.ts"
import * as Batching from "./Batching.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as Dedupe from "./Dedupe.ts"
import * as Fallback from "./Fallback.ts"
import * as Hedge from "./Hedge.ts"
import * as Observe from "./Observe.ts"
import * as Quorum from "./Quorum.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Retry from "./Retry.ts"
import * as Timeout from "./Timeout.ts"

/** What stands around one node. `false` leaves a part out. */
export interface NodeOptions {
  /** For each packet, from the first byte to the last of its answer. Default: 30 seconds. */
  readonly timeout?: Duration.Input | false | undefined
  /** Default: none, because only your plan says what it allows. */
  readonly rateLimit?: RateLimit.Options | false | undefined
  /** Default: that of `CircuitBreaker`. */
  readonly circuitBreaker?: CircuitBreaker.Options | false | undefined
  /** Default: that of `Batching`, with packets no larger than the `burst` of the rate limit. */
  readonly batching?: Batching.Options | false | undefined
}

/** A node with what stands around it. */
export interface Node extends Fallback.Node, NodeOptions {}

/** A node whose transport is still to be made. */
export interface Source<E, R> extends NodeOptions {
  readonly name: string
  readonly transport: Effect.Effect<Transport["Service"], E, R>
}

/** How several nodes are asked: one of these. Default: `fallback`. */
export type Over =
  | { readonly fallback?: Fallback.Options | undefined; readonly hedge?: undefined; readonly quorum?: undefined }
  | { readonly hedge: Hedge.Options; readonly fallback?: undefined; readonly quorum?: undefined }
  | { readonly quorum: Quorum.Options; readonly fallback?: undefined; readonly hedge?: undefined }

/** What stands over the nodes. `false` leaves a part out. */
export type Options = Over & {
  /** Default: that of `Retry`, with no try that begins more than a minute after the first. */
  readonly retry?: Retry.Options | false | undefined
  /** Default: true. */
  readonly dedupe?: boolean | undefined
  /** Default: that of `Observe`. For each node by itself, put an `Observe` with its name around its transport. */
  readonly observe?: Observe.Options | false | undefined
}

export const DEFAULT_TIMEOUT: Duration.Input = "30 seconds"

/** Two silent tries, where four would take two minutes. */
const DEFAULT_RETRY_WITHIN: Duration.Input = "1 minute"

/**
 * A transport over nodes, with everything in its place.
 *
 * Without options that is a client that gives up on silence, leaves a dead node alone, gathers calls into packets, asks
 * the next node, tries again what may succeed later, asks once what is asked twice, and counts. No rate limit is kept
 * unless it is given. With `maxWaiting: 0` in it, what is too much for one node goes to the next without waiting.
 *
 * ```ts import.meta.vitest
 * import { ErrorObject, Dispatcher, MemoryTransport, Stack } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const text = new TextEncoder()
 * const busy = Dispatcher.make({ call: () => Effect.fail(ErrorObject.make(-32005, "rate limit exceeded")) })
 * const idle = Dispatcher.make({ call: () => Effect.succeed(text.encode('"0x1"')) })
 *
 * const program = Effect.gen(function* () {
 *   const { call } = Stack.make([
 *     { name: "own", transport: yield* MemoryTransport.make(busy), circuitBreaker: { failures: 2 } },
 *     { name: "rented", transport: yield* MemoryTransport.make(idle), rateLimit: { permits: 10, per: "1 second" } }
 *   ])
 *   return yield* call({ method: "eth_chainId", params: [] })
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => "0x1"
 * ```
 */
export const make = (nodes: ReadonlyArray<Node>, options: Options = {}): Transport["Service"] => {
  const { retry = {}, dedupe = true, observe = {} } = options
  return through(
    over(
      nodes.map((each) => ({ name: each.name, transport: node(each.transport, each) })),
      options,
      retry !== false && Retry.make({ within: DEFAULT_RETRY_WITHIN, ...retry })
    ),
    dedupe && Dedupe.make(),
    observe !== false && Observe.make(observe)
  )
}

/**
 * The same as a layer, from nodes whose transports are still to be made.
 *
 * ```ts import.meta.vitest
 * import { HttpTransport, Stack } from "@plumbline/jsonrpc-core"
 * import { Layer } from "effect"
 *
 * const nodes = Stack.layer(
 *   [
 *     { name: "own", transport: HttpTransport.make({ url: "http://127.0.0.1:8545" }) },
 *     { name: "rented", transport: HttpTransport.make({ url: "https://node.example/v3/key" }), timeout: "5 seconds" }
 *   ],
 *   { hedge: { delay: "300 millis" } }
 * )
 * Layer.isLayer(nodes) // => true
 * ```
 */
export const layer = <E, R>(
  nodes: ReadonlyArray<Source<E, R>>,
  options?: Options
): Layer.Layer<Transport, E, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    Transport,
    Effect.map(
      Effect.forEach(nodes, (source) => Effect.map(source.transport, (transport): Node => ({ ...source, transport }))),
      (made) => make(made, options)
    )
  )

/** A transport with what belongs to one node around it: places 1 to 4. */
export const node = (transport: Transport["Service"], options: NodeOptions = {}): Transport["Service"] => {
  const { timeout = DEFAULT_TIMEOUT, rateLimit = false, circuitBreaker = {}, batching = {} } = options
  const burst = rateLimit === false ? Infinity : (rateLimit.burst ?? Math.max(1, Math.floor(rateLimit.permits)))
  return through(
    transport,
    timeout !== false && Timeout.make(timeout),
    rateLimit !== false && RateLimit.make({ ...rateLimit, burst }),
    circuitBreaker !== false && CircuitBreaker.make(circuitBreaker),
    // A larger packet would keep its first calls waiting for the permits of its last.
    batching !== false && Batching.make({ ...batching, size: Math.min(batching.size ?? Batching.DEFAULT_SIZE, burst) })
  )
}

/** Places 5 and 6. */
const over = (nodes: ReadonlyArray<Fallback.Node>, options: Over, retry: Middleware | false): Transport["Service"] => {
  if (options.quorum !== undefined) {
    const retried = nodes.map(({ name, transport }) => ({ name, transport: through(transport, retry) }))
    return Quorum.make(retried, options.quorum)
  }
  const joined = options.hedge === undefined ? Fallback.make(nodes, options.fallback) : Hedge.make(nodes, options.hedge)
  return through(joined, retry)
}

/** From the inside outwards. */
const through = (
  transport: Transport["Service"],
  ...middleware: ReadonlyArray<Middleware | false>
): Transport["Service"] => middleware.reduce((inner, outer) => (outer === false ? inner : outer(inner)), transport)

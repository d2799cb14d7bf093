/**
 * Puts middleware between a program and its nodes in the right order. The reason for each position follows.
 *
 * Around each node, from the wire outwards:
 *
 * 1. **timeout**. Innermost, so that it measures only the node, without the wait for a permit or the window in which a
 *    packet is gathered.
 * 2. **rate limit**. Over the timeout, and under everything that sends a call again. Every packet that reaches the node
 *    has a permit, including retries and halves of refused packets, because the node counts those too.
 * 3. **circuit breaker**. Over the rate limit, so that an open circuit spends no permit and makes no caller wait for
 *    one. Under the batching, so that a failed packet of a hundred calls is one failure.
 * 4. **batching**. Outermost around a node, so that calls to two nodes do not mix, and callers further out meet in one
 *    packet.
 *
 * Over all nodes, from the inside outwards:
 *
 * 5. **fallback**, **hedge** or **quorum**. Over the parts of single nodes, because each node has its own limit, its
 *    own circuit and its own packets.
 * 6. **retry**. Over fallback and hedge, because the next node answers sooner than the same node after a wait. So a
 *    wait begins only when all nodes have failed. Over the batching, so that only the failed calls are sent again,
 *    together with new calls. With a quorum, retry is around each node instead, because there another node's answer is
 *    not a substitute.
 * 7. **dedupe**. Over the retry, so that callers with equal calls share one position in a packet, one permit and one
 *    wait.
 * 8. **observe**. Outermost, so that it records the program's calls with their whole duration and their outcomes.
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

/** The middleware around one node. `false` leaves a part out. */
export interface StackNodeOptions {
  /** Time limit for each packet, from sending to the last byte of its answer. Default: 30 seconds. */
  readonly timeout?: Duration.Input | false | undefined
  /** The rate limit of the node. Default: no limit, because the allowance depends on your plan. */
  readonly rateLimit?: RateLimit.RateLimitOptions | false | undefined
  /** The options of the circuit breaker. Default: the defaults of `CircuitBreaker`. */
  readonly circuitBreaker?: CircuitBreaker.CircuitBreakerOptions | false | undefined
  /**
   * The options of batching. Default: the defaults of `Batching`, with packets no larger than the `burst` of the rate
   * limit.
   */
  readonly batching?: Batching.BatchingOptions | false | undefined
}

/** A node with the middleware around it. */
export interface StackNode extends Fallback.NamedTransport, StackNodeOptions {}

/** A node whose transport is not made yet. */
export interface StackSource<E, R> extends StackNodeOptions {
  readonly name: string
  readonly transport: Effect.Effect<Transport["Service"], E, R>
}

/** The strategy for several nodes. Give one of these members. Default: `fallback`. */
export type NodeStrategy =
  | {
      readonly fallback?: Fallback.FallbackOptions | undefined
      readonly hedge?: undefined
      readonly quorum?: undefined
    }
  | { readonly hedge: Hedge.HedgeOptions; readonly fallback?: undefined; readonly quorum?: undefined }
  | { readonly quorum: Quorum.QuorumOptions; readonly fallback?: undefined; readonly hedge?: undefined }

/** The middleware over the nodes. `false` leaves a part out. */
export type StackOptions = NodeStrategy & {
  /** The options of retries. Default: the defaults of `Retry`, but no try starts more than a minute after the first. */
  readonly retry?: Retry.RetryOptions | false | undefined
  /** True to send equal simultaneous calls once. Default: true. */
  readonly dedupe?: boolean | undefined
  /**
   * The options of observation. Default: the defaults of `Observe`. To observe each node separately, put an `Observe`
   * with the node's name around its transport.
   */
  readonly observe?: Observe.ObserveOptions | false | undefined
}

/**
 * The defaults that differ from the defaults of the middleware alone. Times are in milliseconds. One minute of retries
 * allows two tries against a silent node; the default of four tries would take two minutes.
 */
export const defaults: { readonly timeout: number; readonly retry: { readonly within: number } } = {
  timeout: 30_000,
  retry: { within: 60_000 }
}

/**
 * Returns a transport over nodes, with all middleware in the right order. If an option is impossible, each call fails with
 * `OptionsError`.
 *
 * By default the client gives up on silence, stops calling a dead node, gathers calls into packets, asks the next node,
 * retries calls that may succeed later, sends equal simultaneous calls once, and records metrics. A rate limit applies
 * only if you give one. With `maxWaiting: 0`, calls beyond the limit of one node go to the next node without waiting.
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
export const make = (nodes: ReadonlyArray<StackNode>, options: StackOptions = {}): Transport["Service"] => {
  const { retry = {}, dedupe = true, observe = {} } = options
  return through(
    over(
      nodes.map((each) => ({ name: each.name, transport: node(each.transport, each) })),
      options,
      retry !== false && Retry.make({ ...defaults.retry, ...retry })
    ),
    dedupe && Dedupe.make(),
    observe !== false && Observe.make(observe)
  )
}

/**
 * Provides the transport of `make` as a layer, over nodes whose transports are not made yet.
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
  nodes: ReadonlyArray<StackSource<E, R>>,
  options?: StackOptions
): Layer.Layer<Transport, E, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    Transport,
    Effect.map(
      Effect.forEach(nodes, (source) =>
        Effect.map(source.transport, (transport): StackNode => ({ ...source, transport }))
      ),
      (made) => make(made, options)
    )
  )

/** Wraps a transport in the middleware of one node: positions 1 to 4 of the order. */
export const node = (transport: Transport["Service"], options: StackNodeOptions = {}): Transport["Service"] => {
  const { timeout = defaults.timeout, rateLimit = false, circuitBreaker = {}, batching = {} } = options
  const burst = rateLimit === false ? Infinity : (rateLimit.burst ?? Math.max(1, Math.floor(rateLimit.permits)))
  const size = batching === false ? 1 : (batching.size ?? Batching.defaults.size)
  return through(
    transport,
    timeout !== false && Timeout.make(timeout),
    rateLimit !== false && RateLimit.make({ ...rateLimit, burst }),
    circuitBreaker !== false && CircuitBreaker.make(circuitBreaker),
    // In a larger packet, the first calls would wait for the permits of the last calls.
    batching !== false && Batching.make(burst >= 1 ? { ...batching, size: Math.min(size, burst) } : batching)
  )
}

/** Returns the transport over the nodes: positions 5 and 6 of the order. */
const over = (
  nodes: ReadonlyArray<Fallback.NamedTransport>,
  options: NodeStrategy,
  retry: Middleware | false
): Transport["Service"] => {
  if (options.quorum !== undefined) {
    const retried = nodes.map(({ name, transport }) => ({ name, transport: through(transport, retry) }))
    return Quorum.make(retried, options.quorum)
  }
  const joined = options.hedge === undefined ? Fallback.make(nodes, options.fallback) : Hedge.make(nodes, options.hedge)
  return through(joined, retry)
}

/** Applies middleware from the inside outwards. */
const through = (
  transport: Transport["Service"],
  ...middleware: ReadonlyArray<Middleware | false>
): Transport["Service"] => middleware.reduce((inner, outer) => (outer === false ? inner : outer(inner)), transport)

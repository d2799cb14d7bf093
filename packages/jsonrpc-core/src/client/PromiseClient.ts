/**
 * A client for programs without Effect: promises, async iterators and `AbortSignal`.
 *
 * It uses the same transports and gives the same errors as the rest of this package. It includes the transports for
 * both HTTP and WebSocket and chooses one by the URL. If the size of your program matters, use `JsonRpcClient` with the
 * one transport that you need.
 */

/// <reference lib="esnext.disposable" preserve="true" />
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { JsonRpcError, TransportError } from "../error/JsonRpcError.ts"
import * as HttpTransport from "../http/HttpTransport.ts"
import type * as Method from "../method/Method.ts"
import * as MethodGroup from "../method/MethodGroup.ts"
import type * as Subscription from "../method/Subscription.ts"
import * as Stack from "../middleware/Stack.ts"
import { type SubscriptionRequest, Subscriptions } from "../transport/Subscriptions.ts"
import { type WireCall, through, Transport } from "../transport/Transport.ts"
import * as WebSocketTransport from "../webSocket/WebSocketTransport.ts"
import { Iteration } from "./iteration.ts"
import * as JsonRpcClient from "./JsonRpcClient.ts"

/**
 * A node, given by its URL: `http:` or `https:`, `ws:` or `wss:`.
 *
 * `fetch` applies to HTTP, and `webSocket` applies to WebSocket. The platform's `WebSocket` cannot send headers; the
 * class of `ws` can.
 */
export interface UrlNode extends HttpTransport.HttpTransportOptions {
  /** A class to use instead of the platform's `WebSocket`, such as the class of `ws`. */
  readonly webSocket?: WebSocketTransport.WebSocketClass | undefined
  readonly transport?: undefined
}

/** A node, given by a transport that the program makes, such as `UndiciTransport.layer(...)`. */
export interface TransportNode {
  readonly transport: Layer.Layer<Transport>
  readonly url?: undefined
  /** Time limit for each packet. Default: 30 seconds. */
  readonly timeout?: Stack.StackNodeOptions["timeout"]
}

/** A node, and the middleware between it and the program. */
export type PromiseClientOptions<G extends MethodGroup.Any> = (UrlNode | TransportNode) & {
  /** The methods that `methods` offers. Default: none. */
  readonly group?: G | undefined
  /**
   * Retries, batching and so on. Default: the defaults of `Stack`. `false`: no middleware, so each call is sent once.
   */
  readonly stack?: (Stack.StackNodeOptions & Stack.StackOptions) | false | undefined
}

/** A signal that ends a call: when it aborts, the promise rejects with its reason and the request is aborted. */
export interface AbortOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * A method of a client. It takes the parameters in the order of the protocol, as domain values, and optional trailing
 * parameters may be left out. It resolves to the result as a domain value.
 */
export type PromiseMethod<M extends Method.Any> = (...args: Method.Args<M>) => Promise<Method.Result<M>>

/** One function per method of a group. */
export type PromiseMethods<G extends MethodGroup.Any> = {
  readonly [N in keyof G["methods"]]: PromiseMethod<G["methods"][N]>
}

/** The outcome of one of several calls, in the form of `Promise.allSettled`. */
export type SettledCall =
  | { readonly status: "fulfilled"; readonly value: unknown }
  | { readonly status: "rejected"; readonly reason: JsonRpcError }

/** A group without methods. */
export type NoMethods = MethodGroup.MethodGroup<{}>

/** A client. Its promises reject with a `JsonRpcError`, or with the reason of an `AbortSignal`. */
export interface PromiseClient<G extends MethodGroup.Any> {
  /** The methods of the group, typed. */
  readonly methods: PromiseMethods<G>

  /** Returns the same methods under a signal: `client.until(signal).eth_chainId()`. */
  readonly until: (signal: AbortSignal) => PromiseMethods<G>

  /**
   * Calls any method and returns its result as the JSON value that arrived.
   *
   * The group says whether the call may be sent again. Calls of methods outside the group may be sent again, unless you
   * give `idempotent: false`.
   */
  readonly call: (
    method: string,
    params?: ReadonlyArray<unknown>,
    options?: AbortOptions & Pick<WireCall, "idempotent">
  ) => Promise<unknown>

  /**
   * Returns the outcome of each call, in order. The calls are sent in one packet if the transport supports it.
   *
   * The `idempotent` of a call says whether the call may be sent again. If it is absent, the group decides.
   */
  readonly callAll: (calls: ReadonlyArray<WireCall>, options?: AbortOptions) => Promise<ReadonlyArray<SettledCall>>

  /**
   * Returns the events of a subscription. The subscription is given as a value or in wire form.
   *
   * Each iteration is a separate subscription, which begins when the first event is requested and ends when the loop is
   * left. Closing the client ends all iterations.
   */
  readonly subscribe: {
    <S extends Subscription.Any>(
      subscription: S,
      ...rest: [] extends Subscription.Args<S>
        ? [args?: Subscription.Args<S>, options?: AbortOptions]
        : [args: Subscription.Args<S>, options?: AbortOptions]
    ): AsyncIterable<Subscription.SubscriptionEvent<Subscription.SubscriptionItem<S>>>
    (
      request: SubscriptionRequest & { readonly item?: never },
      options?: AbortOptions
    ): AsyncIterable<Subscription.SubscriptionEvent<unknown>>
  }

  /** Ends all iterations, rejects the calls in flight, and closes the connection. Later calls reject. */
  readonly close: () => Promise<void>

  /** The same as `close`, for `await using`, which Node has from version 24 on. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a client of one node. Nothing is sent before the first call.
 *
 * By default it retries calls that may succeed later, gathers calls into batches, sends equal simultaneous calls once,
 * and stops calling a dead node for a while: see `Stack`, and the option `stack`. For several nodes, pass a `transport`
 * made by `Stack.layer`, and `stack: false`.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcError, Method, MethodGroup, PromiseClient } from "@plumbline/jsonrpc-core"
 * import { Schema } from "effect"
 *
 * const group = MethodGroup.make(Method.make("eth_blockNumber", { params: [], result: Schema.NumberFromString }))
 * const node: typeof fetch = async (_, init) => {
 *   const { id, method } = JSON.parse(String(init?.body))
 *   return Response.json(
 *     method === "eth_blockNumber"
 *       ? { jsonrpc: "2.0", id, result: "7" }
 *       : { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }
 *   )
 * }
 *
 * const client = PromiseClient.create({ url: "https://node.example/v3/key", group, fetch: node })
 * await client.methods.eth_blockNumber() // => 7
 * const error = await client.call("eth_nope").catch((error) => error)
 * error instanceof JsonRpcError.JsonRpcError // => true
 * error.message // => "eth_nope: no such method (code -32601)"
 * await client.close()
 * ```
 */
export const create = <G extends MethodGroup.Any = NoMethods>(options: PromiseClientOptions<G>): PromiseClient<G> => {
  const runtime = ManagedRuntime.make(layer(options))
  const iterations = new Set<Iteration<unknown>>()
  const running = new Set<Fiber.Fiber<unknown, JsonRpcError>>()
  let isClosed = false
  let closing: Promise<void> | undefined

  /** Runs an effect. `ifClosed` gives the outcome if the client is closed before the effect starts or while it runs. */
  const run = <A>(
    effect: Effect.Effect<A, JsonRpcError, Transport>,
    signal: AbortSignal | undefined,
    ifClosed: IfClosed<A>
  ): Promise<A> => {
    if (signal === undefined && !isClosed) {
      return new Promise((resolve, reject) => {
        begin(effect, (exit) => conclude(exit, resolve, reject, ifClosed))
      })
    }
    return runUntil(effect, signal, ifClosed)
  }

  const runUntil = <A>(
    effect: Effect.Effect<A, JsonRpcError, Transport>,
    signal: AbortSignal | undefined,
    ifClosed: IfClosed<A>
  ): Promise<A> => {
    const { promise, resolve, reject } = Promise.withResolvers<A>()
    let interrupt: (() => void) | undefined
    const abort = (): void => {
      reject(signal?.reason)
      interrupt?.()
    }
    const finish = (exit: Exit.Exit<A, JsonRpcError>): void => {
      signal?.removeEventListener("abort", abort)
      conclude(exit, resolve, reject, ifClosed)
    }
    if (signal?.aborted === true) {
      abort()
    } else if (isClosed) {
      settle(ifClosed(closed), resolve, reject)
    } else {
      signal?.addEventListener("abort", abort, { once: true })
      const fiber = begin(effect, finish)
      interrupt = () => fiber.interruptUnsafe()
    }
    return promise
  }

  const conclude = <A>(
    exit: Exit.Exit<A, JsonRpcError>,
    resolve: (value: A) => void,
    reject: (reason: unknown) => void,
    ifClosed: IfClosed<A>
  ): void => settle(isClosed && Exit.hasInterrupts(exit) ? ifClosed(overtaken) : exit, resolve, reject)

  /**
   * Starts an effect at once. Once the transport exists, the fiber runs with the transport's context, outside the
   * runtime's scope, because registering a fiber in the scope would cost as much as running it.
   */
  const begin = <A>(
    effect: Effect.Effect<A, JsonRpcError, Transport>,
    onExit: (exit: Exit.Exit<A, JsonRpcError>) => void
  ): Fiber.Fiber<A, JsonRpcError> => {
    const context = runtime.cachedContext
    if (context === undefined) {
      const fiber = runtime.runFork(effect)
      fiber.addObserver(onExit)
      return fiber
    }
    const fiber = Effect.runForkWith(context)(effect)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      onExit(exit)
      return fiber
    }
    running.add(fiber)
    fiber.addObserver((exit) => {
      running.delete(fiber)
      onExit(exit)
    })
    return fiber
  }

  let client: JsonRpcClient.JsonRpcClient<MethodGroup.Any> | undefined
  const typed = Effect.suspend(() =>
    client === undefined
      ? Effect.map(JsonRpcClient.make<MethodGroup.Any>(options.group ?? MethodGroup.make()), (made) => (client = made))
      : Effect.succeed(client)
  )

  const methods = (signal?: AbortSignal): PromiseMethods<G> => {
    const functions: Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>> = Object.create(null)
    for (const name of Object.keys(options.group?.methods ?? {})) {
      functions[name] = (...args) =>
        run(
          client === undefined ? Effect.flatMap(typed, (made) => made[name]!(...args)) : client[name]!(...args),
          signal,
          (error) => Exit.fail(error(name))
        )
    }
    return functions as PromiseMethods<G>
  }

  const iterate = (
    { method, stream }: Events,
    signal: AbortSignal | undefined
  ): AsyncIterator<Subscription.SubscriptionEvent<unknown>> => {
    const abort = (): void => void iteration.end({ reason: signal?.reason })
    const open = async (): Promise<AsyncIterator<Subscription.SubscriptionEvent<unknown>>> => {
      signal?.throwIfAborted()
      if (isClosed) {
        throw closed(method)
      }
      iterations.add(iteration)
      signal?.addEventListener("abort", abort, { once: true })
      return Stream.toAsyncIterableWith(stream, await runtime.context())[Symbol.asyncIterator]()
    }
    const iteration = new Iteration(open, () => {
      iterations.delete(iteration)
      signal?.removeEventListener("abort", abort)
    })
    return iteration
  }

  const subscribe = (
    target: Subscription.Any | SubscriptionRequest,
    ...rest: ReadonlyArray<any>
  ): AsyncIterable<unknown> => {
    const isTyped = "item" in target
    const events = isTyped ? ofSubscription(target, rest[0] ?? []) : ofRequest(target)
    const until: AbortOptions | undefined = rest[isTyped ? 1 : 0]
    return { [Symbol.asyncIterator]: () => iterate(events, until?.signal) }
  }

  /** Ends the calls in flight, and then their transport. */
  const dispose = (): Promise<void> =>
    Effect.runPromise(Effect.andThen(Fiber.interruptAll([...running]), runtime.disposeEffect))

  const close = (): Promise<void> => {
    isClosed = true
    closing ??= Promise.all([...[...iterations].map((iteration) => iteration.end()), dispose()]).then(() => {})
    return closing
  }

  const mayRepeat = (method: string): boolean | undefined => options.group?.get(method)?.idempotent

  return {
    methods: methods(),
    until: methods,
    call: (method, params = [], { signal, idempotent = mayRepeat(method) } = {}) =>
      run(
        Effect.flatMap(Transport, (transport) => transport.call({ method, params, idempotent })),
        signal,
        (error) => Exit.fail(error(method))
      ),
    callAll: (calls, until) =>
      run(
        Effect.map(
          Effect.flatMap(Transport, (transport) =>
            transport.callAll(calls.map((call) => ({ ...call, idempotent: call.idempotent ?? mayRepeat(call.method) })))
          ),
          (outcomes) => outcomes.map(settled)
        ),
        until?.signal,
        (error) => Exit.succeed(calls.map(({ method }) => settled(Result.fail(error(method)))))
      ),
    subscribe: subscribe as PromiseClient<G>["subscribe"],
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Gives the outcome of an effect if the client is closed before the effect starts or while it runs. */
type IfClosed<A> = (error: (method: string) => JsonRpcError) => Exit.Exit<A, JsonRpcError>

const settle = <A>(
  exit: Exit.Exit<A, JsonRpcError>,
  resolve: (value: A) => void,
  reject: (reason: unknown) => void
): void => {
  if (Exit.isSuccess(exit)) {
    resolve(exit.value)
  } else {
    reject(Cause.squash(exit.cause))
  }
}

const layer = (options: PromiseClientOptions<MethodGroup.Any>): Layer.Layer<Transport> => {
  const bare = options.transport === undefined ? ofNode(options) : options.transport
  const { stack = {}, timeout } = options
  return stack === false
    ? bare
    : through(bare, (transport) => Stack.make([{ name: "node", timeout, ...stack, transport }], stack))
}

const ofNode = (node: UrlNode): Layer.Layer<Transport> => {
  const url = Redacted.isRedacted(node.url) ? Redacted.value(node.url) : node.url
  return /^\s*wss?:/i.test(url) ? WebSocketTransport.layer(node) : HttpTransport.layer(node)
}

/** The events of a subscription, and the name of its method, for errors. */
interface Events {
  readonly method: string
  readonly stream: Stream.Stream<Subscription.SubscriptionEvent<unknown>, JsonRpcError>
}

const ofSubscription = (subscription: Subscription.Any, args: ReadonlyArray<unknown>): Events =>
  events(
    subscription,
    Effect.map(JsonRpcClient.subscribe(subscription), (subscribe) => subscribe(...args))
  )

const ofRequest = (request: SubscriptionRequest): Events =>
  events(
    request,
    Effect.map(Subscriptions, (subscriptions) => subscriptions.subscribe(request))
  )

const events = (
  { wire }: { readonly wire: Subscription.SubscriptionNames },
  begin: Effect.Effect<Stream.Stream<Subscription.SubscriptionEvent<unknown>, JsonRpcError>, never, Subscriptions>
): Events => ({
  method: wire.subscribe,
  stream: Stream.unwrap(
    Effect.flatMap(Effect.serviceOption(Subscriptions), (subscriptions) =>
      Option.isSome(subscriptions)
        ? Effect.provideService(begin, Subscriptions, subscriptions.value)
        : Effect.fail(withheld(wire.subscribe, "this transport carries no subscriptions: give a ws or wss URL"))
    )
  )
})

const settled = (outcome: Result.Result<unknown, JsonRpcError>): SettledCall =>
  Result.isSuccess(outcome)
    ? { status: "fulfilled", value: outcome.success }
    : { status: "rejected", reason: outcome.failure }

/** Returns the error of a call that was in flight when the client was closed. The call may have been sent. */
const overtaken = (method: string): JsonRpcError =>
  new JsonRpcError({ method, reason: new TransportError({ detail: "the client was closed", retryable: false }) })

const closed = (method: string): JsonRpcError => withheld(method, "the client is closed")

const withheld = (method: string, detail: string): JsonRpcError =>
  new JsonRpcError({ method, reason: new TransportError({ detail, retryable: false, withheld: true }) })

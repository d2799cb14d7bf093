/**
 * A server of a method group: handlers take and return domain values, and the server checks the wire values.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import * as ErrorObject from "../error/ErrorObject.ts"
import * as Method from "../method/Method.ts"
import * as MethodCodecs from "../method/methodCodecs.ts"
import type * as MethodGroup from "../method/MethodGroup.ts"
import * as Results from "../method/result.ts"
import type * as Subscription from "../method/Subscription.ts"
import * as CallParams from "./callParams.ts"
import { logDefect } from "./defect.ts"
import * as Dispatcher from "./Dispatcher.ts"
import * as Sources from "./sources.ts"
import type { ServerSource } from "./sources.ts"
import * as Work from "./work.ts"

export type { ServerSource } from "./sources.ts"

/** One handler per method of a group. A handler fails with the error object to answer. */
export type Handlers<G extends MethodGroup.Any, R> = {
  readonly [N in keyof G["methods"]]: (
    ...args: Method.Args<G["methods"][N]>
  ) => Effect.Effect<Method.Result<G["methods"][N]>, ErrorObject.ErrorObject, R>
}

/** The options of a server: its subscriptions, its document, and the options of the dispatcher. */
export interface JsonRpcServerOptions<
  RD,
  S extends ReadonlyArray<ServerSource<any>> = ReadonlyArray<ServerSource<never>>
> extends Pick<Dispatcher.DispatcherOptions<never, RD>, "limits" | "onDefect"> {
  /**
   * The subscriptions that a `Connection` to this server offers. Two subscriptions with the same name are an error in
   * the program.
   */
  readonly subscriptions?: S | undefined
  /**
   * The document that `rpc.discover` returns, as `OpenRpc.document` makes it. Without a document the method does not
   * exist.
   */
  readonly discover?: object | undefined
}

/** The services that the handlers of a table need. */
export type Services<H> = HandlerServices<H[keyof H]>

type HandlerServices<F> = F extends (...args: any) => Effect.Effect<any, any, infer R> ? R : never

/** The Effect services that the sources of subscriptions need. */
export type SourceServices<S> = S extends ServerSource<infer R> ? R : never

/**
 * Makes the source of a subscription: a stream of items for each subscriber.
 *
 * The effect may refuse the subscription by failing with the error object to answer. The stream is read from the moment
 * the subscription is accepted and is interrupted when the subscription ends. Items are encoded with their schema. If
 * an item cannot be encoded, the source is at fault and dies. `Connection` describes what the subscriber sees when a
 * source dies, and when a source ends.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method, MethodGroup, Subscription } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const countdown = Subscription.make("test", "countdown", {
 *   params: [Method.param("from", Schema.Int)],
 *   item: Schema.Int
 * })
 * const server = JsonRpcServer.make(MethodGroup.make(), {}, {
 *   subscriptions: [JsonRpcServer.source(countdown, (from) => Effect.succeed(Stream.range(0, from)))]
 * })
 * const request = '{"jsonrpc":"2.0","id":1,"method":"test_subscribe","params":["countdown",3]}'
 * const answer = new TextDecoder().decode(await Effect.runPromise(server.handle(request)))
 * answer // => '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"notifications not supported"}}'
 * ```
 */
export const source = <S extends Subscription.Any, R = never>(
  subscription: S,
  open: Subscription.SubscriptionSource<S, ErrorObject.ErrorObject, R>
): ServerSource<R> => {
  const { name, wire } = subscription
  const method = Sources.methodOf(subscription)
  const encode = (item: unknown): string => Results.textOf(method, item, `the source of ${name}`)
  return {
    subscription,
    feed: (args, onDefect) =>
      Effect.flatMap(open(...(args as Subscription.Args<S>)), (items) =>
        Effect.contextWith((context: Context.Context<R>) =>
          Effect.succeed({ name, wire, items: Stream.provideContext(Stream.map(items, encode), context), onDefect })
        )
      )
  }
}

/**
 * Makes a dispatcher over typed handlers.
 *
 * An unknown method is answered with -32601, and bad parameters are answered with -32602 (see `checkParams`). If a
 * result cannot be encoded with its schema, the handler is at fault: the answer is -32603, and `onDefect` is called.
 *
 * With `subscriptions` it also accepts the calls that begin and end subscriptions. These calls work over a
 * `Connection`. Over `handle`, which cannot send notifications, they are refused with -32601. The refusals use geth's
 * words. With `discover` it answers `rpc.discover` with that document.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(
 *   Method.make("subtract", {
 *     params: [Method.param("minuend", Schema.Number), Method.param("subtrahend", Schema.Number)],
 *     result: Schema.Number
 *   })
 * )
 * const server = JsonRpcServer.make(group, { subtract: (a, b) => Effect.succeed(a - b) })
 * const answer = await Effect.runPromise(server.handle('{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}'))
 * new TextDecoder().decode(answer) // => '{"jsonrpc":"2.0","id":1,"result":19}'
 * ```
 */
export const make = <
  G extends MethodGroup.Any,
  const H extends Handlers<G, any>,
  RD = never,
  const S extends ReadonlyArray<ServerSource<any>> = readonly []
>(
  group: G,
  handlers: H,
  options?: JsonRpcServerOptions<RD, S>
): Dispatcher.Dispatcher<Services<H> | RD | SourceServices<S[number]>> => {
  type R = Services<H> | RD | SourceServices<S[number]>
  const system = systemCalls<R, RD>(group, options ?? {})
  return Dispatcher.make<R, RD>({
    limits: options?.limits,
    onDefect: options?.onDefect,
    call: (call) => {
      const method = group.get(call.method)
      if (method === undefined) {
        return system.get(call.method)?.(call) ?? Effect.fail(ErrorObject.methodNotFound(call.method))
      }
      const args = CallParams.decode(method, call.params)
      if (Result.isFailure(args)) {
        return Effect.fail(args.failure)
      }
      const handler: AnyHandler<R> = handlers[call.method]!
      const encode = (result: unknown): Uint8Array => Results.bytesOf(method, result, `the handler of ${method.name}`)
      const work = handler(...args.success)
      const exit = Work.exitOf(work)
      return exit !== undefined && Exit.isSuccess(exit) ? Effect.succeed(encode(exit.value)) : Effect.map(work, encode)
    }
  })
}

/**
 * Checks the parameters of a call and returns them in canonical form: positional, decoded and encoded again, without
 * absent arguments at the end.
 *
 * Parameters come by position or by name, as JSON values; `undefined` and `null` mean no parameters. `null` for an
 * optional parameter means that it is absent, unless its schema accepts `null`. The error is -32602, in geth's words;
 * the error never contains the wrong value.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method } from "@plumbline/jsonrpc-core"
 * import { Result, Schema } from "effect"
 *
 * const method = Method.make("subtract", {
 *   params: [Method.param("minuend", Schema.Number), Method.param("subtrahend", Schema.Number)],
 *   result: Schema.Number
 * })
 * JsonRpcServer.checkParams(method, { subtrahend: 23, minuend: 42 }) // => Result.succeed([42, 23])
 * const wrong = JsonRpcServer.checkParams(method, [42])
 * wrong // => Result.fail({ code: -32602, message: "missing value for required argument 1" })
 * ```
 */
export const checkParams = (
  method: Method.Any,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  const decoded = CallParams.decode(method, params)
  if (decoded._tag === "Failure") return decoded
  const args = decoded.success
  const { params: codecs } = MethodCodecs.of(method)
  const wire: Array<unknown> = []
  for (let index = 0; index < args.length; index++) {
    if (args[index] === undefined) {
      wire.push(null)
      continue
    }
    const encoded = codecs[index]!.encode(args[index])
    if (encoded._tag === "Failure") return Result.fail(CallParams.invalidArgument(index, encoded.failure))
    wire.push(encoded.success)
  }
  return Result.succeed(wire)
}

/**
 * Checks the parameters of a call and returns them as domain values, for a program that answers calls by its own rules.
 * An absent optional argument is `undefined`. The errors are the same as for `checkParams`.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method } from "@plumbline/jsonrpc-core"
 * import { Result, Schema } from "effect"
 *
 * const method = Method.make("double", { params: [Method.param("of", Schema.NumberFromString)], result: Schema.Number })
 * JsonRpcServer.decodeParams(method, ["21"]) // => Result.succeed([21])
 * ```
 */
export const decodeParams = (
  method: Method.Any,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => CallParams.decode(method, params)

/**
 * Returns the wire value of a result, or the fault of a result that the method's schema cannot encode. If the result is
 * made of a node's answer, the node is at fault.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method } from "@plumbline/jsonrpc-core"
 * import { Result, Schema } from "effect"
 *
 * const method = Method.make("answer", { params: [], result: Schema.NumberFromString })
 * JsonRpcServer.encodeResult(method, 42) // => Result.succeed("42")
 * JsonRpcServer.encodeResult(method, null)._tag // => "Failure"
 * ```
 */
export const encodeResult = (method: Method.Any, result: unknown): Result.Result<unknown, Method.ArgumentFault> =>
  Results.encode(method, result)

type AnyHandler<R> = (...args: ReadonlyArray<any>) => Effect.Effect<unknown, ErrorObject.ErrorObject, R>

/** Returns the calls that are not methods of the group: the calls of the subscriptions, and `rpc.discover`. */
const systemCalls = <R, RD>(
  group: MethodGroup.Any,
  options: JsonRpcServerOptions<RD, ReadonlyArray<ServerSource<R>>>
): ReadonlyMap<string, Sources.SystemCall<R | RD>> => {
  const calls = new Map(Sources.calls(options.subscriptions ?? [], options.onDefect ?? logDefect))
  if (options.discover !== undefined) {
    calls.set(discover.name, answerAlways(discover, options.discover))
  }
  for (const name of calls.keys()) {
    if (group.get(name) !== undefined) {
      throw new Error(`${name} is a method of the group and a call of the server itself`)
    }
  }
  return calls
}

/** The service discovery of OpenRPC. */
const discover = /* @__PURE__ */ Method.make("rpc.discover", { params: [], result: Schema.Unknown })

const answerAlways = (method: Method.Any, result: unknown): Sources.SystemCall<never> => {
  const bytes = Results.bytesOf(method, result, method.name)
  return ({ params }) => Effect.as(Effect.fromResult(CallParams.decode(method, params)), bytes)
}

/**
 * A typed client of a method group: domain values in, domain values out.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as Stream from "effect/Stream"

import { DecodeError, EncodeError, JsonRpcError, ProtocolError } from "../error/JsonRpcError.ts"
import * as Codecs from "../method/codecs.ts"
import * as Method from "../method/Method.ts"
import type * as MethodGroup from "../method/MethodGroup.ts"
import type * as Subscription from "../method/Subscription.ts"
import { Subscriptions } from "../transport/Subscriptions.ts"
import { type Call, Transport } from "../transport/Transport.ts"

/** One function per method. Optional trailing parameters may be left out. */
export type Client<G extends MethodGroup.Any> = {
  readonly [N in keyof G["methods"]]: (
    ...args: Method.Args<G["methods"][N]>
  ) => Effect.Effect<Method.Result<G["methods"][N]>, JsonRpcError>
}

/**
 * Returns a client of a group, over the transport in the context.
 *
 * Arguments are encoded with their schemas and asked for faults by the `check` of their parameters (`EncodeError`).
 * Results are decoded with theirs (`DecodeError`, with the path to the wrong part). A result of `null` is a value like any other: the method's schema decides if it is valid.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method, MethodGroup, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(
 *   Method.make("next", {
 *     params: [Method.param("number", Schema.NumberFromString)],
 *     result: Schema.NullOr(Schema.NumberFromString)
 *   })
 * )
 * const transport = Transport.Transport.of({
 *   call: ({ params }) => Effect.succeed(params[0] === "9" ? null : `${Number(params[0]) + 1}`),
 *   callAll: () => Effect.succeed([])
 * })
 * const client = await Effect.runPromise(
 *   Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
 * )
 * await Effect.runPromise(client.next(7)) // => 8
 * await Effect.runPromise(client.next(9)) // => null
 * ```
 */
export const make = <G extends MethodGroup.Any>(group: G): Effect.Effect<Client<G>, never, Transport> =>
  Effect.map(Transport, (transport) => {
    const client: Record<string, CallFunction> = Object.create(null)
    for (const method of Object.values(group.methods)) {
      client[method.name] = makeCall(transport, method)
    }
    return client as Client<G>
  })

/**
 * Returns a function that subscribes over the connection in the context.
 *
 * Arguments are encoded with their schemas (`EncodeError`) and items are decoded with theirs. A `DecodeError`, with the
 * path to the wrong part, ends the stream. Starting the stream begins the subscription; ending the stream ends it.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method, Subscription, Subscriptions } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const multiples = Subscription.make("math", "multiples", {
 *   params: [Method.param("of", Schema.NumberFromString)],
 *   item: Schema.NumberFromString
 * })
 * const subscriptions = Subscriptions.Subscriptions.of({
 *   subscribe: ({ params }) =>
 *     Stream.map(Stream.make(1, 2, 3), (n) => ({ _tag: "Item", value: `${n * Number(params[0])}` }))
 * })
 * const program = Effect.flatMap(JsonRpcClient.subscribe(multiples), (subscribe) => Stream.runCollect(subscribe(7)))
 * const events = await Effect.runPromise(Effect.provideService(program, Subscriptions.Subscriptions, subscriptions))
 * events[2] // => { _tag: "Item", value: 21 }
 * ```
 */
export const subscribe = <S extends Subscription.Any>(
  subscription: S
): Effect.Effect<Subscription.Subscribe<S>, never, Subscriptions> =>
  Effect.map(Subscriptions, (subscriptions) => {
    const { item, params, wire } = subscription
    // The codec treats the subscription as a method whose result is one item.
    const codec = Codecs.of(Method.make(wire.subscribe, { params, result: item }))

    const decode = (event: Subscription.Event<unknown>): Effect.Effect<Subscription.Event<any>, JsonRpcError> => {
      if (event._tag === "Gap") {
        return Effect.succeed(event)
      }
      const decoded = codec.decodeResult(event.value)
      return Result.isSuccess(decoded)
        ? Effect.succeed({ _tag: "Item", value: decoded.success })
        : Effect.fail(
            new JsonRpcError({
              method: wire.notification,
              reason: new DecodeError(Codecs.firstIssue(decoded.failure))
            })
          )
    }

    return (...args) =>
      Stream.suspend(() => {
        const encoded = encodeArgs(codec, args)
        return Result.isSuccess(encoded)
          ? Stream.mapEffect(subscriptions.subscribe({ wire, params: encoded.success }), decode)
          : Stream.fail(new JsonRpcError({ method: wire.subscribe, reason: encoded.failure }))
      })
  })

/**
 * Returns the parameters of a call in wire form, or the `EncodeError` with which a client of the method fails.
 *
 * For a client that answers without a transport, such as one that reads a file.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method } from "@plumbline/jsonrpc-core"
 * import { Result, Schema } from "effect"
 *
 * const double = Method.make("double", {
 *   params: [Method.param("number", Schema.NumberFromString)],
 *   result: Schema.String
 * })
 * JsonRpcClient.encodeParams(double, [21]) // => Result.succeed(["21"])
 * const failed = JsonRpcClient.encodeParams(double, ["21"])
 * Result.isFailure(failed) && failed.failure.message // => "double: EncodeError: params.number: Expected number"
 * ```
 */
export const encodeParams = (
  method: Method.Any,
  args: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<unknown>, JsonRpcError> =>
  Result.mapError(encodeArgs(Codecs.of(method), args), (reason) => new JsonRpcError({ method: method.name, reason }))

type CallFunction = (...args: ReadonlyArray<unknown>) => Effect.Effect<any, JsonRpcError>

const makeCall = (transport: Transport["Service"], method: Method.Any): CallFunction => {
  const codec = Codecs.of(method)
  const fail = (reason: JsonRpcError["reason"]): Effect.Effect<never, JsonRpcError> =>
    Effect.fail(new JsonRpcError({ method: method.name, reason }))

  const decode = (result: unknown): Effect.Effect<unknown, JsonRpcError> => {
    if (result === undefined) {
      return fail(new ProtocolError({ detail: "the answer has no result and no error" }))
    }
    const decoded = codec.decodeResult(result)
    return Result.isSuccess(decoded)
      ? Effect.succeed(decoded.success)
      : fail(new DecodeError(Codecs.firstIssue(decoded.failure)))
  }

  return (...args) =>
    Effect.suspend(() => {
      const params = encodeArgs(codec, args)
      return Result.isSuccess(params)
        ? Effect.flatMap(transport.call(toCall(method, params.success)), decode)
        : fail(params.failure)
    })
}

const toCall = (method: Method.Any, params: ReadonlyArray<unknown>): Call =>
  method.idempotent ? { method: method.name, params } : { method: method.name, params, idempotent: false }

/** Returns the wire parameters. An absent argument is omitted at the end of the list and is `null` elsewhere. */
const encodeArgs = (
  codec: Codecs.MethodCodec,
  args: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<unknown>, EncodeError> => {
  if (args.length > codec.params.length) {
    return Result.fail(new EncodeError({ path: [], detail: `too many arguments, want at most ${codec.params.length}` }))
  }
  const params: Array<unknown> = []
  let length = 0
  // A plain loop: an iterator of entries costs as much as to encode an argument.
  for (let index = 0; index < codec.params.length; index++) {
    const param = codec.params[index]!
    const arg = args[index]
    if (arg === undefined && param.optional) {
      params.push(null)
      continue
    }
    const encoded = param.encode(arg)
    if (Result.isFailure(encoded)) {
      return Result.fail(encodeError(param.name, encoded.failure))
    }
    const fault = param.check?.(arg)
    if (fault !== undefined) {
      return Result.fail(new EncodeError({ path: [param.name, ...fault.path], detail: fault.detail }))
    }
    params.push(encoded.success)
    length = params.length
  }
  params.length = length
  return Result.succeed(params)
}

const encodeError = (name: string, issue: SchemaIssue.Issue): EncodeError => {
  const { path, detail } = Codecs.firstIssue(issue)
  return new EncodeError({ path: [name, ...path], detail })
}

/** A typed client of a method group. Arguments and results are domain values. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { DecodeError, JsonRpcError } from "../error/JsonRpcError.ts"
import * as Method from "../method/Method.ts"
import * as MethodCodecs from "../method/methodCodecs.ts"
import type * as MethodGroup from "../method/MethodGroup.ts"
import * as Results from "../method/result.ts"
import type * as Subscription from "../method/Subscription.ts"
import { Subscriptions } from "../transport/Subscriptions.ts"
import { Transport } from "../transport/Transport.ts"
import * as MethodCall from "./methodCall.ts"

/**
 * A method of a client. It takes the parameters in the order of the protocol, and optional trailing parameters may be
 * left out. It returns the result, decoded with the method's schema.
 */
export type JsonRpcMethod<M extends Method.Any> = (
  ...args: Method.Args<M>
) => Effect.Effect<Method.Result<M>, JsonRpcError>

/** One function per method of the group. */
export type JsonRpcClient<G extends MethodGroup.Any> = {
  readonly [N in keyof G["methods"]]: JsonRpcMethod<G["methods"][N]>
}

/**
 * Returns a client of a group, over the transport in the context.
 *
 * Arguments are checked by the `check` of their parameters and encoded with their schemas (`EncodeError`). Results are
 * decoded with their schemas (`DecodeError`, with the path to the wrong part). A result of `null` is a value like any
 * other: the method's schema decides if it is valid.
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
export const make = <G extends MethodGroup.Any>(group: G): Effect.Effect<JsonRpcClient<G>, never, Transport> =>
  Effect.map(Transport, (transport) => {
    const client: Record<string, (...args: ReadonlyArray<unknown>) => MethodCall.MethodCall> = Object.create(null)
    for (const method of Object.values(group.methods)) {
      const over = MethodCall.over(transport, method)
      client[method.name] = (...args) => new MethodCall.MethodCall(over, args)
    }
    return client as JsonRpcClient<G>
  })

/**
 * Makes calls together, and returns their results in order.
 *
 * Calls of one client travel as one packet, cut to size by `Batching` if the transport has it. No fiber is started for
 * a call, so a call here costs much less than a call in `Effect.all`.
 *
 * If several calls fail, the result is the error of the failed call that comes first in the list. If an argument is
 * invalid, nothing is sent. Any other effect in the list, such as a call with `Effect.map` applied, runs at the same
 * time in a separate fiber.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method, MethodGroup, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Result, Schema } from "effect"
 *
 * const group = MethodGroup.make(
 *   Method.make("next", {
 *     params: [Method.param("number", Schema.NumberFromString)],
 *     result: Schema.NumberFromString
 *   })
 * )
 * const packets: Array<number> = []
 * const transport = Transport.Transport.of({
 *   call: () => Effect.never,
 *   callAll: (calls) => {
 *     packets.push(calls.length)
 *     return Effect.succeed(calls.map(({ params }) => Result.succeed(`${Number(params[0]) + 1}`)))
 *   }
 * })
 * const { next } = await Effect.runPromise(
 *   Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
 * )
 * await Effect.runPromise(JsonRpcClient.all([next(7), next(8), next(9)])) // => [8, 9, 10]
 * packets // => [3]
 * ```
 */
export const all = <const Effects extends ReadonlyArray<Effect.Effect<any, any, any>>>(
  effects: Effects
): Effect.Effect<
  { -readonly [K in keyof Effects]: Effect.Success<Effects[K]> },
  Effect.Error<Effects[number]>,
  Effect.Services<Effects[number]>
> => together(effects) as Effect.Effect<any, any, any>

const together = (effects: ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>) => {
  const calls: Array<MethodCall.MethodCall> = []
  const others: Array<Effect.Effect<unknown, unknown, unknown>> = []
  const isCall = effects.map((effect) => {
    const isOne =
      effect instanceof MethodCall.MethodCall && effect.over.transport === (calls[0] ?? effect).over.transport
    if (isOne) calls.push(effect)
    else others.push(effect)
    return isOne
  })
  if (others.length === 0) return MethodCall.all(calls)
  const both = [MethodCall.all(calls), Effect.all(others, { concurrency: "unbounded" })] as const
  return Effect.map(Effect.all(both, { concurrency: "unbounded" }), ([results, rest]) => {
    let call = 0
    let other = 0
    return isCall.map((isOne) => (isOne ? results[call++] : rest[other++]))
  })
}

/**
 * Returns a function that subscribes over the connection in the context.
 *
 * Arguments are encoded with their schemas (`EncodeError`) and items are decoded with the subscription's schema. A
 * `DecodeError`, with the path to the wrong part, ends the stream. Starting the stream begins the subscription; ending
 * the stream ends it.
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
    const codec = MethodCodecs.of(Method.make(wire.subscribe, { params, result: item }))

    const decode = (
      event: Subscription.SubscriptionEvent<unknown>
    ): Effect.Effect<Subscription.SubscriptionEvent<any>, JsonRpcError> => {
      if (event._tag === "Gap") {
        return Effect.succeed(event)
      }
      const decoded = codec.decodeResult(event.value)
      return Result.isSuccess(decoded)
        ? Effect.succeed({ _tag: "Item", value: decoded.success })
        : Effect.fail(
            new JsonRpcError({
              method: wire.notification,
              reason: new DecodeError(MethodCodecs.firstIssue(decoded.failure))
            })
          )
    }

    return (...args) =>
      Stream.suspend(() => {
        const encoded = MethodCall.encodeArgs(codec, args)
        return Result.isSuccess(encoded)
          ? Stream.mapEffect(subscriptions.subscribe({ wire, params: encoded.success }), decode)
          : Stream.fail(new JsonRpcError({ method: wire.subscribe, reason: encoded.failure }))
      })
  })

/**
 * Returns the parameters of a call in wire form, or the `EncodeError` with which a client of the method fails.
 *
 * Use it in a client that answers without a transport, such as a client that reads a file.
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
 * Result.isFailure(failed) && failed.failure.message // => "double: params.number: Expected number"
 * ```
 */
export const encodeParams = (
  method: Method.Any,
  args: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<unknown>, JsonRpcError> =>
  Result.mapError(
    MethodCall.encodeArgs(MethodCodecs.of(method), args),
    (reason) => new JsonRpcError({ method: method.name, reason })
  )

/**
 * Returns a method's answer in wire form, which `JSON.stringify` accepts: numbers become the method's own text, and
 * unknown fields of a node are kept.
 *
 * Throws if the value does not fit the method's schema, which the types exclude.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method } from "@plumbline/jsonrpc-core"
 * import { Schema } from "effect"
 *
 * const method = Method.make("answer", { params: [], result: Schema.BigIntFromString })
 * JsonRpcClient.toJson(method, 42n) // => "42"
 * ```
 */
export const toJson = <M extends Method.Any>(method: M, answer: Method.Result<M>): unknown =>
  Results.wireOf(method, answer, `the result of ${method.name}`)

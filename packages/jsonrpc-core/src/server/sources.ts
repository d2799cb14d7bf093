/** Handles the calls that begin and end subscriptions: chooses the source, or refuses the call. */
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as ErrorCode from "../error/ErrorCode.ts"
import * as ErrorObject from "../error/ErrorObject.ts"
import { MAX_METHOD_LENGTH, type Params as CallParams } from "../message/Message.ts"
import * as Method from "../method/Method.ts"
import * as Results from "../method/result.ts"
import type * as Subscription from "../method/Subscription.ts"
import * as Params from "./callParams.ts"
import type * as Dispatcher from "./Dispatcher.ts"
import { notificationsUnsupported, subscriptionNotFound } from "./gethErrors.ts"

/** A subscription and its source on the server. Make it with `JsonRpcServer.source`. */
export interface ServerSource<R> {
  readonly subscription: Subscription.Any
  /** Returns the feed for one subscriber, from the arguments of its call. */
  readonly feed: (
    args: ReadonlyArray<unknown>,
    onDefect: (cause: Cause.Cause<unknown>) => Effect.Effect<void>
  ) => Effect.Effect<Dispatcher.SubscriberFeed, ErrorObject.ErrorObject, R>
}

/** A function that answers calls whose method is not in the server's group. */
export type SystemCall<R> = (
  call: Dispatcher.DispatchedCall
) => Effect.Effect<Uint8Array | Dispatcher.OpeningResult, ErrorObject.ErrorObject, R>

/**
 * Returns the call that begins a subscription, as a method: its parameters are the prefix and the subscription's own,
 * and its result is one item.
 */
export const methodOf = (subscription: Subscription.Any): Method.Any =>
  Method.make(subscription.wire.subscribe, {
    params: [
      ...subscription.wire.prefix.map((word) => Method.param("subscription", Schema.Literal(word))),
      ...subscription.params
    ],
    result: subscription.item
  })

/** Returns the call that ends a subscription, as a method. Like the call that begins one, it takes no names. */
export const unsubscribeOf = (name: string): Method.Any =>
  Method.make(name, {
    params: [Method.param("subscription", Schema.String)],
    result: Schema.Boolean,
    isPositional: true
  })

/** Returns the calls of these sources, by name. */
export const calls = <R, RD>(
  sources: ReadonlyArray<ServerSource<R>>,
  onDefect: (cause: Cause.Cause<unknown>, call: Dispatcher.DispatchedCall) => Effect.Effect<void, never, RD>
): ReadonlyMap<string, SystemCall<R | RD>> => {
  const table = new Map<string, SystemCall<R | RD>>()
  for (const name of new Set(sources.map(({ subscription }) => subscription.wire.unsubscribe))) {
    table.set(name, unsubscribe(unsubscribeOf(name)))
  }
  for (const [name, ofName] of Map.groupBy(sources, ({ subscription }) => subscription.wire.subscribe)) {
    const prefixes = new Set(ofName.map(({ subscription }) => subscription.wire.prefix.join(" ")))
    if (prefixes.size < ofName.length || table.has(name)) {
      throw new Error(`two subscriptions share the calls of ${name}`)
    }
    table.set(name, subscribe(ofName.map(toWay), onDefect))
  }
  return table
}

/** A source, with the parameters of its call. */
interface ChosenSource<R> {
  readonly source: ServerSource<R>
  readonly prefix: ReadonlyArray<string>
  readonly method: Method.Any
}

const toWay = <R>(source: ServerSource<R>): ChosenSource<R> => ({
  source,
  prefix: source.subscription.wire.prefix,
  method: methodOf(source.subscription)
})

const subscribe =
  <R, RD>(
    ways: ReadonlyArray<ChosenSource<R>>,
    onDefect: (cause: Cause.Cause<unknown>, call: Dispatcher.DispatchedCall) => Effect.Effect<void, never, RD>
  ): SystemCall<R | RD> =>
  (call) => {
    const { peer } = call
    if (peer === undefined) {
      return Effect.fail(notificationsUnsupported)
    }
    const way = choose(ways, call)
    if (Result.isFailure(way)) {
      return Effect.fail(way.failure)
    }
    const { method, prefix, source } = way.success
    const args = Params.decode(method, call.params)
    if (Result.isFailure(args)) {
      return Effect.fail(args.failure)
    }
    return Effect.contextWith((context: Context.Context<RD>) =>
      Effect.map(
        source.feed(args.success.slice(prefix.length), (cause) =>
          Effect.provideContext(
            Effect.suspend(() => onDefect(cause, call)),
            context
          )
        ),
        (feed) => peer.subscribe(feed)
      )
    )
  }

const unsubscribe =
  (method: Method.Any): SystemCall<never> =>
  ({ params, peer }) => {
    const args = Params.decode(method, params)
    if (Result.isFailure(args)) {
      return Effect.fail(args.failure)
    }
    const [id] = args.success as [string]
    return peer?.unsubscribe(method.name, id) === true
      ? Effect.succeed(Results.bytesOf(method, true, method.name))
      : Effect.fail(subscriptionNotFound)
  }

/**
 * Returns the source whose prefix the parameters begin with. Longer prefixes are tried first. Refusals are in geth's
 * words.
 */
const choose = <R>(
  ways: ReadonlyArray<ChosenSource<R>>,
  { method, params }: { readonly method: string; readonly params: CallParams }
): Result.Result<ChosenSource<R>, ErrorObject.ErrorObject> => {
  const given: ReadonlyArray<unknown> = Array.isArray(params) ? params : []
  const [way] = ways
    .filter(({ prefix }) => prefix.every((word, index) => given[index] === word))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  if (way !== undefined) {
    return Result.succeed(way)
  }
  if (!Array.isArray(params)) {
    return Result.fail(ErrorObject.invalidParams("non-array args"))
  }
  const [name] = given
  if (typeof name !== "string") {
    return Result.fail(ErrorObject.invalidParams("expected subscription name as first argument"))
  }
  if (name.length > MAX_METHOD_LENGTH) {
    return Result.fail(ErrorObject.invalidRequest("subscription name too long"))
  }
  const [namespace] = method.split("_", 1)
  return Result.fail(
    ErrorObject.make(ErrorCode.METHOD_NOT_FOUND, `no ${JSON.stringify(name)} subscription in ${namespace} namespace`)
  )
}

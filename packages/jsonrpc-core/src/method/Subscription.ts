/**
 * A subscription as a value: the call that begins it, the content of each notification, and the call that ends it.
 *
 * JSON-RPC 2.0 does not define subscriptions. The form here is the one that geth introduced and that Ethereum's clients
 * share: a call that answers with an id, notifications that carry the id, a call that ends it.
 *
 * Source: https://geth.ethereum.org/docs/interacting-with-geth/rpc/pubsub
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type * as Method from "./Method.ts"

/** The wire names of a subscription. */
export interface SubscriptionNames {
  /** The method that begins the subscription, such as `eth_subscribe`. */
  readonly subscribe: string
  /** Parameters that come before the subscription's own parameters, such as `"newHeads"`. */
  readonly prefix: ReadonlyArray<string>
  /** The method of its notifications, such as `eth_subscription`. */
  readonly notification: string
  /** The member of a notification's parameters that contains the id: `subscription` in Ethereum. */
  readonly idMember: string
  /** The method that ends the subscription; its parameter is the id. */
  readonly unsubscribe: string
}

/** A subscription: its wire names, its own parameters, and the Schema of the content of each notification. */
export interface Subscription<
  Name extends string,
  Params extends ReadonlyArray<Method.AnyParam>,
  A extends Method.JsonCodec
> {
  readonly name: Name
  readonly wire: SubscriptionNames
  readonly params: Params
  readonly item: A
  readonly doc: string
}

/** Any subscription. */
export type Any = Subscription<string, ReadonlyArray<Method.AnyParam>, Method.JsonCodec>

/** The arguments of a subscription as a tuple of domain values. */
export type Args<S extends Any> = Method.ArgsOf<S["params"]>

/** The content of one notification. */
export type SubscriptionItem<S extends Any> = S["item"]["Type"]

/**
 * An event of a subscription: an item, or the notice that items may be missing.
 *
 * `Gap` marks a place where items may be missing. After `reconnected`, the subscription was made again on a new
 * connection, and the items in between were never sent. After `overflow`, the reader was slower than the server, and
 * `missed` notifications were dropped. A program that needs every item must read the missing items with other calls.
 */
export type SubscriptionEvent<A> =
  | { readonly _tag: "Item"; readonly value: A }
  | { readonly _tag: "Gap"; readonly cause: "reconnected" }
  | { readonly _tag: "Gap"; readonly cause: "overflow"; readonly missed: number }

/**
 * A function that returns a stream of events. Starting the stream begins the subscription; ending the stream ends it.
 */
export type Subscribe<S extends Any> = (
  ...args: Args<S>
) => Stream.Stream<SubscriptionEvent<SubscriptionItem<S>>, JsonRpcError>

/** The server's side of a subscription: a function that returns a stream of items for each subscriber. */
export type SubscriptionSource<S extends Any, E, R> = (
  ...args: Args<S>
) => Effect.Effect<Stream.Stream<SubscriptionItem<S>, never, R>, E, R>

/**
 * Makes a subscription in the form of geth: `<namespace>_subscribe`, `<namespace>_subscription`,
 * `<namespace>_unsubscribe`.
 *
 * ```ts import.meta.vitest
 * import { Subscription } from "@plumbline/jsonrpc-core"
 * import { Schema } from "effect"
 *
 * const ticks = Subscription.make("eth", "ticks", { params: [], item: Schema.Number })
 * ticks.wire.subscribe // => "eth_subscribe"
 * ticks.wire.prefix // => ["ticks"]
 * ```
 */
export const make = <
  const Name extends string,
  const Params extends ReadonlyArray<Method.AnyParam>,
  A extends Method.JsonCodec
>(
  namespace: string,
  name: Name,
  options: {
    readonly params: Params
    readonly item: A
    readonly doc?: string | undefined
    /** Names on the wire, if they differ from geth's. */
    readonly wire?: Partial<SubscriptionNames> | undefined
  }
): Subscription<Name, Params, A> => ({
  name,
  wire: {
    subscribe: `${namespace}_subscribe`,
    prefix: [name],
    notification: `${namespace}_subscription`,
    idMember: "subscription",
    unsubscribe: `${namespace}_unsubscribe`,
    ...options.wire
  },
  params: options.params,
  item: options.item,
  doc: options.doc ?? ""
})

/**
 * A subscription as a value: how it is asked for, what each notification holds, how it is given up.
 *
 * JSON-RPC 2.0 has no word for it. The form here is the one that geth began and that Ethereum's clients share: a call
 * that answers with an id, notifications that carry the id, a call that ends it.
 *
 * Source: https://geth.ethereum.org/docs/interacting-with-geth/rpc/pubsub
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type * as Method from "./Method.ts"

/** The names that a subscription has on the wire. */
export interface Wire {
  /** The method that begins it, such as `eth_subscribe`. */
  readonly subscribe: string
  /** Parameters in front of the subscription's own, such as `"newHeads"`. */
  readonly prefix: ReadonlyArray<string>
  /** The method of its notifications, such as `eth_subscription`. */
  readonly notification: string
  /** The member of a notification's parameters that holds the id: `subscription` in Ethereum. */
  readonly idMember: string
  /** The method that ends it; its parameter is the id. */
  readonly unsubscribe: string
}

/** A subscription: its wire names, its own parameters, and the Schema of what each notification holds. */
export interface Subscription<
  Name extends string,
  Params extends ReadonlyArray<Method.AnyParam>,
  A extends Method.Codec
> {
  readonly name: Name
  readonly wire: Wire
  readonly params: Params
  readonly item: A
  readonly doc: string
}

/** Whatever subscription. */
export type Any = Subscription<string, ReadonlyArray<Method.AnyParam>, Method.Codec>

/** The arguments of a subscription as a tuple of domain values. */
export type Args<S extends Any> = Method.ArgsOf<S["params"]>

/** What one notification holds. */
export type Item<S extends Any> = S["item"]["Type"]

/**
 * What a subscriber sees: an item, or the notice that items may be missing.
 *
 * `Gap` stands where the stream is not whole. After `reconnected` the subscription was made anew on a new connection, and
 * whatever happened in between was never sent. After `overflow` the reader was slower than the server, and `missed`
 * notifications were thrown away. Who must not miss anything reads the time between by other calls.
 */
export type Event<A> =
  | { readonly _tag: "Item"; readonly value: A }
  | { readonly _tag: "Gap"; readonly cause: "reconnected" }
  | { readonly _tag: "Gap"; readonly cause: "overflow"; readonly missed: number }

/** One function per call: a stream of events, which begins the subscription and gives it up when it ends. */
export type Subscribe<S extends Any> = (...args: Args<S>) => Stream.Stream<Event<Item<S>>, JsonRpcError>

/** What a server does for a subscription: a stream of items per subscriber. */
export type Source<S extends Any, E, R> = (...args: Args<S>) => Effect.Effect<Stream.Stream<Item<S>, never, R>, E, R>

/**
 * A subscription in the form of geth: `<namespace>_subscribe`, `<namespace>_subscription`, `<namespace>_unsubscribe`.
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
  A extends Method.Codec
>(
  namespace: string,
  name: Name,
  options: {
    readonly params: Params
    readonly item: A
    readonly doc?: string | undefined
    /** Other names on the wire than geth's. */
    readonly wire?: Partial<Wire> | undefined
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

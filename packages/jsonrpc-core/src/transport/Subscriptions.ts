/**
 * The service that carries subscriptions over a connection that stays open. It complements `Transport`.
 *
 * A WebSocket or a server in the same process provides it; HTTP does not. The type of a program shows if the program
 * needs this service.
 */
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { SubscriptionEvent, SubscriptionNames } from "../method/Subscription.ts"

/** A subscription in wire form. */
export interface SubscriptionRequest {
  readonly wire: SubscriptionNames
  /** The subscription's own parameters, already encoded. `wire.prefix` is put in front of them. */
  readonly params: ReadonlyArray<unknown>
}

/** The service that carries subscriptions: events with the JSON values that arrived. */
export class Subscriptions extends Context.Service<
  Subscriptions,
  { readonly subscribe: (request: SubscriptionRequest) => Stream.Stream<SubscriptionEvent<unknown>, JsonRpcError> }
>()("@plumbline/jsonrpc-core/Subscriptions") {}

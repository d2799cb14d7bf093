/**
 * The subscriptions of a network: feeds of events that all subscribers share.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Message from "@plumbline/jsonrpc-core/message/Message"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import type { UpstreamError } from "./UpstreamError.ts"

/**
 * A valid request for a subscription.
 */
export interface FeedRequest {
  /** The name of the subscription, which sets the cost of its events: `newHeads`. */
  readonly kind: string
  /** The parameters in their canonical form, for allowlists. The kind is the first. */
  readonly params: ReadonlyArray<unknown>
}

/**
 * An event of a feed.
 */
export interface FeedEvent {
  /** JSON text in UTF-8: the `result` of a notification. */
  readonly json: Uint8Array
  /** The hash of the event's block; undefined if the event belongs to no block. */
  readonly block: string | undefined
}

/**
 * A listener of a feed. Its functions run between the calls of other listeners: they must not throw, and must not wait.
 */
export interface FeedListener {
  /**
   * Called once, when the listener starts to get events. The listener gets events until it calls `close`. Calling
   * `close` again is safe.
   */
  readonly begun: (close: () => void) => void
  readonly event: (event: FeedEvent) => void
  /**
   * Called when the feed ends. `missed`: an event could not be read, so the feed would have a gap. `closed`: the feed
   * itself has ended.
   */
  readonly end: (why: "missed" | "closed") => void
}

/**
 * The feeds of a network. Their methods are named as in Ethereum.
 */
export interface Feeds {
  /** The name of the method that starts a subscription. */
  readonly subscribe: string
  /** The name of the method that ends a subscription. Its parameter is the subscription's id. */
  readonly unsubscribe: string
  /** The method name of notifications. Their parameters are `subscription` and `result`. */
  readonly notification: string
  /** Checks that the feed exists, and parses the request for it. */
  readonly check: (params: Message.Params) => Result.Result<FeedRequest, ErrorObject>
  /**
   * Starts the feed: the listener gets every event from then on. The Effect ends when the feed has started or failed.
   */
  readonly open: (request: FeedRequest, listener: FeedListener) => Effect.Effect<void, ErrorObject | UpstreamError>
}

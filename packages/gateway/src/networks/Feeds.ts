/**
 * What can be subscribed to on a network: feeds of events that all subscribers share.
 *
 * @since 0.1.0
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Message from "@plumbline/jsonrpc-core/message/Message"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import type { UpstreamFault } from "./UpstreamFault.ts"

/**
 * What somebody wants to hear of, checked.
 *
 * @since 0.1.0
 */
export interface Request {
  /** The name of the subscription, by which its events are charged: `newHeads`. */
  readonly kind: string
  /** The parameters in their canonical form, the kind in front: what an allowlist looks at. */
  readonly params: ReadonlyArray<unknown>
}

/**
 * Something that happened.
 *
 * @since 0.1.0
 */
export interface Event {
  /** JSON text in UTF-8: what a notification holds as its `result`. */
  readonly json: Uint8Array
  /** The hash of the block that it belongs to, if it belongs to one. */
  readonly block: string | undefined
}

/**
 * Who is told. All are called in the middle of work for others: they must not throw, and must not wait.
 *
 * @since 0.1.0
 */
export interface Listener {
  /** From now on it is told of everything, until `close` is called, which may happen more than once. */
  readonly begun: (close: () => void) => void
  readonly event: (event: Event) => void
  /**
   * There will be no more. `missed`: something has happened that could not be read, so the feed would not be whole.
   * `closed`: the feed itself has ended.
   */
  readonly end: (why: "missed" | "closed") => void
}

/**
 * The feeds of a network. The methods are named as in Ethereum.
 *
 * @since 0.1.0
 */
export interface Feeds {
  /** The method that begins a subscription. */
  readonly subscribe: string
  /** The method that ends one; its parameter is the id. */
  readonly unsubscribe: string
  /** The method of notifications, whose parameters are `subscription` and `result`. */
  readonly notification: string
  /** Whether there is such a feed, and in which form it is asked for. */
  readonly check: (params: Message.Params) => Result.Result<Request, ErrorObject>
  /** Tells the listener of all that happens from now on. Done when it has begun, or failed. */
  readonly open: (request: Request, listener: Listener) => Effect.Effect<void, ErrorObject | UpstreamFault>
}

/** The interface of a connection that can send notifications. */
import type * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Effect from "effect/Effect"

import type { Feeds } from "../networks/Feeds.ts"
import type { UpstreamError } from "../networks/UpstreamError.ts"

/** Starts and ends subscriptions for the calls of one message. */
export interface ConnectionSubscriptions {
  readonly subscribe: (
    feeds: Feeds,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<Uint8Array, ErrorObject.ErrorObject | UpstreamError>
  readonly unsubscribe: (id: unknown) => Effect.Effect<Uint8Array, ErrorObject.ErrorObject>
  /** Ends the subscriptions that this message began, because its answer is not sent. */
  readonly abandoned: () => void
}

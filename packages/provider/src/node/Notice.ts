/**
 * An event of a subscription at a `ProvingNode`: a notification that passed, or the reason why a notification did not
 * pass.
 *
 * JSON-RPC has notifications for items only. A program in the same process also gets events for held-back notifications
 * and for gaps.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { Verdict } from "@plumbline/verdict/Verdict"

/** An event of a subscription. */
export type Notice =
  /**
   * A notification. `result` is its content in wire form: a header, a log or a hash. `bytes` is its size as JSON, if the
   * source of the notices knows it.
   */
  | {
      readonly _tag: "Item"
      readonly result: unknown
      readonly verdict: Verdict<unknown>
      readonly bytes?: number | undefined
    }
  /**
   * A notification was held back, because it was refuted, or not proven under the policy `refuse`. Sent once for each
   * reason. The subscription continues. `isYet` is true if the notification may still come, when the trusted authority
   * names its block.
   */
  | { readonly _tag: "Held"; readonly error: ErrorObject; readonly isYet?: boolean | undefined }
  /** Items are missing, and will not come. The subscription continues after them. */
  | { readonly _tag: "Missed"; readonly error: ErrorObject }

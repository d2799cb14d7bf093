/**
 * The limit that a call exceeds, and the honest 429 about it.
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"

/**
 * A call that was refused. It took nothing.
 *
 * - `rate`: `allowed` and `current` are credits per second; `current` counts all calls of the last second, admitted
 *   or not.
 * - `day`: `allowed` is the number of credits per day, `current` the number taken. A call that costs more than
 *   `allowed` never passes.
 * - `concurrency`: the maximum and the present number of calls under way. It is unknown when one of them ends.
 * - `burst`: the call costs `current` credits, and the bucket never holds more than `allowed`: waiting does not help.
 */
export interface LimitExceeded {
  readonly _tag: "LimitExceeded"
  readonly limit: "rate" | "day" | "concurrency" | "burst"
  readonly allowed: number
  readonly current: number
  /** Milliseconds after which this call would be admitted if no other arrives; undefined if that is unknown. */
  readonly retryAfter: number | undefined
  /** Time of the decision: milliseconds of Unix time by the store's clock. */
  readonly at: number
  /**
   * The member of the project whose own limit it is, in requests instead of credits for `rate` and `burst`; absent for a
   * limit of the project itself.
   */
  readonly of?: "key" | "user" | undefined
}

/**
 * The wording of refusals.
 */
export interface Wording {
  /** The page that `see` leads to. Default: EIP-1474, which defines the code. */
  readonly see?: string | undefined
  /**
   * The status when the project's credits of the day are used up: 429, the default, or 402 as at Infura since 2024. The
   * limit of a key or a user is always 429, because no payment raises it.
   */
  readonly dayStatus?: 429 | 402 | undefined
}

/**
 * Returns the answer to a call: a status, flat headers, and the -32005 object with its data.
 *
 * `current_rps` and `allowed_rps` have the names that clients know; both are in credits, the unit of the limit. On a
 * WebSocket and in a batch only the object is sent, so it repeats `Retry-After` as `backoff_seconds`.
 *
 * ```ts import.meta.vitest
 * import { LimitExceeded } from "@plumbline/gateway"
 *
 * const exceeded = { _tag: "LimitExceeded", limit: "rate", allowed: 500, current: 720, retryAfter: 1160, at: 0 } as const
 * const { error, headers, status } = LimitExceeded.answer(exceeded, { see: "https://service.example/limits" })
 * status // => 429
 * headers // => ["retry-after", "2"]
 * error.code // => -32005
 * error.message // => "project ID request rate exceeded"
 * const data = { see: "https://service.example/limits", current_rps: 720, allowed_rps: 500, backoff_seconds: 1.16 }
 * error.data // => data
 * ```
 */
export const answer = (
  exceeded: LimitExceeded,
  { dayStatus = 429, see = EIP_1474 }: Wording = {}
): {
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly error: ErrorObject.ErrorObject
} => {
  const { allowed, current } = exceeded
  const backoff = backoffOf(exceeded)
  const headers = backoff === undefined ? [] : retryAfter(backoff)
  const said = (status: number, message: string, data: Readonly<Record<string, unknown>>) => ({
    status,
    headers,
    error: ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, message, {
      see,
      ...data,
      ...(backoff === undefined ? {} : { backoff_seconds: backoff })
    })
  })
  if (exceeded.of !== undefined) {
    const whose = exceeded.of === "key" ? "API key" : "user"
    switch (exceeded.limit) {
      case "rate":
        return said(429, `request rate of the ${whose} exceeded`, { current_rps: current, allowed_rps: allowed })
      case "burst":
        return said(429, `more requests at once than the ${whose} may send`, { requests: current, allowed })
      default:
        return said(429, `daily credits of the ${whose} exceeded, request rate limited`, {})
    }
  }
  switch (exceeded.limit) {
    case "rate":
      return said(429, "project ID request rate exceeded", { current_rps: current, allowed_rps: allowed })
    case "day":
      return said(dayStatus, "daily request count exceeded, request rate limited", {})
    case "concurrency":
      return said(429, "too many requests in flight", { in_flight: current, allowed })
    case "burst":
      return said(429, "request costs more than the rate limit allows at once", { credits: current, allowed })
  }
}

// Private: seconds.

const EIP_1474 = "https://eips.ethereum.org/EIPS/eip-1474#error-codes"

/**
 * Calls under way may end at any moment, so a second is a reasonable wait. For the other limits, an unknown time means
 * never.
 */
const backoffOf = ({ limit, retryAfter }: LimitExceeded): number | undefined => {
  if (limit === "concurrency") return 1
  return retryAfter === undefined ? undefined : retryAfter / 1000
}

/** Whole seconds, rounded up: a caller that returns then is admitted. */
const retryAfter = (seconds: number): ReadonlyArray<string> => ["retry-after", String(Math.max(1, Math.ceil(seconds)))]

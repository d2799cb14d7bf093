/**
 * The limit that a call exceeds, and the answer with status 429.
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Schema from "effect/Schema"

import * as Setting from "../schema/Setting.ts"

/**
 * The refusal of a call. The call took no credits.
 *
 * - `rate`: `allowed` and `current` are credits per second. `current` counts all calls of the last second, including
 *   refused calls.
 * - `day`: `allowed` is the number of credits per day, and `current` the number already taken. A call that costs more
 *   than `allowed` is never admitted.
 * - `concurrency`: `allowed` is the maximum number of calls under way, and `current` the number now.
 * - `burst`: the call costs `current` credits, and the bucket never has more than `allowed`, so waiting does not help.
 */
export interface LimitExceeded {
  readonly _tag: "LimitExceeded"
  readonly limit: "rate" | "day" | "concurrency" | "burst"
  readonly allowed: number
  readonly current: number
  /** Milliseconds after which the call would be admitted if no other call arrives; undefined if unknown or never. */
  readonly retryAfter: number | undefined
  /** Time of the decision by the store's clock, in milliseconds since 1970 UTC. */
  readonly at: number
  /**
   * The kind of the member whose limit is exceeded; absent for a limit of the project. For a member, `rate` and `burst`
   * are in requests instead of credits.
   */
  readonly of?: "key" | "user" | "account" | undefined
}

/** The settings of the answer to a refused call. */
export const fields = {
  see: Setting.optional(
    // every caller gets the page's URL, so it must hold no password
    Setting.url(["http", "https"], {
      description: "The page that refusals over a limit link to. Default: EIP-1474."
    }).check(
      Schema.makeFilter((page) => !URL.canParse(page) || !hasUser(new URL(page)), {
        description: "The page that refusals over a limit link to. Default: EIP-1474.",
        message: "must be a URL with http:// or https://, without a user or password, because every caller gets it"
      })
    )
  ),
  dayStatus: Setting.optional(
    Schema.Literals([429, 402]).annotate({
      description: "The status of refusals after the credits of a day are used up.",
      default: 429,
      message: "must be 429 or 402"
    })
  )
}

const hasUser = ({ password, username }: URL): boolean => username !== "" || password !== ""

const wording = Schema.Struct(fields)

/**
 * Options of the answer to a refused call. The default of `see` is EIP-1474, which defines the error code. `dayStatus`
 * is the status when the project's or the account's credits of the day are used up: 429 (default) or 402, as at Infura
 * since 2024. For the limit of a key or a user the status is always 429, because a payment does not raise that limit.
 */
export type LimitWording = Setting.OptionsOf<typeof wording.Type>

/**
 * Returns the answer to a refused call: a status, a flat list of headers, and the error object with code -32005.
 *
 * Clients know the names `current_rps` and `allowed_rps`. Both values are in the unit of the limit, which is credits.
 * On a WebSocket and in a batch only the error object is sent, so it repeats `Retry-After` as `backoff_seconds`.
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
  { dayStatus = 429, see = EIP_1474 }: LimitWording = {}
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
    const whose = exceeded.of === "key" ? "API key" : exceeded.of
    switch (exceeded.limit) {
      case "rate":
        return said(429, `request rate of the ${whose} exceeded`, { current_rps: current, allowed_rps: allowed })
      case "burst":
        return said(429, `more requests at once than the ${whose} may send`, { requests: current, allowed })
      default:
        return said(
          exceeded.of === "account" ? dayStatus : 429,
          `daily credits of the ${whose} exceeded, request rate limited`,
          {}
        )
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
 * Returns the number of seconds to wait. A call under way may end at any moment, so the wait for `concurrency` is one
 * second. For other limits, an unknown time means that waiting does not help.
 */
const backoffOf = ({ limit, retryAfter }: LimitExceeded): number | undefined => {
  if (limit === "concurrency") return 1
  return retryAfter === undefined ? undefined : retryAfter / 1000
}

/**
 * Returns the header. Its value is in whole seconds, rounded up, so that a caller that waits for this time is admitted.
 */
const retryAfter = (seconds: number): ReadonlyArray<string> => ["retry-after", String(Math.max(1, Math.ceil(seconds)))]

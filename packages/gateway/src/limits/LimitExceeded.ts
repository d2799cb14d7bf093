/**
 * What is over which limit, and what an honest 429 says about it.
 *
 * @since 0.1.0
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"

/**
 * A call that was not let through. It took nothing.
 *
 * - `rate`: `allowed` and `current` are credits per second; `current` is what was asked for in the last second, let
 *   through or not.
 * - `day`: `allowed` are the day's credits, `current` those taken. A call that costs more than all of them never passes.
 * - `concurrency`: how many calls may be, and are, under way. Nobody knows when one of them ends.
 * - `burst`: the call costs `current` credits, and no more than `allowed` are ever there at once: waiting does not help.
 *
 * @since 0.1.0
 */
export interface LimitExceeded {
  readonly _tag: "LimitExceeded"
  readonly limit: "rate" | "day" | "concurrency" | "burst"
  readonly allowed: number
  readonly current: number
  /** Milliseconds after which this call would be let through, if nothing else came; undefined where nobody knows. */
  readonly retryAfter: number | undefined
  /** When it was decided: milliseconds of Unix time by the store's clock. */
  readonly at: number
}

/**
 * How refusals are worded.
 *
 * @since 0.1.0
 */
export interface Wording {
  /** The page that `see` leads to. Default: EIP-1474, which defines the code. */
  readonly see?: string | undefined
  /** The status when the day's credits are gone: 429, the default, or 402 as Infura has it since 2024. */
  readonly dayStatus?: 429 | 402 | undefined
}

/**
 * The answer to a call: a status, flat headers, and the -32005 object with its data.
 *
 * `current_rps` and `allowed_rps` are named as clients know them; both are in credits, the unit of the limit. On a
 * WebSocket and in a batch only the object is sent, so that it has `backoff_seconds` beside what `Retry-After` says.
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
 *
 * @since 0.1.0
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

/** Calls under way end any moment: a second is a fair try. Elsewhere, what cannot be said never comes. */
const backoffOf = ({ limit, retryAfter }: LimitExceeded): number | undefined => {
  if (limit === "concurrency") return 1
  return retryAfter === undefined ? undefined : retryAfter / 1000
}

/** Whole seconds, rounded up: who comes back then is let through. */
const retryAfter = (seconds: number): ReadonlyArray<string> => ["retry-after", String(Math.max(1, Math.ceil(seconds)))]

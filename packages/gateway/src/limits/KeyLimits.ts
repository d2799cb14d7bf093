/**
 * The limits of one key of a project, of one of the project's users, or of all projects of an account together. They apply
 * in addition to the project's limits.
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { SettingError } from "../errors/SettingError.ts"
import * as LimitsInput from "./limitsInput.ts"
import { MAX, whole } from "./whole.ts"

/**
 * Limits of a key, a user or an account. If a limit is absent, only the project's limit applies. All values are whole
 * numbers up to 10^12.
 *
 * - `requestsPerSecond`: the rate at which the bucket is filled with requests; at least 1. Each call of a batch is a
 *   request. Calls of JSON-RPC, reads of IPFS and writes of IPFS have separate buckets.
 * - `burst`: the capacity of the bucket, which is the maximum number of requests at once, such as the calls of a batch;
 *   at least 1 (default: `requestsPerSecond`). It is ignored without `requestsPerSecond`.
 * - `creditsPerDay`: the maximum number of credits in a day, which begins at midnight UTC. With 0, only calls that cost
 *   no credits are admitted.
 */
export const KeyLimits = Schema.Struct({
  requestsPerSecond: whole(1, "Requests that flow into the bucket in a second; each call of a batch is one"),
  burst: whole(
    1,
    "Size of the bucket, which is the maximum number of requests at once (default: the requests of one second)"
  ),
  creditsPerDay: whole(0, "The credits of a day, which begins at midnight UTC")
}).annotate({
  identifier: "KeyLimits",
  description:
    "Limits of a key, a user or an account, in addition to the limits of the project. An absent limit means no further limit."
})

export type KeyLimits = typeof KeyLimits.Type

/**
 * No limits; only the limits of the project apply.
 */
export const none: KeyLimits = {}

/**
 * A key or a user of a project, or the project's account, with limits. The account's counts are those of all its projects.
 */
export interface LimitedMember {
  readonly kind: "key" | "user" | "account"
  /** The id of the account, or the id of the key or the user within its project. */
  readonly id: string
  readonly limits: KeyLimits
}

/**
 * The key, the user and the account whose limits apply to a call, in addition to the limits of their project. `requests` is the number
 * of requests as which the call counts.
 */
export interface LimitedMembers {
  readonly requests: number
  readonly all: ReadonlyArray<LimitedMember>
}

/**
 * True if no limit is set.
 */
export const isNone = ({ creditsPerDay, requestsPerSecond }: KeyLimits): boolean =>
  requestsPerSecond === undefined && creditsPerDay === undefined

/**
 * Parses limits from a file or a request. `null` means absent; an unknown name is an error.
 *
 * ```ts import.meta.vitest
 * import { KeyLimits } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const limits = KeyLimits.parse({ requestsPerSecond: 10, creditsPerDay: null })
 * Result.getOrThrow(limits) // => { requestsPerSecond: 10 }
 * const wrong = KeyLimits.parse({ requestsPerSecond: 0 })
 * Result.isFailure(wrong) && wrong.failure.message // => "requestsPerSecond: must be a whole number from 1 to 1000000000000"
 * ```
 */
export const parse = (input: unknown): Result.Result<KeyLimits, SettingError> =>
  LimitsInput.parse<KeyLimits>(input, RANGES)

const RANGES: LimitsInput.LimitRanges<KeyLimits> = {
  requestsPerSecond: [1, MAX],
  burst: [1, MAX],
  creditsPerDay: [0, MAX]
}

/**
 * The limits of one key of a project, or of one of the project's users. They apply together with the project's own.
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { SettingError } from "../errors/SettingError.ts"
import * as Given from "./given.ts"
import { MAX, whole } from "./whole.ts"

/**
 * Limits of a key or a user. An absent limit means no bound of its own: the limits of the project still apply.
 * Everything is a whole number, at most 10^12.
 *
 * - `requestsPerSecond`: the requests that flow into the bucket; at least 1. Each call of a batch is a request. Calls of
 *   JSON-RPC, reads of IPFS and writes of IPFS have a bucket each.
 * - `burst`: the capacity of the bucket, and so the most requests at once, such as the calls of a batch; at least 1.
 *   Default: the requests of one second. It has no meaning without `requestsPerSecond`.
 * - `creditsPerDay`: the credits of a day, which begins at midnight UTC; 0 admits no call that costs credits.
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
  description: "Limits of a key, or of a user, under those of its project. An absent one means no further limit."
})

export type KeyLimits = typeof KeyLimits.Type

/**
 * No limits besides those of the project.
 */
export const none: KeyLimits = {}

/**
 * A key or a user of a project, with its own limits.
 */
export interface Member {
  readonly kind: "key" | "user"
  /** The id of the member within its project. */
  readonly id: string
  readonly limits: KeyLimits
}

/**
 * The members of a project for which a call is made, and the number of its requests.
 */
export interface Members {
  readonly requests: number
  readonly all: ReadonlyArray<Member>
}

/**
 * True if no limit is set.
 */
export const isNone = ({ creditsPerDay, requestsPerSecond }: KeyLimits): boolean =>
  requestsPerSecond === undefined && creditsPerDay === undefined

/**
 * Parses limits from outside: from a file or a request. `null` means absent; an unknown name is an error.
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
export const parse = (input: unknown): Result.Result<KeyLimits, SettingError> => Given.parse<KeyLimits>(input, RANGES)

const RANGES: Given.Ranges<KeyLimits> = {
  requestsPerSecond: [1, MAX],
  burst: [1, MAX],
  creditsPerDay: [0, MAX]
}

/**
 * The limits of a project: at once, per second and per day.
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { SettingError } from "../errors/SettingError.ts"
import * as Given from "./given.ts"
import { MAX, whole } from "./whole.ts"

/** Bytes, up to the largest integer that a double holds exactly. */
const bytes = (description: string) => whole(0, description, Number.MAX_SAFE_INTEGER)

/**
 * Limits of a project. An absent limit means no bound. Everything is a whole number, at most 10^12, bytes at most 2^53
 * - 1.
 *
 * - `creditsPerSecond`: the credits that flow into the project's bucket; at least 1.
 * - `burst`: the capacity of the bucket, and so the most that can be taken at once; at least 1. Default: the credits
 *   of one second. It has no meaning without `creditsPerSecond`. A call that costs more than this is never admitted.
 * - `creditsPerDay`: the credits of a day, which begins at midnight UTC; 0 admits nothing.
 * - `concurrency`: the most calls under way; at least 1. A batch counts as one.
 * - `ipfsReadsPerSecond`, `ipfsWritesPerSecond`: IPFS commands per second, and at once; at least 1. `add`,
 *   `block/put`, `dag/put` and `pin/add` together are writes; all others are reads, unknown commands included.
 * - `ipfsStored`: the most bytes of IPFS content pinned at a time, as `IpfsQuota` counts them; 0 permits no pin.
 * - `ipfsUploadedPerDay`, `ipfsDownloadedPerDay`: the most bytes sent to and read from IPFS in a day; 0 permits none.
 */
export const Limits = Schema.Struct({
  creditsPerSecond: whole(1, "Credits that flow into the bucket in a second"),
  burst: whole(
    1,
    "Size of the bucket, which is the maximum number of credits at once (default: the credits of one second)"
  ),
  creditsPerDay: whole(0, "The credits of a day, which begins at midnight UTC; 0 lets nothing through"),
  concurrency: whole(1, "Calls at a time; a batch is one"),
  ipfsReadsPerSecond: whole(1, "IPFS commands in a second that are not writes"),
  ipfsWritesPerSecond: whole(1, "add, block/put, dag/put and pin/add together in a second"),
  ipfsStored: bytes("Bytes of IPFS content that may be pinned at a time"),
  ipfsUploadedPerDay: bytes("Bytes that may be sent to IPFS in a day, which begins at midnight UTC"),
  ipfsDownloadedPerDay: bytes("Bytes that may be read from IPFS in a day, which begins at midnight UTC")
}).annotate({ identifier: "Limits", description: "Limits of a project. An absent one means no limit." })

export type Limits = typeof Limits.Type

/**
 * No limits.
 */
export const none: Limits = {}

/**
 * The limits of a new project: those of Infura's free plan, 500 credits a second and 3 million a day, with a bucket of
 * ten seconds and 100 calls at a time; and Infura's rates of IPFS commands, 1,500 and 150 a second.
 */
export const defaults: Limits = {
  creditsPerSecond: 500,
  burst: 5000,
  creditsPerDay: 3_000_000,
  concurrency: 100,
  ipfsReadsPerSecond: 1500,
  ipfsWritesPerSecond: 150
}

/**
 * Parses limits from outside: from a file or a request. `null` means absent; an unknown name is an error.
 *
 * ```ts import.meta.vitest
 * import { Limits } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const limits = Limits.parse({ creditsPerSecond: 500, concurrency: null })
 * Result.getOrThrow(limits) // => { creditsPerSecond: 500 }
 * const wrong = Limits.parse({ creditsPerDay: -1 })
 * Result.isFailure(wrong) && wrong.failure.message // => "creditsPerDay: must be a whole number from 0 to 1000000000000"
 * ```
 */
export const parse = (input: unknown): Result.Result<Limits, SettingError> => Given.parse<Limits>(input, RANGES)

const RANGES: Given.Ranges<Limits> = {
  creditsPerSecond: [1, MAX],
  burst: [1, MAX],
  creditsPerDay: [0, MAX],
  concurrency: [1, MAX],
  ipfsReadsPerSecond: [1, MAX],
  ipfsWritesPerSecond: [1, MAX],
  ipfsStored: [0, Number.MAX_SAFE_INTEGER],
  ipfsUploadedPerDay: [0, Number.MAX_SAFE_INTEGER],
  ipfsDownloadedPerDay: [0, Number.MAX_SAFE_INTEGER]
}

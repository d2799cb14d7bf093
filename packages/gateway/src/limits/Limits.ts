/**
 * The limits of a project: at once, per second and per day.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { SettingError } from "../errors/SettingError.ts"

/** Large enough for any plan, and small enough that a thousand times as much is exact in a double. */
const MAX = 1_000_000_000_000

const whole = (minimum: number, description: string, maximum = MAX) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description }))

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
    "Size of the bucket, and so the most credits that can be taken at once; those of one second if absent"
  ),
  creditsPerDay: whole(0, "The credits of a day, which begins at midnight UTC; 0 lets nothing through"),
  concurrency: whole(1, "Calls at a time; a batch is one"),
  ipfsReadsPerSecond: whole(1, "IPFS commands in a second that are no writes"),
  ipfsWritesPerSecond: whole(1, "add, block/put, dag/put and pin/add together in a second"),
  ipfsStored: bytes("Bytes of IPFS content that may be pinned at a time"),
  ipfsUploadedPerDay: bytes("Bytes that may be sent to IPFS in a day, which begins at midnight UTC"),
  ipfsDownloadedPerDay: bytes("Bytes that may be read from IPFS in a day, which begins at midnight UTC")
}).annotate({ identifier: "Limits", description: "Limits of a project. An absent one is no limit." })

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

const names = [
  "creditsPerSecond",
  "burst",
  "creditsPerDay",
  "concurrency",
  "ipfsReadsPerSecond",
  "ipfsWritesPerSecond",
  "ipfsStored",
  "ipfsUploadedPerDay",
  "ipfsDownloadedPerDay"
] as const
const isLimits = Schema.is(Limits)

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
export const parse = (input: unknown): Result.Result<Limits, SettingError> => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return wrong("limits", `must be an object of ${names.join(", ")}`)
  }
  const limits: Record<string, number> = {}
  for (const [name, value] of Object.entries(input)) {
    if (!isName(name)) return wrong("limits", `must have no other names than ${names.join(", ")}`)
    if (value === null || value === undefined) continue
    if (!isLimits({ [name]: value })) {
      const isBytes = BYTES.has(name)
      const minimum = isBytes || name === "creditsPerDay" ? 0 : 1
      return wrong(name, `must be a whole number from ${minimum} to ${isBytes ? Number.MAX_SAFE_INTEGER : MAX}`)
    }
    limits[name] = value
  }
  return Result.succeed(limits)
}

const BYTES: ReadonlySet<string> = new Set(["ipfsStored", "ipfsUploadedPerDay", "ipfsDownloadedPerDay"])

const isName = (name: string): name is (typeof names)[number] => (names as ReadonlyArray<string>).includes(name)

const wrong = (setting: string, problem: string): Result.Result<never, SettingError> =>
  Result.fail(new SettingError({ setting, problem }))

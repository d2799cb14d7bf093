/**
 * The limits of a project on calls at a time, per second and per day.
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { SettingError } from "../errors/SettingError.ts"
import * as Setting from "../schema/Setting.ts"
import * as LimitsInput from "./limitsInput.ts"
import { MAX, whole } from "./whole.ts"

/** Returns the schema of a number of bytes, up to 2^53 - 1. */
const bytes = (description: string) => whole(0, description, Number.MAX_SAFE_INTEGER)

/**
 * Limits of a project. If a limit is absent, there is no limit. All values are whole numbers up to 10^12; numbers of
 * bytes are up to 2^53 - 1.
 *
 * - `creditsPerSecond`: the rate at which the project's bucket is filled with credits; at least 1.
 * - `burst`: the capacity of the bucket, which is the maximum number of credits at once; at least 1 (default:
 *   `creditsPerSecond`). A call that costs more is never admitted. It is ignored without `creditsPerSecond`.
 * - `creditsPerDay`: the maximum number of credits in a day, which begins at midnight UTC. With 0, no call that costs
 *   credits is admitted.
 * - `concurrency`: the maximum number of calls under way; at least 1. A batch counts as one call.
 * - `ipfsReadsPerSecond`, `ipfsWritesPerSecond`: the maximum number of IPFS commands per second, and at once; at least
 *   1. `add`, `block/put`, `dag/put` and `pin/add` are writes. All other commands are reads, including unknown ones.
 * - `ipfsStored`: the maximum number of bytes pinned on IPFS, as `IpfsQuota` counts them. With 0, no pin is permitted.
 * - `ipfsUploadedPerDay`, `ipfsDownloadedPerDay`: the maximum number of bytes sent to IPFS and read from IPFS in a day.
 *   With 0, none are permitted.
 */
export const ProjectLimits = Schema.Struct({
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
}).annotate({ identifier: "Limits", description: "Limits of a project. If a limit is absent, there is no limit." })

export type ProjectLimits = typeof ProjectLimits.Type

/**
 * No limits.
 */
export const none: ProjectLimits = {}

/**
 * The settings of the limits on calls of a new project. The defaults of the credits are those of Infura's free plan: 500
 * a second and 3 million a day. The bucket has the credits of ten seconds, and 100 calls can be under way.
 */
export const fields = {
  creditsPerSecond: Setting.defaulted(
    Setting.limit(1, MAX, {
      number: "Credits that flow into its bucket in a second.",
      description: "Credits that flow into its bucket in a second; null means no limit.",
      default: 500
    })
  ),
  burst: Setting.defaulted(
    Setting.limit(1, MAX, {
      number: "Size of its bucket in credits.",
      description: "Size of its bucket in credits; null is the credits of a second.",
      default: 5000
    })
  ),
  creditsPerDay: Setting.defaulted(
    Setting.limit(0, MAX, {
      number: "The credits of a day by UTC.",
      description: "The credits of a day by UTC; null means no limit.",
      default: 3_000_000
    })
  ),
  concurrency: Setting.defaulted(
    Setting.limit(1, MAX, {
      number: "Calls at a time.",
      description: "Calls at a time; null means no limit.",
      default: 100
    })
  )
}

/** The settings of the rates of IPFS commands of a new project. The defaults are Infura's rates. */
export const ipfsFields = {
  writes: Setting.defaulted(
    Setting.limit(1, Setting.COUNT, {
      number: "add, block/put, dag/put and pin/add.",
      description: "add, block/put, dag/put and pin/add in a second; null means no limit.",
      default: 150
    })
  ),
  reads: Setting.defaulted(
    Setting.limit(1, Setting.COUNT, {
      number: "Other commands.",
      description: "Other commands in a second; null means no limit.",
      default: 1500
    })
  )
}

const { reads, writes } = Setting.defaultsOf(Schema.Struct(ipfsFields))

/**
 * The default limits of a new project.
 */
export const defaults: ProjectLimits = {
  ...(Setting.defaultsOf(Schema.Struct(fields)) as ProjectLimits),
  ipfsReadsPerSecond: reads!,
  ipfsWritesPerSecond: writes!
}

/**
 * Parses limits from a file or a request. `null` means absent; an unknown name is an error.
 *
 * ```ts import.meta.vitest
 * import { ProjectLimits } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const limits = ProjectLimits.parse({ creditsPerSecond: 500, concurrency: null })
 * Result.getOrThrow(limits) // => { creditsPerSecond: 500 }
 * const wrong = ProjectLimits.parse({ creditsPerDay: -1 })
 * Result.isFailure(wrong) && wrong.failure.message // => "creditsPerDay: must be a whole number from 0 to 1000000000000"
 * ```
 */
export const parse = (input: unknown): Result.Result<ProjectLimits, SettingError> =>
  LimitsInput.parse<ProjectLimits>(input, RANGES)

const RANGES: LimitsInput.LimitRanges<ProjectLimits> = {
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

/**
 * The usage of a call: the unit in which calls are metered, counted and billed.
 */
import * as Result from "effect/Result"

import type { Product } from "../accounts/Product.ts"
import { MeteringError } from "./MeteringError.ts"

/**
 * The dimensions that distinguish calls.
 */
export interface UsageDimensions {
  /** The id of the project. */
  readonly project: string
  readonly product: Product
  /** The name of the network; `ipfs` for IPFS commands. */
  readonly network: string
  /**
   * The method, or the IPFS command, such as `pin/add`. A method that the network's table does not list is recorded as
   * `UNKNOWN_METHOD`. Otherwise any caller with a key could fill the store with invented names.
   */
  readonly method: string
  /**
   * The final HTTP status, 100 to 599. An item of a batch, or a message on a WebSocket, has the status that it would
   * have as a separate HTTP request.
   */
  readonly status: number
  /** The id of the API key. The id is not secret; the key itself is never recorded. */
  readonly key: string
  readonly outcome: UsageOutcome
}

/**
 * The outcomes of calls. The status alone does not show the outcome: a JSON-RPC error is an answer with status 200.
 *
 * - `ok`: a result.
 * - `reverted`: the node executed the call, and the contract reverted.
 * - `refuted`: each node that could answer lied, so the caller got an error in place of a lie.
 * - `error`: the answer is any other JSON-RPC error object, or an error of an IPFS node.
 * - `refused`: a setting of the project forbids the call, or the request is invalid: 4xx.
 * - `day`, `rate`, `burst`, `concurrency`: the call is over that limit (`LimitExceeded`).
 * - `limited`: the call is over another limit.
 * - `failed`: the node or the service failed: 5xx.
 * - `left`: the caller left before the answer: 499.
 * - `unknown`: recorded by a version that did not distinguish outcomes, or an outcome of a later version.
 */
export const outcomes = [
  "ok",
  "reverted",
  "refuted",
  "error",
  "refused",
  "day",
  "rate",
  "burst",
  "concurrency",
  "limited",
  "failed",
  "left",
  "unknown"
] as const

/**
 * The outcome of a call.
 */
export type UsageOutcome = (typeof outcomes)[number]

/**
 * The usage of one call, or of several with equal dimensions. Counts are whole numbers from 0 to `MAX_COUNT`.
 */
export interface Usage extends Omit<UsageDimensions, "outcome"> {
  /** Default: the outcome that follows from the status. */
  readonly outcome?: UsageOutcome | undefined
  /** The number of calls: a batch counts its items, an event of a subscription counts none. */
  readonly calls: number
  readonly credits: number
  /** Bytes of the request body. */
  readonly bytesIn: number
  /** Bytes of the answer body. */
  readonly bytesOut: number
  /** The bytes of an IPFS command, as `IpfsQuota` counts them. */
  readonly ipfs?: IpfsUsage | undefined
}

/**
 * Bytes of an IPFS command, as `IpfsQuota` defines them.
 */
export interface IpfsUsage {
  /** Bytes that the caller sent to be added. */
  readonly uploaded: number
  /** Bytes that the caller received. */
  readonly downloaded: number
  /**
   * The bytes that the project has stored after the command, if known. This is a level, not a sum: the highest value of
   * a period is kept. So it can be any whole number up to 2^53 - 1.
   */
  readonly stored?: number | undefined
}

/**
 * Returns the outcome of a usage: the recorded one, or the one that follows from the status.
 *
 * ```ts import.meta.vitest
 * import { Usage } from "@plumbline/gateway"
 *
 * const statuses = [200, 403, 429, 499, 502]
 * const product = "rpc"
 * statuses.map((status) => Usage.outcomeOf({ product, status })) // => ["ok", "refused", "limited", "left", "failed"]
 * Usage.outcomeOf({ product, status: 200, outcome: "reverted" }) // => "reverted"
 * ```
 */
export const outcomeOf = ({
  outcome,
  product,
  status
}: Pick<Usage, "outcome" | "product" | "status">): UsageOutcome => {
  if (outcome !== undefined) return outcome
  if (status < 400) return "ok"
  if (status === 429 || status === 402) return "limited"
  if (status < 500) return status === LEFT ? "left" : "refused"
  // Kubo answers every error with status 500, even a path that does not exist.
  return status === 500 && product === "ipfs" ? "error" : "failed"
}

const LEFT = 499

/** Returns the outcome of a call that exceeds this limit. */
export const overLimit = (limit: string): UsageOutcome => OVER.find((outcome) => outcome === limit) ?? "limited"

const OVER: ReadonlyArray<UsageOutcome> = ["day", "rate", "burst", "concurrency"]

/**
 * The recorded name of all methods that a network does not have.
 */
export const UNKNOWN_METHOD = "unknown"

/**
 * The maximum of each number in a usage: 2^44, which is 16 TiB in bytes. The sum of a row exceeds 64 bits only after
 * half a million such usages. At 100 Gbit/s that takes 23 years.
 */
export const MAX_COUNT: number = 2 ** 44

/** Maximum length of a name in UTF-16 units. */
export const MAX_NAME = 256

/**
 * Divides usages with large counts into usages that can be stored: the sums stay the same, and each count is at most
 * `MAX_COUNT`. A single command can count more, because a download has no end of its own; without the division it could
 * not be recorded. A stored level is left out unless it is a whole number below 2^53, because it must not prevent the
 * record of the command.
 *
 * ```ts import.meta.vitest
 * import { Usage } from "@plumbline/gateway"
 *
 * const call = { project: "p1", product: "ipfs", network: "ipfs", method: "cat", status: 200, key: "k1" } as const
 * const usage: Usage.Usage = { ...call, calls: 1, credits: 0, bytesIn: 0, bytesOut: Usage.MAX_COUNT + 5 }
 * Usage.parts([usage]).map(({ bytesOut, calls }) => [calls, bytesOut]) // => [[1, Usage.MAX_COUNT], [0, 5]]
 * ```
 */
export const parts = (usages: ReadonlyArray<Usage>): ReadonlyArray<Usage> =>
  usages.every(isWhole) ? usages : usages.flatMap(partsOf)

/** True for a usage that need not be divided. Every call runs it, so it makes no object. */
const isWhole = ({ bytesIn, bytesOut, calls, credits, ipfs }: Usage): boolean =>
  !(calls > MAX_COUNT || credits > MAX_COUNT || bytesIn > MAX_COUNT || bytesOut > MAX_COUNT) &&
  (ipfs === undefined ||
    (!(ipfs.uploaded > MAX_COUNT || ipfs.downloaded > MAX_COUNT) &&
      (ipfs.stored === undefined || isLevel(ipfs.stored))))

const partsOf = (usage: Usage): ReadonlyArray<Usage> => {
  const { bytesIn, bytesOut, calls, credits, ipfs } = usage
  const counts = [calls, credits, bytesIn, bytesOut, ipfs?.uploaded ?? 0, ipfs?.downloaded ?? 0]
  // Other counts are mistakes of the program, which `check` names.
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return [usage]
  return Array.from({ length: Math.max(1, Math.ceil(Math.max(...counts) / MAX_COUNT)) }, (_, index) => {
    const part = (count: number) => Math.min(Math.max(0, count - index * MAX_COUNT), MAX_COUNT)
    const counted = {
      ...usage,
      calls: part(calls),
      credits: part(credits),
      bytesIn: part(bytesIn),
      bytesOut: part(bytesOut)
    }
    if (ipfs === undefined) return counted
    const stored = ipfs.stored !== undefined && isLevel(ipfs.stored) ? ipfs.stored : undefined
    return { ...counted, ipfs: { uploaded: part(ipfs.uploaded), downloaded: part(ipfs.downloaded), stored } }
  })
}

/**
 * Returns the usage if it can be stored. Otherwise it returns a `MeteringError` `Invalid` that names the first invalid
 * field.
 *
 * Names have 1 to `MAX_NAME` units. They have no NUL, which Postgres cannot store, and no unpaired surrogate.
 *
 * ```ts import.meta.vitest
 * import { Usage } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const usage: Usage.Usage = {
 *   project: "p1",
 *   product: "rpc",
 *   network: "live",
 *   method: "eth_getProof",
 *   status: 200,
 *   key: "k1",
 *   calls: 1,
 *   credits: 150,
 *   bytesIn: 180,
 *   bytesOut: 4096
 * }
 * Usage.check(usage) // => Result.succeed(usage)
 * Result.getOrThrow(Result.flip(Usage.check({ ...usage, credits: 0.5 }))).detail // => "credits"
 * ```
 */
export const check = (usage: Usage): Result.Result<Usage, MeteringError> => {
  const wrong = problemOf(usage)
  return wrong === undefined ? Result.succeed(usage) : Result.fail(invalid(wrong))
}

/** Returns the error of a usage with this invalid field. */
export const invalid = (field: string): MeteringError => new MeteringError({ problem: "Invalid", detail: field })

/**
 * Returns the name of the first invalid field; undefined if the usage can be stored. It is written by hand because every
 * call runs it: a Schema would take as long as all the rest of metering.
 */
export const problemOf = (usage: Usage): string | undefined => {
  if (!isName(usage.project)) return "project"
  if (usage.product !== "rpc" && usage.product !== "ipfs") return "product"
  if (!isName(usage.network)) return "network"
  if (!isName(usage.method)) return "method"
  if (!Number.isInteger(usage.status) || usage.status < 100 || usage.status > 599) return "status"
  if (!isName(usage.key)) return "key"
  if (usage.outcome !== undefined && !outcomes.includes(usage.outcome)) return "outcome"
  if (!isCount(usage.calls)) return "calls"
  if (!isCount(usage.credits)) return "credits"
  if (!isCount(usage.bytesIn)) return "bytesIn"
  if (!isCount(usage.bytesOut)) return "bytesOut"
  const { ipfs } = usage
  if (ipfs === undefined) return undefined
  if (!isCount(ipfs.uploaded)) return "ipfs.uploaded"
  if (!isCount(ipfs.downloaded)) return "ipfs.downloaded"
  if (ipfs.stored !== undefined && !isLevel(ipfs.stored)) return "ipfs.stored"
  return undefined
}

const isName = (name: string): boolean =>
  name.length > 0 && name.length <= MAX_NAME && !name.includes("\0") && name.isWellFormed()

const isLevel = (level: number): boolean => Number.isSafeInteger(level) && level >= 0

const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0 && count <= MAX_COUNT

/** Folds usages that arrive at the same time into rows. Rows with equal keys are summed in the database. */
import { MAX_COUNT, outcomeOf, type Usage } from "./Usage.ts"

/**
 * The usage of calls with equal dimensions in one minute. The fields are in the order of the table's columns, because
 * the database receives a row as a JSON array. Rows of a batch with equal keys are summed.
 */
export type UsageRow = [
  /** Start of the minute, in milliseconds since the epoch. */
  minute: number,
  project: string,
  product: string,
  network: string,
  method: string,
  status: number,
  key: string,
  outcome: string,
  calls: number,
  credits: number,
  bytesIn: number,
  bytesOut: number,
  uploaded: number,
  downloaded: number
]

/** The largest number of bytes that a project had stored on IPFS at any time in a minute. */
export type StorageLevel = [minute: number, project: string, stored: number]

/**
 * The usages that one process collected before a write. A process chooses a new writer name each time it starts, and
 * numbers its batches upwards. A batch that is written again keeps its number.
 */
export interface UsageBatch {
  readonly writer: string
  readonly number: number
  /** Time of creation, in milliseconds since the epoch. */
  readonly at: number
  readonly rows: ReadonlyArray<UsageRow>
  readonly levels: ReadonlyArray<StorageLevel>
}

/**
 * The storage that holds usage when it is acknowledged.
 *
 * - `process`: the usage survives the end of this process, also by `kill -9`, and reaches the disk soon afterwards. A
 *   power cut can lose the last usage.
 * - `disk`: the usage survives a power cut too.
 */
export type UsageDurability = "process" | "disk"

export interface UsageFold {
  /** True if the usages can be added without exceeding the limit of rows. */
  readonly fits: (minute: number, usages: ReadonlyArray<Usage>) => boolean
  readonly add: (minute: number, usage: Usage) => void
  readonly size: () => number
  readonly rows: () => ReadonlyArray<UsageRow>
  readonly levels: () => ReadonlyArray<StorageLevel>
}

export const make = (limit: number): UsageFold => {
  const rows: Array<UsageRow> = []
  const current = new Map<string, UsageRow>()
  /** The row of the last usage: most usages of a batch have the dimensions of the one before. */
  let last: UsageRow | undefined
  const levels = new Map<string, StorageLevel>()
  return {
    fits: (minute, usages) =>
      rows.length + usages.length <= limit ||
      rows.length + usages.filter((usage) => !current.has(keyOf(minute, usage))).length <= limit,
    add: (minute, usage) => {
      const key = last !== undefined && isOf(last, minute, usage) ? undefined : keyOf(minute, usage)
      const row = key === undefined ? last : current.get(key)
      if (row === undefined || !isExact(row)) {
        const { method, network, product, project, status } = usage
        const dimensions = [project, product, network, method, status, usage.key, outcomeOf(usage)] as const
        last = [minute, ...dimensions, ...countsOf(usage)]
        rows.push(last)
        current.set(key ?? keyOf(minute, usage), last)
      } else {
        last = row
        row[8] += usage.calls
        row[9] += usage.credits
        row[10] += usage.bytesIn
        row[11] += usage.bytesOut
        row[12] += usage.ipfs?.uploaded ?? 0
        row[13] += usage.ipfs?.downloaded ?? 0
      }
      const stored = usage.ipfs?.stored
      if (stored === undefined) return
      const place = `${minute}\0${usage.project}`
      const level = levels.get(place)
      if (level === undefined) levels.set(place, [minute, usage.project, stored])
      else if (level[2] < stored) level[2] = stored
    },
    size: () => rows.length,
    rows: () => rows,
    levels: () => [...levels.values()]
  }
}

/** True if the usage has the dimensions of the row. */
const isOf = (row: UsageRow, minute: number, usage: Usage): boolean =>
  row[0] === minute &&
  row[1] === usage.project &&
  row[2] === usage.product &&
  row[3] === usage.network &&
  row[4] === usage.method &&
  row[5] === usage.status &&
  row[6] === usage.key &&
  row[7] === outcomeOf(usage)

/** True if the sums stay exact after any further usage. If not, a second row begins. */
const isExact = (row: UsageRow): boolean =>
  Math.max(row[8], row[9], row[10], row[11], row[12], row[13]) <= Number.MAX_SAFE_INTEGER - MAX_COUNT

/** Joins the dimensions with NUL, which names never contain. */
const keyOf = (minute: number, usage: Usage): string =>
  `${minute}\0${usage.project}\0${usage.product}\0${usage.network}\0${usage.method}\0${usage.status}\0${usage.key}\0${outcomeOf(usage)}`

const countsOf = (
  usage: Usage
): [calls: number, credits: number, bytesIn: number, bytesOut: number, uploaded: number, downloaded: number] => [
  usage.calls,
  usage.credits,
  usage.bytesIn,
  usage.bytesOut,
  usage.ipfs?.uploaded ?? 0,
  usage.ipfs?.downloaded ?? 0
]

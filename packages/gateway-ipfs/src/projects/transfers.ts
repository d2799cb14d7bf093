/**
 * Counts the bytes that projects upload and download per day, and enforces the daily limits.
 *
 * The sum of the day is in the database, and a process cannot ask the database about each piece of a transfer. If there
 * is a limit, a process takes a share of the remaining bytes in advance, and returns the unused part within a second.
 * So the sum is never less than the bytes that were transferred. Without a limit, bytes are added after they were
 * transferred.
 *
 * If an upload is refused in the middle, all its counted bytes are returned in the same step. So as many simultaneous
 * uploads succeed as the limit permits. Otherwise they could use up the limit together, and all would be refused.
 */
import type { IpfsTransfers } from "@plumbline/gateway/limits/IpfsQuota"
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as SqlClient from "effect/sql/SqlClient"

import { failure, guarded } from "./ledgerErrors.ts"

/** The direction of a transfer. */
export type TransferDirection = "uploaded" | "downloaded"

/** Bytes that are about to be transferred. */
export interface PendingTransfer {
  readonly project: string
  readonly way: TransferDirection
  readonly bytes: number
  /** The daily limit in bytes; undefined if there is no limit. */
  readonly limit: number | undefined
}

export interface TransferCounters {
  /** Counts bytes that are about to be transferred. If they would exceed the limit, fails and counts none of them. */
  readonly take: (passing: PendingTransfer) => Effect.Effect<void, IpfsNodeError>
  /** Fails if `take` would fail, but counts nothing. */
  readonly check: (passing: PendingTransfer) => Effect.Effect<void, IpfsNodeError>
  /**
   * Begins an upload, whose bytes are counted piece by piece. If the limit refuses a piece, no byte of it is counted.
   */
  readonly upload: (project: string, limit: number | undefined) => UploadCounter
  /** Writes all counts to the database. Callers that wait at the same time share one write. */
  readonly written: Effect.Effect<void, IpfsNodeError>
  readonly today: (project: string) => Effect.Effect<IpfsTransfers, IpfsNodeError>
  /**
   * Returns the bytes transferred on each day from `from` to `to`, both included. Days without transfers are omitted.
   */
  readonly days: (
    project: string,
    from: string,
    to: string
  ) => Effect.Effect<ReadonlyArray<IpfsTransfers>, IpfsNodeError>
}

/** The counter of one upload. */
export interface UploadCounter {
  /**
   * Counts bytes that are about to be transferred. If they would exceed the limit, all bytes of the upload are
   * returned.
   */
  readonly take: (bytes: number) => Effect.Effect<void, IpfsNodeError>
  /**
   * Ends the upload; run it after the last piece. Bytes taken in advance are returned, unless another upload of this
   * process is under way and may need them.
   */
  readonly end: Effect.Effect<void>
}

/** The counter of one project and one day in this process. */
interface Counter {
  readonly project: string
  readonly day: string
  /**
   * If positive: bytes that were taken in advance and not used. If negative: bytes that were transferred and are not in
   * the database yet.
   */
  readonly balance: { uploaded: number; downloaded: number }
}

/** Maximum number of bytes that are taken in advance, or are transferred before they are written to the database. */
const STEP = 16 * 1024 * 1024

/** The part of the remaining bytes that is taken in advance. */
const SHARE = 1 / 16

/** Time after which unused bytes that were taken in advance are returned. */
const PAUSE = "1 second"

/**
 * Time that an upload waits before it is refused, in milliseconds. Another process may return unused bytes meanwhile.
 */
const SECOND_LOOK = 50

const secondLook = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), SECOND_LOOK)
  return Effect.sync(() => clearTimeout(timer))
})

/** The counters of one node's transfers. */
interface ProjectTransfers {
  readonly sql: SqlClient.SqlClient
  readonly node: string
  readonly scope: Scope.Scope
  /** Counters whose balance is not zero. */
  readonly counters: Map<string, Counter>
  /** One change runs at a time, because the bytes of a pending write are in no counter until its outcome is known. */
  readonly semaphore: Semaphore.Semaphore
  /** True while the return of unused bytes is planned. */
  isSoon: boolean
}

export const make = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  node: string
): Effect.fn.Return<TransferCounters, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const semaphore = Semaphore.makeUnsafe(1)
  const transfers: ProjectTransfers = { sql, node, scope, counters: new Map(), semaphore, isSoon: false }
  yield* Effect.addFinalizer(() => giveBack(transfers))
  /** Number of uploads under way. */
  let uploads = 0

  return {
    take: (passing) => take(transfers, passing),
    upload: (project, limit) => {
      const counted: Counted = new Map()
      uploads++
      return {
        take: (bytes) => take(transfers, { project, way: "uploaded", bytes, limit }, counted),
        end: Effect.suspend(() => {
          uploads--
          return limit === undefined || uploads > 0 ? Effect.void : giveBack(transfers)
        })
      }
    },
    check: (passing) => check(transfers, passing),
    written: written(transfers),
    today: (project) =>
      onDay((day) =>
        Effect.map(days(transfers, project, day, day), ([today]) => today ?? { day, uploaded: 0, downloaded: 0 })
      ),
    days: (project, from, to) => days(transfers, project, from, to)
  }
})

const balanceOf = ({ counters }: ProjectTransfers, project: string, day: string, way: TransferDirection): number =>
  counters.get(keyOf(project, day))?.balance[way] ?? 0

const change = (
  { counters }: ProjectTransfers,
  project: string,
  day: string,
  way: TransferDirection,
  bytes: number
): void => {
  const key = keyOf(project, day)
  const counter = counters.get(key) ?? { project, day, balance: { uploaded: 0, downloaded: 0 } }
  const { balance } = counter
  balance[way] += bytes
  if (balance.uploaded === 0 && balance.downloaded === 0) counters.delete(key)
  else counters.set(key, counter)
}

const sumOf = ({ node, sql }: ProjectTransfers, project: string, day: string, way: TransferDirection) =>
  Effect.map(
    sql<{ readonly sum: number }>`
      SELECT ${sql(way)} AS sum FROM ipfs_transfers
      WHERE node = ${node} AND project = ${project} AND day = ${day}`,
    ([row]) => row?.sum ?? 0
  )

const add = (
  { node, sql }: ProjectTransfers,
  rows: Arr.NonEmptyReadonlyArray<IpfsTransfers & { readonly project: string }>
) => sql`
  INSERT INTO ipfs_transfers ${sql.insert(
    Arr.map(rows, ({ day, downloaded, project, uploaded }) => ({ node, project, day, uploaded, downloaded }))
  )}
  ON CONFLICT (node, project, day) DO UPDATE SET
    uploaded = ipfs_transfers.uploaded + excluded.uploaded,
    downloaded = ipfs_transfers.downloaded + excluded.downloaded`

/**
 * Adds these bytes, and a share in advance, to the sum in the database and to the balance. If the limit does not
 * permit it, returns the number of bytes used. The bytes in `counted` are then returned in the same transaction, so
 * that the next caller can use them.
 */
const grant = (
  transfers: ProjectTransfers,
  day: string,
  { bytes, project, way }: PendingTransfer,
  limit: number,
  counted: Counted | undefined
): Effect.Effect<number | undefined, IpfsNodeError> =>
  Effect.gen(function* () {
    const nothing = { project, day, uploaded: 0, downloaded: 0 }
    // locks the row, so that other transactions wait for the end of this one
    yield* add(transfers, [nothing])
    const sum = yield* sumOf(transfers, project, day, way)
    const balance = balanceOf(transfers, project, day, way)
    const left = limit - sum - (bytes - balance)
    if (left >= 0) {
      const granted = bytes - balance + Math.min(STEP, Math.floor(left * SHARE))
      yield* add(transfers, [{ ...nothing, [way]: granted }])
      return { granted }
    }
    const back = Array.from(counted ?? [], ([day, bytes]) => ({ ...nothing, day, [way]: -bytes }))
    if (Arr.isReadonlyArrayNonEmpty(back)) yield* add(transfers, back)
    return { used: sum - balance - (counted?.get(day) ?? 0) }
  }).pipe(
    transfers.sql.withTransaction,
    guarded,
    Effect.flatMap((result) => {
      if (result.granted === undefined) {
        counted?.clear()
        return Effect.succeed(result.used)
      }
      change(transfers, project, day, way, result.granted)
      return Effect.as(giveBackSoon(transfers), undefined)
    })
  )

const write = (transfers: ProjectTransfers, isDue: (counter: Counter) => boolean): Effect.Effect<void, IpfsNodeError> =>
  Effect.suspend(() => {
    const rows = Array.from(transfers.counters.values())
      .filter(isDue)
      .map(({ balance, day, project }) => ({
        project,
        day,
        uploaded: -balance.uploaded,
        downloaded: -balance.downloaded
      }))
      // all processes must lock the rows in the same order, to avoid a deadlock
      .sort((a, b) => (keyOf(a.project, a.day) < keyOf(b.project, b.day) ? -1 : 1))
    if (!Arr.isReadonlyArrayNonEmpty(rows)) return Effect.void
    const put = (sign: 1 | -1): void => {
      for (const { day, downloaded, project, uploaded } of rows) {
        change(transfers, project, day, "uploaded", sign * uploaded)
        change(transfers, project, day, "downloaded", sign * downloaded)
      }
    }
    put(1)
    return Effect.onError(guarded(add(transfers, rows)), () => Effect.sync(() => put(-1)))
  }).pipe(Effect.uninterruptible, (work) => transfers.semaphore.withPermit(work), Effect.asVoid)

/** Writes all negative balances. Callers that arrive during a write share the next write. */
const written = (transfers: ProjectTransfers) =>
  write(transfers, ({ balance }) => balance.uploaded < 0 || balance.downloaded < 0)

const even = (transfers: ProjectTransfers) => write(transfers, () => true)

const days = (
  transfers: ProjectTransfers,
  project: string,
  from: string,
  to: string
): ReturnType<TransferCounters["days"]> =>
  Effect.andThen(
    even(transfers),
    guarded(
      Effect.map(
        transfers.sql<IpfsTransfers>`
          SELECT day, uploaded, downloaded FROM ipfs_transfers
          WHERE node = ${transfers.node} AND project = ${project} AND day BETWEEN ${from} AND ${to}
            AND (uploaded <> 0 OR downloaded <> 0)
          ORDER BY day`,
        (rows) => rows.map(({ day, downloaded, uploaded }) => ({ day, uploaded, downloaded }))
      )
    )
  )

const giveBack = (transfers: ProjectTransfers) =>
  Effect.catch(even(transfers), (error) => Effect.logWarning(`transfers are not written: ${error.message}`))

const giveBackSoon = (transfers: ProjectTransfers) =>
  Effect.suspend(() => {
    if (transfers.isSoon) return Effect.void
    transfers.isSoon = true
    const then = Effect.suspend(() => {
      transfers.isSoon = false
      return giveBack(transfers)
    })
    return Effect.forkIn(Effect.andThen(Effect.sleep(PAUSE), then), transfers.scope)
  })

const take = (
  transfers: ProjectTransfers,
  passing: PendingTransfer,
  counted?: Counted
): Effect.Effect<void, IpfsNodeError> =>
  onDay((day) => {
    const { bytes, limit, project, way } = passing
    if (bytes === 0) return Effect.void
    /**
     * Checks and counts in one step, because simultaneous callers could otherwise use the same remaining bytes.
     */
    const use = (): boolean => {
      if (limit !== undefined && balanceOf(transfers, project, day, way) < bytes) return false
      change(transfers, project, day, way, -bytes)
      if (limit !== undefined) counted?.set(day, (counted.get(day) ?? 0) + bytes)
      return true
    }
    /** Counts the bytes and returns true if the limit permits them. Otherwise returns the number of bytes used. */
    const ask = (limit: number, back: Counted | undefined): Effect.Effect<true | number, IpfsNodeError> =>
      Effect.suspend(() =>
        use()
          ? Effect.succeed(true as const)
          : Effect.flatMap(Effect.uninterruptible(grant(transfers, day, passing, limit, back)), (used) =>
              used === undefined ? ask(limit, back) : Effect.succeed(used)
            )
      )
    const refused = (limit: number, used: number) =>
      Effect.fail(failure(new QuotaExceeded({ quota: way, limit, used })))
    if (use()) return balanceOf(transfers, project, day, way) > -STEP ? Effect.void : written(transfers)
    if (counted === undefined || bytes > limit!) {
      return Effect.flatMap(transfers.semaphore.withPermit(ask(limit!, counted)), (used) =>
        used === true ? Effect.void : refused(limit!, used)
      )
    }
    return Effect.flatMap(transfers.semaphore.withPermit(ask(limit!, undefined)), (room) =>
      room === true
        ? Effect.void
        : Effect.flatMap(Effect.andThen(secondLook, transfers.semaphore.withPermit(ask(limit!, counted))), (used) =>
            used === true ? Effect.void : refused(limit!, used)
          )
    )
  })

const check = (
  transfers: ProjectTransfers,
  { bytes, limit, project, way }: PendingTransfer
): Effect.Effect<void, IpfsNodeError> =>
  onDay((day) => {
    if (limit === undefined || balanceOf(transfers, project, day, way) >= bytes) return Effect.void
    const isLeft = Effect.flatMap(guarded(sumOf(transfers, project, day, way)), (sum) => {
      const used = sum - balanceOf(transfers, project, day, way)
      return used + bytes > limit ? Effect.fail(failure(new QuotaExceeded({ quota: way, limit, used }))) : Effect.void
    })
    return transfers.semaphore.withPermit(isLeft)
  })

/** For each day, the number of bytes that an upload has counted. */
type Counted = Map<string, number>

const keyOf = (project: string, day: string): string => `${project} ${day}`

/** Runs an effect with the current day in UTC, such as `2026-11-21`. */
const onDay = <A, E>(use: (day: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => use(new Date(now).toISOString().slice(0, 10)))

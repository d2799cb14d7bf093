/**
 * Counts the bytes that projects send and read by day, and enforces the daily limits.
 *
 * The day's sum is in the database, and bytes pass faster than a process can ask the database about each. If there is a
 * limit, a process therefore takes a share of the remaining bytes in advance, smaller as less remains, and gives the
 * unused part back within a second: the sum is never less than the bytes that have passed. Without a limit, bytes are
 * added after they have passed.
 *
 * An upload that is refused in the middle gives all of its counted bytes back in the same step. So if many uploads run
 * at the same time, as many of them pass as the limit has room for. Otherwise they would use up each other's room, and
 * none would pass.
 */
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as SqlClient from "effect/sql/SqlClient"

import type { Transfers } from "../../limits/IpfsQuota.ts"
import { failure, guarded } from "./failure.ts"

/** The direction of the bytes. */
export type Way = "uploaded" | "downloaded"

/** Bytes on their way. */
export interface Passing {
  readonly project: string
  readonly way: Way
  readonly bytes: number
  /** The daily limit. */
  readonly limit: number | undefined
}

export interface Counters {
  /** Counts bytes that are about to pass. Fails, and counts none, if they would exceed the limit. */
  readonly take: (passing: Passing) => Effect.Effect<void, IpfsNodeError>
  /** Fails if `take` would fail, but counts nothing. */
  readonly check: (passing: Passing) => Effect.Effect<void, IpfsNodeError>
  /** Begins an upload that takes bytes piece by piece, and counts only if it is whole. */
  readonly upload: (project: string, limit: number | undefined) => Upload
  /** Waits until all counts are written. One write serves all callers that wait at the same time. */
  readonly written: Effect.Effect<void, IpfsNodeError>
  readonly today: (project: string) => Effect.Effect<Transfers, IpfsNodeError>
  /** Returns the bytes sent and read on the days from the first to the last. Days without transfers are omitted. */
  readonly days: (project: string, from: string, to: string) => Effect.Effect<ReadonlyArray<Transfers>, IpfsNodeError>
}

/** Bytes of one upload. */
export interface Upload {
  /** Counts bytes that are about to pass. If that fails, no byte of the upload counts any more. */
  readonly take: (bytes: number) => Effect.Effect<void, IpfsNodeError>
  /**
   * Call it after the last piece: bytes taken in advance are given back, unless another upload of this process may need
   * them.
   */
  readonly end: Effect.Effect<void>
}

/** The counter of one project and day, in this process. */
interface Counter {
  readonly project: string
  readonly day: string
  /** Bytes taken in advance and not used; if negative, bytes that have passed and are not written. */
  readonly balance: { uploaded: number; downloaded: number }
}

/** Maximum number of bytes that are taken in advance, and that pass before they are written. */
const STEP = 16 * 1024 * 1024

/** The share of the remaining bytes that is taken in advance. */
const SHARE = 1 / 16

/** The time for which bytes taken in advance are kept. */
const PAUSE = "1 second"

/**
 * The time that an upload waits before it is refused, in milliseconds: meanwhile another process may give back unused
 * bytes.
 */
const SECOND_LOOK = 50

const secondLook = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), SECOND_LOOK)
  return Effect.sync(() => clearTimeout(timer))
})

export const make = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  node: string
): Effect.fn.Return<Counters, never, Scope.Scope> {
  /** Counters whose balance is not zero. */
  const counters = new Map<string, Counter>()
  // One at a time: bytes of a pending write belong to no counter until its outcome is known.
  const semaphore = Semaphore.makeUnsafe(1)
  const alone = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> => semaphore.withPermit(work)

  const balanceOf = (project: string, day: string, way: Way): number =>
    counters.get(keyOf(project, day))?.balance[way] ?? 0
  const change = (project: string, day: string, way: Way, bytes: number): void => {
    const key = keyOf(project, day)
    const counter = counters.get(key) ?? { project, day, balance: { uploaded: 0, downloaded: 0 } }
    const { balance } = counter
    balance[way] += bytes
    if (balance.uploaded === 0 && balance.downloaded === 0) counters.delete(key)
    else counters.set(key, counter)
  }

  const sumOf = (project: string, day: string, way: Way) =>
    Effect.map(
      sql<{ readonly sum: number }>`
        SELECT ${sql(way)} AS sum FROM ipfs_transfers
        WHERE node = ${node} AND project = ${project} AND day = ${day}`,
      ([row]) => row?.sum ?? 0
    )
  const add = (rows: Arr.NonEmptyReadonlyArray<Transfers & { readonly project: string }>) => sql`
    INSERT INTO ipfs_transfers ${sql.insert(
      Arr.map(rows, ({ day, downloaded, project, uploaded }) => ({ node, project, day, uploaded, downloaded }))
    )}
    ON CONFLICT (node, project, day) DO UPDATE SET
      uploaded = ipfs_transfers.uploaded + excluded.uploaded,
      downloaded = ipfs_transfers.downloaded + excluded.downloaded`

  /**
   * Takes room for these bytes, in the sum and in the balance, or returns the used bytes if there is no room. Then
   * `counted` is given back in the same transaction, so that the next caller finds its room.
   */
  const grant = (
    day: string,
    { bytes, project, way }: Passing,
    limit: number,
    counted: Counted | undefined
  ): Effect.Effect<number | undefined, IpfsNodeError> =>
    Effect.gen(function* () {
      const nothing = { project, day, uploaded: 0, downloaded: 0 }
      // locks the row: no other transaction reads it until this one is done
      yield* add([nothing])
      const sum = yield* sumOf(project, day, way)
      const balance = balanceOf(project, day, way)
      const left = limit - sum - (bytes - balance)
      if (left >= 0) {
        const granted = bytes - balance + Math.min(STEP, Math.floor(left * SHARE))
        yield* add([{ ...nothing, [way]: granted }])
        return { granted }
      }
      const back = Array.from(counted ?? [], ([day, bytes]) => ({ ...nothing, day, [way]: -bytes }))
      if (Arr.isReadonlyArrayNonEmpty(back)) yield* add(back)
      return { used: sum - balance - (counted?.get(day) ?? 0) }
    }).pipe(
      sql.withTransaction,
      guarded,
      Effect.flatMap((result) => {
        if (result.granted === undefined) {
          counted?.clear()
          return Effect.succeed(result.used)
        }
        change(project, day, way, result.granted)
        return Effect.as(giveBackSoon, undefined)
      })
    )

  const write = (isDue: (counter: Counter) => boolean): Effect.Effect<void, IpfsNodeError> =>
    Effect.suspend(() => {
      const rows = Array.from(counters.values())
        .filter(isDue)
        .map(({ balance, day, project }) => ({
          project,
          day,
          uploaded: -balance.uploaded,
          downloaded: -balance.downloaded
        }))
        // all processes lock the rows in the same order
        .sort((a, b) => (keyOf(a.project, a.day) < keyOf(b.project, b.day) ? -1 : 1))
      if (!Arr.isReadonlyArrayNonEmpty(rows)) return Effect.void
      const put = (sign: 1 | -1): void => {
        for (const { day, downloaded, project, uploaded } of rows) {
          change(project, day, "uploaded", sign * uploaded)
          change(project, day, "downloaded", sign * downloaded)
        }
      }
      put(1)
      return Effect.onError(guarded(add(rows)), () => Effect.sync(() => put(-1)))
    }).pipe(Effect.uninterruptible, alone, Effect.asVoid)

  /** Writes all counts. Callers that arrive during a write share the next one. */
  const written = write(({ balance }) => balance.uploaded < 0 || balance.downloaded < 0)
  const even = write(() => true)

  const days: Counters["days"] = (project, from, to) =>
    Effect.andThen(
      even,
      guarded(
        Effect.map(
          sql<Transfers>`
            SELECT day, uploaded, downloaded FROM ipfs_transfers
            WHERE node = ${node} AND project = ${project} AND day BETWEEN ${from} AND ${to}
              AND (uploaded <> 0 OR downloaded <> 0)
            ORDER BY day`,
          (rows) => rows.map(({ day, downloaded, uploaded }) => ({ day, uploaded, downloaded }))
        )
      )
    )

  const giveBack = Effect.catch(even, (error) => Effect.logWarning(`transfers are not written: ${error.message}`))
  yield* Effect.addFinalizer(() => giveBack)
  const scope = yield* Effect.scope
  let isSoon = false
  const giveBackSoon = Effect.suspend(() => {
    if (isSoon) return Effect.void
    isSoon = true
    const then = Effect.suspend(() => {
      isSoon = false
      return giveBack
    })
    return Effect.forkIn(Effect.andThen(Effect.sleep(PAUSE), then), scope)
  })

  const take = (passing: Passing, counted?: Counted): Effect.Effect<void, IpfsNodeError> =>
    onDay((day) => {
      const { bytes, limit, project, way } = passing
      if (bytes === 0) return Effect.void
      /**
       * Checks and counts in one step: otherwise simultaneous callers would be admitted to the same remaining bytes.
       */
      const use = (): boolean => {
        if (limit !== undefined && balanceOf(project, day, way) < bytes) return false
        change(project, day, way, -bytes)
        if (limit !== undefined) counted?.set(day, (counted.get(day) ?? 0) + bytes)
        return true
      }
      /** Returns true if there was room, otherwise the used bytes. */
      const ask = (limit: number, back: Counted | undefined): Effect.Effect<true | number, IpfsNodeError> =>
        Effect.suspend(() =>
          use()
            ? Effect.succeed(true as const)
            : Effect.flatMap(Effect.uninterruptible(grant(day, passing, limit, back)), (used) =>
                used === undefined ? ask(limit, back) : Effect.succeed(used)
              )
        )
      const refused = (limit: number, used: number) =>
        Effect.fail(failure(new QuotaExceeded({ quota: way, limit, used })))
      if (use()) return balanceOf(project, day, way) > -STEP ? Effect.void : written
      if (counted === undefined || bytes > limit!) {
        return Effect.flatMap(alone(ask(limit!, counted)), (used) =>
          used === true ? Effect.void : refused(limit!, used)
        )
      }
      return Effect.flatMap(alone(ask(limit!, undefined)), (room) =>
        room === true
          ? Effect.void
          : Effect.flatMap(Effect.andThen(secondLook, alone(ask(limit!, counted))), (used) =>
              used === true ? Effect.void : refused(limit!, used)
            )
      )
    })

  /** Uploads that are under way. */
  let uploads = 0

  return {
    take: (passing) => take(passing),
    upload: (project, limit) => {
      const counted: Counted = new Map()
      uploads++
      return {
        take: (bytes) => take({ project, way: "uploaded", bytes, limit }, counted),
        end: Effect.suspend(() => {
          uploads--
          return limit === undefined || uploads > 0 ? Effect.void : giveBack
        })
      }
    },
    check: ({ bytes, limit, project, way }) =>
      onDay((day) => {
        if (limit === undefined || balanceOf(project, day, way) >= bytes) return Effect.void
        const isLeft = Effect.flatMap(guarded(sumOf(project, day, way)), (sum) => {
          const used = sum - balanceOf(project, day, way)
          return used + bytes > limit
            ? Effect.fail(failure(new QuotaExceeded({ quota: way, limit, used })))
            : Effect.void
        })
        return alone(isLeft)
      }),
    written,
    today: (project) =>
      onDay((day) => Effect.map(days(project, day, day), ([today]) => today ?? { day, uploaded: 0, downloaded: 0 })),
    days
  }
})

/** The bytes that an upload has counted, by day. */
type Counted = Map<string, number>

const keyOf = (project: string, day: string): string => `${project} ${day}`

/** The day by UTC, such as `2026-11-21`. */
const onDay = <A, E>(use: (day: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => use(new Date(now).toISOString().slice(0, 10)))

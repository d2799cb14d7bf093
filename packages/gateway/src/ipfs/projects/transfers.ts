/**
 * What projects send and read, counted by day and bounded.
 *
 * The day's sum is in the database, and bytes pass faster than it can be asked. So where there is a limit, a process takes
 * its share of what is left ahead, the smaller the less is left, and gives back within a second what it did not need: the
 * sum is never less than what has passed. Where there is none, what has passed is added behind it.
 *
 * An upload that is refused in the middle gives back all that it has counted, in the step that refuses it: of many uploads at
 * the same time as many pass as there is room for, where each would else use up the room of the others.
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

/** Which way the bytes go. */
export type Way = "uploaded" | "downloaded"

/** Bytes on their way. */
export interface Passing {
  readonly project: string
  readonly way: Way
  readonly bytes: number
  /** The most of a day. */
  readonly limit: number | undefined
}

export interface Counters {
  /** Counts bytes that are about to pass, or fails, and counts none, if they would be more than the limit. */
  readonly take: (passing: Passing) => Effect.Effect<void, IpfsNodeError>
  /** Fails as `take` would, and counts nothing. */
  readonly check: (passing: Passing) => Effect.Effect<void, IpfsNodeError>
  /** An upload that takes piece by piece, and is worth nothing unless it is whole. */
  readonly upload: (project: string, limit: number | undefined) => Upload
  /** Waits until all that was counted is written. All who wait at the same time are written at once. */
  readonly written: Effect.Effect<void, IpfsNodeError>
  readonly today: (project: string) => Effect.Effect<Transfers, IpfsNodeError>
  /** What was sent and read on the days from the first to the last; days without are left out. */
  readonly days: (project: string, from: string, to: string) => Effect.Effect<ReadonlyArray<Transfers>, IpfsNodeError>
}

/** Bytes of one upload. */
export interface Upload {
  /** Counts bytes that are about to pass, or fails, and counts none of the upload any more. */
  readonly take: (bytes: number) => Effect.Effect<void, IpfsNodeError>
  /** Is done when no more come: what was taken ahead is for others, if no other upload of this process may need it. */
  readonly end: Effect.Effect<void>
}

/** Of one project and day, in this process. */
interface Counter {
  readonly project: string
  readonly day: string
  /** What was taken ahead and not used; below zero, what has passed and is not written. */
  readonly balance: { uploaded: number; downloaded: number }
}

/** The most that is taken ahead, and that passes before it is written, in bytes. */
const STEP = 16 * 1024 * 1024

/** The part of what is left that is taken ahead. */
const SHARE = 1 / 16

/** How long is kept what was taken ahead. */
const PAUSE = "1 second"

/**
 * How long an upload waits before it is refused, in milliseconds of the machine: what another process has taken ahead and does
 * not need may be given back meanwhile.
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
  /** Those that are not even. */
  const counters = new Map<string, Counter>()
  // One at a time: what is being written or asked for is nobody's until it is known to be done.
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
   * Room for these bytes, in the sum and in the balance, or what is used where there is none. What is `counted` is then given
   * back, in the same transaction: whoever asks next finds its room.
   */
  const grant = (
    day: string,
    { bytes, project, way }: Passing,
    limit: number,
    counted: Counted | undefined
  ): Effect.Effect<number | undefined, IpfsNodeError> =>
    Effect.gen(function* () {
      const nothing = { project, day, uploaded: 0, downloaded: 0 }
      // locks the row: nobody else looks at it until this is done
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
        // two processes lock them in the same order
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

  /** Whoever comes while it goes on is written next, together. */
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
      /** To look and to count are one step: whoever comes at the same time would else be admitted to the same rest. */
      const use = (): boolean => {
        if (limit !== undefined && balanceOf(project, day, way) < bytes) return false
        change(project, day, way, -bytes)
        if (limit !== undefined) counted?.set(day, (counted.get(day) ?? 0) + bytes)
        return true
      }
      /** True if there was room; otherwise what is used. */
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

/** What an upload has counted, by the day. */
type Counted = Map<string, number>

const keyOf = (project: string, day: string): string => `${project} ${day}`

/** The day by UTC, such as `2026-11-21`. */
const onDay = <A, E>(use: (day: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => use(new Date(now).toISOString().slice(0, 10)))

/** What projects send and read, counted by day and bounded. */
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

import type { Transfers } from "../IpfsQuota.ts"
import { attemptNow, failure } from "./ipfsProjectsFailure.ts"
import type { Ledger } from "./ipfsProjectsLedger.ts"

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
  /** Waits until what was counted is written. All who wait at the same time are written at once. */
  readonly written: Effect.Effect<void, IpfsNodeError>
  readonly today: (project: string) => Effect.Effect<Transfers, IpfsNodeError>
  /** Writes what is left. Throws `IpfsNodeError`. */
  readonly flush: () => void
}

interface Counter {
  readonly day: string
  uploaded: number
  downloaded: number
}

/** A transfer that goes on for long is written so often, in bytes. */
const STEP = 16 * 1024 * 1024

export const make = (ledger: Ledger): Counters => {
  const counters = new Map<string, Counter>()
  const changed = new Set<string>()
  let unwritten = 0
  let writing: Promise<Exit.Exit<void, IpfsNodeError>> | undefined

  const flush = (): void => {
    if (changed.size === 0) return
    ledger.transferred(Array.from(changed, (project) => ({ project, ...counters.get(project)! })))
    changed.clear()
    unwritten = 0
  }

  /** Whoever comes before the next turn of the loop is written together. */
  const write = (): Promise<Exit.Exit<void, IpfsNodeError>> =>
    (writing ??= new Promise((resolve) => {
      setImmediate(() => {
        writing = undefined
        resolve(Effect.runSyncExit(attemptNow(flush)))
      })
    }))

  const counterOf = (project: string, day: string): Counter => {
    const there = counters.get(project)
    if (there?.day === day) return there
    // of another day: it has to be written before its place is taken
    if (changed.has(project)) flush()
    const [row] = ledger.transfers(project, day, day)
    const counter: Counter = { day, uploaded: row?.uploaded ?? 0, downloaded: row?.downloaded ?? 0 }
    counters.set(project, counter)
    return counter
  }

  /** To look and to count are one step: whoever comes at the same time would else be admitted to the same rest. */
  const admit = (
    { bytes, limit = Number.MAX_SAFE_INTEGER, project, way }: Passing,
    count: boolean
  ): Effect.Effect<void, IpfsNodeError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      attemptNow(() => {
        const counter = counterOf(project, dayOf(now))
        const used = counter[way]
        if (used + bytes > limit) throw failure(new QuotaExceeded({ quota: way, limit, used }))
        if (!count) return
        counter[way] += bytes
        changed.add(project)
        unwritten += bytes
        if (unwritten >= STEP) void write()
      })
    )

  return {
    take: (passing) => admit(passing, true),
    check: (passing) => admit(passing, false),
    written: Effect.suspend(() => (changed.size === 0 ? Effect.void : Effect.flatten(Effect.promise(write)))),
    today: (project) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => attemptNow(() => ({ ...counterOf(project, dayOf(now)) }))),
    flush
  }
}

/** The day by UTC, such as `2026-11-21`. */
const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

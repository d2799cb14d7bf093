/** Kills processes while they record usage, and compares their acknowledged calls with the stored calls. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { type MeteringStore, UsageFigures } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"
import { SqlClient, type SqlError as SqlErrors } from "effect/sql"

import * as Support from "./metering.ts"

/** The outcome of one process. */
export interface Crash {
  readonly process: string
  /** Milliseconds from the first acknowledged call to the kill. */
  readonly after: number
  readonly sent: number
  readonly acknowledged: number
  readonly stored: number
  /** The number of calls that were acknowledged but not stored. */
  readonly lost: number
  /** The number of calls that were stored more than once. */
  readonly doubled: number
  /** The number of calls that were stored but never sent. */
  readonly invented: number
}

export interface Report {
  readonly crashes: ReadonlyArray<Crash>
  /**
   * The stored count of the usage that all calls share. If it differs from the number of calls, a call was only partly
   * stored.
   */
  readonly shared: bigint
}

/**
 * Kills a number of processes, each at a random moment, and then reads the store. Two processes run at a time.
 */
export const crash = (options: {
  readonly durability: MeteringStore.UsageDurability
  readonly place: ReadonlyArray<string>
  readonly kills: number
  readonly random: Random.Random
}): Effect.Effect<
  Report,
  SqlErrors.SqlError | UsageFigures.UsageFailure,
  SqlClient.SqlClient | UsageFigures.UsageFigures
> =>
  Effect.gen(function* () {
    const figures = yield* UsageFigures.UsageFigures
    const day = { from: Date.now() - Support.DAY, to: Date.now() + Support.DAY }
    const killings = yield* Effect.forEach(
      Array.from({ length: options.kills }, (_, i) => `process ${i + 1}`),
      (name) => {
        const after = Random.int(options.random, 150)
        return Effect.map(
          Effect.promise(() => killed([options.durability, ...options.place], name, after)),
          (said) => ({ name, after, said })
        )
      },
      { concurrency: 2 }
    )
    yield* quiet
    const crashes = yield* Effect.forEach(killings, ({ after, name, said }) =>
      Effect.map(stored(figures, day, name), (there) => ({ ...compare(said, there), process: name, after }))
    )
    const { totals } = yield* figures.totals({ ...day, project: "all" })
    return { crashes, shared: totals.calls }
  })

/** Waits until the server is idle: it finishes a statement even after its client has died. */
export const quiet: Effect.Effect<void, SqlErrors.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const working = sql.onDialectOrElse({
    pg: () => sql`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND state <> 'idle'
        AND pid <> pg_backend_pid()`,
    orElse: () => Effect.succeed([])
  })
  while ((yield* working).length > 0) yield* Effect.sleep("20 millis")
})

interface Said {
  readonly sent: ReadonlySet<string>
  readonly acknowledged: ReadonlySet<string>
}

/** Runs a process, kills it, and returns its output. */
const killed = async (setup: ReadonlyArray<string>, name: string, after: number): Promise<Said> => {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      path.join(import.meta.dirname, "../fixtures/metering-writer.ts"),
      ...setup,
      name
    ],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  let text = ""
  try {
    const begun = new Promise<void>((resolve) => {
      child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        if (text.includes("\n-")) resolve()
      })
    })
    const closed = once(child, "close")
    await Promise.race([begun, closed])
    await setTimeout(after)
    if (!child.kill("SIGKILL")) throw new Error("it ended by itself")
    await closed
  } finally {
    child.kill("SIGKILL")
  }
  const lines = text.split("\n")
  const ids = (sign: string) => new Set(lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)))
  return { sent: ids("+"), acknowledged: ids("-") }
}

const stored = (figures: typeof UsageFigures.UsageFigures.Service, day: UsageFigures.TimeRange, project: string) =>
  Effect.map(
    figures.by({ ...day, project, by: ["method"] }),
    ({ rows }) => new Map(rows.map(({ calls, method }) => [method.replace("call ", ""), calls]))
  )

const compare = ({ acknowledged, sent }: Said, there: ReadonlyMap<string, bigint>) => ({
  sent: sent.size,
  acknowledged: acknowledged.size,
  stored: there.size,
  lost: [...acknowledged].filter((id) => !there.has(id)).length,
  doubled: [...there.values()].filter((calls) => calls !== 1n).length,
  invented: [...there.keys()].filter((id) => !sent.has(id)).length
})

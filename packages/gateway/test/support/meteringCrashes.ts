/** Kills processes while they meter, and compares their acknowledged calls with the stored ones. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { UsageFigures } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"
import { SqlClient, type SqlError as SqlErrors } from "effect/sql"

import * as Support from "./metering.ts"

/** The outcome of one process. */
export interface Crash {
  readonly process: string
  /** Milliseconds from its first acknowledged call to the kill. */
  readonly after: number
  readonly sent: number
  readonly acknowledged: number
  readonly stored: number
  /** Acknowledged and not there. */
  readonly lost: number
  /** There more than once. */
  readonly doubled: number
  /** There and never sent. */
  readonly invented: number
}

export interface Report {
  readonly crashes: ReadonlyArray<Crash>
  /**
   * The count of the usage that belongs to each call. If it differs from the number of calls, a call was written in
   * part.
   */
  readonly shared: bigint
}

/**
 * Kills a number of processes, two of them at work at a time, each at a random moment, and reads the store at the end.
 */
export const crash = (options: {
  readonly place: ReadonlyArray<string>
  readonly kills: number
  readonly random: Random.Random
}): Effect.Effect<Report, SqlErrors.SqlError | UsageFigures.Failure, SqlClient.SqlClient | UsageFigures.UsageFigures> =>
  Effect.gen(function* () {
    const figures = yield* UsageFigures.UsageFigures
    const day = { from: Date.now() - Support.DAY, to: Date.now() + Support.DAY }
    const killings = yield* Effect.forEach(
      Array.from({ length: options.kills }, (_, i) => `process ${i + 1}`),
      (name) => {
        const after = Random.int(options.random, 150)
        return Effect.map(
          Effect.promise(() => killed(options.place, name, after)),
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

/** Waits for the server, which finishes a statement even after its client's death. */
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

/** Returns the output of a process until it was killed. */
const killed = async (place: ReadonlyArray<string>, name: string, after: number): Promise<Said> => {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      path.join(import.meta.dirname, "../fixtures/metering-writer.ts"),
      ...place,
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

const stored = (figures: typeof UsageFigures.UsageFigures.Service, day: UsageFigures.Range, project: string) =>
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

/** Kills processes while they meter, and compares what they were told with what is there. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { UsageFigures } from "@plumbline/gateway"
import { Effect } from "effect"

import * as Support from "./metering.ts"
import * as Random from "./random.ts"

/** What became of one process. */
export interface Crash {
  readonly process: string
  /** So many milliseconds after its first call was acknowledged it was killed. */
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
  /** How often the usage that belongs to each call is there: as often as calls are, or a call was written in part. */
  readonly shared: bigint
}

/** Kills so many processes, two of them at work at a time, each at a random moment. */
export const crash = (options: {
  readonly place: ReadonlyArray<string>
  readonly kills: number
  readonly random: Random.Random
  readonly done?: (crash: Crash) => void
}): Effect.Effect<Report, UsageFigures.Failure, UsageFigures.UsageFigures> =>
  Effect.gen(function* () {
    const figures = yield* UsageFigures.UsageFigures
    const day = { from: Date.now() - Support.DAY, to: Date.now() + Support.DAY }
    const names = Array.from({ length: options.kills }, (_, i) => `process ${i + 1}`)
    const said = new Map<string, Said>()
    const crashes = yield* Effect.forEach(
      names,
      (name) =>
        Effect.gen(function* () {
          const after = Random.int(options.random, 150)
          const words = yield* Effect.promise(() => killed(options.place, name, after))
          said.set(name, words)
          return { ...compare(words, yield* stored(figures, day, name)), process: name, after }
        }).pipe(Effect.tap((crash) => Effect.sync(() => options.done?.(crash)))),
      { concurrency: 2 }
    )
    // and once more, when all is over: nothing was added to it later
    for (const crash of crashes) {
      const now = compare(said.get(crash.process)!, yield* stored(figures, day, crash.process))
      if (now.stored !== crash.stored || now.doubled > 0)
        throw new Error(`${crash.process} went on after it was killed`)
    }
    const { totals } = yield* figures.totals({ ...day, project: "all" })
    return { crashes, shared: totals.calls }
  })

interface Said {
  readonly sent: ReadonlySet<string>
  readonly acknowledged: ReadonlySet<string>
}

/** What a process said until it was killed. */
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

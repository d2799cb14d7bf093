/** Sends as many calls as the service can answer, for minutes. */
import { readFile } from "node:fs/promises"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"

import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"
import * as Slope from "../slope.ts"

/** Factor by which this scenario has more clients than usual. */
const TIMES = 4

/**
 * Memory may rise by this share of its mean between the first and the last third of the samples. It may also rise by
 * `ROOM`.
 */
const SHARE = 0.1
const ROOM = 32 * 2 ** 20

/** Caches and compiled code fill memory for this many seconds. Samples from that time do not count. */
const WARM_UP = 15

/** The least duration in minutes. A shorter run has too few samples after the warm-up. */
const LEAST = 0.5

const MIB = 2 ** 20

const PRELOAD = pathToFileURL(path.join(import.meta.dirname, "../memoryPreload.ts")).href

export const saturation: Scenario = {
  name: "saturation",
  about:
    "Many clients call without a pause (for five minutes by default), so that the processors are fully used. Every call is answered, and memory does not grow after a warm-up.",
  run: Effect.fnUntraced(function* ({ clients, minutes: wanted }) {
    const minutes = Math.max(wanted, LEAST)
    const folder = yield* temporaryFolder
    const node = yield* Node.start()
    const file = path.join(folder, "memory")
    const every = Math.min(10_000, minutes * 5000)
    const service = yield* Service.start(folder, Node.networks([node], { timeout: "30s", tryTimeout: "30s" }), {
      preload: [PRELOAD],
      env: { PLUMBLINE_CHAOS_MEMORY: file, PLUMBLINE_CHAOS_EVERY: String(every) }
    })
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const many = { http: clients.http * TIMES, webSocket: clients.webSocket * TIMES }
      const load = await Load.start(service, { questions, clients: many, refusals: /^never$/u })
      const began = performance.now()
      await setTimeout(minutes * 60_000)
      const seconds = (performance.now() - began) / 1000
      const outcome = await load.stop()
      const samples = (await readFile(file, "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Readonly<Record<"live" | "rss", number>>)
      const shown = (name: string, of: "live" | "rss") => {
        const { mean, perMinute, rise } = Slope.of(
          samples
            .map((sample, index) => ({ at: ((index + 1) * every) / 1000, value: sample[of] }))
            .filter(({ at }) => at > WARM_UP)
        )
        return {
          isFlat: rise < Math.max(mean * SHARE, ROOM),
          text: `${name}: mean ${(mean / MIB).toFixed(1)} MiB, slope ${(perMinute / MIB).toFixed(2)} MiB a minute, last third less first third ${(rise / MIB).toFixed(1)} MiB`
        }
      }
      const [live, rss] = [shown("live memory after a collection", "live"), shown("resident memory after it", "rss")]
      return Judged.finding(outcome, service, {
        measured: [
          `${many.http} clients over HTTP and ${many.webSocket} over WebSockets, ${Math.round(seconds)} s, ${Math.round(outcome.right / seconds)} calls a second`,
          live.text,
          rss.text
        ],
        promises: {
          "live memory grew": live.isFlat,
          "resident memory grew": rss.isFlat
        }
      })
    })
  })
}

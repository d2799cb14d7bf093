/** As many calls as the service can answer, for minutes. */
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Judged from "../judged.ts"
import * as Load from "../load.ts"
import * as Node from "../node.ts"
import type { Scenario } from "../scenario.ts"
import * as Service from "../service.ts"
import * as Slope from "../slope.ts"

/** Clients of the usual number: so many times. */
const TIMES = 4

/** Memory may rise by this share of its mean between the first and the last third of the samples, or by `ROOM`. */
const SHARE = 0.1
const ROOM = 32 * 2 ** 20

const MIB = 2 ** 20

export const saturation: Scenario = {
  name: "saturation",
  about:
    "Clients call without a pause for five minutes, more of them than the service has processors for. Every call is answered, and memory does not grow after a warm-up.",
  run: Effect.fnUntraced(function* ({ clients, minutes }) {
    const folder = yield* temporaryFolder
    const node = yield* Node.start()
    const service = yield* Service.start(folder, Node.networks([node], { timeout: "30s", tryTimeout: "30s" }))
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const many = { http: clients.http * TIMES, webSocket: clients.webSocket * TIMES }
      const load = await Load.start(service, { questions, clients: many, refusals: /^never$/u })
      const began = performance.now()
      const resident: Array<Slope.Sample> = []
      const heap: Array<Slope.Sample> = []
      while (performance.now() - began < minutes * 60_000) {
        await setTimeout(Math.min(2000, minutes * 1000))
        const at = (performance.now() - began) / 1000
        const metrics = await service.metrics()
        const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "mu").exec(metrics)?.[1])
        resident.push({ at, value: value("process_resident_memory_bytes") })
        heap.push({ at, value: value("process_heap_used_bytes") })
      }
      const seconds = (performance.now() - began) / 1000
      const outcome = await load.stop()
      const shown = (name: string, samples: ReadonlyArray<Slope.Sample>) => {
        const { mean, perMinute, rise } = Slope.of(samples)
        return {
          isFlat: rise < Math.max(mean * SHARE, ROOM),
          text: `${name}: mean ${(mean / MIB).toFixed(1)} MiB, slope ${(perMinute / MIB).toFixed(2)} MiB a minute, last third less first third ${(rise / MIB).toFixed(1)} MiB`
        }
      }
      const [rss, used] = [shown("resident memory", resident), shown("heap in use", heap)]
      return Judged.finding(outcome, service, {
        measured: [
          `${many.http} clients over HTTP and ${many.webSocket} over WebSockets, ${Math.round(seconds)} s, ${Math.round(outcome.right / seconds)} calls a second`,
          rss.text,
          used.text
        ],
        promises: {
          "resident memory grew": rss.isFlat,
          "the heap grew": used.isFlat
        }
      })
    })
  })
}

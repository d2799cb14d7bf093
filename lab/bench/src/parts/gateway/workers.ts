/**
 * Measures calls to one service with 1, 2 and 4 workers, with limits and usage over SQLite. On a machine with fewer cores
 * than workers, the load and the node, more workers only show their cost: the processor time for each call.
 */
import { mkdirSync } from "node:fs"
import * as path from "node:path"

import type { Part, Row } from "../../measure/measuredRow.ts"
import { folder } from "../../measure/owned.ts"
import { shown } from "./gatewayCalls.ts"
import { Loads } from "./loadClient.ts"
import * as Questions from "./loadQuestions.ts"
import * as Chain from "./provableChain.ts"
import { forked, type Server, type Up, up } from "./servers.ts"

const LADDER = [1, 2, 4] as const

/** Requests of one run, and connections. The kernel spreads so many connections evenly. */
const REQUESTS = 256
const CONNECTIONS = 64

export const workers: Part = {
  name: "workers",
  open: async () => {
    const home = folder("bench-workers")
    const upstream = await forked("node", "upstream.ts")
    const port = Number(new URL(upstream.url).port)
    const services: Array<Up> = []
    for (const count of LADDER) {
      const own = path.join(home.path, String(count))
      mkdirSync(own)
      services.push(await up(port, own, Chain.blockHash, count))
    }
    const loads = new Loads(REQUESTS)
    const row = (name: string, question: Questions.Question, of: (service: Up) => Server): Row => {
      const [one, ...more] = services.map((service) => loads.through(of(service), CONNECTIONS, question))
      return {
        name: `${name}, one process, ${CONNECTIONS} at a time`,
        operations: REQUESTS,
        meter: "both",
        waits: true,
        isRate: true,
        turn: 300,
        warmUp: 2500,
        rounds: 11,
        show: shown,
        ours: one!,
        peers: Object.fromEntries(more.map((load, index) => [`${LADDER[index + 1]} workers`, load]))
      }
    }
    return {
      rows: [
        row("miss, integrity off", Questions.slot, ({ limited }) => limited),
        row("hit, integrity check, a block", Questions.block, ({ checked }) => checked)
      ],
      close: async () => {
        loads.close()
        for (const { free } of services) await free.close()
        await upstream.close()
        home.remove()
      }
    }
  }
}

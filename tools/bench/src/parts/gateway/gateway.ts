/**
 * Measures a call that the gateway passes on to a node behind HTTP. The load and the node have processes of their own.
 * The figures are the requests per second, and those that the gateway's processor time alone would allow.
 */

import { folder } from "../../measure/owned.ts"
import { used } from "../../measure/processes.ts"
import type { Metered, Part, Row } from "../../measure/row.ts"
import type { Others } from "../../parts.ts"
import { pin, unpin } from "./cores.ts"
import * as Load from "./load.ts"
import { forked, nginx, other, type Server, up } from "./servers.ts"

/** Requests of one run. */
const REQUESTS = 256

/** All answers of a run, whatever their order and that of their members. */
const shown = (bodies: ReadonlyArray<string>): string => {
  const answers = bodies.map((body) => {
    const { id, jsonrpc, result } = JSON.parse(body)
    return [jsonrpc, id, result].join()
  })
  return answers.toSorted().join(" ")
}

export const gateway = ({ gateway: command, gatewayUrl }: Others): Part => ({
  name: "gateway",
  open: async () => {
    const home = folder("bench-gateway")
    const upstream = await forked("node", "upstream.ts")
    const port = Number(new URL(upstream.url).port)
    const [free, limited] = await up(port, home.path)
    const plain = await forked("our gateway as a layer", "plain.ts", String(port))
    const proxy = await forked("node:http + undici", "undici.ts", String(port))
    const front = await nginx(port, home.path)
    if (command !== undefined && gatewayUrl === undefined) throw new Error("--gateway needs --gateway-url")
    const another = command === undefined ? undefined : await other(command, gatewayUrl!, port)

    const gateways = [free, plain, proxy, front, another].filter((server) => server !== undefined)
    const isPinned = pin(
      gateways.map(({ pid }) => pid),
      [process.pid, upstream.pid]
    )

    const loads: Array<Load.Load> = []
    const through = ({ pid, url }: Server, connections: number): Metered => {
      const load = Load.make(url, connections, REQUESTS)
      loads.push(load)
      return { before: load.ready, run: load.run, used: () => used(pid) }
    }
    const rowsOf = (connections: number): ReadonlyArray<Row> => {
      const named = (servers: ReadonlyArray<Server | undefined>): Readonly<Record<string, Metered>> =>
        Object.fromEntries(
          servers
            .filter((server) => server !== undefined)
            .map((server) => [server.name, through(server, connections)] as const)
        )
      const peers = named([front, proxy, another])
      const direct = named([plain])
      const row = (name: string, server: Server): Row => ({
        name: `${name}, ${connections} at a time`,
        operations: REQUESTS,
        goal: 0.75,
        meter: "both",
        waits: true,
        isRate: true,
        turn: 300,
        warmUp: 2500,
        rounds: 11,
        show: shown,
        ours: through(server, connections),
        peers,
        yardsticks: direct
      })
      return [row("miss, `up` without limits", free), row("miss, `up` with limits and SQLite", limited)]
    }
    const close = async () => {
      for (const load of loads) load.close()
      unpin()
      for (const server of [another, front, proxy, plain, free, upstream]) await server?.close()
      home.remove()
    }
    return {
      rows: [...rowsOf(64), ...rowsOf(1)],
      close,
      notes: [
        isPinned
          ? "gateway: each gateway on the first core, the load and the node on the others"
          : "gateway: gateways, load and node share the cores, so requests per second are also theirs",
        ...(front === undefined ? ["gateway: nginx is not installed (scripts/servers.sh)"] : [])
      ]
    }
  }
})

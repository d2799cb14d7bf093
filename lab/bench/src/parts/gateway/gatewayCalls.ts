/**
 * Measures calls to the gateway: cache misses, which it passes on to a node over HTTP, and cache hits, which it answers
 * itself. The load and the node run in separate processes. The figures are the requests per second, the requests per
 * second of the gateway's processor time, and the 99th percentiles of the latencies.
 *
 * In every measurement of our gateway the calls are authenticated; in all but the first they are also limited and
 * metered. The peers only pass calls on. They check and prove nothing, so no goal compares a proof with them.
 */
import type { Part, Row } from "../../measure/measuredRow.ts"
import { folder } from "../../measure/owned.ts"
import type { Others } from "../../parts.ts"
import { pin, unpin } from "./cores.ts"
import { Loads } from "./loadClient.ts"
import * as Questions from "./loadQuestions.ts"
import * as Chain from "./provableChain.ts"
import { alone, erpc, forked, nginx, other, type Server, simplest, up } from "./servers.ts"

/** Requests of one run. */
const REQUESTS = 256

/** Returns all answers of a run as text. The text does not depend on the order of the answers or of their members. */
export const shown = (bodies: ReadonlyArray<string>): string =>
  bodies
    .map((body) => {
      const { id, jsonrpc, result } = JSON.parse(body)
      return JSON.stringify(sorted({ id, jsonrpc, result }))
    })
    .toSorted()
    .join(" ")

/** Sorts the members of all objects. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

/**
 * The goals: the shares of nginx's requests per second that a miss and a hit should reach. With one call at a time they
 * are out of reach: even `node:http` alone, with a fixed answer, takes most of the time that nginx takes.
 */
const MISS = 0.75
const HIT = 1.5

export const gateway = ({ gateway: command, gatewayUrl }: Others): Part => ({
  name: "gateway",
  open: async () => {
    const home = folder("bench-gateway")
    const upstream = await forked("node", "upstream.ts")
    const port = Number(new URL(upstream.url).port)
    const ours = await up(port, home.path, Chain.blockHash)
    const plain = await forked("our gateway as a layer", "plain.ts", String(port))
    const proxy = await simplest(upstream.url)
    const front = await nginx(port, home.path)
    const cached = await erpc(port, home.path)
    const aloneWith = { block: await alone(Chain.wholeBlock), knownSlot: await alone(Chain.wordAt("0x0")) }
    const listeners = [aloneWith.block, aloneWith.knownSlot]
    if (command !== undefined && gatewayUrl === undefined) throw new Error("--gateway needs --gateway-url")
    const another = command === undefined ? undefined : await other(command, gatewayUrl!, port)

    const peers = [front, proxy, cached, another].filter((server) => server !== undefined)
    const isPinned = pin(
      [ours.free, plain, ...listeners, ...peers].map(({ pid }) => pid),
      [process.pid, upstream.pid]
    )

    const loads = new Loads(REQUESTS)
    const named = (servers: ReadonlyArray<Server>, connections: number, question: Questions.Question) =>
      Object.fromEntries(servers.map((server) => [server.name, loads.through(server, connections, question)] as const))

    /**
     * Returns the servers that are measured for comparison: our gateway with fewer features, or a listener without a
     * gateway.
     */
    const yardsticksOf = (question: Questions.Question): ReadonlyArray<Server> => {
      if (question === Questions.slot) return [plain]
      if (question === Questions.block) return [aloneWith.block]
      return question === Questions.knownSlot ? [aloneWith.knownSlot] : []
    }

    const row = (
      name: string,
      server: Server,
      connections: number,
      question: Questions.Question,
      goal?: number
    ): Row => ({
      name: `${name}, ${connections} at a time`,
      operations: REQUESTS,
      ...(goal === undefined ? {} : { goal }),
      meter: "both",
      waits: true,
      isRate: true,
      turn: 300,
      warmUp: 2500,
      rounds: 11,
      show: shown,
      ours: loads.through(server, connections, question),
      peers: named(peers, connections, question),
      yardsticks: named(yardsticksOf(question), connections, question)
    })
    const { checked, free, limited, packed, proven } = ours
    const rowsOf = (connections: number): ReadonlyArray<Row> => [
      row("miss, `up` without limits", free, connections, Questions.slot, MISS),
      row("miss, integrity off", limited, connections, Questions.slot, MISS),
      row("miss, integrity off, sent as packets", packed, connections, Questions.slot),
      row("miss, integrity check, a transaction", checked, connections, Questions.transaction),
      row("miss, integrity prove, a slot", proven, connections, Questions.newSlot),
      row("hit, integrity check, a block", checked, connections, Questions.block, HIT),
      row("hit, integrity prove, a block", proven, connections, Questions.block, HIT),
      row("hit, integrity prove, a slot", proven, connections, Questions.knownSlot, HIT)
    ]
    const close = async () => {
      loads.close()
      unpin()
      for (const server of [...peers, plain, ...listeners, ours.free, upstream]) await server?.close()
      home.remove()
    }
    return {
      rows: [...rowsOf(64), ...rowsOf(1)],
      close,
      notes: [
        isPinned
          ? "gateway: each gateway on the first core, the load and the node on the others"
          : "gateway: gateways, load and node share the cores, so requests per second are also theirs",
        ...(front === undefined ? ["gateway: nginx is not installed (scripts/servers.sh)"] : []),
        ...(cached === undefined ? ["gateway: eRPC is not measured, because no `erpc` is on PATH"] : [])
      ]
    }
  }
})

/**
 * Measures the cost of a request to a service with exact limits and usage: `pnpm lab costs`.
 *
 * It shows the processor time of the service's process, which has at most one core, and the time that a client on the
 * same machine waits for an answer. `miss` and `hit` compare the listeners and the clients of the node with node:http
 * and undici alone; `state` compares the kinds of limits and usage, with an answer that is known at once. The services
 * are measured in turns, so other work on the machine affects all of them. It affects the smallest processor time least,
 * and the waiting most.
 *
 * It prints the tables of docs/decisions/http.md and lab/reports/gateway-costs.md: the smallest and the median processor
 * time of a request, the ratio of the smallest one to that of the first row, and the smallest waiting.
 *
 * `--only <text>` selects comparisons, `--rounds <n>` sets the number of turns (5), and `--prof <folder>` writes a
 * profile of each service.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { Effect, Redacted, type Scope } from "effect"

import { ADDRESS, HASH } from "../test/support/methods.ts"
import * as Redis from "../test/support/redis.ts"
import * as Servers from "../test/support/servers.ts"
import * as Node from "./costsNode.ts"
import type { Setup } from "./costsService.ts"
import * as Load from "./load.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "5" },
    prof: { type: "string" }
  }
})

const MILLISECONDS = 300
const KEY = "00112233445566778899aabbccddeeff"
const RESULT = `"0x${"00".repeat(31)}2a"`
const plainListener = "../test/support/plainListener.ts"

const callAt = (block: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "eth_getStorageAt",
  params: [ADDRESS, "0x0", block]
})
const latest = callAt("latest")
const single = Load.post(`/v3/${KEY}`, JSON.stringify(latest))
const fixed = Load.post(`/v3/${KEY}`, JSON.stringify(callAt(HASH)))
const batch = Load.post(`/v3/${KEY}`, JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ ...latest, id }))))

/** Requests of one kind, over a number of connections that are all in use. */
interface Requests {
  readonly name: string
  readonly request: Uint8Array
  readonly connections: number
}

interface Comparison {
  readonly name: string
  readonly loads: ReadonlyArray<Requests>
  readonly setups: ReadonlyArray<readonly [name: string, file: string, ...args: ReadonlyArray<string>]>
}

interface Service {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
}

const start = async (name: string, file: string, args: ReadonlyArray<string>): Promise<Service> => {
  const profile = values.prof === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${path.join(values.prof, name)}`]
  const child = fork(path.join(import.meta.dirname, file), args, {
    execArgv: ["--disable-warning=ExperimentalWarning", ...profile]
  })
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the service "${name}" ended with ${code}`)
  })
  const [port] = (await Promise.race([once(child, "message"), ended])) as [number]
  ended.catch(() => undefined)
  return { name, child, port }
}

/** Returns the processor time that the service has used since its start, in microseconds. */
const used = async ({ child }: Service): Promise<number> => {
  child.send("used")
  const [{ system, user }] = (await once(child, "message")) as [NodeJS.CpuUsage]
  return user + system
}

/** The microseconds of processor time, and of waiting, for each request of a turn. */
interface Turn {
  readonly processor: number
  readonly waiting: number
}

const measure = async (service: Service, load: Load.Load, connections: number): Promise<Turn> => {
  const before = await used(service)
  const began = performance.now()
  let requests = 0
  while (performance.now() - began < MILLISECONDS) {
    await load.run(16 * connections)
    requests += 16 * connections
  }
  const micros = (performance.now() - began) * 1000
  return { processor: ((await used(service)) - before) / requests, waiting: (micros * connections) / requests }
}

const sortedBy = (turns: ReadonlyArray<Turn>, kind: keyof Turn): ReadonlyArray<number> =>
  turns.map((turn) => turn[kind]).toSorted((a, b) => a - b)

const HEADINGS = ["processor", "ratio", "waiting"]

/** Returns the cells of each service, under `HEADINGS`. */
const cellsOf = (found: ReadonlyArray<ReadonlyArray<Turn>>): ReadonlyArray<ReadonlyArray<string>> => {
  const [first] = sortedBy(found[0]!, "processor")
  return found.map((turns) => {
    const processor = sortedBy(turns, "processor")
    const [smallest, median] = [processor[0]!, processor[processor.length >> 1]!]
    const [waiting] = sortedBy(turns, "waiting")
    return [
      `${smallest.toFixed(0)} and ${median.toFixed(0)} us`,
      (smallest / first!).toFixed(2),
      `${waiting!.toFixed(0)} us`
    ]
  })
}

/** Measures services in turns. Returns what was found of each. */
const compare = async (
  services: ReadonlyArray<Service>,
  { connections, request }: Requests
): Promise<ReadonlyArray<ReadonlyArray<Turn>>> => {
  const clients: Array<Load.Load> = []
  // Compiling is the largest cost of the first requests.
  for (const { port } of services) {
    const client = await Load.connect(port, request, connections)
    clients.push(client)
    await client.run(3000)
  }
  const found = services.map(() => [] as Array<Turn>)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [i, service] of services.entries()) found[i]!.push(await measure(service, clients[i]!, connections))
  }
  for (const client of clients) client.close()
  return found
}

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const load = (): string => `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`

const folder = mkdtempSync(path.join(tmpdir(), "plumbline-costs-"))
const file = (name: string): ReadonlyArray<string> => ["sqlite", path.join(folder, `${name}.db`)]

const service = (name: string, setup: Omit<Setup, "key">): Comparison["setups"][number] => [
  name,
  "costsService.ts",
  JSON.stringify({ key: KEY, ...setup })
]

/** The services with limits and usage, by listener and by client of the node. */
const listeners = (node: string): ReadonlyArray<Comparison> => {
  const whole = (name: string, setup: Partial<Setup>) =>
    service(name, { limited: true, metered: true, place: file(name.replaceAll(/\W/gu, "")), ...setup })
  return [
    {
      name: "miss",
      loads: [
        { name: "8 at a time", request: single, connections: 8 },
        { name: "1 at a time", request: single, connections: 1 }
      ],
      setups: [
        ["node:http and undici alone", plainListener, node],
        whole("node:http, undici", { lane: false, source: { node, client: "undici" } }),
        whole("lane, undici", { source: { node, client: "undici" } }),
        whole("lane, plain sockets", { source: { node, client: "plain" } })
      ]
    },
    {
      name: "hit",
      loads: [
        { name: "8 at a time", request: fixed, connections: 8 },
        { name: "1 at a time", request: fixed, connections: 1 }
      ],
      setups: [
        ["node:http alone", plainListener, "result", RESULT],
        whole("node:http, the cache", { lane: false, source: "cache" }),
        whole("lane, the cache", { source: "cache" })
      ]
    }
  ]
}

const program = Effect.gen(function* () {
  const node = yield* Effect.acquireRelease(
    Effect.promise(() => Node.start(RESULT)),
    ({ close }) => Effect.sync(close)
  )
  const setups = [
    service("the route alone", { limited: false, metered: false, place: file("route") }),
    service("limits in memory", { limited: true, metered: false, place: file("limits") }),
    service("usage in SQLite", { limited: false, metered: true, place: file("usage") }),
    service("usage in SQLite, on the disk", { limited: false, metered: true, durability: "disk", place: file("disk") }),
    service("limits in memory, usage in SQLite", { limited: true, metered: true, place: file("both") })
  ]
  const skipped = Servers.postgresSkipped ?? Redis.redisSkipped
  if (skipped === undefined && "state".includes(values.only)) {
    const { create, url } = yield* Servers.postgres
    const redis = Redacted.value((yield* Redis.redis).url)
    const place = ["postgres", Redacted.value(url(yield* create))]
    setups.push(service("limits in Redis, usage in Postgres", { limited: true, metered: true, place, redis }))
  }
  const loads = [
    { name: "1 at a time", request: single, connections: 1 },
    { name: "64 at a time", request: single, connections: 64 },
    { name: "batches of 20, 16 at a time", request: batch, connections: 16 }
  ]
  console.log(`Node ${process.version}, ${load()}`)
  for (const { loads: requests, name, setups: compared } of [
    ...listeners(node.url),
    { name: "state", loads, setups }
  ]) {
    if (name.includes(values.only)) yield* Effect.scoped(comparison(name, compared, requests))
  }
  console.log(`\n${load()}`)
  if (skipped !== undefined) console.log(`Redis and Postgres: ${skipped}`)
})

const comparison = Effect.fnUntraced(function* (
  name: string,
  setups: Comparison["setups"],
  loads: ReadonlyArray<Requests>
): Effect.fn.Return<void, never, Scope.Scope> {
  const services = yield* Effect.forEach(setups, ([name, file, ...args]) =>
    Effect.acquireRelease(
      Effect.promise(() => start(name, file, args)),
      ({ child }) =>
        Effect.promise(async () => {
          const ended = once(child, "exit")
          child.disconnect()
          await ended
        })
    )
  )
  const found = yield* Effect.forEach(loads, (requests) => Effect.promise(() => compare(services, requests)))
  const columns = found.map(cellsOf)
  const headings = loads.flatMap(({ name }) => HEADINGS.map((heading) => `${heading}, ${name}`))
  console.log(`\n${line([name, ...headings])}\n${line(["---", ...headings.map(() => "---:")])}`)
  for (const [i, service] of services.entries()) {
    console.log(line([service.name, ...columns.flatMap((cells) => cells[i]!)]))
  }
})

await Effect.runPromise(Effect.scoped(program)).finally(() => rmSync(folder, { recursive: true, force: true }))

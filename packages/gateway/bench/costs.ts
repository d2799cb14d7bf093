/**
 * Measures the cost of a request to a service with exact limits and usage: `pnpm lab costs`.
 *
 * It shows the processor time of the service's process, which has at most one core, and the requests per second of a
 * client on the same machine. The node answers from memory, so only the service is measured. The services are measured
 * in turn, and each row shows the median. Other work on the machine affects the requests per second more than the
 * processor time.
 *
 * `--prof <folder>` writes a profile of each service.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { Effect, Redacted } from "effect"

import { ADDRESS } from "../test/support/methods.ts"
import * as Redis from "../test/support/redis.ts"
import * as Servers from "../test/support/servers.ts"
import type { Setup } from "./costsService.ts"
import * as Load from "./load.ts"

const { values } = parseArgs({ options: { prof: { type: "string" } } })

const ROUNDS = 5
const MILLISECONDS = 300
const KEY = "00112233445566778899aabbccddeeff"

const call = { jsonrpc: "2.0", id: 1, method: "eth_getStorageAt", params: [ADDRESS, "0x00", "latest"] }
const single = Load.post(`/v3/${KEY}`, JSON.stringify(call))
const batch = Load.post(`/v3/${KEY}`, JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ ...call, id }))))

const loads = [
  { name: "1 at a time", request: single, connections: 1 },
  { name: "64 at a time", request: single, connections: 64 },
  { name: "batches of 20, 16 at a time", request: batch, connections: 16 }
]

interface Service {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
}

const start = async (name: string, setup: Omit<Setup, "key">): Promise<Service> => {
  const profile = values.prof === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${path.join(values.prof, name)}`]
  const child = fork(path.join(import.meta.dirname, "costsService.ts"), [JSON.stringify({ key: KEY, ...setup })], {
    execArgv: ["--disable-warning=ExperimentalWarning", ...profile]
  })
  const [port] = (await once(child, "message")) as [number]
  return { name, child, port }
}

/** Returns the processor time that the service has used since its start, in microseconds. */
const used = async ({ child }: Service): Promise<number> => {
  child.send("used")
  const [{ system, user }] = (await once(child, "message")) as [NodeJS.CpuUsage]
  return user + system
}

const measure = async (service: Service, load: Load.Load, atOnce: number) => {
  const before = await used(service)
  const began = performance.now()
  let requests = 0
  while (performance.now() - began < MILLISECONDS) {
    await load.run(4 * atOnce)
    requests += 4 * atOnce
  }
  const seconds = (performance.now() - began) / 1000
  return { processor: ((await used(service)) - before) / requests, rate: requests / seconds }
}

const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

const compare = async (services: ReadonlyArray<Service>): Promise<void> => {
  for (const { connections, name, request } of loads) {
    const clients = await Promise.all(services.map(({ port }) => Load.connect(port, request, connections)))
    const found = services.map(() => [] as Array<Awaited<ReturnType<typeof measure>>>)
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, service] of services.entries()) found[i]!.push(await measure(service, clients[i]!, connections))
    }
    for (const client of clients) client.close()
    console.log(`\n${name.padEnd(36)}${"processor".padStart(12)}${"requests/s".padStart(12)}`)
    for (const [i, service] of services.entries()) {
      const processor = median(found[i]!.map((one) => one.processor))
      const rate = median(found[i]!.map((one) => one.rate))
      console.log(
        `  ${service.name.padEnd(34)}${`${processor.toFixed(0)} µs`.padStart(12)}${rate.toFixed(0).padStart(12)}`
      )
    }
  }
}

/** Warms a service up, because compiling is the largest cost of the first requests. */
const warm = async ({ port }: Service): Promise<void> => {
  for (const [request, requests] of [
    [single, 6000],
    [batch, 500]
  ] as const) {
    const client = await Load.connect(port, request, 64)
    await client.run(requests)
    client.close()
  }
}

const load = (): string => `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`

const folder = mkdtempSync(path.join(tmpdir(), "plumbline-costs-"))
const file = (name: string): ReadonlyArray<string> => ["sqlite", path.join(folder, `${name}.db`)]

const program = Effect.gen(function* () {
  const setups: Array<readonly [name: string, setup: Omit<Setup, "key">]> = [
    ["the route alone", { limited: false, metered: false, place: file("route") }],
    ["limits in memory", { limited: true, metered: false, place: file("limits") }],
    ["usage in SQLite", { limited: false, metered: true, place: file("usage") }],
    ["usage in SQLite, on the disk", { limited: false, metered: true, durability: "disk", place: file("disk") }],
    ["limits in memory, usage in SQLite", { limited: true, metered: true, place: file("both") }]
  ]
  const skipped = Servers.postgresSkipped ?? Redis.redisSkipped
  if (skipped === undefined) {
    const { create, url } = yield* Servers.postgres
    const redis = Redacted.value((yield* Redis.redis).url)
    const place = ["postgres", Redacted.value(url(yield* create))]
    setups.push(["limits in Redis, usage in Postgres", { limited: true, metered: true, place, redis }])
  }
  console.log(`Node ${process.version}, ${load()}`)
  const services = yield* Effect.forEach(setups, ([name, setup]) =>
    Effect.acquireRelease(
      Effect.promise(() => start(name, setup)),
      ({ child }) =>
        Effect.promise(async () => {
          const ended = once(child, "exit")
          child.disconnect()
          await ended
        })
    )
  )
  yield* Effect.promise(async () => {
    for (const service of services) await warm(service)
    await compare(services)
  })
  console.log(`\n${load()}`)
  if (skipped !== undefined) console.log(`Redis and Postgres: ${skipped}`)
})

await Effect.runPromise(Effect.scoped(program)).finally(() => rmSync(folder, { recursive: true, force: true }))

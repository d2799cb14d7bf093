/**
 * Searches for the packet that blocks the service for the longest time: `pnpm lab hostile`.
 *
 * Each shape of packet is sent to a service in a separate process with default limits, from one key: over HTTP and over
 * WebSockets, one at a time and eight at once. Three times are measured: the largest processor time of one iteration of
 * the service's event loop, the longest time in which the loop was blocked, and the slowest answer of `/health`, which
 * another thread requests meanwhile. On an idle machine, the three agree; on a busy one, only the first is the packet's
 * cost. A time that seems too long is measured again, and the smallest counts, because other work can only make these
 * times longer.
 *
 * It exits with 1 if an iteration took more than 50 ms of processor time. `--seed` and `--random` add random packets,
 * `--size` sets the bytes of a packet, and `--only` and `--way` select shapes and ways of sending by a part of their
 * names.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import * as http from "node:http"
import { availableParallelism, loadavg } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"

import * as Random from "@plumbline/seeded/Random"
import { WebSocket } from "ws"

import type { Held } from "./attackedService.ts"
import * as Shapes from "./shapes.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    random: { type: "string", default: "40" },
    size: { type: "string", default: String(5 * 1024 * 1024 - 4096) },
    only: { type: "string", default: "" },
    way: { type: "string", default: "" }
  }
})

/** Maximum number of milliseconds for which a packet may block the event loop. */
const MOST = 50
const KEY = "00112233445566778899aabbccddeeff"
const AT_ONCE = 8
const LIMIT = 5 * 1024 * 1024

interface Service {
  readonly child: ChildProcess
  readonly probe: Worker
  readonly port: number
}

const start = async (): Promise<Service> => {
  const child = fork(path.join(import.meta.dirname, "attackedService.ts"), [KEY], {
    execArgv: ["--disable-warning=ExperimentalWarning"]
  })
  const [port] = (await once(child, "message")) as [number]
  const probe = new Worker(path.join(import.meta.dirname, "probe.ts"), { workerData: port })
  return { child, probe, port }
}

const post = ({ port }: Service, { network }: Shapes.Shape, body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { host: `${network}.localhost`, "content-type": "application/json", "content-length": body.length }
    const options = { host: "127.0.0.1", port, path: `/v3/${KEY}`, method: "POST", headers, agent: false }
    const request = http.request(options, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode ?? 0))
    })
    request.once("error", reject)
    request.end(body)
  })

/** Sends one message on a new socket, and waits for its answer. */
const send = async ({ port }: Service, { network }: Shapes.Shape, body: Buffer): Promise<number> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`, {
    headers: { host: `${network}.localhost` },
    perMessageDeflate: false,
    maxPayload: 0
  })
  await once(socket, "open")
  // If the service closes the socket without an answer, the wait ends at once.
  const answered = Promise.race([once(socket, "message"), once(socket, "close")])
  socket.send(body, { binary: false })
  await answered
  socket.terminate()
  return 200
}

const ways = [
  { name: "HTTP, one", count: 1, deliver: post },
  { name: "HTTP, eight", count: AT_ONCE, deliver: post },
  { name: "WebSocket, one", count: 1, deliver: send },
  { name: "WebSocket, eight", count: AT_ONCE, deliver: send }
].filter(({ name }) => name.includes(values.way))

interface Measured extends Held {
  readonly health: number
}

const held = async ({ child, probe }: Service, message: "begin" | "end"): Promise<Measured> => {
  child.send(message)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  probe.postMessage("longest")
  const [[own], [health]] = (await Promise.all([once(child, "message"), once(probe, "message")])) as [[Held], [number]]
  return { ...own, health }
}

const measure = async (service: Service, shape: Shapes.Shape, body: Buffer, way: (typeof ways)[number]) => {
  let best: Measured | undefined
  for (let again = 0; again < 3; again++) {
    await held(service, "begin")
    await Promise.all(Array.from({ length: way.count }, () => way.deliver(service, shape, body)))
    const found = await held(service, "end")
    if (best === undefined || found.turn < best.turn) best = found
    if (best.turn <= MOST) break
  }
  return best!
}

interface Finding extends Measured {
  readonly shape: Shapes.Shape
  readonly way: string
  readonly bytes: number
}

const line = ({ bytes, health, longest, processor, shape, turn, way }: Finding): string =>
  [
    `${turn.toFixed(0)} ms`.padStart(8),
    `${longest.toFixed(0)} ms`.padStart(8),
    `${health.toFixed(0)} ms`.padStart(8),
    `${processor.toFixed(0)} ms`.padStart(9),
    `  ${way.padEnd(17)}${`${(bytes / 1e6).toFixed(1)} MB`.padStart(7)}  ${shape.family}: ${shape.name}`
  ].join("")

const shapes = [...Shapes.all, ...Shapes.mixed(Random.make(Number(values.seed)), Number(values.random))].filter(
  ({ family, name }) => `${family}: ${name}`.includes(values.only)
)
console.log(
  `${shapes.length} shapes, seed ${values.seed}, Node ${process.version}, ` +
    `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores\n`
)

const service = await start()
const worst = new Map<string, Finding>()
let long = 0
let measured = 0
try {
  // Warms the service up, because compilation dominates the first measurements.
  const warm = Shapes.all.filter((_, index) => index % 12 === 0)
  for (const shape of warm)
    for (const { deliver } of ways) await deliver(service, shape, Buffer.from(shape.make(100_000)))
  console.log(`longer than ${MOST} ms`)
  console.log(`${"turn".padStart(8)}${"held".padStart(8)}${"/health".padStart(8)}${"processor".padStart(10)}`)
  for (const shape of shapes) {
    const body = Buffer.from(shape.make(Number(values.size)))
    if (body.length > LIMIT) continue
    for (const way of ways) {
      const finding = { ...(await measure(service, shape, body, way)), shape, way: way.name, bytes: body.length }
      measured++
      if (finding.turn > MOST) {
        long++
        console.log(line(finding))
      }
      const known = worst.get(shape.family)
      if (known === undefined || finding.turn > known.turn) worst.set(shape.family, finding)
    }
  }
} finally {
  await service.probe.terminate()
  service.child.disconnect()
}

const families = [...worst.values()].sort((a, b) => b.turn - a.turn)
console.log("\nthe worst of each family")
for (const finding of families) console.log(line(finding))
const longest = families[0]
console.log(
  `\n${measured} measurements, ${long} longer than ${MOST} ms; the longest ${longest?.turn.toFixed(0) ?? 0} ms; ` +
    `load ${loadavg()[0]!.toFixed(1)}`
)
process.exitCode = long === 0 ? 0 : 1

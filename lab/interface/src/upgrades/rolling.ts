/** Rolling upgrades: two processes behind nginx are replaced one by one, while clients call without a pause. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"

import { AdminToken } from "@plumbline/gateway-admin"
import { freePort } from "@plumbline/gateway/support/ports"
import * as Redis from "@plumbline/gateway/support/redis"
import * as Postgres from "@plumbline/gateway/support/servers"
import { Effect, Redacted } from "effect"

import * as Nginx from "../cluster/nginx.ts"
import * as Member from "../member.ts"
import * as Operator from "../operator.ts"
import * as Service from "../service.ts"
import * as Clients from "./clients.ts"

/** The reason why upgrades cannot be tested here; undefined if they can. */
export const skipped: string | undefined = Postgres.postgresSkipped ?? Redis.redisSkipped ?? Nginx.skipped

/** The outcome of all clients, and the usage that was recorded for them. */
export interface Report {
  readonly acknowledged: number
  readonly told: number
  readonly lost: number
  readonly why: ReadonlyMap<string, number>
  /** Number of calls with status 200 in the recorded usage of all projects. */
  readonly metered: number
  /** Number of clients whose recorded calls differ from their acknowledged calls. */
  readonly wrong: number
  /** Number of processes that were replaced. */
  readonly replaced: number
  /** Milliseconds from SIGTERM to the end of the slowest process. */
  readonly slowest: number
}

/**
 * Milliseconds for which a stopping process still answers every call, and milliseconds between the start of a process
 * and the stop of the next.
 */
const GRACE = 500
const BETWEEN = 1200

/** The size of a run, and the program that is replaced. */
export interface RollingOptions {
  /** Number of times that both processes are replaced. */
  readonly upgrades: number
  /** Number of clients that call meanwhile. A fifth of them use WebSockets. */
  readonly clients: number
  /** The path of the command's program that both processes run at first. Default: the program that replaces it. */
  readonly from?: string | undefined
  /** Number of workers of each process. */
  readonly workers?: number | undefined
}

/** Replaces both processes by new ones, one after the other, while clients call. */
export const run = Effect.fnUntraced(function* (options: RollingOptions) {
  const folder = yield* Service.temporaryFolder
  const [node, postgres, redis] = yield* Effect.all([startNode, Postgres.postgres, Redis.redis], {
    concurrency: "unbounded"
  })
  const database = postgres.url(yield* postgres.create)
  const token = Redacted.value(AdminToken.generate())
  const ports = yield* Effect.promise(() => Promise.all([freePort(), freePort()]))
  const members: Array<Member.Member> = []
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(members.map(({ kill }) => kill()))))
  const start = async (index: number, program?: string) => {
    const configuration = {
      server: {
        port: ports[index]!,
        trustedProxies: ["127.0.0.1"],
        timeouts: { grace: `${GRACE}ms` },
        workers: options.workers ?? 1
      },
      networks: { main: { chainId: 1, upstreams: [{ url: node }] } },
      ipfs: { node: "none" },
      state: { postgres: Redacted.value(database), redis: Redacted.value(redis.url) },
      // All processes share one machine, so Redis may answer late because the processors are busy.
      limits: { timeout: "10s" },
      admin: { token }
    }
    members[index] = await Member.start(folder, `member-${index}`, configuration, program)
  }
  yield* Effect.promise(() => start(0, options.from))
  yield* Effect.promise(() => start(1, options.from))
  // The published configuration has three processes. Here the first process is also the third one.
  const { port } = yield* Nginx.start([ports[0], ports[1], ports[0]], ["localhost"])

  return yield* Effect.promise(async (): Promise<Report> => {
    const service = { port, adminToken: token }
    const projects = await Promise.all(
      Array.from({ length: options.clients }, (_, index) => Operator.makeProject(service, `upgrade ${index}`))
    )
    let isOver = false
    const running = projects.map(({ key }, index) =>
      (index % 5 === 4 ? Clients.overSocket : Clients.overHttp)(port, key, () => isOver)
    )
    let slowest = 0
    let replaced = 0
    for (let upgrade = 0; upgrade < options.upgrades; upgrade++) {
      for (const index of [0, 1]) {
        await setTimeout(BETWEEN)
        slowest = Math.max(slowest, await members[index]!.stop())
        await start(index)
        replaced++
      }
    }
    await setTimeout(BETWEEN)
    isOver = true
    const outcomes = await Promise.all(running)
    const metered = await Promise.all(
      projects.map(async ({ id }) => Operator.answered(await Operator.usage(service, id)))
    )
    const sum = (name: "acknowledged" | "told" | "lost") => outcomes.reduce((all, one) => all + one[name], 0)
    const why = new Map<string, number>()
    for (const each of outcomes) for (const [name, count] of each.why) why.set(name, (why.get(name) ?? 0) + count)
    return {
      acknowledged: sum("acknowledged"),
      told: sum("told"),
      lost: sum("lost"),
      why,
      metered: metered.reduce((all, one) => all + one, 0),
      wrong: outcomes.filter(({ acknowledged }, index) => acknowledged !== metered[index]).length,
      replaced,
      slowest
    }
  })
}, Service.quiet)

/** Starts a node for the test, which delays some answers. Returns its URL. */
const startNode = Effect.acquireRelease(
  Effect.promise(async () => {
    let calls = 0
    const server = createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      request.once("end", async () => {
        const { id, method } = JSON.parse(text)
        const result = method === "eth_chainId" ? "0x1" : "0x2a"
        if (calls++ % 3 === 0) await setTimeout(calls % 40)
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return server
  }),
  (server) =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

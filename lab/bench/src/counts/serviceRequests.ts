/** Starts a service with limits and usage in SQLite, and sends requests to it, one after the other. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"

import { EthMethods } from "@plumbline/eth-methods"
import { Accounts, Gateway, HttpUpstream, ServiceState, type Upstream, UpstreamPool } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"

import { folder } from "../measure/owned.ts"

const result = new TextEncoder().encode(`"0x${"00".repeat(31)}2a"`)

/** An upstream whose answers are known at once, as those of a cache are. */
export const known: Effect.Effect<Upstream.Upstream> = Effect.succeed({ call: () => Effect.succeed(result) })

/** A node over HTTP, in a pool, as `plumbline up` has it. The node's own work is not counted. */
export const node: Effect.Effect<Upstream.Upstream, unknown, Scope.Scope> = Effect.gen(function* () {
  const answer = new TextDecoder().decode(result)
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")))
    request.on("end", () => {
      const { id, method } = JSON.parse(text)
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${method === "eth_chainId" ? '"0x1"' : answer}}`)
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.closeAllConnections())
  )
  const upstream = yield* HttpUpstream.make({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const chain = { method: "eth_chainId", id: 1 }
  return yield* UpstreamPool.make([{ name: "node", upstream }], { methods: EthMethods.group, chain })
})

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "eth_getStorageAt",
  params: [`0x${"12".repeat(20)}`, "0x0", "latest"]
})

/**
 * Returns how much one request adds to each count. `take` returns the counts since its previous call. The result is the
 * lowest tenth of many requests, because the service also works between requests: the more, the busier the machine. It
 * includes the calls of Node's `fetch` in this process, which are not ours or Effect's.
 */
export const perRequest = <Unit extends string>(
  made: Effect.Effect<Upstream.Upstream, unknown, Scope.Scope>,
  requests: number,
  take: () => Readonly<Record<Unit, number>>
): Promise<Readonly<Record<Unit, number>>> => {
  const home = folder("counts")
  const program = Effect.gen(function* () {
    const state = ServiceState.layerSqlite({ file: path.join(home.path, "state.sqlite"), metering: { gather: 0 } })
    const upstream = yield* made
    const network = { name: "live", hosts: ["live.localhost"], chainId: 1, methods: EthMethods.group, upstream }
    const context = yield* Layer.build(Gateway.layer({ networks: [network] }).pipe(Layer.provideMerge(state)))
    const accounts = Context.get(context, Accounts.Accounts)
    const { id: account } = yield* accounts.createAccount({ name: "counts", card: true })
    const limits = { creditsPerSecond: 1e9, creditsPerDay: 1e12, concurrency: 1e6 }
    const { issued } = yield* accounts.createProject({ account, name: "counts", limits })
    const url = `http://127.0.0.1:${Context.get(context, Gateway.Gateway).port}/v3/${Redacted.value(issued.apiKey)}`
    const ask = async (): Promise<void> => {
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
      if (!(await answer.text()).includes("2a")) throw new Error("another answer")
    }
    // The requests run in one Effect, so that the client adds no calls of Effect's functions.
    const taken = yield* Effect.promise(async () => {
      for (let i = 0; i < 20; i++) await ask()
      const taken: Array<Readonly<Record<Unit, number>>> = []
      for (let i = 0; i < requests; i++) {
        take()
        await ask()
        taken.push(take())
      }
      return taken
    })
    const lowest = Object.keys(taken[0]!).map((unit) => {
      const sorted = taken.map((counts) => counts[unit as Unit]).toSorted((a, b) => a - b)
      return [unit, sorted[Math.floor(sorted.length / 10)]]
    })
    return Object.fromEntries(lowest) as Record<Unit, number>
  })
  return Effect.runPromise(Effect.scoped(program)).finally(home.remove)
}

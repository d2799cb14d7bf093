/** The nodes of a configuration become one network. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { CallCheck, UpstreamPool } from "@plumbline/gateway"
import { Effect, Redacted, Result } from "effect"

import type * as ServiceSettings from "../../src/config/ServiceSettings.ts"
import * as ServiceNetworks from "../../src/service/ServiceNetworks.ts"

interface Asked {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/**
 * A node that sends the value of `answer`: as an error if the value has a code, otherwise as the result. If the value
 * is undefined, the node breaks the connection.
 */
const nodeOf = (answer: (asked: Asked) => unknown) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(async (request, response) => {
        const asked: Asked = JSON.parse(await new Response(request as any).text())
        const said = answer(asked)
        if (said === undefined) response.destroy()
        else {
          const member = Object.hasOwn(Object(said), "code") ? "error" : "result"
          response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, [member]: said }))
        }
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
      )
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

const upstream = (name: string, url: string): ServiceSettings.UpstreamSettings => ({
  name,
  url: Redacted.make(url),
  headers: {},
  timeout: 5000,
  weight: 1,
  cost: 1
})

describe("a network of the second chain with several nodes", () => {
  it.live("asks each for pending transactions in the words of its own version", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      // The newer node answers with its version, and breaks the connection when it is asked for the block.
      const newer = yield* nodeOf(({ method }) =>
        method === "starknet_specVersion" ? "0.9.0" : method === "starknet_chainId" ? "0x534e" : undefined
      )
      const older = yield* nodeOf(({ method, params }) => {
        if (method === "starknet_specVersion") return "0.8.1"
        if (method === "starknet_chainId") return "0x534e"
        asked.push(params[0])
        if (params[0] !== "pending") return { code: -32_602, message: "Invalid params" }
        return { parent_hash: "0x1", transactions: [{ transaction_hash: "0x2" }] }
      })
      const networks = yield* ServiceNetworks.make({
        get: () => Effect.die("no node of this process"),
        beacon: () => undefined
      })
      const { networks: made } = yield* networks.prepare([
        {
          name: "starknet",
          hosts: [],
          chainId: "0x534e",
          kind: "starknet",
          upstreams: [upstream("newer", newer), upstream("older", older)],
          integrity: "off",
          ...UpstreamPool.defaults
        }
      ])
      const node = made[0]!.upstream
      const answer = yield* node.call("starknet_pendingTransactions", [])
      assert.strictEqual(new TextDecoder().decode(answer), '[{"transaction_hash":"0x2"}]')
      assert.deepStrictEqual(asked, ["pending"])
      assert.deepStrictEqual(
        node.health?.().map(({ name, state }) => [name, state]),
        [
          ["newer", "untried"],
          ["older", "up"]
        ]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a network of another chain under the same name", () => {
  it.live("is refused while the service runs, and the network of before stays", () =>
    Effect.gen(function* () {
      const url = yield* nodeOf(({ method }) => (method === "eth_chainId" ? "0x1" : "0x10"))
      const networks = yield* ServiceNetworks.make({
        get: () => Effect.die("no node of this process"),
        beacon: () => undefined
      })
      const wanted = (name: string, chainId: number, url: string): ServiceSettings.NetworkSettings => ({
        name,
        hosts: [],
        chainId,
        kind: "eth",
        upstreams: [upstream("own", url)],
        integrity: "off",
        ...UpstreamPool.defaults
      })
      const first = yield* networks.prepare([wanted("a", 1, url)])
      yield* yield* first.commit
      const refused = yield* Effect.flip(networks.prepare([wanted("a", 5, url)]))
      assert.strictEqual(
        refused.message,
        "networks.a.chainId: was 1 and would be 5: give the other chain a name of its own, or restart the service"
      )
      const answer = yield* first.networks[0]!.upstream.call("eth_blockNumber", [])
      assert.strictEqual(new TextDecoder().decode(answer), '"0x10"')
      // another name is another network, and the same chain can move to other nodes
      const next = yield* networks.prepare([wanted("a", 1, `${url}/other`), wanted("b", 5, url)])
      assert.deepStrictEqual(
        next.networks.map(({ chainId }) => chainId),
        [1, 5]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a network with methods of its own", () => {
  it.live("passes them on with any parameters, and knows them like those of its kind", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const url = yield* nodeOf(({ method, params }) => {
        if (method === "eth_chainId") return "0x1"
        asked.push([method, params])
        return { traces: [1] }
      })
      const networks = yield* ServiceNetworks.make({
        get: () => Effect.die("no node of this process"),
        beacon: () => undefined
      })
      const { networks: made } = yield* networks.prepare([
        {
          name: "mainnet",
          hosts: [],
          chainId: 1,
          kind: "eth",
          upstreams: [upstream("own", url)],
          integrity: "off",
          methods: ["trace_block", "eth_chainId"],
          readMethods: ["debug_trace"],
          ...UpstreamPool.defaults
        }
      ])
      const [{ methods, upstream: node }] = made as readonly [(typeof made)[number]]
      assert.strictEqual(methods.get("trace_block")?.idempotent, false)
      assert.strictEqual(methods.get("debug_trace")?.idempotent, true)
      assert.strictEqual(methods.get("eth_chainId")?.idempotent, true)
      const checked = CallCheck.check(methods, { method: "trace_block", params: ["0x1", { a: [null] }] })
      const answer = yield* node.call("trace_block", Result.getOrThrow(checked))
      assert.strictEqual(new TextDecoder().decode(answer), '{"traces":[1]}')
      assert.deepStrictEqual(asked, [["trace_block", ["0x1", { a: [null] }]]])
    }).pipe(Effect.scoped)
  )
})

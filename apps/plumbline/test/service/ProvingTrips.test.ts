/** Counts the requests that a proving network sends to its node. The node serves the history chain over HTTP. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

import { assert, describe, it } from "@effect/vitest"
import { History, HistoryChain } from "@plumbline/devnet"
import { Effect, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as ServiceNetworks from "../../src/service/ServiceNetworks.ts"

/** Serves the history chain on a port, and counts the requests and the calls in them. */
const node = Effect.acquireRelease(
  Effect.promise(async () => {
    const history = await Effect.runPromise(History.make)
    const counts = { requests: 0, calls: 0 }
    const server = createServer(async (request, response) => {
      const body = await buffer(request)
      const calls: unknown = JSON.parse(body.toString())
      counts.requests++
      counts.calls += Array.isArray(calls) ? calls.length : 1
      const answer = await Effect.runPromise(history.handle(body))
      response.writeHead(200, { "content-type": "application/json" }).end(answer)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { server, counts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

const { blocks, head } = HistoryChain
const LAST = 64
const logs = [{ fromBlock: `0x${(LAST - 15).toString(16)}`, toBlock: `0x${LAST.toString(16)}` }]

/**
 * Asks a network once for the logs of 16 blocks, which follow from the trusted block. Returns the answer and the
 * counts.
 */
const asked = (settings: string) =>
  Effect.gen(function* () {
    const { counts, url } = yield* node
    const text = `networks: { history: { chainId: ${HistoryChain.chainId}, upstreams: [{ url: "${url}"${settings}`
    const { settings: read } = Result.getOrThrow(Configuration.read({ text, file: "test", variables: {} }))
    const networks = yield* ServiceNetworks.make({
      get: () => Effect.die("no node of this process"),
      beacon: () => undefined
    })
    const { networks: made } = yield* networks.prepare(read().networks)
    counts.requests = 0
    counts.calls = 0
    const answer = yield* made[0]!.upstream.call("eth_getLogs", logs)
    return { logs: JSON.parse(Buffer.from(answer).toString()), counts: { ...counts } }
  }).pipe(Effect.scoped)

const PROVE = `integrity: prove, trust: { block: "${head.hash}" }, watch: 1d } }`

describe("a proof of the logs of 16 blocks", () => {
  it.live("is read in few requests, each of many calls, and is what it is call by call", () =>
    Effect.gen(function* () {
      assert.isAbove(blocks.length, LAST)
      const together = yield* asked(` }], ${PROVE}`)
      const apart = yield* asked(`, batch: { most: 1 } }], ${PROVE}`)
      const plain = yield* asked(" }], watch: 1d } }")
      assert.isAbove(together.logs.length, 0)
      // the oracle: the node's own answer
      assert.deepStrictEqual(together.logs, plain.logs)
      assert.deepStrictEqual(apart.logs, plain.logs)
      assert.strictEqual(apart.counts.requests, apart.counts.calls)
      assert.isAbove(apart.counts.requests, 16)
      assert.strictEqual(together.counts.calls, apart.counts.calls)
      assert.isAtMost(together.counts.requests, 5)
    })
  )
})

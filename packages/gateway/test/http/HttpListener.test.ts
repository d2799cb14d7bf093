/** The listener with protocols that the test defines. The listener itself knows no protocol. */
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import type { HttpExchange } from "../../src/http/httpExchange.ts"
import * as HttpListener from "../../src/http/httpListener.ts"
import type { HttpRoute } from "../../src/http/httpRoute.ts"
import * as HttpTarget from "../../src/http/httpTarget.ts"
import { keyedOf } from "../../src/rpc/rpcPaths.ts"

const settings: HttpListener.HttpListenerSettings = {
  limits: { bodyBytes: 1024, bufferedBytes: 1024, connections: 100 },
  timeouts: { headers: 1000, request: 1000, idle: 1000, write: 1000 },
  callerOf: () => "",
  mounts: [],
  tls: undefined,
  compressFrom: Infinity,
  accessLog: false,
  lane: true
}

/** Makes a protocol for the paths with a prefix. Its answers repeat the request's path and query. */
const below = (prefix: string, more: (exchange: HttpExchange) => void = () => undefined): HttpRoute => ({
  serve: (exchange, { path, query }) => {
    if (!path.startsWith(prefix)) return false
    more(exchange)
    exchange.send(200, [], [], new TextEncoder().encode(`${prefix} ${path} ${query}`))
    return true
  }
})

const start = (routes: ReadonlyArray<HttpRoute>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const listener = HttpListener.make(() => settings, Effect.runFork)
      listener.serve(routes)
      await new Promise<void>((resolve) => listener.server.listen({ host: "127.0.0.1", port: 0 }, resolve))
      return { listener, url: `http://127.0.0.1:${(listener.server.address() as AddressInfo).port}` }
    }),
    ({ listener: { connections, server } }) =>
      Effect.promise(async () => {
        server.close()
        connections.destroyAll()
      })
  )

const get = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url)
    return [response.status, await response.text()] as const
  })

describe("a listener", () => {
  it.live("answers a path by the first route that it belongs to, and any other with 404", () =>
    Effect.gen(function* () {
      const { listener, url } = yield* start([below("/a/b"), below("/a"), below("/c")])
      assert.deepStrictEqual(yield* get(`${url}/a/b/x?y=1`), [200, "/a/b /a/b/x y=1"])
      assert.deepStrictEqual(yield* get(`${url}/a/x`), [200, "/a /a/x "])
      assert.deepStrictEqual(yield* get(`${url}/c`), [200, "/c /c "])
      assert.deepStrictEqual(yield* get(`${url}/d`), [404, "not found\n"])
      assert.strictEqual(listener.inFlight.size, 0)
    })
  )

  it.live("without routes answers everything with 404", () =>
    Effect.gen(function* () {
      const { url } = yield* start([])
      assert.strictEqual((yield* get(`${url}/v3/key`))[0], 404)
      assert.strictEqual((yield* get(`${url}/health`))[0], 404)
    })
  )

  it.live("tells the owner of a request that it ended before its work began", () =>
    Effect.gen(function* () {
      const recorded: Array<string> = []
      const own = (name: string, hasBegun: boolean) => (exchange: HttpExchange) => {
        exchange.owner = {
          project: "p",
          network: "n",
          refuse: () => undefined,
          recordUnasked: () => void recorded.push(name)
        }
        exchange.isAccountedFor = hasBegun
      }
      const { url } = yield* start([below("/idle", own("idle", false)), below("/begun", own("begun", true))])
      yield* get(`${url}/begun`)
      yield* get(`${url}/idle`)
      assert.deepStrictEqual(recorded, ["idle"])
    })
  )
})

describe("a target", () => {
  const rows: ReadonlyArray<readonly [string, string, string, string | undefined]> = [
    ["/", "/", "", undefined],
    ["/a/b", "/a/b", "", undefined],
    ["/a?b?c=/d", "/a", "b?c=/d", undefined],
    ["/a?", "/a", "", undefined],
    ["http://host:1/a?b", "/a", "b", "host:1"],
    ["HTTPS://user:pass@host/a", "/a", "", "host"],
    ["http://host", "", "", "host"],
    ["http://host?a", "", "a", "host"],
    ["*", "", "", undefined],
    ["", "", "", undefined],
    ["ftp://host/a", "", "", undefined]
  ]
  for (const [text, path, query, host] of rows) {
    it(`"${text}" is split`, () => {
      assert.deepStrictEqual(HttpTarget.parse(text), { path, query, host })
    })
  }

  it("names a key on the paths of JSON-RPC alone, and perhaps a network before it", () => {
    const keyed = (path: string) => {
      const found = keyedOf({ path, query: "", host: undefined })
      return found && [found._tag, found.network, found.key]
    }
    assert.deepStrictEqual(keyed("/v3/k"), ["Rpc", undefined, "k"])
    assert.deepStrictEqual(keyed("/v3"), ["Rpc", undefined, ""])
    assert.deepStrictEqual(keyed("/v3/"), ["Rpc", undefined, ""])
    assert.deepStrictEqual(keyed("/ws/v3/k"), ["WebSocket", undefined, "k"])
    assert.deepStrictEqual(keyed("/live/v3/k"), ["Rpc", "live", "k"])
    assert.deepStrictEqual(keyed("/live/ws/v3/k"), ["WebSocket", "live", "k"])
    for (const path of ["", "/", "/v3x", "/v3/k/x", "/v2/k", "//v3/k", "/api/v0/add", "/health", "/a/b/v3/k"]) {
      assert.isUndefined(keyed(path), path)
    }
  })
})

/**
 * The log lines with which an operator finds a request by its id, project and network; and the lines about slow calls.
 */
import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream } from "@plumbline/gateway"
import { Duration, Effect, Logger, References } from "effect"
import { WebSocket } from "ws"

import * as FakeNode from "../support/fakeNode.ts"
import * as Service from "../support/service.ts"

interface Line {
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

const recorder = () => {
  const lines: Array<Line> = []
  const logger = Logger.make(({ fiber, message }) => {
    const parts = Array.isArray(message) ? message : [message]
    lines.push({ message: parts.join(": "), annotations: fiber.getRef(References.CurrentLogAnnotations) })
  })
  return { lines, logger }
}

const BODY = Service.call("eth_chainId")
const works = { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }

const asked = (service: { readonly port: number }, given?: string, path?: string) =>
  Effect.map(
    Service.ask(service, {
      body: BODY,
      ...(given === undefined ? {} : { headers: { "x-request-id": given } }),
      ...(path === undefined ? {} : { path })
    }),
    ({ headers }) => String(headers["x-request-id"])
  )

describe("the id of a request", () => {
  it.live("is made for each request, and answered", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(works)
      const ids = yield* Effect.all(Array.from({ length: 20 }, () => asked(service)))
      assert.strictEqual(new Set(ids).size, 20)
      for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/u)
    })
  )

  it.live("is the caller's, if it is short and plain", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(works)
      for (const id of ["a", "0af7651916cd43dd8448eb211c80319c", "01J:x/y+z=@~-._", "x".repeat(128)]) {
        assert.strictEqual(yield* asked(service, id), id)
      }
      for (const id of ["x".repeat(129), "a b", 'a"b', "a,b", "ü", "<script>", "{}"]) {
        assert.match(yield* asked(service, id), /^[0-9a-f]{24}$/u, id)
      }
    })
  )

  it.live("is never the key of the path", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(works)
      assert.match(yield* asked(service, Service.KEY), /^[0-9a-f]{24}$/u)
      assert.match(yield* asked(service, `v3/${Service.KEY}`), /^[0-9a-f]{24}$/u)
    })
  )

  it.live("stands on refusals, probes, mounts and handshakes too", () =>
    Effect.gen(function* () {
      const mount = { path: "/extra", handle: (_: unknown, response: { end: () => void }) => response.end() }
      const service = yield* Service.start(works, { mounts: [mount] })
      for (const path of ["/v3/nobody", "/nowhere", "/extra", "/v3"]) {
        assert.strictEqual(yield* asked(service, "mine", path), "mine", path)
      }
      const probe = yield* Service.ask(service, { path: "/livez", method: "GET" })
      assert.isString(probe.headers["x-request-id"])
      const shaken = yield* Effect.callback<string | undefined>((resume) => {
        const headers = { "x-request-id": "mine" }
        const socket = new WebSocket(`ws://127.0.0.1:${service.port}/ws/v3/${Service.KEY}`, { headers })
        socket.once("upgrade", (response) => {
          resume(Effect.succeed(String(response.headers["x-request-id"])))
          socket.once("open", () => socket.terminate())
        })
      })
      assert.strictEqual(shaken, "mine")
    })
  )
})

describe("the log of a service", () => {
  it.live("names request, project and network of each request, and no key", () =>
    Effect.gen(function* () {
      const { lines, logger } = recorder()
      const service = yield* Service.start(works, { accessLog: true }, undefined, [logger])
      yield* asked(service, "r1")
      yield* asked(service, "r2", `/v3/${Service.SECRET}`)
      const of = (id: string) => lines.find(({ annotations }) => annotations["requestId"] === id)?.annotations
      assert.deepInclude(of("r1"), { project: "open", network: "live", status: 200, path: "/v3/<redacted>" })
      assert.notProperty(of("r2"), "project")
      assert.notInclude(JSON.stringify(lines), Service.KEY)
      assert.notInclude(JSON.stringify(lines), Service.SECRET)
    })
  )

  it.live("names request and project of a call that no node answered, over HTTP and a WebSocket", () =>
    Effect.gen(function* () {
      const { lines, logger } = recorder()
      const upstream = yield* HttpUpstream.make({ url: "http://127.0.0.1:1" })
      const service = yield* Service.start(upstream, {}, undefined, [logger])
      yield* asked(service, "r1")
      const client = yield* Service.connected(service, { headers: { "x-request-id": "w1" } })
      client.socket.send(BODY)
      yield* Effect.promise(() => client.next())
      assert.deepStrictEqual(
        lines.map(({ annotations: { method, network, project, requestId, status } }) => [
          requestId,
          project,
          network,
          method,
          status
        ]),
        [
          ["r1", "open", "live", "eth_chainId", 502],
          ["w1", "open", "live", "eth_chainId", 502]
        ]
      )
    })
  )

  it.live("has the calls above the threshold, without their parameters", () =>
    Effect.gen(function* () {
      const { lines, logger } = recorder()
      const node = yield* FakeNode.make(({ id, method }) =>
        method === "eth_chainId"
          ? { result: "0x1" }
          : (response) =>
              void setTimeout(
                () => FakeNode.json(response, JSON.stringify({ jsonrpc: "2.0", id, result: "0x2" })),
                2100
              )
      )
      const upstream = yield* HttpUpstream.make({ url: node.url })
      const slowCall = Duration.seconds(2)
      const service = yield* Service.start(upstream, { slowCall }, undefined, [logger])
      yield* asked(service, "quick")
      const to = `0x${"ab".repeat(20)}`
      yield* Service.ask(service, {
        body: Service.call("eth_call", [{ to }, "latest"]),
        headers: { "x-request-id": "slow" }
      })
      assert.deepStrictEqual(
        lines.map(({ annotations, message }) => [message, annotations["requestId"], annotations["method"]]),
        [["slow call", "slow", "eth_call"]]
      )
      assert.notInclude(JSON.stringify(lines), to)
      assert.include(yield* service.metrics, "plumbline_slow_calls_total 1\n")
    })
  )
})

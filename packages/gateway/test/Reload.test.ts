/** A service that changes its options, and drops no connection and no work in progress. */
import * as http from "node:http"
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Accounts, Costs, Gateway } from "@plumbline/gateway"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"

import * as State from "./support/accounts.ts"
import * as Held from "./support/held.ts"
import * as Metered from "./support/metered.ts"
import * as Service from "./support/service.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const call = Service.call("eth_chainId")
const named = (name: string) => Service.network({ call: () => Effect.succeed(bytes(JSON.stringify(name))) })

/** Sends the head and half of the body of a request; `goOn` sends the rest and returns the answer. */
const half = (service: { readonly port: number }) =>
  Effect.gen(function* () {
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => net.connect(service.port, "127.0.0.1")),
      (socket) => Effect.sync(() => socket.destroy())
    )
    const length = `connection: close\r\ncontent-length: ${call.length}`
    socket.write(`POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n${call.slice(0, 10)}`)
    // When this request is answered, the service has read everything that was sent before.
    yield* Service.ask(service, { path: "/health", method: "GET" })
    yield* Held.noticed
    return {
      goOn: Effect.promise(async () => {
        socket.write(call.slice(10))
        let text = ""
        for await (const chunk of socket) text += String(chunk)
        return text
      })
    }
  })

describe("a reload", () => {
  it.live("leaves a WebSocket and a slow call alone: the one gets the new node, the other ends at the old one", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<Uint8Array>()
      const slow = { call: () => Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(finish)) }
      const service = yield* Service.start(slow)
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId", [], "slow"))
      yield* Deferred.await(started)
      const reloading = yield* Effect.forkChild(service.reload({ networks: [named("new")] }))
      // The change takes effect at once, on the same socket too.
      const asked = Effect.map(Service.ask(service, { body: call, agent }), ({ body }) => JSON.parse(body).result)
      assert.strictEqual(yield* Effect.repeat(asked, { until: (result) => result === "new" }), "new")
      client.socket.send(Service.call("eth_chainId", [], "fast"))
      assert.deepStrictEqual(JSON.parse(yield* Effect.promise(() => client.next())).id, "fast")
      assert.isUndefined(reloading.pollUnsafe())
      yield* Deferred.succeed(finish, bytes('"old"'))
      assert.deepStrictEqual(JSON.parse(yield* Effect.promise(() => client.next())), {
        jsonrpc: "2.0",
        id: "slow",
        result: "old"
      })
      // From here on the old node may be closed.
      yield* Fiber.join(reloading)
      assert.strictEqual(client.socket.readyState, client.socket.OPEN)
    }).pipe(Effect.scoped)
  )

  it.live("gives what was not begun to the new node: the old one may be closed", () =>
    Effect.gen(function* () {
      let isClosed = false
      const old = Service.network({ call: () => Effect.succeed(bytes(isClosed ? '"closed"' : '"old"')) })
      const service = yield* Service.start([old])
      const { goOn } = yield* half(service)
      yield* service.reload({ networks: [named("new")] })
      isClosed = true
      assert.include(yield* goOn, '"result":"new"')
    }).pipe(Effect.scoped)
  )

  it.live("of somebody who is not let in any more when the body is there refuses it, and bills that", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const { goOn } = yield* half(service)
      yield* service.reload({ networks: [named("live")] })
      yield* service.accounts.updateProject(service.holder.project.id, { suspended: true })
      assert.match(yield* goOn, /^HTTP\/1\.1 403 .*project is suspended\n$/su)
      const [row, ...others] = yield* service.rows
      assert.deepStrictEqual(Metered.summary([row!]), ["unknown 403 1 5"])
      assert.deepStrictEqual([row!.bytesIn, row!.bytesOut, others], [call.length, "project is suspended\n".length, []])
    }).pipe(Effect.scoped)
  )

  it.live("waits for what is let through and not yet at its node", () =>
    Effect.gen(function* () {
      for (const gate of ["admit", "record"] as const) {
        const service = yield* Held.start()
        service.gates[gate].close()
        const asking = yield* Effect.forkChild(Service.ask(service, { body: call }))
        yield* service.gates[gate].reached
        const reloading = yield* Effect.forkChild(service.reload({ networks: [named("new")] }))
        yield* Effect.sleep(10)
        assert.isUndefined(reloading.pollUnsafe())
        yield* service.gates[gate].open
        assert.include((yield* Fiber.join(asking)).body, '"result":1')
        yield* Fiber.join(reloading)
      }
    }).pipe(Effect.scoped)
  )

  it.live("waits for what was begun before no longer than for the end of the service", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const silent = { call: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) }
      const service = yield* Service.start(silent, { timeouts: { drain: "50 millis" } })
      const client = yield* Service.connected(service)
      client.socket.send(call)
      yield* Deferred.await(asked)
      yield* service.reload({ networks: [named("new")] })
      client.socket.send(call)
      assert.include(yield* Effect.promise(() => client.next()), '"new"')
    }).pipe(Effect.scoped)
  )

  it.live("knows of a network that stays how its node was", () =>
    Effect.gen(function* () {
      const stays = named("stays")
      const live = { ...stays, name: "live", hosts: [] }
      const service = yield* Service.start([live, { ...stays, name: "other", hosts: [] }])
      yield* Service.ask(service, { body: call })
      yield* service.reload({ networks: [{ ...live, name: "first" }, live] })
      const { networks } = yield* service.status
      assert.deepStrictEqual(
        networks.map(({ name, upstream }) => [name, upstream]),
        [
          ["first", "untried"],
          ["live", "up"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("takes over limits, costs, wording, networks and mounts", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        Gateway.layer({ networks: [named("live")], ...Service.listener() }).pipe(
          Layer.provideMerge(State.layer(Service.projects))
        )
      )
      const service = Context.get(context, Gateway.Gateway)
      const accounts = Context.get(context, Accounts.Accounts)
      const ask = (body: string, path?: string) =>
        Service.ask(service, { body, ...(path === undefined ? {} : { path }) })
      yield* accounts.updateProject("open", { limits: { creditsPerDay: 6 } })
      assert.strictEqual((yield* ask(`[${call}]`)).status, 200)
      const costs = yield* Effect.fromResult(Costs.make({ methods: { eth_chainId: 0 }, batch: 0, refused: 0 }))
      yield* service.reload({
        networks: [named("live")],
        costs,
        wording: { dayStatus: 402 },
        limits: { bodyBytes: 200, socketsPerProject: 1 },
        mounts: [{ path: "/extra", handle: (_request, response) => response.end("mounted") }]
      })
      assert.strictEqual((yield* ask(call)).status, 200)
      assert.strictEqual((yield* ask(Service.call("eth_nothing"))).status, 402)
      assert.strictEqual((yield* ask(" ".repeat(201))).status, 413)
      assert.strictEqual((yield* ask("", "/extra/x?y")).body, "mounted")
      yield* Service.connected(service)
      const second = yield* Service.connect(service)
      assert.strictEqual("status" in second && second.status, 429)
      yield* service.reload({ networks: [named("live")] })
      assert.strictEqual((yield* ask("", "/extra/x?y")).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("with options that make no sense changes nothing, and host and port stay", () =>
    Effect.gen(function* () {
      const service = yield* Service.start({ call: () => Effect.succeed(bytes('"old"')) })
      const networks = [named("new")]
      const problems = yield* Effect.forEach(
        [
          { networks: [] },
          { networks, limits: { batch: 0 } },
          { networks, host: "127.0.0.2" },
          { networks, port: service.port === 1 ? 2 : 1 },
          { networks, trustedProxies: ["10.0.0.0/33"] },
          { networks, mounts: [{ path: "/v3/x", handle: () => undefined }] }
        ],
        (options) => Effect.map(Effect.flip(service.reload(options)), ({ message }) => message)
      )
      assert.deepStrictEqual(problems, [
        "networks: must not be empty",
        "limits.batch: must be a whole number from 1 to 1000000000",
        "host: cannot change while the service runs",
        "port: cannot change while the service runs",
        "trustedProxies.0: must be an IP address, or a network such as 10.0.0.0/8",
        "mounts: a path must be none of /v3, /ws/v3, /api/v0, /health, /ready, /livez, /readyz"
      ])
      assert.include((yield* Service.ask(service, { body: call })).body, '"old"')
      yield* service.reload({ networks, host: service.host, port: service.port })
      assert.include((yield* Service.ask(service, { body: call })).body, '"new"')
    }).pipe(Effect.scoped)
  )
})

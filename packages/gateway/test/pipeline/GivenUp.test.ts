/** Tests work that a shutdown gives up: its answer must agree exactly with the recorded credits and bytes. */
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Accounts, type Feeds, Limiter, LimiterStore, Metering, MeteringStore } from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Result, Scope } from "effect"

import * as State from "../support/accounts.ts"
import * as Held from "../support/held.ts"
import * as Service from "../support/service.ts"

const body = Service.call("eth_chainId")

/** Starts a service in a separate scope. It gives up work soon after its shutdown begins. */
const started = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const service = yield* Scope.provide(Held.start({ timeouts: { drain: "30 millis" } }), scope)
  return { ...service, close: Scope.close(scope, Exit.void) }
})

/** Ends the service while work is held at a gate. The gate opens after the service has given up the work. */
const closing = (service: Effect.Success<typeof started>, gate: keyof Held.Held["gates"]) =>
  Effect.gen(function* () {
    const closed = yield* Effect.forkChild(service.close)
    // The drain takes 30 ms. This wait is long enough even on a busy machine.
    yield* Effect.sleep(1500)
    yield* service.gates[gate].open
    yield* Fiber.join(closed)
  })

const recorded = (service: Held.Held) =>
  service.recorded.map(
    ({ bytesIn, bytesOut, credits, method, status }) => `${method} ${status} ${credits} ${bytesIn} ${bytesOut}`
  )

const UNAVAILABLE = "service unavailable\n"
const unavailable = '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"service unavailable"}}'

describe("given up", () => {
  const moments: ReadonlyArray<
    readonly [
      gate: keyof Held.Held["gates"],
      answer: readonly [status: number, body: string],
      message: string,
      row: string
    ]
  > = [
    ["admit", [503, UNAVAILABLE], unavailable, "eth_chainId 503 0"],
    ["node", [503, UNAVAILABLE], unavailable, "eth_chainId 503 0"],
    // At this step the call is already charged, so its answer is sent.
    ["record", [200, '{"jsonrpc":"2.0","id":1,"result":1}'], '{"jsonrpc":"2.0","id":1,"result":1}', "eth_chainId 200 5"]
  ]

  it.live.each(moments)("at the step %s a request is answered as it is recorded", ([gate, answer, , row]) =>
    Effect.gen(function* () {
      const service = yield* started
      service.gates[gate].close()
      const asking = yield* Effect.forkChild(Service.ask(service, { body }))
      yield* service.gates[gate].reached
      yield* closing(service, gate)
      const said = yield* Fiber.join(asking)
      assert.deepStrictEqual([said.status, said.body], [...answer])
      assert.deepStrictEqual(recorded(service), [`${row} ${body.length} ${said.body.length}`])
      assert.deepStrictEqual(service.counts.settled, service.counts.admitted)
    })
  )

  it.live.each(moments)("at the step %s a message is answered as it is recorded", ([gate, , answer, row]) =>
    Effect.gen(function* () {
      const service = yield* started
      const client = yield* Service.connected(service)
      service.gates[gate].close()
      client.socket.send(body)
      yield* service.gates[gate].reached
      yield* closing(service, gate)
      assert.strictEqual(yield* Effect.promise(() => client.next()), answer)
      assert.deepStrictEqual(yield* Effect.promise(() => client.closed), { code: 1001, reason: "going away" })
      assert.deepStrictEqual(recorded(service), [`${row} ${body.length} ${answer.length}`])
    }).pipe(Effect.scoped)
  )

  it.live("a request without a fiber, whose usage is on its way to the disk, is answered as it is recorded", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const opened = yield* Deferred.make<void>()
      const rows: Array<string> = []
      const store = Layer.succeed(MeteringStore.MeteringStore, {
        commit: (batch) =>
          Effect.andThen(
            Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened)),
            Effect.sync(() => {
              for (const [, , , , method, status, , , , credits] of batch.rows)
                rows.push(`${method} ${status} ${credits}`)
            })
          ),
        addLatencies: () => Effect.void,
        ping: Effect.void,
        forget: () => Effect.void
      })
      const memory = yield* Layer.build(
        State.layer([{ id: "p1", key: Service.KEY, secret: Service.SECRET, card: true }])
      )
      const state = Layer.mergeAll(
        Layer.succeed(Accounts.Accounts, Context.get(memory, Accounts.Accounts)),
        Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory())),
        Metering.layer().pipe(Layer.provide(store))
      )
      const upstream = { call: () => Exit.succeed(new TextEncoder().encode("1")) }
      const scope = yield* Scope.make()
      const starting = Service.start([Service.network(upstream)], { timeouts: { drain: "30 millis" } }, state)
      const service = yield* Scope.provide(starting, scope)
      const asking = yield* Effect.forkChild(Service.ask(service, { body }))
      yield* Deferred.await(reached)
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      // The drain takes 30 ms. This wait is long enough even on a busy machine.
      yield* Effect.sleep(1500)
      yield* Deferred.succeed(opened, undefined)
      const said = yield* Fiber.join(asking)
      yield* Fiber.join(closed)
      assert.deepStrictEqual([said.status, said.body], [200, '{"jsonrpc":"2.0","id":1,"result":1}'])
      assert.deepStrictEqual(rows, ["eth_chainId 200 5"])
    }).pipe(Effect.scoped)
  )

  it.live("a refusal is the one that is recorded", () =>
    Effect.gen(function* () {
      const service = yield* started
      service.gates.record.close()
      const asking = yield* Effect.forkChild(Service.ask(service, { method: "GET" }))
      yield* service.gates.record.reached
      yield* closing(service, "record")
      const said = yield* Fiber.join(asking)
      assert.deepStrictEqual([said.status, said.body], [405, "method not allowed\n"])
      assert.deepStrictEqual(recorded(service), [`unknown 405 5 0 ${said.body.length}`])
    })
  )

  it.live("a caller that is being looked up is told, and nothing is recorded", () =>
    Effect.gen(function* () {
      const service = yield* started
      service.gates.lookup.close()
      const asking = yield* Effect.forkChild(Service.ask(service, { body }))
      yield* service.gates.lookup.reached
      yield* closing(service, "lookup")
      const said = yield* Fiber.join(asking)
      assert.deepStrictEqual([said.status, said.body], [503, UNAVAILABLE])
      assert.deepStrictEqual(recorded(service), [])
    })
  )

  it.live("a body that is still on its way is free", () =>
    Effect.gen(function* () {
      const service = yield* started
      const head = `POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n`
      const asking = yield* Effect.forkChild(Service.raw(service, `${head}12345`))
      yield* Service.ask(service, { path: "/health", method: "GET" })
      yield* Held.noticed
      yield* service.close
      assert.match(yield* Fiber.join(asking), /^HTTP\/1\.1 503 .*\r\n\r\nservice unavailable\n$/su)
      assert.deepStrictEqual(recorded(service), [`unknown 503 0 5 ${UNAVAILABLE.length}`])
    })
  )
})

describe("a WebSocket that is closed", () => {
  const ends: ReadonlyArray<readonly [why: "closed" | "missed", code: number, reason: string]> = [
    ["closed", 1012, "service restart"],
    ["missed", 1013, "events were missed"]
  ]
  it.live.each(ends)("because a feed has %s leaves its calls free: it was not the client", ([why, code, reason]) =>
    Effect.gen(function* () {
      const listeners: Array<Feeds.FeedListener> = []
      const service = yield* Held.start(
        {},
        {
          subscribe: "eth_subscribe",
          unsubscribe: "eth_unsubscribe",
          notification: "eth_subscription",
          check: () => Result.succeed({ kind: "newHeads", params: ["newHeads"] }),
          open: (_request, listener) =>
            Effect.sync(() => {
              listeners.push(listener)
              listener.begun(() => undefined)
            })
        }
      )
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_subscribe", ["newHeads"]))
      yield* Effect.promise(() => client.next())
      service.gates.node.close()
      client.socket.send(body)
      yield* service.gates.node.reached
      for (const listener of listeners) listener.end(why)
      assert.deepStrictEqual(yield* Effect.promise(() => client.closed), { code, reason })
      yield* Effect.repeat(Effect.sleep(1), { until: () => service.counts.settled === 2 })
      assert.deepStrictEqual(
        service.recorded.map(({ credits, method, status }) => `${method} ${status} ${credits}`),
        ["eth_subscribe 200 5", "eth_chainId 503 0"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("while the service ends", () => {
  it.live("a client that leaves is one that has left", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const service = yield* Scope.provide(Held.start(), scope)
      const client = yield* Service.connected(service)
      service.gates.node.close()
      client.socket.send(body)
      const socket = net.connect(service.port, "127.0.0.1")
      socket.on("error", () => undefined)
      socket.write(`POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      yield* Effect.repeat(Effect.sleep(1), { until: () => service.counts.admitted === 2 })
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Held.noticed
      client.socket.terminate()
      socket.destroy()
      yield* Fiber.join(closed)
      const row = `eth_chainId 499 5 ${body.length} 0`
      assert.deepStrictEqual(recorded(service), [row, row])
    }).pipe(Effect.scoped)
  )
})

import { createHash, randomBytes } from "node:crypto"
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream } from "@plumbline/gateway"
import { Deferred, Effect, Schedule } from "effect"
import { TestClock } from "effect/testing"

import * as FakeNode from "../support/fakeNode.ts"
import { HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"
import { GUARDED_KEY, KEY, SECRET } from "../support/service.ts"

const encoder = new TextEncoder()
const immediate = { call: (method: string) => Effect.succeed(encoder.encode(JSON.stringify(method))) }
const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`:${secret}`).toString("base64")}` })

/** A node whose calls wait until the test releases them, one by one, in the order of arrival. */
const gates = Effect.sync(() => {
  const calls: Array<Deferred.Deferred<void>> = []
  const watchers: Array<{ readonly count: number; readonly resolve: () => void }> = []
  return {
    upstream: {
      call: (_method: string, params: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          const gate = Deferred.makeUnsafe<void>()
          calls.push(gate)
          for (const { count, resolve } of watchers) if (calls.length >= count) resolve()
          return Effect.as(Deferred.await(gate), encoder.encode(JSON.stringify(params[0] ?? null)))
        })
    },
    calls,
    open: (index: number) => Deferred.succeed(calls[index]!, undefined),
    begun: (count: number) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            if (calls.length >= count) resolve()
            else watchers.push({ count, resolve })
          })
      )
  }
})

const isRefused = (answer: Service.Client | Service.Answer): answer is Service.Answer =>
  !(answer instanceof Service.Client)

describe("a WebSocket", () => {
  it.live("carries calls, as text and as binary messages", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const client = yield* Service.connected(service)
      const frames: Array<boolean> = []
      client.socket.on("message", (_data, isBinary) => frames.push(isBinary))
      client.socket.send(Service.call("eth_chainId", [], "é"))
      assert.strictEqual(
        yield* Effect.promise(() => client.next()),
        '{"jsonrpc":"2.0","id":"é","result":"eth_chainId"}'
      )
      client.socket.send(encoder.encode(Service.call("eth_chainId", [], 2)))
      assert.strictEqual(yield* Effect.promise(() => client.next()), '{"jsonrpc":"2.0","id":2,"result":"eth_chainId"}')
      assert.deepStrictEqual(frames, [false, false])
    }).pipe(Effect.scoped)
  )

  it.live("answers each message when its answer is there", () =>
    Effect.gen(function* () {
      const { begun, open, upstream } = yield* gates
      const service = yield* Service.start(upstream)
      const client = yield* Service.connected(service)
      for (const id of [1, 2, 3]) client.socket.send(Service.call("eth_chainId", [], id))
      yield* begun(3)
      const heard: Array<number> = []
      for (const index of [2, 0, 1]) {
        yield* open(index)
        heard.push(JSON.parse(yield* Effect.promise(() => client.next())).id)
      }
      assert.deepStrictEqual(heard, [3, 1, 2])
    }).pipe(Effect.scoped)
  )

  it.live("tells of a node that is down in an error object", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(yield* HttpUpstream.make({ url: "http://127.0.0.1:1" }))
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId"))
      assert.strictEqual(
        yield* Effect.promise(() => client.next()),
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}'
      )
    }).pipe(Effect.scoped)
  )

  it.live("is for the network of its host", () =>
    Effect.gen(function* () {
      const named = (name: string) =>
        Service.network({ call: () => Effect.succeed(encoder.encode(JSON.stringify(name))) }, name)
      const service = yield* Service.start([named("live"), named("history")])
      const client = yield* Service.connected(service, { headers: { host: "history.localhost:1" } })
      client.socket.send(Service.call("eth_chainId"))
      assert.include(yield* Effect.promise(() => client.next()), '"result":"history"')
    }).pipe(Effect.scoped)
  )

  it.live("gives its calls up when it closes", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => () => undefined)
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }))
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId"))
      yield* Effect.promise(() => node.wasAsked(1))
      client.socket.terminate()
      yield* Effect.promise(() => node.abandoned(1))
    }).pipe(Effect.scoped)
  )
})

const refusals: ReadonlyArray<
  readonly [name: string, options: Parameters<typeof Service.connect>[1], status: number, text: string]
> = [
  ["without a key", { path: "/ws/v3" }, 401, "project id required in the url"],
  ["with an empty key", { path: "/ws/v3/" }, 401, "project id required in the url"],
  ["with a key that nobody has", { path: "/ws/v3/ffff" }, 401, "invalid project id"],
  ["with a wrong secret", { headers: basic(KEY) }, 401, "invalid project id or project secret"],
  ["without a required secret", { path: `/ws/v3/${GUARDED_KEY}` }, 401, "invalid project id or project secret"],
  ["on the path for calls", { path: `/v3/${KEY}` }, 405, "method not allowed"],
  ["on another path", { path: `/ws/v2/${KEY}` }, 404, "not found"]
]

describe("an upgrade", () => {
  it.live.each(refusals)("%s is refused", ([, options, status, text]) =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const answer = yield* Service.connect(service, options)
      assert(isRefused(answer))
      assert.deepStrictEqual([answer.status, answer.body], [status, `${text}\n`])
      assert.strictEqual(answer.headers["content-type"], "text/plain; charset=utf-8")
      if (status === 401) {
        assert.strictEqual(answer.headers["www-authenticate"], `Basic realm="Auth failure, ${text}"`)
        assert.strictEqual(answer.headers.connection, "close")
      }
      yield* Service.connected(service)
    }).pipe(Effect.scoped)
  )

  it.live("with the required secret is taken", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      yield* Service.connected(service, { path: `/ws/v3/${GUARDED_KEY}`, headers: basic(SECRET) })
    }).pipe(Effect.scoped)
  )

  it.live("without its own headers is answered with 400", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const answer = yield* Service.raw(
        service,
        `GET /ws/v3/${KEY} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`
      )
      assert.match(answer, /^HTTP\/1\.1 400 /u)
    }).pipe(Effect.scoped)
  )

  it.live("beyond the limits is refused, until another socket closes", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { limits: { socketsPerProject: 2, sockets: 3 } })
      const guarded = { path: `/ws/v3/${GUARDED_KEY}`, headers: basic(SECRET) }
      const first = yield* Service.connected(service)
      yield* Service.connected(service)
      const third = yield* Service.connect(service)
      assert(isRefused(third))
      assert.deepStrictEqual([third.status, third.body], [429, "too many websockets\n"])
      yield* Service.connected(service, guarded)
      const fourth = yield* Service.connect(service, guarded)
      assert(isRefused(fourth))
      assert.deepStrictEqual([fourth.status, fourth.body], [503, "service busy\n"])
      first.socket.close()
      yield* Effect.promise(() => first.closed)
      yield* Effect.repeat(Service.connect(service), { until: (answer) => !isRefused(answer) })
    }).pipe(Effect.scoped)
  )
})

describe("the bounds of a WebSocket", () => {
  it.live("no more messages than the limit are under way, and none is lost", () =>
    Effect.gen(function* () {
      const { begun, calls, open, upstream } = yield* gates
      const service = yield* Service.start(upstream, { limits: { socketInFlight: 2 } })
      const client = yield* Service.connected(service)
      for (let id = 0; id < 20; id++) client.socket.send(Service.call("eth_chainId", [], id))
      for (let index = 0; index < 20; index++) {
        yield* begun(Math.min(index + 2, 20))
        assert.isAtMost(calls.length, index + 2)
        yield* open(index)
        assert.strictEqual(JSON.parse(yield* Effect.promise(() => client.next())).id, index)
      }
    }).pipe(Effect.scoped)
  )

  it.live("a flood of messages that need no waiting is taken", () =>
    Effect.gen(function* () {
      const { begun, open, upstream } = yield* gates
      const service = yield* Service.start(upstream, { limits: { socketInFlight: 1 } })
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId", [], "first"))
      yield* begun(1)
      // The messages are read in large chunks while the first call runs, then processed all at once. The stack must not
      // overflow.
      for (let left = 20_000; left > 0; left--) client.socket.send('{"jsonrpc":"2.0","method":"x"}')
      client.socket.send(Service.call("silence", [], "last"))
      yield* open(0)
      const heard = yield* Effect.promise(() => client.take(2))
      assert.deepStrictEqual(
        heard.map((text) => JSON.parse(text).id),
        ["first", "last"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("all sockets and bodies together hold no more bytes than the limit, and no message is lost", () =>
    Effect.gen(function* () {
      const { begun, calls, open, upstream } = yield* gates
      const message = (id: number) => Service.call("eth_chainId", [], id).padEnd(1000)
      const service = yield* Service.start(upstream, { limits: { bufferedBytes: 2500 } })
      const clients = yield* Effect.forEach([0, 1, 2, 3, 4], () => Service.connected(service))
      for (const [at, client] of clients.entries()) for (const id of [at, at + 5]) client.socket.send(message(id))
      for (let index = 0; index < 10; index++) {
        yield* begun(Math.min(index + 2, 10))
        // When this request is answered, everything that was sent before has been read.
        yield* Service.ask(service, { path: "/health", method: "GET" })
        assert.isAtMost(calls.length, index + 2)
        if (index < 9) {
          const body = yield* Service.ask(service, { body: message(99) })
          assert.deepStrictEqual([body.status, body.body], [503, "service busy\n"])
        }
        yield* open(index)
      }
      const heard = yield* Effect.forEach(clients, (client) => Effect.promise(() => client.take(2)))
      assert.deepStrictEqual(
        heard.map((answers) => answers.map((text) => JSON.parse(text).id as number).sort((a, b) => a - b)),
        [0, 1, 2, 3, 4].map((id) => [id, id + 5])
      )
    }).pipe(Effect.scoped)
  )

  it.live("a socket that leaves gives back what it held, and its place among those who wait", () =>
    Effect.gen(function* () {
      const { begun, open, upstream } = yield* gates
      const message = (id: number) => Service.call("eth_chainId", [], id).padEnd(1000)
      const service = yield* Service.start(upstream, { limits: { bufferedBytes: 1500 } })
      const [holds, waits, stays] = [
        yield* Service.connected(service),
        yield* Service.connected(service),
        yield* Service.connected(service)
      ]
      holds.socket.send(message(1))
      yield* begun(1)
      waits.socket.send(message(2))
      yield* Service.ask(service, { path: "/health", method: "GET" })
      stays.socket.send(message(3))
      waits.socket.terminate()
      holds.socket.terminate()
      yield* begun(2)
      yield* open(1)
      assert.strictEqual(JSON.parse(yield* Effect.promise(() => stays.next())).id, 3)
    }).pipe(Effect.scoped)
  )

  it.live("a message that is larger than all together may be is refused in an error object", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { limits: { bufferedBytes: 200 } })
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId", [], "large").padEnd(201))
      client.socket.send(Service.call("eth_chainId", [], "small").padEnd(200))
      assert.deepStrictEqual(
        (yield* Effect.promise(() => client.take(2))).map((text) => JSON.parse(text)),
        [
          { jsonrpc: "2.0", id: "large", error: { code: -32002, message: "service unavailable" } },
          { jsonrpc: "2.0", id: "small", result: "eth_chainId" }
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a message over the limit closes it with 1009", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { limits: { bodyBytes: 100 } })
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId").padEnd(100))
      assert.include(yield* Effect.promise(() => client.next()), "result")
      client.socket.send(Service.call("eth_chainId").padEnd(101))
      assert.strictEqual((yield* Effect.promise(() => client.closed)).code, 1009)
    }).pipe(Effect.scoped)
  )

  it.live("text that is not UTF-8 closes it with 1007", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const client = yield* Service.connected(service)
      client.socket.send(Uint8Array.of(0xff), { binary: false })
      assert.strictEqual((yield* Effect.promise(() => client.closed)).code, 1007)
    }).pipe(Effect.scoped)
  )

  it.live("compression is not offered", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const key = randomBytes(16).toString("base64")
      const headers = `upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}`
      const answer = yield* Effect.callback<string>((resume) => {
        const socket = net.connect(service.port, "127.0.0.1", () =>
          socket.write(
            `GET /ws/v3/${KEY} HTTP/1.1\r\nhost: x\r\n${headers}\r\nsec-websocket-extensions: permessage-deflate\r\n\r\n`
          )
        )
        socket.once("data", (data) => {
          socket.destroy()
          resume(Effect.succeed(data.toString("latin1")))
        })
      })
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
      assert.include(answer, `Sec-WebSocket-Accept: ${accept}`)
      assert.notInclude(answer.toLowerCase(), "sec-websocket-extensions")
    }).pipe(Effect.scoped)
  )

  it.live("a peer that does not read its answers is closed with 1013", () =>
    Effect.gen(function* () {
      const large = encoder.encode(JSON.stringify("x".repeat(16 * 1024 * 1024)))
      const service = yield* Service.start(
        { call: (method) => Effect.succeed(method === "eth_chainId" ? encoder.encode("1") : large) },
        { limits: { socketBufferedBytes: 1024 * 1024 } }
      )
      const client = yield* Service.connected(service)
      client.socket.pause()
      // The first answer fills the connection's buffers, so the second answer finds them full.
      client.socket.send(Service.call("eth_getBlockByHash", [HASH, true]))
      client.socket.send(Service.call("eth_getBlockByHash", [HASH, true]))
      client.socket.send(Service.call("eth_chainId"))
      // When a second socket gets its answer, the service has accepted the earlier messages too.
      const other = yield* Service.connected(service)
      other.socket.send(Service.call("eth_chainId"))
      yield* Effect.promise(() => other.next())
      client.socket.resume()
      const { code, reason } = yield* Effect.promise(() => client.closed)
      assert.deepStrictEqual([code, reason], [1013, "answers are not read"])
    }).pipe(Effect.scoped)
  )

  it.live("a peer that reads nothing at all is ended", () =>
    Effect.gen(function* () {
      const large = encoder.encode(JSON.stringify("x".repeat(16 * 1024 * 1024)))
      const service = yield* Service.start(
        { call: () => Effect.succeed(large) },
        { limits: { sockets: 1, socketInFlight: 1 }, timeouts: { write: "50 millis" } }
      )
      const client = yield* Service.connected(service)
      client.socket.pause()
      client.socket.send(Service.call("eth_chainId"))
      // There is room for one socket. Another socket is admitted only when the first one has ended.
      yield* Effect.repeat(Service.connect(service), {
        until: (answer) => !isRefused(answer),
        schedule: Schedule.spaced("20 millis")
      })
    }).pipe(Effect.scoped)
  )

  it.effect("a peer that does not answer a ping is ended before the next one", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { timeouts: { heartbeat: "30 seconds" } })
      const dead = yield* Service.connected(service, { autoPong: false })
      const living = yield* Service.connected(service)
      const pinged = (client: Service.Client) =>
        new Promise<void>((resolve) => client.socket.once("ping", () => resolve()))
      for (let beat = 0; beat < 3; beat++) {
        const ping = pinged(living)
        yield* TestClock.adjust("30 seconds")
        yield* Effect.promise(() => ping)
        // This call is sent after the pong. When it is answered, the pong has arrived.
        living.socket.send(Service.call("eth_chainId"))
        yield* Effect.promise(() => living.next())
      }
      assert.strictEqual((yield* Effect.promise(() => dead.closed)).code, 1006)
      assert.strictEqual(living.socket.readyState, living.socket.OPEN)
    }).pipe(Effect.scoped)
  )
})

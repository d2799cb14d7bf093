/** Faults of connections: late or broken requests, endless bodies, too many connections, and lost connections. */
import * as http from "node:http"
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream } from "@plumbline/gateway"
import { Deferred, Effect, Fiber, Schedule } from "effect"

import * as FakeNode from "../support/fakeNode.ts"
import * as Held from "../support/held.ts"
import { HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const BODY = Service.call("eth_chainId")
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const result = new TextEncoder().encode('"0x1"')
const immediate = { call: () => Effect.succeed(result) }

/** A node that answers on command. `begun` succeeds when a call has begun. */
const gate = Effect.gen(function* () {
  const open = yield* Deferred.make<Uint8Array>()
  const begun = yield* Deferred.make<void>()
  return {
    upstream: { call: () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(open)) },
    begun: Deferred.await(begun),
    open: Deferred.succeed(open, result)
  }
})

const head = (length: number | string, extra = "") =>
  `POST /v3/${KEY} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${extra}` +
  (typeof length === "number" ? `content-length: ${length}\r\n\r\n` : `transfer-encoding: ${length}\r\n\r\n`)

const connection = ({ port }: { readonly port: number }, options: { readonly allowHalfOpen?: true } = {}) =>
  Effect.acquireRelease(
    Effect.callback<net.Socket>((resume) => {
      const socket = net.connect({ port, host: "127.0.0.1", ...options }, () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Collects the text that arrives on a connection. */
const hearing = (socket: net.Socket) => {
  const waiting: Array<() => void> = []
  const heard = {
    text: "",
    error: undefined as Error | undefined,
    closed: new Promise<void>((resolve) => socket.once("close", () => resolve())),
    /** Resolves when this text has arrived. */
    until: (part: string) =>
      new Promise<void>((resolve) => {
        const look = () => (heard.text.includes(part) ? resolve() : undefined)
        waiting.push(look)
        look()
      })
  }
  socket.on("data", (chunk) => {
    heard.text += String(chunk)
    for (const look of waiting) look()
  })
  socket.on("error", (error) => (heard.error = error))
  return heard
}

const count = (text: string, part: string) => text.split(part).length - 1

describe("a connection", () => {
  it.live("whose body does not come is answered with 408", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { timeouts: { headers: "50 millis", request: "50 millis" } })
      const answer = yield* Service.raw(service, head(100), "{")
      assert.match(answer, /^HTTP\/1\.1 408 .*connection: close.*\r\n\r\nrequest timeout\n$/su)
    }).pipe(Effect.scoped)
  )

  it.live(
    "whose body comes in full behind the 408 has not asked for it, and what was refused is on the disk before",
    () =>
      Effect.gen(function* () {
        const service = yield* Held.start({ timeouts: { headers: "50 millis", request: "50 millis" } })
        service.gates.record.close()
        const socket = yield* connection(service)
        let heard = ""
        socket.on("data", (chunk) => (heard += String(chunk)))
        const closed = new Promise((resolve) => socket.once("close", resolve))
        socket.write(head(BODY.length) + BODY.slice(0, 10))
        yield* service.gates.record.reached
        socket.write(BODY.slice(10))
        yield* Held.noticed
        assert.strictEqual(heard, "")
        yield* service.gates.record.open
        yield* Effect.promise(() => closed)
        assert.match(heard, /^HTTP\/1\.1 408 .*connection: close.*\r\n\r\nrequest timeout\n$/su)
        const rows = service.recorded.map(({ bytesOut, credits, status }) => [status, credits, bytesOut])
        assert.deepStrictEqual(rows, [[408, 5, "request timeout\n".length]])
        assert.strictEqual(service.asked(), 0)
      }).pipe(Effect.scoped)
  )

  it.live("whose headers do not come is answered with 408", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { timeouts: { headers: "50 millis" } })
      const answer = yield* Service.raw(service, `POST /v3/${KEY} HTTP/1.1\r\nhost:`)
      assert.match(answer, /^HTTP\/1\.1 408 .*connection: close.*\r\n\r\nrequest timeout\n$/su)
    }).pipe(Effect.scoped)
  )

  it.live("that does not speak HTTP is answered with 400", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      for (const nonsense of ["nonsense\r\n\r\n", "\u0016\u0003\u0001", `GET /v3/${KEY} HTTP/9.9\r\n\r\n`]) {
        const answer = yield* Service.raw(service, nonsense)
        assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\nbad request\n$/su)
      }
    }).pipe(Effect.scoped)
  )

  it.live("of HTTP/1.1 without a Host header is answered with 400, as RFC 9112 wants", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const answer = yield* Service.raw(service, "POST /v3 HTTP/1.1\r\ncontent-length: 0\r\n\r\n")
      assert.match(answer, /^HTTP\/1\.1 400 /u)
    }).pipe(Effect.scoped)
  )

  it.live("with a length and chunks at once is answered with 400", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const answer = yield* Service.raw(service, head("chunked", "content-length: 5\r\n"), "0\r\n\r\n")
      assert.match(answer, /^HTTP\/1\.1 400 /u)
    }).pipe(Effect.scoped)
  )

  it.live("with endless headers is answered with 431", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const answer = yield* Service.raw(service, `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 431 .*\r\n\r\nrequest header fields too large\n$/su)
    }).pipe(Effect.scoped)
  )

  it.live("whose chunks are broken is answered with 400", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const answer = yield* Service.raw(service, head("chunked"), "2\r\n{}\r\nnonsense\r\n")
      assert.match(answer, /^HTTP\/1\.1 400 .*connection: close.*\r\n\r\nbad request\n$/su)
    }).pipe(Effect.scoped)
  )

  it.live("is asked to go on before a body is sent, if it waits for that", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const last = "connection: close\r\n"
      const welcome = yield* Service.raw(service, head(BODY.length, `expect: 100-continue\r\n${last}`), BODY)
      assert.match(welcome, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/u)
      // These requests are refused before a byte of the body is sent.
      const refused = yield* Service.raw(service, head(1e9, "expect: 100-continue\r\n"))
      assert.match(refused, /^HTTP\/1\.1 413 .*connection: close/su)
      const stranger = yield* Service.raw(service, head(10, "expect: 100-continue\r\n").replace(KEY, "0".repeat(32)))
      assert.match(stranger, /^HTTP\/1\.1 401 .*connection: close/su)
    }).pipe(Effect.scoped)
  )

  it.live("carries chunked bodies", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const chunks = Array.from(BODY, (char) => `1\r\n${char}\r\n`)
      const answer = yield* Service.raw(service, head("chunked", "connection: close\r\n"), ...chunks, "0\r\n\r\n")
      assert.include(answer, RESULT)
    }).pipe(Effect.scoped)
  )

  it.live("carries requests one behind the other, answered in order", () =>
    Effect.gen(function* () {
      const waiting = yield* gate
      let asked = 0
      const service = yield* Service.start({
        // The first call finishes last.
        call: () => (asked++ === 0 ? waiting.upstream.call() : Effect.as(waiting.open, result))
      })
      const request = (id: number, last = "") => {
        const body = Service.call("eth_chainId", [], id)
        return head(body.length, last) + body
      }
      const answer = yield* Service.raw(service, request(1) + request(2) + request(3, "connection: close\r\n"))
      const ids = [...answer.matchAll(/"id":(\d)/gu)].map((match) => match[1])
      assert.deepStrictEqual(ids, ["1", "2", "3"])
      assert.strictEqual(count(answer, "HTTP/1.1 200 OK"), 3)
    }).pipe(Effect.scoped)
  )

  it.live("is kept after an answer, and after a refusal of a short request", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      const ports = new Set<number | undefined>()
      agent.on("free", (socket: net.Socket) => ports.add(socket.localPort))
      for (const path of [`/v3/${KEY}`, "/v3/nobody", "/elsewhere", `/v3/${KEY}`]) {
        yield* Service.ask(service, { agent, path, body: BODY })
      }
      const last = yield* Service.ask(service, { agent, body: BODY })
      assert.strictEqual(last.body, RESULT)
      assert.strictEqual(ports.size, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that sends a long body is told of its refusal although it is still sending", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate)
      // 6 MiB exceed the buffers of a connection, so the client gets its answer only if the service reads the body.
      const body = Buffer.alloc(6 * 1024 * 1024, " ")
      const announced = yield* Service.ask(service, { body })
      assert.deepStrictEqual(
        [announced.status, announced.body, announced.headers.connection],
        [413, `content length too large (${body.length}>5242880)\n`, "close"]
      )
      const chunked = yield* Service.ask(service, { body, headers: { "transfer-encoding": "chunked" } })
      assert.deepStrictEqual([chunked.status, chunked.body], [413, "content length too large (>5242880)\n"])
      const stranger = yield* Service.ask(service, { body, path: "/v3/nobody" })
      assert.strictEqual(stranger.status, 401)
    }).pipe(Effect.scoped)
  )

  it.live("that was idle for too long answers a request that waits already", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(immediate, { timeouts: { idle: "100 millis" } })
      const socket = yield* connection(service)
      const heard = hearing(socket)
      socket.write(head(BODY.length) + BODY)
      yield* Effect.promise(() => heard.until(RESULT))
      socket.write(head(BODY.length, "connection: close\r\n") + BODY)
      // Node adds a second to the idle timeout. The loop blocks, so the timer fires before the service reads the
      // request.
      for (const end = performance.now() + 1200; performance.now() < end;);
      yield* Effect.promise(() => heard.closed)
      assert.strictEqual(heard.error, undefined)
      assert.strictEqual(count(heard.text, RESULT), 2)
    }).pipe(Effect.scoped)
  )

  it.live("that was idle for too long tells a request that crosses its end that it was not processed", () =>
    Effect.gen(function* () {
      let asked = 0
      const upstream = { call: () => Effect.sync(() => (asked++, result)) }
      const service = yield* Service.start(upstream, { timeouts: { idle: "100 millis" } })
      const socket = yield* connection(service, { allowHalfOpen: true })
      const heard = hearing(socket)
      socket.write(head(BODY.length) + BODY)
      yield* Effect.promise(() => heard.until("408"))
      // the client sends a request before it has read the 408
      socket.write(head(BODY.length) + BODY)
      socket.end()
      yield* Effect.promise(() => heard.closed)
      assert.strictEqual(heard.error, undefined)
      assert.match(heard.text, /"result":"0x1"\}HTTP\/1\.1 408 .*connection: close.*\r\n\r\nrequest timeout\n$/su)
      assert.strictEqual(asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that ends before its answer gives the call up", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => () => undefined)
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }))
      const fiber = yield* Effect.forkChild(Service.raw(service, head(BODY.length) + BODY))
      yield* Effect.promise(() => node.wasAsked(1))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => node.abandoned(1))
    }).pipe(Effect.scoped)
  )

  it.live("that sends nonsense behind a request under way gets the answer to that request, and is closed", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => () => undefined)
      // The first request is valid and is answered first, when the upstream's timeout ends its call.
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url, timeout: "1 second" }))
      const socket = yield* connection(service)
      const received: Array<string> = []
      socket.on("data", (piece) => received.push(String(piece)))
      const closed = new Promise((resolve) => socket.once("close", resolve))
      socket.write(head(BODY.length) + BODY)
      yield* Effect.promise(() => node.wasAsked(1))
      socket.write("nonsense\r\n\r\n")
      yield* Effect.promise(() => node.abandoned(1))
      yield* Effect.promise(() => closed)
      const [first = "", ...others] = received.join("").split(/(?=HTTP\/1\.1 )/u)
      assert.match(first, /^HTTP\/1\.1 \d+ [^\r]*\r\n[^]*"error"/u)
      assert.notInclude(first, "400 Bad Request")
      // the invalid request gets at most one refusal
      assert.isAtMost(others.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is not made a WebSocket while an earlier request on it is not answered", () =>
    Effect.gen(function* () {
      const { begun, open, upstream } = yield* gate
      const service = yield* Service.start(upstream)
      const socket = yield* connection(service)
      const heard = hearing(socket)
      // chunks are read by node:http, and in one write with them the upgrade is read before the call is answered
      socket.write(
        `${head("chunked")}${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n` +
          `GET /ws/v3/${KEY} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
          "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      )
      yield* begun
      yield* open
      yield* Effect.promise(() => heard.until("websocket upgrade required"))
      assert.deepStrictEqual(heard.text.match(/HTTP\/1\.1 \d+/gu), ["HTTP/1.1 200", "HTTP/1.1 426"])
    }).pipe(Effect.scoped)
  )

  it.live("whose answer is not read is ended", () =>
    Effect.gen(function* () {
      const large = new TextEncoder().encode(JSON.stringify("x".repeat(32 * 1024 * 1024)))
      const service = yield* Service.start(
        { call: (method) => Effect.succeed(method === "eth_chainId" ? result : large) },
        { timeouts: { write: "50 millis" }, limits: { connections: 1 } }
      )
      const socket = yield* connection(service)
      socket.pause()
      const body = Service.call("eth_getBlockByHash", [HASH, true])
      socket.write(head(body.length) + body)
      // The service permits one connection. Another connection is accepted after the first one was closed.
      const other = yield* Effect.suspend(() =>
        Service.raw(service, head(BODY.length, "connection: close\r\n") + BODY)
      ).pipe(Effect.repeat({ until: (answer) => answer !== "", schedule: Schedule.spaced("20 millis") }))
      assert.include(other, "200 OK")
    }).pipe(Effect.scoped)
  )
})

describe("many connections", () => {
  it.live("are answered, each with its own", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(({ params }) => ({ result: params[1] }))
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url, connections: 8 }))
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) => {
          const position = `0x${index.toString(16).padStart(4, "0")}`
          const params = [`0x${"cd".repeat(20)}`, position, "latest"]
          return Effect.map(
            Service.ask(service, { body: Service.call("eth_getStorageAt", params, index) }),
            ({ body }) => body === `{"jsonrpc":"2.0","id":${index},"result":"${position}"}`
          )
        },
        { concurrency: "unbounded" }
      )
      assert.isTrue(answers.every(Boolean))
    }).pipe(Effect.scoped)
  )

  it.live("are told when there is too much to do", () =>
    Effect.gen(function* () {
      const waiting = yield* gate
      const service = yield* Service.start(waiting.upstream, { limits: { requests: 1 } })
      const first = yield* Effect.forkChild(Service.ask(service, { body: BODY }))
      yield* waiting.begun
      const second = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([second.status, second.body, second.headers["retry-after"]], [503, "service busy\n", "1"])
      // The health check is answered even while the service is busy.
      assert.strictEqual((yield* Service.ask(service, { path: "/health", method: "GET" })).status, 200)
      yield* waiting.open
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.strictEqual((yield* Service.ask(service, { body: BODY })).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("hold no more bytes together than the limit, and give them back", () =>
    Effect.gen(function* () {
      const waiting = yield* gate
      const service = yield* Service.start(waiting.upstream, { limits: { bufferedBytes: BODY.length + 10 } })
      const first = yield* Effect.forkChild(Service.ask(service, { body: BODY }))
      yield* waiting.begun
      const second = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([second.status, second.body], [503, "service busy\n"])
      yield* waiting.open
      yield* Fiber.join(first)
      for (let index = 0; index < 5; index++) {
        assert.strictEqual((yield* Service.ask(service, { body: BODY })).status, 200)
      }
    }).pipe(Effect.scoped)
  )

  it.live("beyond the limit are closed", () =>
    Effect.gen(function* () {
      const waiting = yield* gate
      const service = yield* Service.start(waiting.upstream, { limits: { connections: 1 } })
      const first = yield* Effect.forkChild(Service.ask(service, { body: BODY }))
      yield* waiting.begun
      assert.strictEqual(yield* Service.raw(service, head(BODY.length) + BODY), "")
      yield* waiting.open
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
    }).pipe(Effect.scoped)
  )
})

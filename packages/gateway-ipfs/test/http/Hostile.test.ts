/** Hostile requests: each one costs the service little, and comes to an end. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Redaction } from "@plumbline/gateway"
import { KEY, SECRET } from "@plumbline/gateway/support/service"
import { type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { GoDuration } from "@plumbline/jsonrpc-core"
import { Cause, Deferred, Effect, Logger, References, Stream } from "effect"

import * as Go from "../../src/http/goForms.ts"
import * as Ipfs from "../support/ipfs.ts"
import { BOUNDARY, bytesOf, file, HELLO } from "../support/ipfs.ts"

const hello = String(HELLO)

const connect = (service: { readonly port: number }) =>
  Effect.acquireRelease(
    Effect.callback<net.Socket>((resume) => {
      const socket = net.connect({ port: service.port, host: "127.0.0.1" }, () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const closed = (socket: net.Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
  })

/** Returns the time for which the work blocks the main thread, in milliseconds. */
const took = (work: () => unknown): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}

describe("a query of the most that a request may have", () => {
  const long = 16_000
  const cases: ReadonlyArray<readonly [name: string, work: () => unknown]> = [
    ["a duration without a unit", () => GoDuration.toMillis("1".repeat(long))],
    ["a duration of many points", () => GoDuration.toMillis("1.1".repeat(long / 3))],
    ["a duration of many parts", () => GoDuration.toMillis(`${"1h".repeat(long / 2)}x`)],
    ["a number", () => Go.parseInteger(`${"1".repeat(long)}x`)],
    ["a path in an error, of what could begin addresses", () => Redaction.text("a.".repeat(long / 2))],
    ["a path in an error, of what could be keys", () => Redaction.text("/v3/".repeat(long / 4))],
    ["a name of dots", () => Go.cleanPath("../".repeat(long / 3))]
  ]
  it.each(cases)("%s takes no time", (_, work) => {
    assert.isBelow(Math.min(took(work), took(work), took(work)), 40)
  })

  it("means what Go means", () => {
    for (const text of ["1", "t", "T", "true", "TRUE", "True", ""]) assert.strictEqual(Go.parseBool(text), true, text)
    for (const text of ["0", "f", "F", "false", "FALSE", "False"]) assert.strictEqual(Go.parseBool(text), false, text)
    for (const text of ["tRUE", "yes", "on", "10", "fALSE", " 1"]) assert.isUndefined(Go.parseBool(text), text)
    assert.strictEqual(GoDuration.toMillis("1h2m3.5s"), 3_723_500)
    assert.strictEqual(GoDuration.toMillis("1.s"), 1000)
    assert.strictEqual(GoDuration.toMillis(".5s"), 500)
    for (const text of ["", "1", ".s", "1.2.3s", "s", "-"]) assert.isUndefined(GoDuration.toMillis(text), text)
  })

  it.live("lists no more of many directories than of one", () =>
    Effect.gen(function* () {
      let read = 0
      const ls: IpfsNode.IpfsNodeCommands["ls"] = () =>
        Stream.fromIterable(Array.from({ length: 60 }, (_, i) => i)).pipe(
          Stream.rechunk(1),
          Stream.map((i) => {
            read++
            return { name: `n${i}`, cid: HELLO, type: "file", size: 1 } as const
          })
        )
      const service = yield* Ipfs.start({ ls }, { ipfs: { limits: { listed: 100 } } })
      assert.strictEqual((yield* Ipfs.ask(service, `ls?arg=${hello}`)).status, 200)
      read = 0
      const { body, status } = yield* Ipfs.ask(service, `ls?${`arg=${hello}&`.repeat(200)}`)
      assert.deepStrictEqual([status, JSON.parse(body).Message.includes("more than 100")], [500, true])
      assert.isBelow(read, 110)
    }).pipe(Effect.scoped)
  )
})

describe("an upload", () => {
  it.live("whose paths are much longer than its files are many is refused", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const deep = (at: number) => ({ content: "x", headers: file(`${at}${"/d".repeat(1500)}/f`) })
      const one = yield* Ipfs.upload(service, "add", deep(0))
      assert.strictEqual(one.status, 200)
      // 50 files in one folder need no more directories than one file
      const beside = Array.from({ length: 50 }, (_, i) => ({
        content: "x",
        headers: file(`a${"/d".repeat(1500)}/f${i}`)
      }))
      assert.strictEqual((yield* Ipfs.upload(service, "add", ...beside)).status, 200)
      const usual = Array.from({ length: 3000 }, (_, i) => ({ content: "x", headers: file(`a/b${i % 7}/c${i}/d/e/f`) }))
      assert.strictEqual((yield* Ipfs.upload(service, "add", ...usual)).status, 200)
      added.length = 0
      const many = yield* Ipfs.upload(
        service,
        "add?silent=true",
        ...Array.from({ length: 50 }, (_, i) => deep(i))
      ).pipe(Effect.timeout("20 seconds"), Effect.exit)
      assert.isBelow(added.length, 4)
      assert.strictEqual(many._tag, "Success")
      if (many._tag === "Success") {
        assert.strictEqual(many.value.status, 400)
        assert.match(many.value.body, /too many directories/u)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that is refused after a long time, and whose client then neither sends nor leaves, is closed", () =>
    Effect.gen(function* () {
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, {
        timeouts: { request: "300 millis", headers: "300 millis", write: "100 millis" },
        ipfs: { uploadIdle: "500 millis" }
      })
      const socket = yield* connect(service)
      let text = ""
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1")
      })
      const start = `--${BOUNDARY}\r\n${file("f")}\r\n\r\n`
      socket.write(Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": "1000000" }) + start)
      for (let i = 0; i < 10; i++) {
        socket.write("slow".repeat(300))
        yield* Effect.sleep("50 millis")
      }
      yield* Effect.timeout(closed(socket), "10 seconds")
      assert.match(text, /^HTTP\/1\.1 400 .*nothing came for too long/su)
    }).pipe(Effect.scoped)
  )
})

describe("a client that sends a byte now and then", () => {
  it.live("holds its connection no longer than one that is silent", () =>
    Effect.gen(function* () {
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, { ipfs: { uploadIdle: "3 seconds" } })
      const socket = yield* connect(service)
      let text = ""
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1")
      })
      const start = `--${BOUNDARY}\r\n${file("f")}\r\n\r\n`
      socket.write(Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": "600000" }) + start)
      const send = Effect.sync(() => socket.write("x")).pipe(Effect.andThen(Effect.sleep("20 millis")))
      // a client that sends some kilobytes within the idle time is not refused, though it goes on for longer
      for (const begun = performance.now(); performance.now() - begun < 4000;)
        yield* Effect.andThen(
          Effect.sync(() => socket.write("x".repeat(600))),
          send
        )
      assert.strictEqual(text, "")
      yield* Effect.timeout(Effect.repeat(send, { until: () => text !== "" }), "30 seconds")
      assert.match(text, /^HTTP\/1\.1 400 .*nothing came for too long/su)
    }).pipe(Effect.scoped)
  )
})

describe("a client that does not read", () => {
  it.live("is cut off where its answer has failed", () =>
    Effect.gen(function* () {
      const sockets: Array<net.Socket> = []
      const onSocket = (message: unknown) => sockets.push((message as { socket: net.Socket }).socket)
      subscribe("net.server.socket", onSocket)
      yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("net.server.socket", onSocket)))
      let failed = yield* Deferred.make<net.Socket>()
      // The node returns small pieces until the buffers of the system are full. Then it fails, and the answer must end
      // although the client does not read.
      let port = 0
      const content = Stream.unfold(undefined, () =>
        Effect.gen(function* () {
          // after one turn of the event loop, the system has taken the written bytes unless its buffers are full
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          const socket = sockets.find(({ localPort, writableLength }) => localPort === port && writableLength > 0)
          if (socket === undefined) return [new Uint8Array(32 * 1024), undefined] as const
          yield* Deferred.succeed(failed, socket)
          return yield* new IpfsNodeError.IpfsNodeError({
            reason: new IpfsNodeError.Failed({ doing: "reading", detail: "EIO" })
          })
        })
      )
      const service = yield* Ipfs.start(
        { cat: () => Effect.succeed({ size: 1e9, bytes: content }) },
        { timeouts: { write: "100 millis" } }
      )
      port = service.port
      for (const headers of [{}, { TE: "trailers" }]) {
        failed = yield* Deferred.make<net.Socket>()
        const socket = yield* connect(service)
        socket.pause()
        socket.write(Ipfs.head(`cat?arg=${hello}`, { "Content-Length": "0", ...headers }))
        const other = yield* Effect.timeout(Deferred.await(failed), "20 seconds")
        yield* Effect.timeout(closed(other), "20 seconds")
      }
    }).pipe(Effect.scoped)
  )
})

describe("a client that leaves", () => {
  it.live("in the middle of an archive that is compressed ends the work", () =>
    Effect.gen(function* () {
      for (const query of ["compress=true", "compress=true&archive=true"]) {
        const begun = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<string>()
        const content = Stream.concat(
          Stream.make(new Uint8Array(1_000_000)),
          Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        ).pipe(Stream.onExit((exit) => Deferred.succeed(ended, exit._tag)))
        const found = { cid: HELLO, type: "file", size: 2_000_000, path: "f", content } as const
        const service = yield* Ipfs.start({ get: () => Stream.make<[IpfsNode.ArchiveEntry]>(found) })
        const socket = yield* connect(service)
        socket.write(Ipfs.head(`get?arg=${hello}&${query}`, { "Content-Length": "0" }))
        yield* Effect.timeout(Deferred.await(begun), "10 seconds")
        socket.destroy()
        assert.strictEqual(yield* Effect.timeout(Deferred.await(ended), "10 seconds"), "Failure")
      }
    }).pipe(Effect.scoped)
  )
})

describe("a name with line breaks", () => {
  it.live("adds no header and no line to an answer", () =>
    Effect.gen(function* () {
      const evil = "x\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK\u2028"
      const reason = new IpfsNodeError.NoLink({ cid: hello, name: evil })
      const broken = Stream.concat(
        Stream.make(bytesOf("some")),
        Stream.fail(
          new IpfsNodeError.IpfsNodeError({ reason: new IpfsNodeError.Malformed({ cid: hello, detail: evil }) })
        )
      )
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start({
        add: node.add,
        cat: (path) => (path === hello ? Effect.succeed({ size: 9, bytes: broken }) : Ipfs.fails(reason))
      })
      const refused = yield* Ipfs.ask(service, `cat?arg=${encodeURIComponent(evil)}`)
      assert.isUndefined(refused.headers["set-cookie"])
      assert.strictEqual(refused.body.trim().split("\n").length, 1)
      assert.include(JSON.parse(refused.body).Message, "Set-Cookie")
      const query = yield* Ipfs.ask(service, `cat?arg=${hello}&offset=${encodeURIComponent(evil)}`)
      assert.deepStrictEqual([query.status, query.body.split("\n").length], [400, 2])
      const added = yield* Ipfs.upload(service, "add", { content: "x", headers: file(encodeURIComponent(evil)) })
      assert.strictEqual(added.body.trim().split("\n").length, 1)
      assert.notInclude(added.body, "\u2028")
      const socket = yield* connect(service)
      let text = ""
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1")
      })
      socket.write(Ipfs.head(`cat?arg=${hello}`, { "Content-Length": "0" }))
      yield* closed(socket)
      assert.match(text, /\r\n0\r\nX-Stream-Error: [ -~]*Set-Cookie[ -~]*\r\n$/u)
    }).pipe(Effect.scoped)
  )
})

describe("a request that fails", () => {
  it.live("has its key and secret in no log and no answer, whatever it fails with", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const logger = Logger.make<unknown, void>(({ cause, fiber, message }) => {
        const annotations = fiber.getRef(References.CurrentLogAnnotations)
        written.push([String(message), JSON.stringify(annotations), Cause.pretty(cause)].join(" "))
      })
      const basic = Ipfs.AUTHORIZATION.slice("Basic ".length)
      const secrets = [KEY, SECRET, basic]
      const url = `https://${KEY}:${SECRET}@node.example/v3/${KEY}`
      const reasons: ReadonlyArray<IpfsNodeError.Reason> = [
        new IpfsNodeError.Failed({ doing: "asking", detail: url }),
        new IpfsNodeError.NotSupported({ what: url }),
        new IpfsNodeError.InvalidRequest({ what: "path", detail: url }),
        new IpfsNodeError.Damaged({ cid: hello, expected: url, got: url })
      ]
      const options = { accessLog: true, loggers: [logger] }
      for (const reason of reasons) {
        const broken = Stream.fail(new IpfsNodeError.IpfsNodeError({ reason }))
        const service = yield* Ipfs.start(
          {
            cat: () => Ipfs.fails(reason),
            ls: () => broken,
            add: () => broken,
            dagImport: () => Effect.die(new Error(url)),
            pinLs: () => Stream.concat(Stream.make({ cid: HELLO, type: "direct", name: "" } as const), broken)
          },
          options
        )
        const answers = [
          yield* Ipfs.ask(service, `cat?arg=${hello}`),
          yield* Ipfs.ask(service, `ls?arg=${hello}`),
          yield* Ipfs.ask(service, `pin/add?arg=${hello}`),
          yield* Ipfs.ask(service, `nothing/${SECRET}?arg=${SECRET}`),
          yield* Ipfs.ask(service, SECRET),
          yield* Ipfs.ask(service, "version", { method: "GET" }),
          yield* Ipfs.ask(service, "version", { headers: { origin: `https://${SECRET}` } }),
          yield* Ipfs.ask(service, "version", { headers: { authorization: `Basic ${basic}x`, "user-agent": SECRET } }),
          yield* Ipfs.ask(service, "version", { headers: { authorization: `Bearer ${SECRET}` } }),
          yield* Ipfs.upload(service, "add", { content: SECRET, headers: file(SECRET) }),
          yield* Ipfs.upload(service, "dag/import", { content: SECRET, headers: file(SECRET) }),
          yield* Ipfs.ask(service, "add", { body: SECRET, headers: Ipfs.MULTIPART }),
          yield* Ipfs.ask(service, "add", { body: SECRET, headers: { "content-type": `multipart/${SECRET}` } })
        ]
        for (const { body, headers, status } of answers) {
          assert.isAtLeast(status, 400)
          for (const secret of secrets) assert.notInclude(body + JSON.stringify(headers), secret)
        }
        const socket = yield* connect(service)
        let text = ""
        socket.on("data", (chunk) => {
          text += chunk.toString("latin1")
        })
        socket.write(Ipfs.head("pin/ls?stream=true", { "Content-Length": "0" }))
        yield* closed(socket)
        assert.include(text, "X-Stream-Error")
        for (const secret of secrets) assert.notInclude(text, secret)
      }
      assert.isAbove(written.length, 50)
      for (const secret of secrets) assert.notInclude(written.join("\n"), secret)
    }).pipe(Effect.scoped)
  )
})

/** Tests the requests that a worker passes on. The callers write raw bytes, and the supervisor is a server of `node:http`. */
import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { Gateway } from "@plumbline/gateway"
import { Context, Effect, Fiber, Layer } from "effect"

import * as SupervisorRoute from "../../src/workers/SupervisorRoute.ts"
import * as State from "../support/State.ts"

/** Starts a worker's gateway before a supervisor with this listener. Returns the function that sends bytes to it. */
const worker = Effect.fnUntraced(function* (listener: RequestListener) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "plumbline-test-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const socketPath = path.join(folder, "supervisor.sock")
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener)
      await new Promise<void>((resolve) => server.listen(socketPath, resolve))
      return server
    }),
    (server) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      })
  )
  const network = {
    name: "live",
    hosts: [],
    chainId: 1,
    methods: EthMethods.group,
    upstream: { call: () => Effect.never }
  }
  const gateway = Gateway.layer({ networks: [network], ipfs: SupervisorRoute.make(socketPath) })
  const { port } = Context.get(yield* Layer.build(Layer.provide(gateway, State.memory)), Gateway.Gateway)
  /** Sends bytes on a connection of their own, and later others. Returns everything that is answered until its end. */
  return (bytes: string, others?: Promise<string>): Effect.Effect<string> =>
    Effect.promise(
      () =>
        new Promise((resolve) => {
          let text = ""
          const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
          socket.setEncoding("latin1").on("data", (part) => (text += part))
          socket.on("error", () => undefined)
          socket.once("close", () => resolve(text))
          void others?.then((bytes) => socket.write(bytes))
        })
    )
})

const answerWith: RequestListener = (request, response) => {
  request.resume()
  request.once("end", () => response.end(JSON.stringify(request.rawHeaders)))
}

const get = (headers: string, target = "/metrics", version = "1.1"): string =>
  `GET ${target} HTTP/${version}\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`

const statusOf = (answer: string): string => answer.split(" ")[1] ?? ""

const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4)

describe("a worker", () => {
  it.live("survives a trailer that is announced without a body, and passes none on", () =>
    Effect.gen(function* () {
      const send = yield* worker(answerWith)
      const answer = yield* send(get("trailer: x-sum\r\n"))
      assert.strictEqual(statusOf(answer), "200")
      assert.notInclude(bodyOf(answer), "x-sum")
    }).pipe(Effect.scoped)
  )

  it.live("keeps the headers of a connection, and lets no caller choose an address", () =>
    Effect.gen(function* () {
      const send = yield* worker(answerWith)
      const forged = "X-Forwarded-For: 192.0.2.1\r\nx-forwarded-for: 192.0.2.2\r\nte: trailers\r\nx-kept: 1\r\n"
      const answer = yield* send(
        get(`${forged}connection: X-Mine, host, te\r\nx-mine: 1\r\norigin: http://other.example\r\n`)
      )
      const headers: ReadonlyArray<string> = JSON.parse(bodyOf(answer))
      const passed = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
      assert.sameMembers(passed, ["host", "te", "x-kept", "origin", "x-forwarded-for", "x-request-id", "connection"])
      assert.strictEqual(headers[headers.indexOf("x-forwarded-for") + 1], "127.0.0.1")
      assert.notInclude(headers.join(), "192.0.2")
    }).pipe(Effect.scoped)
  )

  it.live("sends no chunks to a client of HTTP/1.0", () =>
    Effect.gen(function* () {
      const send = yield* worker((_, response) => {
        response.writeHead(200, { trailer: "x-sum" })
        response.write("ab", () => response.end("cd"))
      })
      assert.strictEqual(bodyOf(yield* send(get("", "/metrics", "1.0"))), "abcd")
      assert.strictEqual(bodyOf(yield* send(get(""))), "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n")
    }).pipe(Effect.scoped)
  )

  it.live("passes trailers on, and breaks off what the supervisor breaks off", () =>
    Effect.gen(function* () {
      const send = yield* worker(({ url }, response) => {
        response.writeHead(200, { trailer: "X-Stream-Error" })
        response.write("some")
        if (url === "/cut") setImmediate(() => response.destroy())
        else response.addTrailers({ "X-Stream-Error": "the disk is gone" })
        if (url !== "/cut") response.end()
      })
      const whole = yield* send(get("te: trailers\r\n", "/whole"))
      assert.match(whole, /^HTTP\/1\.1 200 .*\r\ntrailer: X-Stream-Error\r\n/su)
      assert.match(bodyOf(whole), /^4\r\nsome\r\n0\r\nX-Stream-Error: the disk is gone\r\n\r\n$/u)
      const cut = yield* send(get("te: trailers\r\n", "/cut"))
      assert.strictEqual(statusOf(cut), "200")
      assert.notInclude(bodyOf(cut), "\r\n0\r\n")
    }).pipe(Effect.scoped)
  )

  it.live("passes an upload on, byte for byte, with a length and in chunks", () =>
    Effect.gen(function* () {
      const send = yield* worker((request, response) => {
        const hash = createHash("sha256")
        request.on("data", (piece: Buffer) => hash.update(piece))
        request.once("end", () => response.end(hash.digest("hex")))
      })
      const body = randomBytes(3 * 2 ** 20).toString("hex")
      const digest = createHash("sha256").update(body).digest("hex")
      const head = "POST /api/v0/add HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
      const sized = yield* send(`${head}content-length: ${body.length}\r\n\r\n${body}`)
      const pieces = body.match(/.{1,65536}/gu)!.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
      const chunked = yield* send(`${head}transfer-encoding: chunked\r\n\r\n${pieces.join("")}0\r\n\r\n`)
      for (const answer of [sized, chunked]) assert.include(bodyOf(answer), digest)
    }).pipe(Effect.scoped)
  )

  it.live("answers a broken body once, though the supervisor answers it too", () =>
    Effect.gen(function* () {
      const arrived = new Map<string, (response: ServerResponse) => void>()
      const at = (url: string) => new Promise<ServerResponse>((resolve) => arrived.set(url, resolve))
      const [first, second] = [at("/first"), at("/second")]
      const send = yield* worker((request, response) => arrived.get(request.url!)!(response))
      const begun =
        "GET /first HTTP/1.1\r\nhost: localhost\r\n\r\n" +
        "POST /second HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"
      const sent = yield* Effect.forkChild(
        send(
          begun,
          second.then(() => "zz\r\n")
        )
      )
      const early = yield* Effect.promise(() => second)
      // The worker has read the broken piece when it has answered a later connection.
      yield* send(get("", "/livez"))
      yield* Effect.promise(() => new Promise<void>((resolve) => early.end("early", resolve)))
      yield* send(get("", "/livez"))
      ;(yield* Effect.promise(() => first)).end("first")
      const answer = yield* Fiber.join(sent)
      assert.deepStrictEqual(answer.match(/HTTP\/1\.1 \d+/gu), ["HTTP/1.1 200", "HTTP/1.1 400"])
      assert.notInclude(answer, "early")
    }).pipe(Effect.scoped)
  )
})

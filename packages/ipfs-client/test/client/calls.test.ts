/** Tests of uploads, cancellation, backpressure, timeouts and repeated tries. */
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Cid, IpfsClient } from "@plumbline/ipfs-client"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import * as Clients from "../support/clients.ts"
import * as IpfsNode from "../support/ipfsNode.ts"
import * as Liar from "../support/liar.ts"

const CID = Cid.fromTextUnsafe("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")

/** Makes a client over a stand-in that has one answer for each try. */
const scripted = (
  answers: ReadonlyArray<() => Response | Promise<Response>>,
  options: Partial<IpfsClient.IpfsClientOptions> = {}
) => {
  let tries = 0
  const client = HttpClient.make((request) =>
    Effect.map(
      Effect.promise(async () => answers[Math.min(tries++, answers.length - 1)]!()),
      (response) => HttpClientResponse.fromWeb(request, response)
    )
  )
  return Effect.map(
    Effect.provideService(IpfsClient.make({ url: "http://node.example", ...options }), HttpClient.HttpClient, client),
    (ipfs) => ({ ipfs, tries: () => tries })
  )
}

const busy = () => new Response("busy", { status: 503 })
const version = () => Response.json({ Version: "0.43.1" })

/** Runs an effect while the test's clock advances by one second at a time. */
const inTime = <A, E>(effect: Effect.Effect<A, E>, seconds = 120) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let second = 0; second < seconds && fiber.pollUnsafe() === undefined; second++) {
      // Lets pending work of the platform continue.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("1 second")
    }
    return yield* Fiber.join(fiber)
  })

describe("a second try", () => {
  it.effect("is made where it is safe, after a wait", () =>
    Effect.gen(function* () {
      const { ipfs, tries } = yield* scripted([busy, busy, version])
      assert.strictEqual((yield* inTime(ipfs.version())).version, "0.43.1")
      assert.strictEqual(tries(), 3)
    })
  )

  it.effect("waits as long as the server asks, if that is not too long", () =>
    Effect.gen(function* () {
      const later = (seconds: string) => () => new Response("", { status: 429, headers: { "retry-after": seconds } })
      const patient = yield* scripted([later("5"), version])
      const fiber = yield* Effect.forkChild(patient.ipfs.version())
      yield* inTime(Effect.sleep("4 seconds"))
      assert.strictEqual(patient.tries(), 1)
      yield* inTime(Effect.sleep("2 seconds"))
      assert.strictEqual((yield* Fiber.join(fiber)).version, "0.43.1")
      const never = yield* scripted([later("3600"), version])
      const error = yield* inTime(Effect.flip(never.ipfs.version()))
      assert.strictEqual(never.tries(), 1)
      assert.strictEqual(error.retryable, true)
    })
  )

  it.effect("is not made of what must not be repeated", () =>
    Effect.gen(function* () {
      const { ipfs, tries } = yield* scripted([busy])
      yield* inTime(Effect.flip(ipfs.pinRm(CID)))
      assert.strictEqual(tries(), 1)
      yield* inTime(Effect.flip(ipfs.add({ content: Stream.make(Uint8Array.of(1)) })))
      assert.strictEqual(tries(), 2)
      yield* inTime(Effect.flip(ipfs.add({ content: "in memory" })))
      assert.strictEqual(tries(), 5)
    })
  )

  it.effect("is not made of what will not change", () =>
    Effect.gen(function* () {
      const { ipfs, tries } = yield* scripted([() => new Response("no", { status: 403 })])
      yield* inTime(Effect.flip(ipfs.version()))
      assert.strictEqual(tries(), 1)
    })
  )

  it.effect("is not made when a part of the answer was handed out", () =>
    Effect.gen(function* () {
      const broken = () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(Uint8Array.of(1)),
            pull: (controller) => controller.error(new Error("gone"))
          })
        )
      const { ipfs, tries } = yield* scripted([broken, version])
      const error = yield* inTime(Effect.flip(Stream.runDrain(ipfs.cat(CID))))
      assert.strictEqual(error.message, "cat: the answer was cut off")
      assert.isTrue(error._tag === "IpfsError" && error.reason._tag === "TransportError" && error.reason.begun)
      assert.strictEqual(tries(), 1)
    })
  )
})

describe("silence", () => {
  const silent = () => new Promise<Response>(() => {})

  it.effect("before the answer ends the call", () =>
    Effect.gen(function* () {
      const { ipfs } = yield* scripted([silent], { timeout: "10 seconds", retries: 0 })
      const error = yield* inTime(Effect.flip(ipfs.version()))
      assert.strictEqual(error.message, "version: silence for 10s")
    })
  )

  it.effect("within the answer ends it, however long it was before", () =>
    Effect.gen(function* () {
      const slow = () =>
        new Response(
          new ReadableStream({
            start: (controller) => {
              controller.enqueue(Uint8Array.of(1))
            }
          })
        )
      const { ipfs } = yield* scripted([slow], { timeout: "10 seconds" })
      const got: Array<number> = []
      const error = yield* inTime(
        Effect.flip(Stream.runForEach(ipfs.cat(CID), (bytes) => Effect.sync(() => got.push(bytes.length))))
      )
      assert.strictEqual(error.reason._tag, "TimeoutError")
      assert.deepStrictEqual(got, [1])
    })
  )

  it.effect("is not the time that the reader takes", () =>
    Effect.gen(function* () {
      const { ipfs } = yield* scripted([() => new Response("hello")], { timeout: "10 seconds" })
      const slowly = Stream.mapEffect(ipfs.cat(CID), (bytes) => Effect.as(Effect.sleep("60 seconds"), bytes.length))
      assert.deepStrictEqual(yield* inTime(Stream.runCollect(slowly)), [5])
    })
  )

  it.effect("is broken by an upload that goes on", () =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("kubo")
      const ipfs = yield* Clients.make({ url, timeout: "10 seconds" })
      const drops = Stream.tick("8 seconds").pipe(
        Stream.take(6),
        Stream.map(() => Uint8Array.of(0x61))
      )
      const added = yield* inTime(ipfs.add({ content: drops }), 2000)
      assert.strictEqual(added.cid, (yield* ipfs.add({ content: "aaaaaa" })).cid)
    })
  )
})

describe("a call that is given up", () => {
  for (const [name, client] of Object.entries(Clients.httpClients)) {
    it.effect(`ends its request, over ${name}`, () =>
      Effect.gen(function* () {
        const began = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<void>()
        const url = yield* Liar.make((_, response) => {
          response.on("close", () => Deferred.doneUnsafe(ended, Effect.void))
          response.write("a")
          Deferred.doneUnsafe(began, Effect.void)
        })
        const ipfs = yield* Clients.over(client, { url })
        const fiber = yield* Effect.forkChild(Stream.runDrain(ipfs.cat(CID)))
        yield* Deferred.await(began)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(ended)
      })
    )

    it.effect(`ends its request when enough was read, over ${name}`, () =>
      Effect.gen(function* () {
        const ended = yield* Deferred.make<void>()
        const url = yield* Liar.make((_, response) => {
          response.on("close", () => Deferred.doneUnsafe(ended, Effect.void))
          response.write("abc")
        })
        const ipfs = yield* Clients.over(client, { url })
        assert.lengthOf(yield* Stream.runCollect(Stream.take(ipfs.cat(CID), 1)), 1)
        yield* Deferred.await(ended)
      })
    )
  }
})

describe("an answer", () => {
  for (const [name, client] of Object.entries(Clients.httpClients)) {
    it.effect(`is not read faster than it is taken, over ${name}`, () =>
      Effect.gen(function* () {
        let sent = 0
        const url = yield* Liar.make((_, response) => {
          const piece = Buffer.alloc(64 * 1024)
          const more = (): void => {
            while (!response.destroyed && response.write(piece)) {
              sent += piece.length
            }
          }
          response.on("drain", more)
          more()
        })
        const ipfs = yield* Clients.over(client, { url })
        const taken = yield* Stream.runCollect(
          Stream.take(
            Stream.tap(ipfs.cat(CID), () => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))),
            20
          )
        )
        const size = taken.reduce((sum, bytes) => sum + bytes.length, 0)
        // The platform's sockets can hold this many bytes in both directions.
        assert.isBelow(sent, size + 32 * 1024 * 1024)
      })
    )
  }
})

describe("an upload", () => {
  for (const [name, client] of Object.entries(Clients.httpClients)) {
    it.effect(`fails as its content does, over ${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* IpfsNode.make("kubo")
        const ipfs = yield* Clients.over(client, { url })
        const content = Stream.concat(Stream.make(Uint8Array.of(1)), Stream.fail("the disk is gone" as const))
        assert.strictEqual(yield* Effect.flip(ipfs.add({ content })), "the disk is gone")
        assert.strictEqual(yield* Effect.flip(Stream.runDrain(ipfs.addAll(Stream.fail("no list" as const)))), "no list")
      })
    )

    it.effect(`is pulled as it is sent, over ${name}`, () =>
      Effect.gen(function* () {
        // A server that reads nothing until the test allows it, and then reads everything.
        const url = yield* Liar.make((_, response) => response.end('{"Name":"x","Hash":"bafkqaaqha4","Size":"2"}\n'))
        const ipfs = yield* Clients.over(client, { url })
        let pulled = 0
        const piece = new Uint8Array(1024 * 1024)
        const content = Stream.fromIterable({
          *[Symbol.iterator]() {
            for (; pulled < 64; pulled++) {
              yield piece
            }
          }
        }).pipe(Stream.rechunk(1))
        assert.strictEqual((yield* ipfs.add({ content })).cid, "bafkqaaqha4")
        assert.strictEqual(pulled, 64)
      })
    )
  }

  it.effect("may be files of the platform, and entries found one by one", () =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("kubo")
      const ipfs = yield* Clients.to(url)
      const blob = yield* ipfs.add({ content: new Blob(["hello", " world"]) })
      assert.strictEqual(blob.cid, Cid.toText(CID))
      const many = Stream.range(0, 999).pipe(Stream.map((index) => ({ path: `many/${index}`, content: `${index}` })))
      const found = yield* Stream.runCollect(ipfs.addAll(many, { onlyHash: true }))
      assert.lengthOf(found, 1001)
    })
  )
})

describe("layers", () => {
  it.effect("provide the service over the client of the program, or over fetch", () =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("kubo")
      const program = IpfsClient.IpfsClient.use((ipfs) => ipfs.version())
      const overClient = IpfsClient.layer({ url }).pipe(Layer.provide(NodeHttpClient.layerUndici))
      assert.strictEqual((yield* Effect.provide(program, overClient)).version, "0.43.1")
      assert.strictEqual((yield* Effect.provide(program, IpfsClient.layerFetch({ url }))).version, "0.43.1")
      const double = IpfsClient.layerFetch({ url, fetch: async () => Response.json({ Version: "double" }) })
      assert.strictEqual((yield* Effect.provide(program, double)).version, "double")
    })
  )

  it.effect("over fetch does not follow a redirect", () =>
    Effect.gen(function* () {
      let followed = false
      const url = yield* Liar.make((request, response) => {
        followed ||= request.url === "/elsewhere"
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      const program = IpfsClient.IpfsClient.use((ipfs) => ipfs.version())
      const error = yield* Effect.flip(Effect.provide(program, IpfsClient.layerFetch({ url })))
      assert.strictEqual(error.message, "version: redirected: give the final URL")
      assert.isFalse(followed)
    })
  )
})

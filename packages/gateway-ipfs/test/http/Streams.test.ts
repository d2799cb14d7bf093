/**
 * Answers on the wire: errors before and within an answer, clients that read slowly or not at all, and the shutdown of
 * the service.
 */
import { execFile } from "node:child_process"
import * as http from "node:http"
import * as net from "node:net"
import { gunzipSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import * as Service from "@plumbline/gateway/support/service"
import { KEY, SECRET } from "@plumbline/gateway/support/service"
import { type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Cause, Deferred, type Duration, Effect, Exit, Fiber, Logger, References, Scope, Stream } from "effect"

import * as TarWriter from "../../src/http/tarWriter.ts"
import * as Ipfs from "../support/ipfs.ts"
import { bytesOf, EMPTY, HELLO } from "../support/ipfs.ts"

const hello = String(HELLO)
const reasons = {
  notFound: new IpfsNodeError.NotFound({ cid: hello }),
  directory: new IpfsNodeError.WrongKind({ cid: hello, expected: "file", got: "directory" }),
  pin: new IpfsNodeError.PinRefused({ subject: hello, problem: "NotPinnedHere" }),
  failed: new IpfsNodeError.Failed({ doing: "reading blocks", detail: "EIO" })
}
const error = (reason: IpfsNodeError.Reason) => new IpfsNodeError.IpfsNodeError({ reason })

/** A stream of bytes that ends with an error. */
const broken = Stream.concat(Stream.make(bytesOf("some ")), Stream.fail(error(reasons.failed)))
const cat =
  (bytes: IpfsNode.ContentStream["bytes"], size = 10): IpfsNode.IpfsNodeCommands["cat"] =>
  () =>
    Effect.succeed({ size, bytes })

const requestOf = (command: string, headers: Readonly<Record<string, string>> = {}) =>
  Ipfs.head(command, { "Content-Length": "0", ...headers })

describe("the memory of an answer", () => {
  it.live("is that of its largest piece until the answer ends, and without memory an answer is refused", () =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      const slow = Stream.concat(
        Stream.make(new Uint8Array(400), new Uint8Array(600)).pipe(Stream.rechunk(1)),
        Stream.drain(Stream.fromEffect(Deferred.await(opened)))
      )
      const pin = (length: number): IpfsNode.Pin => ({ cid: HELLO, type: "recursive", name: "a".repeat(length) })
      const sizes: Array<number> = []
      const service = yield* Ipfs.start(
        {
          cat: cat(slow),
          blockGet: () => Effect.succeed(new Uint8Array(sizes.shift() ?? 0)),
          pinLs: (paths) => Stream.make(pin(100 * paths.length))
        },
        { limits: { bufferedBytes: 1000 } }
      )
      const blockGet = (size: number) =>
        Effect.suspend(() => {
          sizes.push(size)
          return Effect.map(Ipfs.ask(service, `block/get?arg=${hello}`), ({ status }) => status)
        })
      const pinLs = (count: number) =>
        Effect.map(Ipfs.ask(service, `pin/ls?names=true${`&arg=${hello}`.repeat(count)}`), ({ status }) => status)
      assert.deepStrictEqual([yield* blockGet(1000), yield* blockGet(1001), yield* blockGet(1000)], [200, 503, 200])
      assert.deepStrictEqual([yield* pinLs(1), yield* pinLs(20), yield* pinLs(1)], [200, 503, 200])
      const reading = yield* Effect.forkChild(Ipfs.ask(service, `cat?arg=${hello}`), { startImmediately: true })
      // the stream holds 600 bytes as soon as its second piece was written
      yield* Effect.repeat(blockGet(401), { until: (status) => status === 503 })
      assert.deepStrictEqual([yield* blockGet(400), yield* blockGet(401)], [200, 503])
      yield* Deferred.succeed(opened, undefined)
      assert.strictEqual((yield* Fiber.join(reading)).status, 200)
      assert.strictEqual(yield* blockGet(1000), 200)
    }).pipe(Effect.scoped)
  )
})

describe("an error before the first byte", () => {
  it.live("is 500 with what Kubo says, as JSON, and none of the headers of a stream", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({
        cat: () => Ipfs.fails(reasons.directory),
        get: () => Stream.fail(error(reasons.notFound)),
        stat: () => Ipfs.fails(reasons.notFound),
        pinRm: () => Ipfs.fails(reasons.pin),
        pinLs: () => Stream.fail(error(reasons.failed)),
        dagExport: () => Stream.fail(error(reasons.notFound))
      })
      for (const [command, message] of [
        [`cat?arg=${hello}`, "this dag node is a directory"],
        [`get?arg=${hello}&compress=true`, `block was not found locally (offline): ipld: could not find ${hello}`],
        [`get?arg=${hello}`, `block was not found locally (offline): ipld: could not find ${hello}`],
        [`pin/rm?arg=${hello}`, "not pinned or pinned indirectly"],
        ["pin/ls?stream=true", "reading blocks: EIO"],
        [`dag/export?arg=${hello}`, `block was not found locally (offline): ipld: could not find ${hello}`],
        [`get?arg=${hello}&C=1&l=10`, "invalid compression-level: compression level must be between 1 and 9"]
      ]) {
        const answer = yield* Ipfs.ask(service, command!)
        assert.strictEqual(answer.status, 500, command)
        assert.strictEqual(answer.body, `${JSON.stringify({ Message: message, Code: 0, Type: "error" })}\n`)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.isUndefined(answer.headers["x-stream-output"])
        assert.isUndefined(answer.headers["x-chunked-output"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("of a node that says too much has no URL in it", () =>
    Effect.gen(function* () {
      const said = new IpfsNodeError.Failed({
        doing: "asking",
        detail: `https://user:${SECRET}@node.example/v3/${KEY}`
      })
      const service = yield* Ipfs.start({ version: Ipfs.fails(said) })
      const { body } = yield* Ipfs.ask(service, "version")
      assert.strictEqual(JSON.parse(body).Message, "asking: <redacted>")
    }).pipe(Effect.scoped)
  )

  it.live("of what gives a project its node is the service's mistake, and the service goes on", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start(() => {
        throw new Error("no node")
      })
      for (let times = 0; times < 2; times++) {
        const { body, status } = yield* Ipfs.ask(service, "version")
        assert.deepStrictEqual([status, body], [500, "internal error\n"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("of a quota has Kubo's code of what is too much", () =>
    Effect.gen(function* () {
      const reason = new IpfsNodeError.QuotaExceeded({ quota: "stored", limit: 10, used: 9 })
      const service = yield* Ipfs.start({ pinAdd: () => Ipfs.fails(reason) })
      const { body, status } = yield* Ipfs.ask(service, `pin/add?arg=${hello}`)
      assert.deepStrictEqual([status, JSON.parse(body).Code], [500, 3])
    }).pipe(Effect.scoped)
  )

  it.live("that is the service's own mistake is 500, and only the log knows more", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => {
        written.push(String(message))
      })
      const service = yield* Ipfs.start(
        { version: Effect.die(new Error(`POST https://node.example/v3/${KEY}`)) },
        { loggers: [logger] }
      )
      const { body, status } = yield* Ipfs.ask(service, "version")
      assert.deepStrictEqual([status, body], [500, "internal error\n"])
      assert.match(written.join("\n"), /ipfs command died,.*POST <redacted>/su)
      assert.notInclude(written.join("\n"), KEY)
    }).pipe(Effect.scoped)
  )
})

describe("an error after the first byte", () => {
  const END = "\r\n0\r\nX-Stream-Error: reading blocks: EIO\r\n"

  it.live("is in the trailer, and the answer has no end: the connection is cut", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat: cat(broken) })
      const answer = yield* Service.raw(service, requestOf(`cat?arg=${hello}`))
      assert.match(answer, /^HTTP\/1\.1 200 .*\r\ntrailer: X-Stream-Error\r\n.*\r\n5\r\nsome \r\n/su)
      assert.isTrue(answer.endsWith(END))
    }).pipe(Effect.scoped)
  )

  it.live("is an error to fetch, which would take a complete answer with a trailer for a good one", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat: cat(broken) })
      const failed = yield* Effect.promise(() =>
        fetch(`${service.url}/api/v0/cat?arg=${hello}`, {
          method: "POST",
          headers: { authorization: Ipfs.AUTHORIZATION }
        }).then((response) =>
          response.text().then(
            () => "taken for good",
            () => "refused"
          )
        )
      )
      assert.strictEqual(failed, "refused")
    }).pipe(Effect.scoped)
  )

  it.live("is whole for a client that says TE: trailers, and the connection goes on", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat: cat(broken) })
      const answer = yield* Effect.promise(
        () =>
          new Promise<readonly [string, unknown]>((resolve, reject) => {
            const request = http.request(
              `${service.url}/api/v0/cat?arg=${hello}`,
              { method: "POST", headers: { authorization: Ipfs.AUTHORIZATION, te: "trailers" } },
              (response) => {
                let text = ""
                response.on("data", (chunk) => (text += chunk))
                response.on("end", () => resolve([text, response.trailers]))
                response.on("error", reject)
              }
            )
            request.end()
          })
      )
      assert.deepStrictEqual(answer, ["some ", { "x-stream-error": "reading blocks: EIO" }])
      const all = yield* Service.raw(
        service,
        requestOf(`cat?arg=${hello}`, { TE: "trailers" }),
        requestOf(`cat?arg=${hello}`, { TE: "trailers", Connection: "close" })
      )
      assert.strictEqual(all.split(`${END}\r\n`).length, 3)
      assert.isTrue(all.endsWith(`${END}\r\n`))
    }).pipe(Effect.scoped)
  )

  it.live("is cut for pages, whose browsers say TE: trailers and show none", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat: cat(broken) }, { ipfs: { allowedOrigins: ["https://app.example"] } })
      for (const headers of [{ "Sec-Fetch-Mode": "cors" }, { Origin: "https://app.example" }]) {
        const answer = yield* Service.raw(service, requestOf(`cat?arg=${hello}`, { TE: "trailers", ...headers }))
        assert.match(answer, /^HTTP\/1\.1 200 /u)
        assert.isTrue(answer.endsWith(END))
      }
    }).pipe(Effect.scoped)
  )

  it.live("breaks off lines too, and what takes too long", () =>
    Effect.gen(function* () {
      const pin: IpfsNode.Pin = { cid: HELLO, type: "direct", name: "" }
      const service = yield* Ipfs.start({
        pinLs: () => Stream.concat(Stream.make(pin), Stream.fail(error(reasons.failed))),
        cat: cat(Stream.concat(Stream.make(bytesOf("some ")), Stream.never))
      })
      assert.isTrue((yield* Service.raw(service, requestOf("pin/ls?stream=true"))).endsWith(END))
      const late = yield* Service.raw(service, requestOf(`cat?arg=${hello}&timeout=20ms`))
      assert.isTrue(late.endsWith("\r\n0\r\nX-Stream-Error: context deadline exceeded\r\n"))
    }).pipe(Effect.scoped)
  )

  it.live("ends an answer of HTTP/1.0, which has no chunks, by closing it", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat: cat(Stream.make(bytesOf("some")), 4) })
      const request = requestOf(`cat?arg=${hello}`).replace("HTTP/1.1", "HTTP/1.0")
      const answer = yield* Service.raw(service, request)
      assert.match(answer, /^HTTP\/1\.1 200 (?!.*(?:chunked|trailer)).*\r\n\r\nsome$/su)
    }).pipe(Effect.scoped)
  )
})

describe("a connection", () => {
  it.live("is used again behind an answer that went well", () =>
    Effect.gen(function* () {
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start({ add: node.add, cat: cat(Stream.make(bytesOf("some")), 4) })
      const body = Ipfs.multipart({ content: "x" })
      const upload = Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": String(body.length) })
      const answers = yield* Service.raw(
        service,
        upload,
        body,
        requestOf(`cat?arg=${hello}`),
        upload,
        body,
        requestOf(`cat?arg=${hello}`, { Connection: "close" })
      )
      assert.strictEqual(answers.match(/HTTP\/1\.1 200 /gu)?.length, 4)
    }).pipe(Effect.scoped)
  )
})

/** A client that reads on command. */
const reader = (service: { readonly port: number }, request: string) =>
  Effect.acquireRelease(
    Effect.callback<net.Socket>((resume) => {
      const socket = net.connect({ port: service.port, host: "127.0.0.1" }, () => {
        socket.write(request)
        resume(Effect.succeed(socket))
      })
      socket.pause()
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a client", () => {
  it.live("that does not read stops the node, and is cut off in the end", () =>
    Effect.gen(function* () {
      let produced = 0
      const ended = yield* Deferred.make<string>()
      const endless = Stream.fromEffectRepeat(
        Effect.sync(() => {
          produced++
          return new Uint8Array(256 * 1024)
        })
      ).pipe(Stream.onExit((exit) => Deferred.succeed(ended, exit._tag)))
      const service = yield* Ipfs.start({ cat: cat(endless) }, { timeouts: { write: "150 millis" } })
      yield* reader(service, requestOf(`cat?arg=${hello}`))
      assert.strictEqual(yield* Deferred.await(ended), "Failure")
      // The buffers of the system hold some megabytes. The node has not been asked for more of the endless file.
      assert.isBelow(produced, 100)
    }).pipe(Effect.scoped)
  )

  it.live("that leaves ends the work", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<string>()
      const waiting = Stream.fromEffect(Deferred.succeed(begun, undefined)).pipe(
        Stream.flatMap(() => Stream.never),
        Stream.onExit((exit) => Deferred.succeed(ended, exit._tag))
      )
      const service = yield* Ipfs.start({ cat: cat(waiting) })
      const socket = yield* reader(service, requestOf(`cat?arg=${hello}`))
      yield* Deferred.await(begun)
      socket.destroy()
      assert.strictEqual(yield* Deferred.await(ended), "Failure")
    }).pipe(Effect.scoped)
  )

  it.live("that reads ten megabytes slowly gets them all, and the node makes them no faster", () =>
    Effect.gen(function* () {
      const pieces = 40
      let produced = 0
      let received = 0
      let most = 0
      const piece = new Uint8Array(256 * 1024).fill(7)
      const content = Stream.fromEffectRepeat(
        Effect.sync(() => {
          produced++
          return piece
        })
      ).pipe(Stream.take(pieces))
      const size = pieces * piece.length
      const service = yield* Ipfs.start({ cat: cat(content, size) })
      const socket = yield* reader(service, requestOf(`cat?arg=${hello}`, { Connection: "close" }))
      socket.on("data", (chunk) => {
        received += chunk.length
        most = Math.max(most, produced * piece.length - received)
        socket.pause()
        setTimeout(() => socket.resume(), 1)
      })
      yield* Effect.callback<void>((resume) => {
        socket.on("close", () => resume(Effect.void))
        socket.resume()
      })
      assert.isAbove(received, size)
      assert.isBelow(most, size)
    }).pipe(Effect.scoped)
  )
})

describe("the end of the service", () => {
  /** Starts a download and the shutdown of the service. Returns a function that lets the download continue. */
  const underway = (drain: Duration.Input) =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const rest = Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(open)),
        Effect.as(bytesOf("end"))
      )
      const content = Stream.concat(Stream.make(bytesOf("begin ")), Stream.fromEffect(rest))
      const scope = yield* Scope.make()
      const service = yield* Scope.provide(Ipfs.start({ cat: cat(content) }, { timeouts: { drain } }), scope)
      const answer = yield* Effect.forkChild(
        Service.raw(service, requestOf(`cat?arg=${hello}`, { Connection: "close" }))
      )
      yield* Deferred.await(begun)
      const end = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      return { answer: Fiber.join(answer), end: Fiber.join(end), open: Deferred.succeed(open, undefined) }
    })

  it.live("waits for a download", () =>
    Effect.gen(function* () {
      const { answer, end, open } = yield* underway("10 seconds")
      yield* Effect.yieldNow
      yield* open
      assert.match(yield* answer, /begin .*end\r\n0\r\n\r\n$/su)
      yield* end
    })
  )

  it.live("cuts it off when its time is over, so that nobody takes it for whole", () =>
    Effect.gen(function* () {
      const { answer, end } = yield* underway("30 millis")
      yield* end
      const text = yield* answer
      assert.include(text, "begin ")
      assert.notMatch(text, /\r\n0\r\n\r\n$/u)
    })
  )
})

/** Returns the list of an archive's entries, as GNU or BSD tar prints it. */
const listed = (archive: Uint8Array, encoding: "utf8" | "latin1" = "utf8"): Effect.Effect<string> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        const tar = execFile(
          "tar",
          ["-tvf", "-", "--quoting-style=literal", "--full-time"],
          { encoding, env: { ...process.env, TZ: "UTC", LC_ALL: encoding === "utf8" ? "C.UTF-8" : "C" } },
          (failure, out) => (failure === null ? resolve(out) : reject(failure))
        )
        tar.stdin?.end(archive)
      })
  )

const archiveOf = (
  found: ReadonlyArray<IpfsNode.ArchiveEntry>,
  query = "",
  stat: IpfsNode.ContentInfo["type"] = "directory"
) =>
  Effect.gen(function* () {
    const first = found[0]!
    const service = yield* Ipfs.start({
      get: () => Stream.fromIterable(found),
      stat: () => Effect.succeed({ ...first, type: stat, cumulativeSize: 0, blocks: 0 })
    })
    return yield* Effect.promise(async () => {
      const response = await fetch(`${service.url}/api/v0/get?arg=${hello}/${first.path}${query}`, {
        method: "POST",
        headers: { authorization: Ipfs.AUTHORIZATION }
      })
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
    })
  }).pipe(Effect.scoped)

const directory = (path: string): IpfsNode.ArchiveEntry => ({
  cid: EMPTY,
  type: "directory",
  size: 0,
  path,
  content: Stream.empty
})
const file = (path: string, text: string, more: Partial<IpfsNode.ArchiveEntry> = {}): IpfsNode.ArchiveEntry => ({
  cid: HELLO,
  type: "file",
  size: text.length,
  path,
  content: Stream.make(bytesOf(text)),
  ...more
})

describe("an archive", () => {
  const long = "n".repeat(150)
  const found = [
    directory("root"),
    file("root/a", "hello\n", { mode: 0o640, mtime: 86_400 }),
    file(`root/${long}`, "x".repeat(1000)),
    file("root/ü", ""),
    { ...directory("root/s"), type: "symlink", target: "a" } satisfies IpfsNode.ArchiveEntry,
    { ...directory("root/t"), type: "symlink", target: `${long}/a` } satisfies IpfsNode.ArchiveEntry,
    directory(`root/${long}/`.slice(0, -1).replace("n", "m"))
  ]
  const expected = [
    "drwxr-xr-x 0/0               0 1970-01-01 00:00:00 root",
    "-rw-r----- 0/0               6 1970-01-02 00:00:00 root/a",
    `-rw-r--r-- 0/0            1000 1970-01-01 00:00:00 root/${long}`,
    "-rw-r--r-- 0/0               0 1970-01-01 00:00:00 root/ü",
    "lrwxrwxrwx 0/0               0 1970-01-01 00:00:00 root/s -> a",
    `lrwxrwxrwx 0/0               0 1970-01-01 00:00:00 root/t -> ${long}/a`,
    `drwxr-xr-x 0/0               0 1970-01-01 00:00:00 root/m${long.slice(1)}`,
    ""
  ]

  it.live("is what tar reads, with long names, letters, links, modes and times", () =>
    Effect.gen(function* () {
      const { bytes, response } = yield* archiveOf(found)
      assert.strictEqual(response.headers.get("content-type"), "application/x-tar")
      assert.isNull(response.headers.get("x-content-length"))
      assert.deepStrictEqual((yield* listed(bytes)).split("\n"), expected)
    })
  )

  it.live("has the bytes of names and targets that are not UTF-8, and marks at their beginning", () =>
    Effect.gen(function* () {
      const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"))
      const { bytes } = yield* archiveOf([
        directory("root"),
        { ...directory("root/x\ufffdy"), pathBytes: latin1("root/x\xffy") },
        file("root/x\ufffdy/\ufffd", "hello\n", { pathBytes: latin1("root/x\xffy/\xfe") }),
        file(`root/\ufffd${long}`, "", { pathBytes: latin1(`root/\xfe${long}`) }),
        file("root/\ufeffa", ""),
        {
          ...directory("root/s"),
          type: "symlink",
          target: "\ufffdt",
          targetBytes: latin1("\xfft")
        } satisfies IpfsNode.ArchiveEntry
      ])
      const lines = (yield* listed(bytes, "latin1")).split("\n")
      assert.deepStrictEqual(
        lines.map((line) => line.slice("-rw-r--r-- 0/0               0 1970-01-01 00:00:00 ".length)),
        [
          "root",
          "root/x\xffy",
          "root/x\xffy/\xfe",
          `root/\xfe${long}`,
          `root/${Buffer.from("\ufeffa").toString("latin1")}`,
          "root/s -> \xfft",
          ""
        ]
      )
    })
  )

  it.live("is cut before a name that leads out of it, in bytes too", () =>
    Effect.gen(function* () {
      const out = { ...file("root/\ufffd/x", ""), pathBytes: Uint8Array.from(Buffer.from("root/\xff/../x", "latin1")) }
      const failed = yield* Effect.exit(Stream.runDrain(TarWriter.archive(Stream.make(out))))
      assert.isTrue(Exit.isFailure(failed))
    })
  )

  it.live("may be compressed", () =>
    Effect.gen(function* () {
      const { bytes, response } = yield* archiveOf(found, "&a=1&C=1&l=9")
      assert.strictEqual(response.headers.get("content-type"), "application/gzip")
      assert.deepStrictEqual((yield* listed(gunzipSync(bytes))).split("\n"), expected)
    })
  )

  it.live("of one file says its own length, also where a name needs more room", () =>
    Effect.gen(function* () {
      for (const name of ["a", long]) {
        const { bytes, response } = yield* archiveOf([file(name, "hello\n")], "", "file")
        assert.strictEqual(response.headers.get("x-content-length"), String(bytes.length))
        assert.include(yield* listed(bytes), ` ${name}\n`)
      }
    })
  )

  it.live("of a file of ten gigabytes says so", () =>
    Effect.gen(function* () {
      const size = 10 * 1024 ** 3
      const info = { cid: HELLO, type: "file", size } as const
      const service = yield* Ipfs.start({
        get: () => Stream.make<[IpfsNode.ArchiveEntry]>({ ...info, path: "large", content: Stream.never }),
        stat: () => Effect.succeed({ ...info, cumulativeSize: size, blocks: 1 })
      })
      const socket = yield* reader(service, requestOf(`get?arg=${hello}/large`))
      const text = yield* Effect.callback<string>((resume) => {
        let text = ""
        socket.on("data", (chunk) => {
          text += chunk.toString("latin1")
          if (text.includes("large")) resume(Effect.succeed(text))
        })
        socket.resume()
      })
      assert.include(text, " size=10737418240\n")
      // The archive has the extended header (2 blocks), the header (1 block), the content, and the end (2 blocks).
      assert.include(text, `x-content-length: ${size + 5 * 512}`)
    }).pipe(Effect.scoped)
  )

  it.live("compressed without tar is the file alone", () =>
    Effect.gen(function* () {
      const { bytes } = yield* archiveOf([file("a", "hello\n")], "&compress=true")
      assert.strictEqual(gunzipSync(bytes).toString(), "hello\n")
    })
  )

  it.live("of a directory cannot be without tar", () =>
    Effect.gen(function* () {
      const { bytes, response } = yield* archiveOf(found, "&compress=true")
      assert.strictEqual(response.status, 500)
      assert.include(Buffer.from(bytes).toString(), "file is not regular")
    })
  )

  const refused: ReadonlyArray<readonly [name: string, entry: IpfsNode.ArchiveEntry]> = [
    ["a name that leads out", file("root/../../x", "x")],
    ["an empty name", file("root//x", "x")],
    ["a name with a zero byte", file("root/a\0b", "x")],
    ["a file that is shorter than it says", file("root/a", "x", { size: 2 })],
    ["a file that is longer than it says", file("root/a", "xyz", { size: 2 })]
  ]
  it.live.each(refused)("with %s is broken off", ([, entry]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(archiveOf([directory("root"), entry]))
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("terminated"))
    })
  )
})

describe("what people read", () => {
  it.live("has no key, no secret and no argument in the log, but the command and how much it was", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const logger = Logger.make<unknown, void>(({ fiber, message }) => {
        written.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
      })
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start(
        { add: node.add, cat: cat(broken), version: Effect.fail(error(reasons.failed)) },
        { accessLog: true, loggers: [logger] }
      )
      const answers = [
        yield* Ipfs.upload(service, `add?pin-name=${SECRET}`, { content: "x" }),
        yield* Ipfs.ask(service, "version"),
        yield* Ipfs.ask(service, `nothing/${KEY}`),
        yield* Ipfs.ask(service, `cat/${KEY}/${SECRET}`)
      ]
      yield* Service.raw(service, requestOf(`cat/${KEY}`))
      for (const { body, headers } of answers) {
        for (const secret of [KEY, SECRET]) assert.notInclude(body + JSON.stringify(headers), secret)
      }
      const text = written.join("\n")
      for (const secret of [KEY, SECRET]) assert.notInclude(text, secret)
      assert.match(text, /"path":"\/api\/v0\/add".*"status":200.*"bytesIn":\d{3}.*"bytesOut":\d{2}/u)
      assert.match(text, /"path":"\/api\/v0\/cat\/<redacted>"/u)
      assert.match(text, /ipfs node fault,reading blocks: EIO/u)
    }).pipe(Effect.scoped)
  )
})

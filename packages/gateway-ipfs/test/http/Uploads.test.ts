/** Uploads: multipart bodies in all spellings and in pieces of all sizes, and the refusal of invalid bodies. */
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import * as Service from "@plumbline/gateway/support/service"
import type { IpfsNode } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Fiber, Stream } from "effect"

import * as Ipfs from "../support/ipfs.ts"
import { BOUNDARY, file, HELLO } from "../support/ipfs.ts"

const nothing = { mode: undefined, mtime: undefined, mtimeNsecs: undefined }

/** Returns the entry that the node gets for one part. */
const arrivalOf = (headers: string, content = "x") =>
  Effect.gen(function* () {
    const { added, node } = Ipfs.taking()
    const service = yield* Ipfs.start(() => node)
    const { body, status } = yield* Ipfs.upload(service, "add", { content, headers })
    return status === 200 ? added[0] : `${status} ${body}`
  }).pipe(Effect.scoped)

const plain = (path: string | undefined, text = "x"): Ipfs.Arrived => ({ type: "file", path, text, ...nothing })

describe("a part", () => {
  const cases: ReadonlyArray<readonly [name: string, headers: string, arrived: Partial<Ipfs.Arrived> | undefined]> = [
    ["of any field name", file("a", "whatever"), plain("a")],
    ["without a file name", 'Content-Disposition: form-data; name="file"', plain(undefined)],
    ["of clients before multipart/form-data", 'Content-Disposition: file; filename="a"', plain("a")],
    ["without a disposition", "Content-Type: text/plain", plain(undefined)],
    ["with its name escaped", file("a%2Fb%20c+d%2B"), plain("a/b c d+")],
    ["with a name that is escaped badly", file("50%"), plain("50%")],
    ["with quotes in its name", file('a\\"b'), plain('a"b')],
    ["with a mark and with U+FFFD in its name", file("%EF%BB%BF%EF%BF%BD"), plain("\ufeff\ufffd")],
    ["with letters of UTF-8", file(Buffer.from("ü").toString("latin1")), plain("ü")],
    ["with a name of RFC 8187", "Content-Disposition: form-data; name=f; filename*=UTF-8''%c3%bc", plain("ü")],
    ["that would leave the folder", file("..%2F..%2Fetc%2Fpasswd"), plain("etc/passwd")],
    ["that would leave it from within", file("a/b/../../../c"), plain("c")],
    ["with an absolute name", file("/a//b/./c/"), plain("a/b/c")],
    ["with nothing but dots", file("../.."), plain(undefined)],
    ["that is a directory", file("d", "file", "application/x-directory"), { ...plain("d", ""), type: "directory" }],
    ["that is a symlink", file("s", "file", "application/symlink"), { ...plain("s"), type: "symlink" }],
    [
      "with mode and time",
      file("a", "file?mode=0640&mtime=5&mtime-nsecs=7"),
      { ...plain("a"), mode: 0o640, mtime: 5, mtimeNsecs: 7 }
    ],
    [
      "with the mode of a directory of Go's",
      file("a", "file?mode=020000000755"),
      { ...plain("a"), mode: 0o20000000755, mtime: 0 }
    ],
    ["with a time before 1970", file("a", "file?mtime=-5"), { ...plain("a"), mtime: -5 }],
    ["with headers in another case", 'content-DISPOSITION: form-data; NAME="f"; FILENAME="a"', plain("a")]
  ]
  it.live.each(cases)("%s", ([, headers, expected]) =>
    Effect.map(arrivalOf(headers), (arrived) => assert.deepStrictEqual<unknown>(arrived, expected))
  )

  it.live("that is the root itself is nothing", () =>
    Effect.map(arrivalOf(file("/", "file", "application/x-directory")), (arrived) => assert.isUndefined(arrived))
  )

  it.live("that is a symlink brings the bytes of its target", () =>
    Effect.gen(function* () {
      // each character is sent as one byte: first UTF-8 with a byte order mark, then bytes that are not UTF-8
      const targets = ["\xef\xbb\xbf../\xc3\xbc", "\xfft"]
      for (const content of targets) {
        const { added, node } = Ipfs.taking()
        const service = yield* Ipfs.start(() => node)
        const headers = file("s", "file", "application/symlink")
        assert.strictEqual((yield* Ipfs.upload(service, "add", { content, headers })).status, 200)
        assert.strictEqual(added[0]?.text, content)
      }
    }).pipe(Effect.scoped)
  )

  const NOT_UTF8 =
    "the name of a part is not UTF-8, and add takes no other: rename it, or send its directory as a CAR to dag/import"
  const bad: ReadonlyArray<readonly [name: string, headers: string, content: string, message: string]> = [
    ["a mode that is none", file("a", "file?mode=rw"), "x", "the mode of a part is not a number as it should be"],
    [
      "a mode of more than 32 bits",
      file("a", "file?mode=040000000000"),
      "x",
      "the mode of a part is not a number as it should be"
    ],
    ["a name that is not UTF-8 and not escaped", file("a\xff"), "x", NOT_UTF8],
    ["a name that is not UTF-8", file("a%2Fb%FF"), "x", NOT_UTF8],
    ["a time that is none", file("a", "file?mtime=1.5"), "x", "the mtime of a part is not a number as it should be"],
    [
      "an endless target of a symlink",
      file("a", "f", "application/symlink"),
      "x".repeat(4097),
      "a part is larger than 4096 bytes"
    ],
    ["headers without end", `X: ${"x".repeat(20_000)}`, "x", "a part has bad headers"],
    ["headers that are none", "no header", "x", "a part has bad headers"],
    ["two names", 'Content-Disposition: form-data; name="a"; name="b"', "x", "a part is not form-data"]
  ]
  it.live.each(bad)("with %s is refused", ([, headers, content, message]) =>
    Effect.map(arrivalOf(headers, content), (answer) =>
      assert.strictEqual(answer, `400 ${JSON.stringify({ Message: message, Code: 1, Type: "error" })}\n`)
    )
  )
})

describe("a body", () => {
  const messageOf = (body: string | Uint8Array, headers: Readonly<Record<string, string>>, options = {}) =>
    Effect.gen(function* () {
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, options)
      const answer = yield* Ipfs.ask(service, "add", { body, headers })
      return `${answer.status} ${answer.body.trim()}`
    }).pipe(Effect.scoped)
  const part = { content: "x" }
  const message = (text: string) => `400 ${JSON.stringify({ Message: text, Code: 1, Type: "error" })}`

  const cases: ReadonlyArray<readonly [name: string, answer: string, ...Parameters<typeof messageOf>]> = [
    ["that is not multipart", "400 file argument 'path' is required", "x", { "content-type": "text/plain" }],
    [
      "without a boundary",
      "400 no multipart boundary param in Content-Type",
      "x",
      { "content-type": "multipart/form-data" }
    ],
    ["without parts", message("expected a file argument"), Ipfs.multipart(), Ipfs.MULTIPART],
    ["of nothing", message("the body ends in the middle of a part"), "", Ipfs.MULTIPART],
    [
      "that ends too early",
      message("the body ends in the middle of a part"),
      Ipfs.multipart(part).subarray(0, -5),
      Ipfs.MULTIPART
    ],
    [
      "that is compressed",
      "415 content encoding is not supported",
      Ipfs.multipart(part),
      { ...Ipfs.MULTIPART, "content-encoding": "gzip" }
    ]
  ]
  it.live.each(cases)("%s is refused", ([, expected, body, headers, options]) =>
    Effect.map(messageOf(body, headers, options), (answer) => assert.strictEqual(answer, expected))
  )

  const late: ReadonlyArray<readonly [name: string, body: Buffer, message: string]> = [
    ["with too many parts", Ipfs.multipart(part, part, part), "more than 2 parts"],
    [
      "with a part that has no headers at all",
      Ipfs.multipart(part, { content: `x\r\n--${BOUNDARY}y` }, part),
      "a part has bad headers"
    ]
  ]
  it.live.each(late)("%s is broken off behind what was said of those before", ([, body, message]) =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, { ipfs: { limits: { parts: 2 } } })
      const headers = { ...Ipfs.MULTIPART, "Content-Length": String(body.length) }
      const answer = yield* Service.raw(service, Ipfs.head("add", headers), body)
      assert.match(answer, /^HTTP\/1\.1 200 /u)
      assert.isTrue(answer.endsWith(`\r\n0\r\nX-Stream-Error: ${message}\r\n`), answer)
      assert.strictEqual(added.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("may have something before its first part and behind its last", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const body = Buffer.concat([
        Buffer.from("a preamble\r\n"),
        Ipfs.multipart({ content: "x" }),
        Buffer.from(`an epilogue\r\n--${BOUNDARY}\r\nX: y\r\n\r\n`)
      ])
      const answer = yield* Ipfs.ask(service, "add", { body, headers: Ipfs.MULTIPART })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(added, [plain("f")])
    }).pipe(Effect.scoped)
  )

  it.live(
    "of one block has a bound, alone and together with others, and of two files in the place of one is refused",
    () =>
      Effect.gen(function* () {
        const service = yield* Ipfs.start({}, { ipfs: { limits: { blockBytes: 10 } } })
        const large = yield* Ipfs.upload(service, "block/put", { content: "x".repeat(11) })
        assert.deepStrictEqual([large.status, JSON.parse(large.body).Message], [400, "a part is larger than 10 bytes"])
        const tight = yield* Ipfs.start({}, { limits: { bufferedBytes: 10 } })
        const busy = yield* Ipfs.upload(tight, "dag/put", { content: "x".repeat(11) })
        assert.deepStrictEqual([busy.status, busy.body], [503, "service busy\n"])
        const two = yield* Ipfs.upload(service, "object/put", { content: "{}" }, { content: "{}" })
        assert.deepStrictEqual([two.status, JSON.parse(two.body).Message], [400, "expected one file, received more"])
      }).pipe(Effect.scoped)
  )

  it.live("of many blocks holds one of them at a time", () =>
    Effect.gen(function* () {
      const blockPut: IpfsNode.IpfsNodeCommands["blockPut"] = (bytes) =>
        Effect.succeed({ cid: HELLO, size: bytes.length })
      const service = yield* Ipfs.start({ blockPut }, { limits: { bufferedBytes: 1000 } })
      const parts = Array.from({ length: 20 }, () => ({ content: "12345678".repeat(100) }))
      const { body, status } = yield* Ipfs.upload(service, "block/put", ...parts)
      assert.deepStrictEqual([status, body.split("\n").length], [200, 21])
    }).pipe(Effect.scoped)
  )
})

/** Returns random parts: their contents look like boundaries, and their names are of all kinds. */
const randomParts = (random: Random.Random): ReadonlyArray<Ipfs.Part & { readonly arrived: Ipfs.Arrived }> =>
  Array.from({ length: 1 + Random.int(random, 5) }, (_, index) => {
    const pieces = [
      "\r",
      "\n",
      "\r\n",
      "--",
      `\r\n--${BOUNDARY.slice(0, -1)}`,
      `--${BOUNDARY}`,
      "\0",
      "\xff",
      "text",
      "-"
    ]
    const text = Array.from({ length: Random.int(random, 12) }, () => Random.pick(random, pieces)).join("")
    // A sender must choose a boundary that is not at the beginning of any line of the content.
    const content = ["\r\n", text].join("").includes(`\r\n--${BOUNDARY}`) ? "" : text
    const name = `n${index}`
    return { content, headers: file(name), arrived: plain(name, content) }
  })

/** Cuts a body at random places, and encodes each piece as one HTTP chunk. */
const chunked = (random: Random.Random, body: Uint8Array): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < body.length;) {
    const end = Math.min(body.length, at + 1 + Random.int(random, Random.pick(random, [2, 20, 400])))
    pieces.push(Buffer.from(`${(end - at).toString(16)}\r\n`), body.subarray(at, end), Buffer.from("\r\n"))
    at = end
  }
  return [...pieces, Buffer.from("0\r\n\r\n")]
}

describe("any body", () => {
  it.live("means the same however it is cut", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const random = Random.make(7)
      for (let run = 0; run < Random.runs(Random.sized(150)); run++) {
        const parts = randomParts(random)
        added.length = 0
        const answer = yield* Service.raw(
          service,
          Ipfs.head("add", { ...Ipfs.MULTIPART, "Transfer-Encoding": "chunked", Connection: "close" }),
          ...chunked(random, Ipfs.multipart(...parts))
        )
        assert.match(answer, /^HTTP\/1\.1 200 /u)
        assert.deepStrictEqual(
          added,
          parts.map(({ arrived }) => arrived)
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("that is cut short is an error, never a shorter file", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const body = Ipfs.multipart({ content: "some content\r\n" }, { content: "more" })
      for (let length = 0; length < body.length - 2; length++) {
        added.length = 0
        const answer = yield* Service.raw(
          service,
          Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": String(length), Connection: "close" }),
          body.subarray(0, length)
        )
        // An error before the first byte of the answer sets the status. A later error is sent in a trailer.
        if (answer.startsWith("HTTP/1.1 200"))
          assert.match(answer, /\r\n0\r\nX-Stream-Error: the body ends in the middle of a part\r\n$/u)
        else assert.match(answer, /^HTTP\/1\.1 400 .*the body ends in the middle of a part/su)
        for (const { text } of added) assert.include(["some content\r\n", "more"], text)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that is broken anywhere gets an answer, and the service goes on", () =>
    Effect.gen(function* () {
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const random = Random.make(11)
      for (let run = 0; run < Random.runs(Random.sized(150)); run++) {
        const body = Buffer.from(Ipfs.multipart(...randomParts(random)))
        for (let flips = 1 + Random.int(random, 4); flips > 0; flips--) {
          body[Random.int(random, body.length)] = Random.int(random, 256)
        }
        const answer = yield* Service.raw(
          service,
          Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": String(body.length), Connection: "close" }),
          body
        )
        assert.match(answer, /^HTTP\/1\.1 (?:200|400) /u)
      }
    }).pipe(Effect.scoped)
  )

  it.live("whose chunks are broken is refused, and nothing is added", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const head = Ipfs.head("add", { ...Ipfs.MULTIPART, "Transfer-Encoding": "chunked" })
      const first = `--${BOUNDARY}\r\n${file("f")}\r\n\r\nx`
      const answer = yield* Service.raw(service, head, `${first.length.toString(16)}\r\n${first}\r\n`, "ZZ\r\n")
      assert.match(answer, /^HTTP\/1\.1 400 .*bad request\n$/su)
      assert.deepStrictEqual(added, [])
    }).pipe(Effect.scoped)
  )

  it.live("with any query gets an answer that is not the service's mistake", () =>
    Effect.gen(function* () {
      const { node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const random = Random.make(13)
      const words = [
        "arg",
        "pin",
        "mode",
        "timeout",
        "cid-base",
        "enc",
        "=",
        "=",
        "&",
        "&",
        "%",
        "%00",
        "true",
        "-1",
        "\u00fc",
        "0x",
        "+",
        "base36",
        ";"
      ]
      for (let run = 0; run < Random.runs(Random.sized(150)); run++) {
        const query = Array.from({ length: Random.int(random, 10) }, () => Random.pick(random, words)).join("")
        const { body, status } = yield* Ipfs.upload(service, `add?${encodeURI(query)}`, { content: "x" })
        assert.include([200, 400, 500], status, query)
        assert.notInclude(body, "internal error", query)
      }
    }).pipe(Effect.scoped)
  )
})

/** Opens a connection for raw bytes, and collects the answer. */
const connection = (service: { readonly port: number }) =>
  Effect.acquireRelease(
    Effect.callback<net.Socket>((resume) => {
      const socket = net.connect(service.port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const whole = (socket: net.Socket): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
    })
    socket.on("close", () => resume(Effect.succeed(text)))
  })

const start = `--${BOUNDARY}\r\n${file("f")}\r\n\r\n`

describe("a client", () => {
  it.live("that takes its time, and is never silent for long, is not cut off by the time limit of JSON-RPC", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, {
        timeouts: { request: "300 millis", headers: "300 millis" },
        ipfs: { uploadIdle: "10 seconds" }
      })
      const socket = yield* connection(service)
      const answer = yield* Effect.forkChild(whole(socket))
      socket.write(Ipfs.head("add", { ...Ipfs.MULTIPART, "Transfer-Encoding": "chunked", Connection: "close" }))
      const chunk = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
      chunk(start)
      for (let at = 0; at < 10; at++) {
        chunk(String(at))
        yield* Effect.sleep("60 millis")
      }
      chunk(`\r\n--${BOUNDARY}--\r\n`)
      socket.write("0\r\n\r\n")
      assert.match(yield* Fiber.join(answer), /^HTTP\/1\.1 200 /u)
      assert.strictEqual(added[0]?.text, "0123456789")
    }).pipe(Effect.scoped)
  )

  it.live("that takes its time for many files, which are answered one by one, is not cut off either", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, {
        timeouts: { request: "300 millis", headers: "300 millis" },
        ipfs: { uploadIdle: "10 seconds" }
      })
      const socket = yield* connection(service)
      const answer = yield* Effect.forkChild(whole(socket))
      socket.write(Ipfs.head("add", { ...Ipfs.MULTIPART, "Transfer-Encoding": "chunked", Connection: "close" }))
      const chunk = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
      const texts = Array.from({ length: 40 }, (_, at) => `number ${at}`)
      for (const text of texts) {
        chunk(`--${BOUNDARY}\r\n${file(text)}\r\n\r\n${text}\r\n`)
        yield* Effect.sleep("40 millis")
      }
      chunk(`--${BOUNDARY}--\r\n`)
      socket.write("0\r\n\r\n")
      assert.match(yield* Fiber.join(answer), /^HTTP\/1\.1 200 .*\r\n0\r\n\r\n$/su)
      assert.deepStrictEqual(
        added.map(({ text }) => text),
        texts
      )
    }).pipe(Effect.scoped)
  )

  it.live("that asks whether its body is welcome is told so before it sends it", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const body = Ipfs.multipart({ content: "x" })
      const head = Ipfs.head("add", {
        ...Ipfs.MULTIPART,
        "Content-Length": String(body.length),
        Expect: "100-continue",
        Connection: "close"
      })
      const socket = yield* connection(service)
      const answer = yield* Effect.forkChild(whole(socket))
      yield* Effect.callback<void>((resume) => {
        socket.once("data", (data) => {
          assert.match(data.toString(), /^HTTP\/1\.1 100 Continue\r\n/u)
          resume(Effect.void)
        })
        socket.write(head)
      })
      socket.write(body)
      assert.match(yield* Fiber.join(answer), /HTTP\/1\.1 200 /u)
      assert.strictEqual(added.length, 1)
      const refused = yield* Service.raw(service, head.replace("Authorization", "X-Nothing"))
      assert.match(refused, /^HTTP\/1\.1 401 /u)
    }).pipe(Effect.scoped)
  )

  it.live("that falls silent in the middle of an upload is told so, and nothing is added", () =>
    Effect.gen(function* () {
      const { added, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node, { ipfs: { uploadIdle: "30 millis" } })
      const socket = yield* connection(service)
      socket.write(
        Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": "500", Connection: "close" }) + start + "half"
      )
      let text = ""
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1")
      })
      yield* Effect.repeat(Effect.sleep("5 millis"), {
        while: () => !text.includes("\n}") && !text.includes('error"}')
      })
      assert.match(text, /^HTTP\/1\.1 400 .*nothing came for too long/su)
      assert.deepStrictEqual(added, [])
    }).pipe(Effect.scoped)
  )

  it.live("that leaves in the middle of an upload ends the work", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<string>()
      const add: IpfsNode.IpfsNodeCommands["add"] = (entries) =>
        (Stream.isStream(entries) ? entries : Stream.fromIterable(entries)).pipe(
          Stream.mapEffect((entry) =>
            Effect.andThen(
              Deferred.succeed(begun, undefined),
              "content" in entry && Stream.isStream(entry.content) ? Stream.runDrain(entry.content) : Effect.void
            )
          ),
          Stream.map(() => ({ _tag: "Added", name: "f", cid: HELLO, size: 1 }) as const),
          Stream.onExit((exit) => Deferred.succeed(ended, exit._tag))
        )
      const service = yield* Ipfs.start({ add })
      const socket = yield* connection(service)
      socket.write(Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": "500" }) + start + "half")
      yield* Deferred.await(begun)
      socket.destroy()
      assert.strictEqual(yield* Deferred.await(ended), "Failure")
    }).pipe(Effect.scoped)
  )

  it.live("that sends faster than the node takes is held back", () =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      let taken = 0
      const add: IpfsNode.IpfsNodeCommands["add"] = (entries) =>
        (Stream.isStream(entries) ? entries : Stream.fromIterable(entries)).pipe(
          Stream.mapEffect((entry) =>
            "content" in entry && Stream.isStream(entry.content)
              ? Effect.andThen(
                  Deferred.await(open),
                  Stream.runForEach(entry.content, (bytes) =>
                    Effect.sync(() => {
                      taken += bytes.length
                    })
                  )
                )
              : Effect.void
          ),
          Stream.map(() => ({ _tag: "Added", name: "f", cid: HELLO, size: taken }) as const)
        )
      const service = yield* Ipfs.start({ add })
      const socket = yield* connection(service)
      const answer = yield* Effect.forkChild(whole(socket))
      const size = 32 * 1024 * 1024
      const tail = `\r\n--${BOUNDARY}--\r\n`
      const length = String(start.length + size + tail.length)
      socket.write(Ipfs.head("add", { ...Ipfs.MULTIPART, "Content-Length": length, Connection: "close" }) + start)
      const piece = Buffer.alloc(1024 * 1024)
      for (let sent = 0; sent < size; sent += piece.length) socket.write(piece)
      socket.write(tail)
      // Bytes that the service does not read stay in the client or in buffers of the system.
      let before = -1
      while (before !== socket.bytesWritten - socket.writableLength) {
        before = socket.bytesWritten - socket.writableLength
        yield* Effect.sleep("50 millis")
      }
      assert.isAbove(socket.writableLength, size / 2)
      yield* Deferred.succeed(open, undefined)
      assert.match(yield* Fiber.join(answer), /"Size":"33554432"/u)
    }).pipe(Effect.scoped)
  )
})

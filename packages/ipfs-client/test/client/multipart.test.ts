/** Tests uploads with undici's parser of multipart bodies, and with Kubo's rules for names. */
import { assert, describe, it } from "@effect/vitest"
import type { Upload } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"

import * as Multipart from "../../src/client/multipart.ts"

const NAMES = [
  "a",
  "b c",
  "ü",
  "漢字",
  "+%20",
  '"',
  "a;b",
  "=?&",
  "😀",
  "..a",
  ".hidden",
  "%22",
  "\\",
  "\r\nX-A: b",
  "'*~()"
]

interface Plan {
  readonly type: "file" | "directory" | "symlink"
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number | undefined
  readonly mtime: number | undefined
  readonly mtimeNsecs: number | undefined
}

const planOf = (random: Random.Random, boundary: string): Plan => {
  const type = Random.pick(random, ["file", "file", "directory", "symlink"] as const)
  const mtime = random() < 0.5 ? undefined : Random.int(random, 2 ** 31) - 2 ** 30
  // Some of these contents look like a part of the multipart body, but their boundary is not complete.
  const bytes = Random.pick(random, [
    Random.bytes(random, Random.int(random, 300)),
    new TextEncoder().encode(`\r\n--${boundary.slice(0, -1)}\r\nContent-Disposition: form-data; name="file"\r\n\r\n`),
    new TextEncoder().encode("\r\n--"),
    new Uint8Array()
  ])
  return {
    type,
    path: Array.from({ length: 1 + Random.int(random, 3) }, () => Random.pick(random, NAMES)).join("/"),
    bytes: type === "directory" ? new Uint8Array() : type === "symlink" ? new TextEncoder().encode("../target") : bytes,
    mode: random() < 0.5 ? undefined : Random.int(random, 0o10000),
    mtime,
    mtimeNsecs: mtime === undefined || random() < 0.5 ? undefined : Random.int(random, 1e9)
  }
}

const entryOf = (random: Random.Random, { bytes, type, ...plan }: Plan): Upload.UploadEntry => {
  if (type === "directory") {
    return { type, ...plan }
  }
  if (type === "symlink") {
    return { type, ...plan, target: new TextDecoder().decode(bytes) }
  }
  switch (Random.int(random, 3)) {
    case 0:
      return { ...plan, content: bytes }
    case 1:
      return { ...plan, content: new Blob([bytes.slice()]) }
    default:
      return {
        ...plan,
        content: Stream.fromIterable(bytes).pipe(
          Stream.map((byte) => Uint8Array.of(byte)),
          Stream.rechunk(7)
        )
      }
  }
}

/**
 * Returns permission bits at Go's positions: `os.ModeSetuid` is 1 << 23, `os.ModeSetgid` 1 << 22, `os.ModeSticky` 1 <<
 * 20.
 */
const goMode = (mode: number): number =>
  (mode % 0o1000) + (mode & 0o4000 ? 2 ** 23 : 0) + (mode & 0o2000 ? 2 ** 22 : 0) + (mode & 0o1000 ? 2 ** 20 : 0)

/** Returns the parts that undici reads from a body, with the names that Go would read. */
const read = async (body: Uint8Array, boundary: string): Promise<ReadonlyArray<Plan>> => {
  const headers = { "content-type": Multipart.contentType(boundary) }
  const form = await new Response(body.slice(), { headers }).formData()
  return Promise.all(
    Array.from(form.entries(), async ([field, value]) => {
      assert(typeof value !== "string")
      const [name, query] = field.split("?")
      assert.strictEqual(name, "file")
      const attributes = new URLSearchParams(query)
      const number = (key: string, radix: number) =>
        attributes.has(key) ? Number.parseInt(attributes.get(key)!, radix) : undefined
      return {
        type:
          value.type === "application/x-directory"
            ? "directory"
            : value.type === "application/symlink"
              ? "symlink"
              : "file",
        path: decodeURIComponent(value.name.replaceAll("+", " ")),
        bytes: new Uint8Array(await value.arrayBuffer()),
        mode: number("mode", 8),
        mtime: number("mtime", 10),
        mtimeNsecs: number("mtime-nsecs", 10)
      } as const
    })
  )
}

describe("an upload", () => {
  it.effect("is read as it was meant, by undici's parser", () =>
    Effect.gen(function* () {
      const random = Random.make(2)
      for (let run = 0; run < Random.runs(300); run++) {
        const boundary = Multipart.boundary()
        const plans = Array.from({ length: 1 + Random.int(random, 5) }, () => planOf(random, boundary))
        const entries = plans.map((plan) => entryOf(random, plan))
        const body = yield* Stream.mkUint8Array(Multipart.stream(entries, boundary, (error) => error))
        assert.deepStrictEqual(
          yield* Effect.promise(() => read(body, boundary)),
          plans.map((plan) => ({ ...plan, mode: plan.mode === undefined ? undefined : goMode(plan.mode) }))
        )
        const whole = Multipart.inMemory(entries, boundary, 2 ** 20)
        assert(Result.isSuccess(whole))
        if (whole.success !== undefined) {
          assert.deepStrictEqual(whole.success, body)
        }
      }
    })
  )

  it.effect("of a symlink has the bytes of its target", () =>
    Effect.gen(function* () {
      const target = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff)
      const entries: Upload.UploadEntries = [{ type: "symlink", path: "l", target }]
      const body = yield* Stream.mkUint8Array(Multipart.stream(entries, "b", (error) => error))
      const [link] = yield* Effect.promise(() => read(body, "b"))
      assert.deepStrictEqual(link?.bytes, target)
    })
  )

  it("is in one piece only if all of it is in memory, small, and can be read again", () => {
    const inOnePiece = (entries: Upload.UploadEntries, maxBytes = 100) =>
      Result.getOrThrow(Multipart.inMemory(entries, "b", maxBytes)) !== undefined
    assert.isTrue(inOnePiece([{ content: "a" }, { type: "directory", path: "d" }]))
    assert.isFalse(inOnePiece([{ content: "a".repeat(101) }]))
    assert.isFalse(inOnePiece([{ content: "a".repeat(60) }, { content: "a".repeat(60) }]))
    assert.isFalse(inOnePiece([{ content: Stream.empty }]))
    assert.isFalse(inOnePiece([{ content: new Blob([]) }]))
    assert.isFalse(inOnePiece(Stream.make({ content: "a" })))
    assert.isFalse(inOnePiece(new Set([{ content: "a" }])))
  })

  it.effect("of a file without a name has an empty one, for servers to know a file by", () =>
    Effect.gen(function* () {
      const body = yield* Stream.mkString(
        Stream.decodeText(Multipart.stream([{ content: "x" }], "BOUNDARY", (error) => error))
      )
      assert.strictEqual(
        body,
        [
          "--BOUNDARY",
          'Content-Disposition: form-data; name="file"; filename=""',
          "Content-Type: application/octet-stream",
          "",
          "x",
          "--BOUNDARY--",
          ""
        ].join("\r\n")
      )
    })
  )

  it.effect("of large content in memory is parts of that memory, handed on one by one", () =>
    Effect.gen(function* () {
      const content = Random.bytes(Random.make(9), 3_000_000)
      const batches = yield* Stream.runFold(
        Stream.chunks(Multipart.stream([{ content }], "B", (error) => error)),
        (): Array<ReadonlyArray<Uint8Array>> => [],
        (batches, batch) => [...batches, batch]
      )
      const within = batches.filter(([piece]) => piece!.buffer === content.buffer)
      assert.deepStrictEqual(
        within.map((batch) => batch.map(({ length }) => length)),
        [[1_048_576], [1_048_576], [902_848]]
      )
      assert.isTrue(Buffer.concat(within.flat()).equals(content))
      const text = "ü".repeat(1_000_000)
      const body = yield* Stream.mkString(
        Stream.decodeText(Multipart.stream([{ content: text }], "B", (error) => error))
      )
      assert.strictEqual(body.length, text.length + body.indexOf("ü") + "\r\n--B--\r\n".length)
    })
  )

  it("has a boundary that is new each time", () => {
    assert.notStrictEqual(Multipart.boundary(), Multipart.boundary())
    assert.match(Multipart.boundary(), /^plumbline-[0-9a-f]{48}$/)
  })
})

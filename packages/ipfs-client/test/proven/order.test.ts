/** Tests uploads whose parts do not follow each other, over nodes that report them as Kubo, js-ipfs or a liar does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { importer } from "ipfs-unixfs-importer"

import { type Cid, type IpfsApi, type IpfsClient, ProvenIpfsClient, type Upload } from "../../src/index.ts"

interface Case {
  readonly sent: ReadonlyArray<Upload.UploadEntry>
  /** The lines of Kubo 0.43.0, as it answered over HTTP. */
  readonly kubo: ReadonlyArray<readonly [name: string, cid: string, size: number]>
}

const EMPTY = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"

const CASES: Readonly<Record<string, Case>> = {
  "a file of a directory, a file, another file of the directory": {
    sent: [
      { path: "d/f", content: "1" },
      { path: "a", content: "2" },
      { path: "d/g", content: "3" }
    ],
    kubo: [
      ["d/f", "QmWYddCPs7uR9EvHNCZzpguVFVNfHc6aM3hPVzPdAEESMc", 9],
      ["d", "QmVo2q9fAiQkaqdozgWnEVWULd336ADg3FD6jDK9MfKvvY", 56],
      ["a", "QmT9SanPHnSH5AsBqy2xZbstw4rAw5znFPkmjkvDCMdVuF", 9],
      ["d/g", "QmY4ZaCGXPTqRmTVEGSC6PPMgniAhMD1wPBTH7PeU3qtAf", 9],
      ["d", "QmTUjvHNAs6UQeST9HhsqHCVMJ31z7qiKyn4HMqjBPJ9Mt", 56]
    ]
  },
  "a directory, a file, a file of the directory": {
    sent: [
      { type: "directory", path: "files" },
      { path: "a.txt", content: "one" },
      { path: "files/h.txt", content: "two" }
    ],
    kubo: [
      ["files", EMPTY, 4],
      ["a.txt", "Qmci4MUoKezwuEyoLbn7LbD8Z3mcyN6q2AHiT4Yp8srdKy", 11],
      ["files/h.txt", "QmNaRTGzBpmuPhLaGSgRsNkh37zUqRZ7SGNocxvj4oVKAe", 11],
      ["files", "QmY5Wwoe9LrhVR3hehKgCiGJryxKRYhKfe14CgecJbMfWq", 62]
    ]
  },
  "the same below one directory": {
    sent: [
      { type: "directory", path: "x" },
      { type: "directory", path: "x/d" },
      { path: "x/a", content: "one" },
      { path: "x/d/h", content: "two" }
    ],
    kubo: [
      ["x/a", "Qmci4MUoKezwuEyoLbn7LbD8Z3mcyN6q2AHiT4Yp8srdKy", 11],
      ["x/d/h", "QmNaRTGzBpmuPhLaGSgRsNkh37zUqRZ7SGNocxvj4oVKAe", 11],
      ["x/d", "QmQ2mvPCyREctuxSb6hot8HxnE2y3fX26t84EPQVvULuHS", 58],
      ["x", "QmbHoHFx6PXffiz79vS1p14fKLfxst1mgqz6oTXs4CWw6B", 159]
    ]
  }
}

/** Makes a verifying client over a node that reads the whole upload, and then gives these answers. */
const answering = (lines: ReadonlyArray<readonly [string, string, number]>): IpfsClient.AnyClient => {
  const addAll = <E>(entries: Upload.UploadEntries<E>): Stream.Stream<IpfsApi.AddedEntry, E> => {
    const read = Stream.isStream(entries) ? entries : Stream.fromIterable(entries)
    const drained = Stream.mapEffect(read, ({ type, ...entry }) =>
      type === undefined && "content" in entry && Stream.isStream(entry.content)
        ? Stream.runDrain(entry.content)
        : Effect.void
    )
    return Stream.concat(
      Stream.drain(drained),
      Stream.fromIterable(lines.map(([name, cid, size]) => ({ name, cid: cid as Cid.CidText, size })))
    )
  }
  return ProvenIpfsClient.make({ addAll } as Partial<IpfsClient.Client> as IpfsClient.AnyClient)
}

const streamed = (sent: ReadonlyArray<Upload.UploadEntry>): Stream.Stream<Upload.UploadEntry> =>
  Stream.map(Stream.fromIterable(sent), (entry) =>
    "content" in entry ? { ...entry, content: Stream.make(new TextEncoder().encode(entry.content as string)) } : entry
  )

const outcome = (lines: Case["kubo"], entries: Upload.UploadEntries) =>
  Effect.match(Stream.runCollect(answering(lines).addAll(entries)), {
    onSuccess: (events) => events.map((event) => (event.cid === undefined ? [] : [event.name, event.cid, event.size])),
    onFailure: (error) => (error._tag === "RefutedError" ? `Refuted: ${error.check}` : error._tag)
  })

/** Returns the answers of a node that reports each directory once. The importer of js-ipfs makes them. */
const whole = (sent: ReadonlyArray<Upload.UploadEntry>) =>
  Effect.promise(async () => {
    const source = sent.map((entry) => ({
      path: entry.path!,
      ...("content" in entry ? { content: new TextEncoder().encode(entry.content as string) } : {})
    }))
    const store = { put: (cid: object) => cid } as never
    const lines: Array<[string, string, number]> = []
    for await (const { cid, path = "", size } of importer(source, store, { profile: "unixfs-v0-2015" })) {
      lines.push([path, String(cid), Number(size)])
    }
    return lines
  })

for (const [what, { kubo, sent }] of Object.entries(CASES)) {
  describe(`an upload of ${what}`, () => {
    it.effect("is added through Kubo, which reports a directory at the end of each tree", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual<unknown>(yield* outcome(kubo, sent), kubo)
        assert.deepStrictEqual<unknown>(yield* outcome(kubo, streamed(sent)), kubo)
      })
    )

    it.effect("is added through a node that reports each directory once, with everything in it", () =>
      Effect.gen(function* () {
        const lines = yield* whole(sent)
        assert.deepStrictEqual(yield* outcome(lines, sent), lines)
        assert.deepStrictEqual(yield* outcome(lines, streamed(sent)), lines)
      })
    )

    it.effect("refutes every answer with another CID or size, and misses every answer that is left out", () =>
      Effect.gen(function* () {
        const right = new Set((yield* whole(sent)).map(String))
        for (const [at, [name, cid, size]] of kubo.entries()) {
          for (const [, other, itsSize] of kubo) {
            if (other === cid || right.has(String([name, other, itsSize]))) continue
            const lied = kubo.with(at, [name, other, size])
            assert.strictEqual(yield* outcome(lied, sent), "Refuted: added CID", `${name} is ${other}`)
          }
          assert.strictEqual(yield* outcome(kubo.with(at, [name, cid, size + 1]), sent), "Refuted: added size")
          const rest = kubo.toSpliced(at, 1)
          if (rest.length === right.size && rest.every((line) => right.has(String(line)))) continue
          assert.notDeepEqual(yield* outcome(rest, sent), rest as never, name)
        }
      })
    )
  })
}

it.effect("a last root that is the root of an earlier tree is refuted, and so is one root for two trees", () =>
  Effect.gen(function* () {
    const { kubo, sent } = CASES["a file of a directory, a file, another file of the directory"]!
    const stale = kubo.with(4, kubo[1]!)
    assert.strictEqual(yield* outcome(stale, sent), "Refuted: added CID")
    assert.strictEqual(yield* outcome(stale, streamed(sent)), "Refuted: added CID")
    assert.strictEqual(yield* outcome(kubo.slice(0, -1), sent), "IpfsError")
    assert.strictEqual(yield* outcome(kubo.toSpliced(1, 1), sent), "Refuted: added CID")
  })
)

import { assert, describe, it } from "@effect/vitest"
import * as ipldCar from "@ipld/car"
import * as dagCbor from "@ipld/dag-cbor"
import { Block, Car, Cid, UnixFs } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"

import * as Imported from "../support/imported.ts"

const raw = (bytes: Uint8Array): Block.Block => ({ cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes })

const node = (...links: ReadonlyArray<Cid.Cid>): Block.Block => {
  const bytes = dagCbor.encode(links)
  return { cid: Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes)), bytes }
}

/** Writes a CAR with the library `@ipld/car`. */
const written = async (roots: ReadonlyArray<Cid.Cid>, blocks: ReadonlyArray<Block.Block>): Promise<Uint8Array> => {
  const { out, writer } = ipldCar.CarWriter.create([...roots])
  const parts: Array<Uint8Array> = []
  const drained = (async () => {
    for await (const part of out) parts.push(part)
  })()
  for (const block of blocks) await writer.put(block)
  await writer.close()
  await drained
  return Buffer.concat(parts)
}

/** Cuts bytes into pieces of any size, including empty pieces. */
const pieces = (random: Random.Random, bytes: Uint8Array, most: number): Stream.Stream<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const size = Random.int(random, most + 1)
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return Stream.fromIterable(parts)
}

const v2 = (v1: Uint8Array): Uint8Array => {
  const pragma = Uint8Array.of(0x0a, 0xa1, 0x67, 0x76, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x02)
  const header = new DataView(new ArrayBuffer(40))
  header.setBigUint64(16, 60n, true)
  header.setBigUint64(24, BigInt(v1.length), true)
  header.setBigUint64(32, BigInt(60 + v1.length), true)
  return Buffer.concat([pragma, new Uint8Array(header.buffer), new Uint8Array(9), v1, Buffer.from("some index")])
}

const same = (items: ReadonlyArray<Car.CarItem>, roots: ReadonlyArray<Cid.Cid>, blocks: ReadonlyArray<Block.Block>) => {
  const [first, ...rest] = items
  assert.isTrue(first?._tag === "Roots" && first.roots.every((root, i) => Cid.equals(root, roots[i]!)))
  assert.deepStrictEqual(
    rest.map((item) => item._tag === "Block" && [item.cid.toString(), Buffer.from(item.bytes).toString("hex")]),
    blocks.map(({ bytes, cid }) => [cid.toString(), Buffer.from(bytes).toString("hex")])
  )
}

const failureOf = (bytes: Uint8Array, options?: Car.CarOptions) =>
  Effect.flip(Stream.runDrain(Car.read(Stream.make(bytes), options)))

describe("Car.read", () => {
  it.effect("gives what the library wrote, in pieces of any size, of both versions", () =>
    Effect.gen(function* () {
      const random = Random.make(14)
      for (let i = 0; i < Random.runs(60); i++) {
        const blocks = Array.from({ length: Random.int(random, 12) }, () =>
          raw(Random.bytes(random, Random.int(random, 300)))
        )
        const roots = [...blocks.slice(0, Random.int(random, 3)).map(({ cid }) => cid), raw(new Uint8Array(7)).cid]
        const bytes = yield* Effect.promise(() => written(roots, blocks))
        const most = Random.pick(random, [1, 7, 64, 5000])
        same(yield* Stream.runCollect(Car.read(pieces(random, bytes, most))), roots, blocks)
        const second = yield* Stream.runCollect(Car.read(pieces(random, v2(bytes), most)))
        same(second, roots, blocks)
        assert.isTrue(second[0]?._tag === "Roots" && second[0].version === 2)
      }
    })
  )

  it.effect("refuses an end within a section, and not one between two", () =>
    Effect.gen(function* () {
      const blocks = [raw(Uint8Array.of(1, 2, 3)), raw(Uint8Array.of(4, 5))]
      const bytes = yield* Effect.promise(() => written([blocks[0]!.cid], blocks))
      const ends = new Set([bytes.length])
      let end = bytes.length
      for (const { bytes, cid } of blocks.toReversed()) ends.add((end -= 1 + cid.bytes.length + bytes.length))
      for (let at = 0; at < bytes.length; at++) {
        const cut = yield* Effect.exit(Stream.runCollect(Car.read(Stream.make(bytes.subarray(0, at)))))
        assert.strictEqual(cut._tag, ends.has(at) ? "Success" : "Failure", `cut at ${at}`)
      }
    })
  )

  it.effect("gives the blocks before a wrong one, and fails at that one", () =>
    Effect.gen(function* () {
      const [good, other] = [raw(Uint8Array.of(1)), raw(Uint8Array.of(2))]
      const lie = { cid: other.cid, bytes: Uint8Array.of(3) }
      const bytes = yield* Effect.promise(() => written([good.cid], [good, lie, other]))
      const given: Array<string> = []
      const failure = yield* Car.read(Stream.make(bytes)).pipe(
        Stream.runForEach((item) => Effect.sync(() => given.push(item._tag))),
        Effect.flip
      )
      assert.deepStrictEqual(given, ["Roots", "Block"])
      assert.isTrue(failure._tag === "RefutedError" && failure.subject === Cid.toText(other.cid))
    })
  )

  it.effect("keeps to its bounds before the bytes are there", () =>
    Effect.gen(function* () {
      const header = yield* Effect.promise(() => written([raw(new Uint8Array(1)).cid], []))
      // A section that claims 2^49 bytes, in a stream without end.
      const huge = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
      const endless = Stream.concat(Stream.make(header, huge), Stream.forever(Stream.make(new Uint8Array(1024))))
      const failure = yield* Effect.flip(Stream.runDrain(Car.read(endless)))
      assert.isTrue(failure._tag === "CarError" && failure.reason === "SectionTooLarge")
      const large = yield* Effect.promise(() => written([raw(new Uint8Array(1)).cid], [raw(new Uint8Array(300))]))
      assert.strictEqual((yield* failureOf(large, { maxBlockSize: 100 }))._tag, "CarError")
      assert.strictEqual((yield* failureOf(large, { maxBlockSize: 290 }))._tag, "UnprovenError")
      const long = yield* failureOf(header, { maxHeaderSize: 10 })
      assert.isTrue(long._tag === "CarError" && long.reason === "HeaderTooLarge")
    })
  )

  it.effect("takes no header with anything else in it, and no padding", () =>
    Effect.gen(function* () {
      const root = raw(new Uint8Array(1)).cid
      const framed = (header: unknown) => {
        const bytes = dagCbor.encode(header)
        return Buffer.from([bytes.length, ...bytes])
      }
      const headers = [
        {},
        { version: 1 },
        { version: 3, roots: [root] },
        { version: 1, roots: [7] },
        { version: 1, roots: root },
        { version: 1, roots: [root], more: 1 },
        [1],
        "car"
      ]
      for (const header of headers) {
        const failure = yield* failureOf(framed(header))
        assert.isTrue(failure._tag === "CarError" && failure.reason === "BadHeader", JSON.stringify(header))
      }
      // roots: [{"/": "x", "bytes": "x"}], a map that the library takes for a CID
      const trap = Buffer.from("\xa2\x65roots\x81\xa2\x61/\x61x\x65bytes\x61x\x67version\x01", "latin1")
      assert.strictEqual((yield* failureOf(Buffer.from([trap.length, ...trap])))._tag, "CarError")
      assert.strictEqual((yield* failureOf(new Uint8Array(0)))._tag, "CarError")
      const padded = Buffer.concat([framed({ version: 1, roots: [root] }), new Uint8Array(3)])
      assert.strictEqual((yield* failureOf(padded))._tag, "CarError")
      const nested = v2(v2(framed({ version: 1, roots: [root] })))
      assert.strictEqual((yield* failureOf(nested))._tag, "CarError")
      assert.strictEqual((yield* failureOf(v2(framed({ version: 1, roots: [root] })).subarray(0, 90)))._tag, "CarError")
    })
  )

  it.effect("writes what the library writes", () =>
    Effect.gen(function* () {
      const blocks = [raw(new Uint8Array(200)), raw(Uint8Array.of(4, 5))]
      const expected = yield* Effect.promise(() => written([blocks[0]!.cid], blocks))
      const parts = yield* Stream.runCollect(Car.encode([blocks[0]!.cid], Stream.fromIterable(blocks)))
      assert.isTrue(Buffer.concat(parts).equals(expected))
    })
  )
})

describe("Car.dag", () => {
  const dagOf = (root: Cid.Cid, blocks: ReadonlyArray<Block.Block>, options?: Car.CarDagOptions) =>
    Stream.runCollect(Car.dag(Car.encode([root], Stream.fromIterable(blocks)), root, options))

  it.effect("takes the blocks of a DAG in any order, each once, and reads files from them", () =>
    Effect.gen(function* () {
      const random = Random.make(15)
      for (let i = 0; i < Random.runs(20); i++) {
        const content = Random.bytes(random, 60 + Random.int(random, 500))
        const size = 10 + Random.int(random, 20)
        const imported = yield* Effect.promise(() =>
          Imported.files(
            [0, 1, 2].map((n) => [`d/${n}`, content.subarray(n * size)] as const),
            Imported.V0
          )
        )
        const blocks = imported.blocks.map(({ bytes, cid }) => ({
          cid: Cid.make(Block.DAG_PB, 0x12, cid.multihash.digest),
          bytes
        }))
        const shuffled = blocks
          .map((block) => [random(), block] as const)
          .sort(([a], [b]) => a - b)
          .map(([, block]) => block)
        const given = yield* dagOf(imported.root, [...shuffled, shuffled[0]!])
        assert.strictEqual(given.length, blocks.length)
        const source = yield* Car.collect(Stream.fromIterable(given), imported.root)
        const cid = yield* UnixFs.resolve(source, imported.root, ["1"])
        const chunks = yield* Stream.runCollect(UnixFs.cat(source, cid))
        assert.isTrue(Buffer.concat(chunks).equals(content.subarray(size)))

        const left = shuffled.filter(({ cid }) => Cid.key(cid) !== Cid.key(imported.root) || i % 2 === 0)
        const lost = left[Random.int(random, left.length)]!
        const failure = yield* Effect.flip(
          dagOf(
            imported.root,
            left.filter((block) => block !== lost)
          )
        )
        assert.strictEqual(failure._tag, "MissingBlocks")
      }
    })
  )

  it.effect("refuses every byte that is changed, and every end that is too early", () =>
    Effect.gen(function* () {
      const leaves = [raw(Uint8Array.of(1, 2, 3)), raw(Uint8Array.of(4, 5))]
      const root = node(...leaves.map(({ cid }) => cid))
      const bytes = yield* Effect.promise(() => written([root.cid], [root, ...leaves]))
      const outcome = (bytes: Uint8Array) => Effect.exit(Stream.runDrain(Car.dag(Stream.make(bytes), root.cid)))
      assert.strictEqual((yield* outcome(bytes))._tag, "Success")
      for (let at = 0; at < bytes.length; at++) {
        for (const bit of [1, 0x80]) {
          assert.strictEqual((yield* outcome(bytes.with(at, bytes[at]! ^ bit)))._tag, "Failure", `byte ${at}`)
        }
        assert.strictEqual((yield* outcome(bytes.subarray(0, at)))._tag, "Failure", `cut at ${at}`)
      }
    })
  )

  it.effect("refuses blocks that nothing links to, and another root", () =>
    Effect.gen(function* () {
      const leaf = raw(Uint8Array.of(1))
      const stray = raw(Uint8Array.of(2))
      const root = node(leaf.cid)
      assert.strictEqual((yield* Effect.flip(dagOf(root.cid, [root, leaf, stray])))._tag, "UnexpectedBlock")
      assert.strictEqual((yield* Effect.flip(dagOf(root.cid, [stray, root, leaf])))._tag, "UnexpectedBlock")
      const other = Car.encode([leaf.cid], Stream.make(root, leaf))
      const failure = yield* Effect.flip(Stream.runDrain(Car.dag(other, root.cid)))
      assert.isTrue(failure._tag === "RefutedError" && failure.check === "car roots")
    })
  )

  it.effect("takes a random DAG in a random order, and misses every block that is left out", () =>
    Effect.gen(function* () {
      const random = Random.make(18)
      for (let i = 0; i < Random.runs(60); i++) {
        // Each block links to some of the earlier blocks, often twice to the same block. The root links to the rest, so
        // that every block is linked.
        const blocks: Array<Block.Block> = [raw(Uint8Array.of(i))]
        const named = new Set<Block.Block>()
        for (let n = 0; n < 1 + Random.int(random, 25); n++) {
          const below = Array.from({ length: Random.int(random, 4) }, () => Random.pick(random, blocks))
          for (const block of below) named.add(block)
          blocks.push(
            node(raw(Uint8Array.of(i)).cid, ...below.map(({ cid }) => cid), Cid.make(Block.RAW, 0, Uint8Array.of(n)))
          )
        }
        const root = node(
          ...blocks
            .slice(1)
            .filter((block) => !named.has(block))
            .map(({ cid }) => cid)
        )
        const all = [...blocks, root]
        const order = all
          .map((block) => [random(), block] as const)
          .sort(([a], [b]) => a - b)
          .map(([, block]) => block)
        assert.strictEqual((yield* dagOf(root.cid, order)).length, all.length)
        const lost = Random.pick(random, order)
        const failure = yield* Effect.flip(
          dagOf(
            root.cid,
            order.filter((block) => block !== lost)
          )
        )
        assert(failure._tag === "MissingBlocks")
        assert.include(failure.missing, Cid.toText(lost.cid))
      }
    })
  )

  it.effect("is not fooled by a node that comes under another codec, without its links", () =>
    Effect.gen(function* () {
      const leaf = raw(Uint8Array.of(1))
      const inner = node(leaf.cid)
      const root = node(inner.cid)
      const disguised = { cid: Cid.make(Block.RAW, 0x12, inner.cid.multihash.digest), bytes: inner.bytes }
      assert.strictEqual((yield* Effect.flip(dagOf(root.cid, [root, disguised])))._tag, "MissingBlocks")
    })
  )

  it.effect("follows what stands in a CID, and keeps to its bounds", () =>
    Effect.gen(function* () {
      const leaf = raw(Uint8Array.of(1))
      const inlined = Cid.make(Block.DAG_CBOR, 0, node(leaf.cid).bytes)
      const root = node(inlined)
      assert.strictEqual((yield* dagOf(root.cid, [root, leaf])).length, 2)
      assert.strictEqual((yield* Effect.flip(dagOf(root.cid, [root])))._tag, "MissingBlocks")
      const unknown = node(Cid.make(0x9999, 0, Uint8Array.of(1)))
      assert.strictEqual(
        (yield* Effect.flip(dagOf(unknown.cid, [unknown])))._tag,
        "UnprovenError",
        "links nobody can read"
      )
      const tooMany = yield* Effect.flip(dagOf(root.cid, [root, leaf], { maxBlocks: 1 }))
      assert.strictEqual(tooMany._tag, "LimitExceeded")
      const many = node(...Array.from({ length: 9 }, (_, i) => raw(Uint8Array.of(i)).cid))
      const named = yield* Effect.flip(dagOf(many.cid, [many], { maxBlocks: 9 }))
      assert.strictEqual(named._tag, "LimitExceeded", "the root and nine that it names")
      const early = yield* Effect.flip(dagOf(root.cid, [many, root, leaf], { maxBlocks: 8 }))
      assert.strictEqual(early._tag, "LimitExceeded", "nine that something names that nothing led to")
      const tooLarge = yield* Effect.flip(Car.collect(Stream.make(root, leaf), root.cid, { maxBytes: 1 }))
      assert.strictEqual(tooLarge._tag, "LimitExceeded")
    })
  )
})

/** Tests reading whole files from one export: the requests, and the handling of an export that is not the file. */
import { assert, describe, it } from "@effect/vitest"
import { Block, Car, type Cid, FileCid, IpfsError, ProvenIpfsClient, type IpfsClient } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"

import * as Clients from "../support/clients.ts"

const BYTES = Random.bytes(Random.make(11), 2000)
/** Settings for a tree of three levels, so that an export has parents between leaves. */
const SETTINGS: FileCid.FileCidOptions = { ...FileCid.UNIXFS_V0_2015, chunkSize: 100, maxLinks: 3 }

/** Returns the blocks of a file in the order of an export, each once. */
const exportOf = (content: Uint8Array) =>
  Effect.map(Stream.runCollect(FileCid.blocks(Stream.make(content), SETTINGS)), (made) => {
    const byCid = new Map(made.map((block) => [String(block.cid), block]))
    const ordered = new Map<string, Block.Block>()
    const visit = (block: Block.Block): void => {
      if (ordered.has(String(block.cid))) return
      ordered.set(String(block.cid), block)
      for (const link of Result.getOrThrow(Block.links(block))) visit(byCid.get(String(link))!)
    }
    visit(made.at(-1)!)
    return [...ordered.values()]
  })

const failed = (reason: IpfsError.Reason): IpfsError.IpfsError => new IpfsError.IpfsError({ command: "x", reason })

/** Makes a node with the blocks and their exports. The node counts its answers. */
const nodeOf = Effect.fnUntraced(function* (
  held: ReadonlyArray<Block.Block>,
  dagExport: IpfsClient.AnyClient["dagExport"]
) {
  const plain = yield* Clients.to("http://127.0.0.1:9")
  const counts = { blocks: 0, exports: 0 }
  const ipfs = ProvenIpfsClient.make({
    ...plain,
    blockGet: (cid) =>
      Effect.suspend(() => {
        counts.blocks++
        const found = held.find((block) => String(block.cid) === String(cid))
        return found === undefined
          ? Effect.fail(failed(new IpfsError.FailedError({ status: 500, message: "not found" })))
          : Effect.succeed(found.bytes)
      }),
    dagExport: (cid, asked) =>
      Stream.suspend(() => {
        counts.exports++
        return dagExport(cid, asked)
      })
  })
  return { counts, ipfs }
})

const outcome = (ipfs: IpfsClient.AnyClient, cid: Cid.Cid, expected: Uint8Array) =>
  Effect.match(Stream.mkUint8Array(ipfs.cat(cid)), {
    onFailure: (error) => (error._tag === "RefutedError" ? `Refuted: ${error.check}` : error._tag),
    onSuccess: (bytes) => (Buffer.compare(bytes, expected) === 0 ? "right" : "wrong")
  })

const strangeBytes = new TextEncoder().encode("strange")
const strange = { cid: Result.getOrThrow(Block.cidOf(Block.RAW, strangeBytes)), bytes: strangeBytes }

describe("a whole file", () => {
  it.effect("is one export, in pieces of any size, and a range is the blocks that it needs", () =>
    Effect.gen(function* () {
      const blocks = yield* exportOf(BYTES)
      const root = blocks[0]!.cid
      for (const size of [1, 77, 100_000]) {
        const { counts, ipfs } = yield* nodeOf(blocks, () =>
          Stream.flatMap(Car.encode([root], Stream.fromIterable(blocks)), (bytes) =>
            Stream.fromIterable(
              Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
            )
          )
        )
        assert.strictEqual(yield* outcome(ipfs, root, BYTES), "right")
        assert.deepStrictEqual(counts, { blocks: 0, exports: 1 })
        const range = yield* Stream.mkUint8Array(ipfs.cat(root, { offset: 250, length: 10 }))
        assert.deepStrictEqual(range, BYTES.slice(250, 260))
        assert.strictEqual(counts.exports, 1)
        assert.isAtMost(counts.blocks, 4)
      }
    })
  )

  it.effect("with parts that repeat is whole, although an export has each block once", () =>
    Effect.gen(function* () {
      const content = new Uint8Array(3000)
      content.set(BYTES.subarray(0, 1000), 1000)
      content.set(BYTES.subarray(0, 1000), 2000)
      const blocks = yield* exportOf(content)
      const root = blocks[0]!.cid
      assert.isBelow(blocks.length, 30)
      const { counts, ipfs } = yield* nodeOf([], () => Car.encode([root], Stream.fromIterable(blocks)))
      assert.strictEqual(yield* outcome(ipfs, root, content), "right")
      assert.deepStrictEqual(counts, { blocks: 0, exports: 1 })
    })
  )

  it.effect("is read block by block from a node without exports, which is asked for one once", () =>
    Effect.gen(function* () {
      const blocks = yield* exportOf(BYTES)
      const root = blocks[0]!.cid
      const unknown = failed(new IpfsError.UnknownCommandError({ status: 404, message: "404 page not found" }))
      const { counts, ipfs } = yield* nodeOf(blocks, () => Stream.fail(unknown))
      assert.strictEqual(yield* outcome(ipfs, root, BYTES), "right")
      assert.strictEqual(yield* outcome(ipfs, root, BYTES), "right")
      assert.deepStrictEqual(counts, { blocks: 2 * blocks.length, exports: 1 })
    })
  )

  it.effect("is right or an error, whatever the export is", () =>
    Effect.gen(function* () {
      const blocks = yield* exportOf(BYTES)
      const root = blocks[0]!.cid
      const other = yield* exportOf(BYTES.subarray(1))
      const run = Effect.fnUntraced(function* (
        sent: ReadonlyArray<Block.Block>,
        { held = blocks, roots = [root] }: { held?: ReadonlyArray<Block.Block>; roots?: ReadonlyArray<Cid.Cid> } = {}
      ) {
        const { ipfs } = yield* nodeOf(held, () => Car.encode(roots, Stream.fromIterable(sent)))
        return yield* outcome(ipfs, root, BYTES)
      })
      for (let i = 0; i < blocks.length; i++) {
        const without = blocks.toSpliced(i, 1)
        // The client requests a block that is missing from the export. But if the missing block is a parent, the blocks
        // below it in the export are unexpected.
        const isParent = i > 0 && Result.getOrThrow(Block.links(blocks[i]!)).length > 0
        assert.strictEqual(yield* run(without), isParent ? "UnexpectedBlock" : "right", `without ${i}`)
        const lost = yield* run(without, { held: without })
        assert.strictEqual(lost, isParent ? "UnexpectedBlock" : "IpfsError", `lost ${i}`)
        const { bytes, cid } = blocks[i]!
        const flipped = bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))
        assert.strictEqual(yield* run(blocks.with(i, { cid, bytes: flipped })), "Refuted: block hash", `wrong ${i}`)
        const expected = i === 0 ? "right" : "UnexpectedBlock"
        assert.strictEqual(yield* run(blocks.toSpliced(i, 0, strange)), expected, `strange before ${i}`)
      }
      assert.strictEqual(yield* run([...blocks, strange]), "UnexpectedBlock")
      assert.strictEqual(yield* run([...blocks, ...blocks.slice(-1)]), "right")
      assert.strictEqual(yield* run(blocks.toReversed()), "right")
      assert.strictEqual(yield* run([blocks[0]!, ...blocks.slice(1).toReversed()]), "UnexpectedBlock")
      // parents first, because they are larger than leaves
      const breadth = [...blocks].sort((a, b) => b.bytes.length - a.bytes.length)
      const levels = [root, ...Result.getOrThrow(Block.links(blocks[0]!))].map(String)
      const inBreadth = [
        ...levels.map((cid) => blocks.find((block) => String(block.cid) === cid)!),
        ...breadth.filter(({ cid }) => !levels.includes(String(cid)))
      ]
      assert.strictEqual(yield* run(inBreadth), "right")
      assert.strictEqual(yield* run(blocks, { roots: [other[0]!.cid] }), "Refuted: car roots")
      assert.strictEqual(yield* run(blocks, { roots: [] }), "Refuted: car roots")
      assert.strictEqual(yield* run(other, { held: other, roots: [root] }), "IpfsError")
    })
  )

  it.effect("is an error where the export is cut or is none", () =>
    Effect.gen(function* () {
      const blocks = yield* exportOf(BYTES)
      const root = blocks[0]!.cid
      const car = yield* Stream.mkUint8Array(Car.encode([root], Stream.fromIterable(blocks)))
      for (const bytes of [
        car.subarray(0, -1),
        car.subarray(0, 10),
        new Uint8Array(0),
        new TextEncoder().encode("no")
      ]) {
        const { ipfs } = yield* nodeOf(blocks, () => Stream.make(bytes))
        assert.strictEqual(yield* outcome(ipfs, root, BYTES), "CarError")
      }
    })
  )
})

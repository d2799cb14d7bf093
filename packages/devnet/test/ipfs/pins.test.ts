/** Tests pins of the embedded node: the shared tests, and the content of its folder. */
import { assert, it } from "@effect/vitest"
import { Block, Car, Cid, type IpfsNode, Multihash } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import { IpfsEmbedded } from "../../src/index.ts"
import { ipfsPins } from "../suites/IpfsPins.ts"
import { addOne, blockFiles, bytesAt, flipBit, fresh, random, reasonOf, utf8 } from "../support/ipfs.ts"

ipfsPins(fresh)

it.live("what was just added is pinned without being read again, until a collection", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const add = (seed: string, options: IpfsNode.AddOptions = {}) =>
        addOne(node, random(seed, 600_000), { pin: false, ...options })
      const cid = yield* add("a")
      // walking a pin fails on a damaged leaf, so success shows that the leaf was not read
      for (const file of blockFiles(dir)) flipBit(file, 4000)
      assert.strictEqual(String(yield* node.pinAdd(cid)), cid)
      yield* node.pinRm(cid)

      const kept = yield* add("b")
      yield* Stream.runDrain(node.gc)
      assert.strictEqual((yield* reasonOf(node.pinAdd(kept)))._tag, "NotFound")
      const hashed = yield* add("c", { onlyHash: true })
      assert.strictEqual((yield* reasonOf(node.pinAdd(hashed)))._tag, "NotFound")
      // Under another codec the same bytes have other links, so the blocks are read.
      const raw = String(Cid.make(Block.RAW, Multihash.SHA2_256, Cid.fromTextUnsafe(yield* add("d")).multihash.digest))
      for (const file of blockFiles(dir)) flipBit(file, 300)
      assert.strictEqual((yield* reasonOf(node.pinAdd(raw)))._tag, "Damaged")
    })
  )
)

it.live("an added root says the bytes of its blocks, each counted once, as an export of it has them", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const same = random("same", 300_000)
      const entries: ReadonlyArray<IpfsNode.AddEntry> = [
        // a file of four equal chunks, the same file under two names, and another file
        { path: "zeros", content: new Uint8Array(1_048_576) },
        { path: "d/a", content: same },
        { path: "d/e/b", content: same },
        { path: "c", content: random("c", 10) },
        { content: same }
      ]
      for (const options of [{ pin: false }, { cidVersion: 1 }, { wrapWithDirectory: true }]) {
        const added = yield* Stream.runCollect(node.add(entries, options))
        const roots = added.flatMap((out) => (out._tag === "Added" && out.held !== undefined ? [out] : []))
        assert.strictEqual(roots.length, "wrapWithDirectory" in options ? 1 : 4)
        for (const { cid, held, name } of roots) {
          const items = yield* Stream.runCollect(Car.read(node.dagExport(String(cid))))
          const blocks = new Map(items.flatMap((item) => (item._tag === "Block" ? [[Cid.key(item.cid), item]] : [])))
          const sum = Array.from(blocks.values()).reduce((sum, { bytes }) => sum + bytes.length, 0)
          assert.strictEqual(held, sum, name)
        }
      }
      const [zeros] = yield* Stream.runCollect(node.add([entries[0]!]))
      assert(zeros?._tag === "Added")
      assert.isBelow(zeros.held!, 300_000)
      assert.isAbove(zeros.size, 1_048_576)
    })
  )
)

it.live("pins and blocks outlive the node, and the folder is one node's at a time", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      assert.strictEqual((yield* Effect.flip(Effect.scoped(IpfsEmbedded.make({ folder: dir })))).problem, "InUse")
      const cid = yield* addOne(node, "still here")
      const id = yield* node.id
      assert.match(id.id, /^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/)

      const { dir: second } = yield* fresh
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const node = yield* IpfsEmbedded.make({ folder: `${second}/inner` })
          yield* addOne(node, "still here", { pinName: "kept" })
          return yield* node.id
        })
      )
      const again = yield* IpfsEmbedded.make({ folder: `${second}/inner` })
      assert.deepStrictEqual(
        yield* Effect.map(Stream.runCollect(again.pinLs([])), (pins) =>
          pins.map(({ cid, name, type }) => [String(cid), type, name])
        ),
        [[cid, "recursive", "kept"]]
      )
      assert.deepStrictEqual(yield* bytesAt(again, cid), Buffer.from(utf8("still here")))
      assert.deepStrictEqual(yield* again.id, first)
      assert.notStrictEqual((yield* again.id).id, id.id)
    })
  )
)

/** Copies the folder of a node that runs, and opens the copy. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

import { IpfsEmbedded, IpfsFolder } from "../../src/index.ts"
import { addOne, blockFiles, bytesAt, flipBit, fresh, keyStream, utf8 } from "../support/ipfs.ts"
import { folder } from "../support/shared.ts"

/** Copies everything, in the order that the module asks for. */
const copy = Effect.fnUntraced(function* (from: string, to: string, pins: string) {
  const first = yield* IpfsFolder.copyBlocks({ from, to, blocks: yield* IpfsFolder.list(from) })
  yield* IpfsFolder.copyPins({ from, file: path.join(to, pins) })
  const rest = yield* IpfsFolder.copyBlocks({ from, to, blocks: yield* IpfsFolder.list(from) })
  return { first, rest }
})

const pinsAt = (node: Effect.Success<ReturnType<typeof IpfsEmbedded.make>>) =>
  Effect.map(Stream.runCollect(node.pinLs([])), (pins) => pins.map(({ cid, name, type }) => [String(cid), type, name]))

it.live("a running node is copied: new blocks alone the second time, and the copy has its pins and its bytes", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const to = yield* folder
      const large = keyStream("folder")(600_000)
      const big = yield* addOne(node, large, { pinName: "big" })
      const small = yield* addOne(node, "small")
      const id = yield* node.id
      const before = yield* copy(dir, to, "first.sqlite")
      assert.deepStrictEqual(before.first.damaged, [])
      assert.isAtLeast(before.first.written.blocks, 4)
      assert.deepStrictEqual(before.rest.written, { blocks: 0, bytes: 0 })
      const times = blockFiles(to).map((file) => [file, statSync(file).mtimeMs, statSync(file).ino])

      // the node goes on: it writes, pins and collects while and after it is copied
      const later = yield* addOne(node, "later")
      yield* node.pinRm(small)
      const after = yield* copy(dir, to, "pins.sqlite")
      assert.strictEqual(after.first.written.blocks, 1)
      for (const [file, time, inode] of times) {
        assert.deepStrictEqual([statSync(String(file)).mtimeMs, statSync(String(file)).ino], [time, inode])
      }
      // the oracle of a block is its file at the node
      for (const file of blockFiles(dir)) {
        const copied = path.join(to, path.relative(dir, file))
        assert.deepStrictEqual(readFileSync(copied), readFileSync(file))
        assert.strictEqual(statSync(copied).mode & 0o077, 0)
      }
      assert.strictEqual(statSync(path.join(to, "pins.sqlite")).mode & 0o077, 0)

      rmSync(path.join(to, "first.sqlite"))
      const restored = yield* IpfsEmbedded.make({ folder: to })
      assert.deepStrictEqual(yield* pinsAt(restored), yield* pinsAt(node))
      const bytes = yield* bytesAt(restored, big)
      const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
      assert.strictEqual(sum(bytes), sum(large))
      assert.deepStrictEqual(yield* bytesAt(restored, later), Buffer.from(utf8("later")))
      assert.deepStrictEqual(yield* restored.id, id)
    })
  )
)

it.live("a damaged block is not copied, and a damaged or missing block of a copy is named", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const to = yield* folder
      yield* addOne(node, keyStream("folder")(600_000))
      yield* copy(dir, to, "pins.sqlite")
      const blocks = yield* IpfsFolder.list(to)
      assert.deepStrictEqual(yield* IpfsFolder.unsound(to, blocks), [])
      const [first, second] = blockFiles(to).toSorted()
      flipBit(first!, 77)
      rmSync(second!)
      assert.deepStrictEqual([...(yield* IpfsFolder.unsound(to, blocks))].sort(), [first, second])

      const other = yield* folder
      const copied = yield* IpfsFolder.copyBlocks({ from: to, to: other, blocks })
      assert.deepStrictEqual(copied.damaged, [path.basename(first!, ".data")])
      assert.strictEqual(copied.blocks.length, blocks.length - 2)
      assert.strictEqual(blockFiles(other).length, blocks.length - 2)
      assert.notInclude(readdirSync(other), "temporary")

      // the next copy repairs what was lost
      rmSync(first!)
      const again = yield* copy(dir, to, "again.sqlite")
      assert.strictEqual(again.first.written.blocks, 2)
      assert.deepStrictEqual(yield* IpfsFolder.unsound(to, blocks), [])
    })
  )
)

it.live("pins that are not there, and a file in the way, are said", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const empty = yield* folder
      assert.deepStrictEqual(yield* IpfsFolder.list(path.join(empty, "nothing")), [])
      const error = yield* Effect.flip(IpfsFolder.copyPins({ from: empty, file: path.join(empty, "copy") }))
      assert.deepStrictEqual([error.problem, error.detail], ["Unusable", "ENOENT"])
      assert.deepStrictEqual(readdirSync(empty), [])
    })
  )
)

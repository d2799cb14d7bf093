/** Tests files and directories of the embedded node: the shared tests, content of many blocks, and its disk. */
import { assert, it } from "@effect/vitest"
import type { IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Fiber, Stream } from "effect"
import { exporter } from "ipfs-unixfs-exporter"

import { ipfsContent, storageOf, tree } from "../suites/IpfsContent.ts"
import { addAll, blockFiles, bytesAt, fresh, keyStream, random } from "../support/ipfs.ts"

ipfsContent(fresh)

const shardName = (i: number): string => `file${i}`.padEnd(250, "-")

/** More entries than a plain directory can hold, with CIDs of any size. */
const shards: ReadonlyArray<IpfsNode.AddEntry> = Array.from({ length: 1100 }, (_, i) => ({
  path: `top/many/${shardName(i)}`,
  content: new Uint8Array(i % 9).fill(i)
}))

it.live("a directory of many directories is sharded, as Kubo does, and each is told by its own name", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      // An entry has 34 bytes of CID and 200 bytes of name. So 1,120 entries have 262,080 bytes, and one more entry
      // exceeds the limit of 262,144.
      const names = (count: number) => Array.from({ length: count }, (_, i) => `folder${i}`.padEnd(200, "-"))
      const entriesOf = (count: number) =>
        names(count).map((name) => ({ type: "directory" as const, path: `top/${name}` }))
      const typeOf = Effect.fnUntraced(function* (count: number) {
        const added = yield* addAll(node, entriesOf(count))
        const cid = String(added.at(-1)?.cid)
        assert.deepStrictEqual(
          added.map(({ name }) => name),
          [
            ...names(count)
              .sort()
              .map((name) => `top/${name}`),
            "top"
          ]
        )
        const entry = yield* Effect.promise(() => exporter(cid, storageOf(dir)))
        const listed = yield* Stream.runCollect(node.ls(cid))
        assert.deepStrictEqual(listed.map(({ name }) => name).sort(), names(count).sort())
        return entry.type === "directory" ? entry.unixfs.type : entry.type
      })
      assert.strictEqual(yield* typeOf(1120), "directory")
      assert.strictEqual(yield* typeOf(1121), "hamt-sharded-directory")
    })
  )
)

it.live("trees under other hash functions, or partly within CIDs, are whole and read the same", () =>
  Effect.scoped(
    Effect.gen(function* () {
      for (const options of [
        { hash: "sha2-512", rawLeaves: false },
        { hash: "blake3", maxFileLinks: 2 },
        { inline: true }
      ]) {
        const { behind, node } = yield* fresh
        const added = yield* addAll(node, [...tree, ...shards], options)
        const root = String(added.at(-1)?.cid)
        yield* Stream.runDrain(behind.gc)
        assert.isTrue(keyStream("b")(600_000).equals(yield* bytesAt(node, `${root}/sub/b.bin`)))
        assert.strictEqual((yield* bytesAt(node, `${root}/many/${shardName(7)}`)).length, 7)
        assert.strictEqual((yield* Stream.runCollect(node.ls(`${root}/many`))).length, shards.length)
        for (const { cid, name, size } of [...added.slice(0, 9), ...added.slice(-9)]) {
          assert.strictEqual((yield* node.stat(String(cid))).cumulativeSize, size, name)
        }
        const codes = new Set((yield* Stream.runCollect(node.pinLs([]))).map(({ cid }) => cid.multihash.code))
        assert.strictEqual(codes.size, "inline" in options ? 2 : 1)
      }
    })
  )
)

it.live("an add that is cancelled ends at once, leaves no pin, and its blocks are collected", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      let closed = 0
      const endless = Stream.concat(random("endless", 5_000_000), Stream.never).pipe(
        Stream.ensuring(Effect.sync(() => closed++))
      )
      const fiber = yield* Effect.forkChild(addAll(node, [{ path: "d/f", content: endless }]))
      yield* Effect.repeat(
        Effect.delay(
          Effect.sync(() => blockFiles(dir).length),
          "2 millis"
        ),
        { until: (count) => count > 4 }
      )
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(closed, 1)
      assert.deepStrictEqual(yield* Stream.runCollect(node.pinLs([])), [])
      yield* Stream.runDrain(node.gc)
      assert.deepStrictEqual(blockFiles(dir), [])
    })
  )
)

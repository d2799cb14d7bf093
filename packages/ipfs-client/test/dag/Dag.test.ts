import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import { Block, BlockSource, Cid, Dag } from "@plumbline/ipfs-client"
import { Effect, Result } from "effect"
import { exporter } from "ipfs-unixfs-exporter"

import * as Imported from "../support/imported.ts"

const cbor = (value: unknown): Block.Block => {
  const bytes = dagCbor.encode(value)
  return { cid: Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes)), bytes }
}

const leaf: Block.Block = (() => {
  const bytes = dagJson.encode({ deep: { list: [1, "two", null] } })
  return { cid: Result.getOrThrow(Block.cidOf(Block.DAG_JSON, bytes)), bytes }
})()
const middle = cbor([{ link: leaf.cid }, Uint8Array.of(1, 2), "text"])
const root = cbor({ a: { b: middle.cid }, "": 5, __proto__x: 1, list: [[7]] })
const source = BlockSource.fromBlocks([leaf, middle, root])

const at = (...path: ReadonlyArray<string>) => Dag.resolve(source, root.cid, path)

describe("Dag.resolve", () => {
  it.effect("goes through maps, lists and links, and says where the value stands", () =>
    Effect.gen(function* () {
      const deep = yield* at("a", "b", "0", "link", "deep", "list", "1")
      assert.deepStrictEqual(deep.value, "two")
      assert.isTrue(Cid.equals(deep.cid, leaf.cid))
      assert.deepStrictEqual(deep.rest, ["deep", "list", "1"])
      assert.strictEqual((yield* at("a", "b", "0", "link", "deep", "list", "2")).value, null)
      assert.strictEqual((yield* at("")).value, 5)
      assert.strictEqual((yield* at("list", "0", "0")).value, 7)
    })
  )

  it.effect("follows a link at the end, as the exporter does", () =>
    Effect.gen(function* () {
      const whole = yield* at("a", "b")
      assert.isTrue(Cid.equals(whole.cid, middle.cid))
      assert.deepStrictEqual(whole.rest, [])
      assert.deepStrictEqual(whole.value, dagCbor.decode(middle.bytes))
      const files = yield* Effect.promise(() => Imported.files([["d/x/y", new TextEncoder().encode("y")]], Imported.V0))
      const directory = cbor({ files: files.root })
      yield* Effect.promise(async () => files.store.put(directory.cid, directory.bytes))
      const both = BlockSource.fromBlocks([...files.blocks, directory])
      const found = yield* Dag.resolve(both, directory.cid, ["files", "x", "y"])
      const entry = yield* Effect.promise(() => exporter(`${directory.cid.toString()}/files/x/y`, files.store))
      assert.strictEqual(found.cid.toString(), entry.cid.toString())
    })
  )

  it.effect("says that there is nothing, wherever a name is not one of the value's own", () =>
    Effect.gen(function* () {
      for (const path of [
        ["b"],
        ["a", "c"],
        ["toString"],
        ["__proto__"],
        ["a", "constructor"],
        ["list", "length"],
        ["list", "1"],
        ["list", "00"],
        ["list", "-1"],
        ["a", "b", "1", "0"],
        ["a", "b", "2", "0"],
        ["a", "b", "0", "link", "nothing"]
      ]) {
        const failure = yield* Effect.flip(at(...path))
        assert.strictEqual(failure._tag, "NoSuchEntry", path.join("/"))
      }
    })
  )

  it.effect("refutes a block on the way that is changed, and ends at its bound", () =>
    Effect.gen(function* () {
      const lied = BlockSource.fromBlocks([root, { cid: middle.cid, bytes: root.bytes }, leaf])
      assert.strictEqual((yield* Effect.flip(Dag.resolve(lied, root.cid, ["a", "b", "2"])))._tag, "RefutedError")
      let last = cbor({ x: "end" })
      const chain = [last]
      for (let i = 0; i < 40; i++) chain.push((last = cbor(last.cid)))
      const endless = yield* Effect.flip(Dag.resolve(BlockSource.fromBlocks(chain), last.cid, ["x"]))
      assert.strictEqual(endless._tag, "LimitExceeded")
      const found = yield* Dag.resolve(BlockSource.fromBlocks(chain), last.cid, ["x"], { maxDepth: 41 })
      assert.strictEqual(found.value, "end")
    })
  )

  it.effect("gives a block that is nothing but a link as that link, and follows it when a path leads on", () =>
    Effect.gen(function* () {
      const raw = Cid.make(Block.RAW, 0, Uint8Array.of(7))
      // {"/": link}, as Kubo 0.43 stores and returns it
      const bytes = Uint8Array.of(0xd8, 0x2a, 0x46, 0, ...raw.bytes)
      const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
      const source = BlockSource.fromBlocks([{ cid, bytes }])
      const { rest, value } = yield* Dag.resolve(source, cid, [])
      assert.deepStrictEqual(rest, [])
      assert.isTrue(Cid.asCid(value)?.equals(raw))
      const listed = Uint8Array.of(0x81, ...bytes)
      const list = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, listed))
      const followed = yield* Dag.resolve(BlockSource.fromBlocks([{ cid: list, bytes: listed }]), list, ["0"])
      assert.deepStrictEqual(followed.value, Uint8Array.of(7))
    })
  )
})

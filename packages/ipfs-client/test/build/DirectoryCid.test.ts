import { createCipheriv, createHash } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import * as dagPb from "@ipld/dag-pb"
import { Block, BlockSource, Cid, DirectoryCid, FileCid, UnixFs } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"
import { UnixFS } from "ipfs-unixfs"

import * as Imported from "../support/imported.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const entry = (text: string, options?: FileCid.FileCidOptions) => FileCid.ofStream(Stream.make(utf8(text)), options)

describe("DirectoryCid", () => {
  it.effect("gives the CIDs that Kubo gives", () =>
    Effect.gen(function* () {
      const hello = Result.getOrThrow(DirectoryCid.make([["world", yield* entry("World\n")]]))
      const root = Result.getOrThrow(
        DirectoryCid.make([
          ["hey", yield* entry("Hey\n")],
          ["hello", hello]
        ])
      )
      assert.strictEqual(Cid.toText(root.cid), "QmZQWnfcqJ6hNkkPvrY9Q5X39GP3jUnUbAV4AbmbbR3Cb1")
      const planets = Result.getOrThrow(
        DirectoryCid.make(
          [
            ["venus.txt", yield* entry("Hello Venus!\n", FileCid.KUBO_V1)],
            ["mars.txt", yield* entry("Hello Mars!\n", FileCid.KUBO_V1)]
          ],
          FileCid.KUBO_V1
        )
      )
      assert.strictEqual(Cid.toText(planets.cid), "bafybeih7e5dmkyk25up5vxug4q3hrg2fxbzf23dfrac2fns5h7z4aa7ioi")
    })
  )

  it.effect("is plain up to 256 KiB of names and CIDs, as Kubo has it", () =>
    Effect.gen(function* () {
      // cid_profiles_test.go: 4096 names of 30 bytes with CIDs of 34 bytes are 256 KiB; the names come from a keystream
      const letters = "abcdefghijklmnopqrstuvwxyz01234567890-_"
      const key = createHash("sha256").update("hamt-unixfs-v0-2015").digest()
      const names = createCipheriv("chacha20", key, Buffer.alloc(16)).update(Buffer.alloc(4096 * 30))
      const x = yield* entry("x")
      const entries = Array.from({ length: 4096 }, (_, i) => {
        const name = Array.from(names.subarray(30 * i, 30 * i + 30), (byte) => letters.charAt(byte % letters.length))
        return [name.join(""), x] as const
      })
      const plain = Result.getOrThrow(DirectoryCid.make(entries))
      assert.strictEqual(Cid.toText(plain.cid), "QmX5GtRk3TSSEHtdrykgqm4eqMEn3n2XhfkFAis5fjyZmN")
      assert.strictEqual(plain.blocks.length, 1)
      const sharded = Result.getOrThrow(DirectoryCid.make([...entries, ["one more", x]]))
      assert.isAbove(sharded.blocks.length, 1)
    })
  )

  it.effect("gives what the importer gives, plain and sharded, and is read again", () =>
    Effect.gen(function* () {
      const random = Random.make(17)
      for (let i = 0; i < Random.runs(Random.sized(12)); i++) {
        const count = i % 4 === 0 ? 1500 : 1 + Random.int(random, 60)
        const long = i % 4 === 0 ? "é".repeat(90) : ""
        const files = Array.from(
          { length: count },
          (_, n) => [`${Random.int(random, 999)}${long}${n}`, utf8(`${n % 7}`)] as const
        )
        const options = i % 2 === 0 ? FileCid.UNIXFS_V0_2015 : FileCid.KUBO_V1
        const imported = yield* Effect.promise(() =>
          Imported.files(
            files.map(([name, content]) => [`d/${name}`, content] as const),
            { ...Imported.V0, cidVersion: options.cidVersion, rawLeaves: options.rawLeaves }
          )
        )
        const entries = yield* Effect.forEach(files, ([name, content]) =>
          Effect.map(FileCid.ofStream(Stream.make(content), options), (root) => [name, root] as const)
        )
        const made = Result.getOrThrow(DirectoryCid.make(entries.toReversed(), options))
        assert.strictEqual(made.cid.toString(), imported.root.toString())
        assert.strictEqual(made.blocks.length > 1, i % 4 === 0)
        assert.isTrue(Cid.equals(made.blocks.at(-1)!.cid, made.cid))
        for (const { bytes, cid } of made.blocks) assert.isTrue(Result.isSuccess(Block.check(cid, bytes)))
        const listed = yield* Stream.runCollect(UnixFs.entries(BlockSource.fromBlocks(made.blocks), made.cid))
        assert.deepStrictEqual(listed.map(({ name }) => name).sort(), files.map(([name]) => name).sort())
        const own = made.blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
        assert.strictEqual(
          made.totalSize,
          entries.reduce((sum, [, { totalSize }]) => sum + totalSize, own)
        )
      }
    })
  )

  it.effect("shards as wide as asked, by names and CIDs or by the block, as the importer does", () =>
    Effect.gen(function* () {
      const x = yield* entry("x")
      const names = Array.from({ length: 6000 }, (_, i) => `${i}`.padStart(20, "name"))
      const entries = names.map((name) => [name, x] as const)
      for (const fanout of [8, 64, 1024]) {
        const imported = yield* Effect.promise(() =>
          Imported.files(
            names.map((name) => [`d/${name}`, utf8("x")] as const),
            { ...Imported.V0, shardFanoutBits: Math.log2(fanout) }
          )
        )
        const made = Result.getOrThrow(DirectoryCid.make(entries, { cidVersion: 0, hash: "sha2-256", fanout }))
        assert.strictEqual(made.cid.toString(), imported.root.toString())
      }
      // 6000 names of 20 bytes with CIDs of 34 bytes exceed 256 KiB if names and CIDs are measured; 4300 such names
      // exceed it only if the block is measured
      const options = { cidVersion: 0, hash: "sha2-256" } as const
      const some = entries.slice(0, 4300)
      const counts = [some, entries].flatMap((entries) =>
        (["links", "block"] as const).map(
          (shardBy) => Result.getOrThrow(DirectoryCid.make(entries, { ...options, shardBy })).blocks.length > 1
        )
      )
      assert.deepStrictEqual(counts, [false, true, true, true])
    })
  )

  it.effect("says mode and time, plain and sharded", () =>
    Effect.gen(function* () {
      const x = yield* entry("x")
      const mtime = { seconds: 9n }
      const options = { cidVersion: 1, hash: "sha2-256", mode: 0o700, mtime } as const
      for (const count of [0, 1, 9000]) {
        const entries = Array.from({ length: count }, (_, i) => [`file ${i}`, x] as const)
        const made = Result.getOrThrow(DirectoryCid.make(entries, options))
        const messages = made.blocks.map(({ bytes }) => UnixFS.unmarshal(dagPb.decode(bytes).Data!))
        const root = messages.pop()!
        assert.deepStrictEqual([root.mode, root.mtime?.secs], [0o700, 9n])
        assert.isTrue(messages.every(({ mtime }) => mtime === undefined))
        // Kubo also stores a mode that equals the default mode of directories
        const usual = Result.getOrThrow(DirectoryCid.make(entries, { ...options, mode: 0o755 }))
        const block = usual.blocks.at(-1)!
        assert.strictEqual(UnixFS.unmarshal(dagPb.decode(block.bytes).Data!).mode, 0o755)
        assert.include(Buffer.from(block.bytes).toString("hex"), "38ed03")
      }
    })
  )

  it.effect("gives the block of a symlink that ipfs-unixfs gives, and it is told again", () =>
    Effect.gen(function* () {
      const target = "../some where/é"
      const data = new UnixFS({ type: "symlink", data: utf8(target) }).marshal()
      const made = DirectoryCid.symlink(target)
      assert.deepStrictEqual([...made.bytes], [...dagPb.encode(dagPb.prepare({ Data: data }))])
      assert.isTrue(Result.isSuccess(Block.check(made.cid, made.bytes)))
      const { kind, target: told } = yield* UnixFs.stat(BlockSource.fromBlocks([made]), made.cid)
      assert.deepStrictEqual([kind, told], ["symlink", target])
    })
  )

  it.effect("takes the later of two entries of one name", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* entry("a"), yield* entry("b")]
      const twice = Result.getOrThrow(
        DirectoryCid.make([
          ["x", a],
          ["x", b]
        ])
      )
      assert.isTrue(Cid.equals(twice.cid, Result.getOrThrow(DirectoryCid.make([["x", b]])).cid))
    })
  )
})

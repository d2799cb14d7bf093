import { assert, describe, it } from "@effect/vitest"
import * as dagPb from "@ipld/dag-pb"
import { Block, BlockSource, Cid, UnixFs, UnixFsData } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"

import * as Imported from "../support/imported.ts"

const LETTERS = "abcXYZ-_ .é水0"

const names = (random: Random.Random, count: number): ReadonlyArray<string> => [
  ...new Set(
    Array.from({ length: count }, () =>
      Array.from({ length: 1 + Random.int(random, 40) }, () => LETTERS.charAt(Random.int(random, LETTERS.length))).join(
        ""
      )
    ).filter((name) => name !== "." && name !== "..")
  )
]

const namesIn = <E>(stream: Stream.Stream<UnixFs.DirectoryEntry, E>): Effect.Effect<ReadonlyArray<string>, E> =>
  Effect.map(Stream.runCollect(stream), (entries) => entries.map(({ name }) => name).sort())

const block = (data: UnixFsData.UnixFsData, links: ReadonlyArray<dagPb.PBLink>): Block.Block => {
  const bytes = unsorted(UnixFsData.encode(data), links)
  return { cid: Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes)), bytes }
}

/** Writes dag-pb blocks that the library refuses to write: with links in any order, and empty names. */
const unsorted = (data: Uint8Array, links: ReadonlyArray<dagPb.PBLink>): Uint8Array => {
  const field = (key: number, bytes: Uint8Array): ReadonlyArray<number> => [
    key,
    (bytes.length & 0x7f) | 0x80,
    bytes.length >> 7,
    ...bytes
  ]
  const encoded = links.flatMap(({ Hash, Name = "" }) => {
    const link = [...field(10, Hash.bytes), ...field(18, new TextEncoder().encode(Name))]
    return field(18, Uint8Array.from(link))
  })
  return Uint8Array.from([...encoded, ...field(10, data)])
}

const leaf: Block.Block = (() => {
  const bytes = new TextEncoder().encode("leaf")
  return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
})()

const directory = (...names: ReadonlyArray<string>): Block.Block =>
  block(
    { kind: "directory", blockSizes: [] },
    names.map((name) => dagPb.createLink(name, 4, leaf.cid))
  )

const failureOf = (root: Block.Block, others: ReadonlyArray<Block.Block> = []) =>
  Effect.flip(namesIn(UnixFs.entries(BlockSource.fromBlocks([root, leaf, ...others]), root.cid)))

describe("UnixFs.entries and UnixFs.resolve", () => {
  it.effect("list and find what the importer put there, plain or sharded", () =>
    Effect.gen(function* () {
      const random = Random.make(11)
      for (const sharded of [false, true]) {
        for (let i = 0; i < Random.runs(6); i++) {
          const files = names(random, 1 + Random.int(random, 300)).map(
            (name) => [`d/${name}`, new TextEncoder().encode(name)] as const
          )
          const imported = yield* Effect.promise(() =>
            Imported.files(files, { ...Imported.V0, shardSplitThresholdBytes: sharded ? 0 : 1e9 })
          )
          const { asked, source } = Imported.spied(imported.blocks)
          const found = yield* UnixFs.resolve(source, imported.root, [])
          assert.isTrue(Cid.equals(found, imported.root))
          const listed = yield* namesIn(UnixFs.entries(source, imported.root))
          assert.deepStrictEqual(listed, files.map(([path]) => path.slice(2)).sort())
          assert.strictEqual((yield* UnixFs.stat(source, imported.root)).kind, "directory")
          for (const [path, content] of files.slice(0, 20)) {
            asked.length = 0
            const cid = yield* UnixFs.resolve(source, imported.root, [path.slice(2)])
            assert.isAtMost(asked.length, 4)
            const chunks = yield* Stream.runCollect(UnixFs.cat(source, cid))
            assert.isTrue(Buffer.concat(chunks).equals(content))
          }
          for (const absent of ["no such name", "00", "", "constructor", "ab/c"]) {
            if (files.some(([path]) => path === `d/${absent}`)) continue
            const failure = yield* Effect.flip(UnixFs.resolve(source, imported.root, [absent]))
            assert.strictEqual(failure._tag, "NoSuchEntry")
          }
        }
      }
    })
  )

  it.effect("go through directories, and not through files or symlinks", () =>
    Effect.gen(function* () {
      const content = new TextEncoder().encode("deep")
      const imported = yield* Effect.promise(() => Imported.files([["r/a/b/c.txt", content]], Imported.V0))
      const target = new TextEncoder().encode("../../etc/passwd")
      const symlink = block({ kind: "symlink", data: target, blockSizes: [] }, [])
      const withLink = block({ kind: "directory", blockSizes: [] }, [
        dagPb.createLink("link", 1, symlink.cid),
        dagPb.createLink("r", 1, imported.root)
      ])
      const source = BlockSource.fromBlocks([...imported.blocks, symlink, withLink])
      const cid = yield* UnixFs.resolve(source, withLink.cid, ["r", "a", "b", "c.txt"])
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(UnixFs.cat(source, cid))).equals(content))

      const through = yield* Effect.flip(UnixFs.resolve(source, withLink.cid, ["r", "a", "b", "c.txt", "d"]))
      assert.isTrue(through._tag === "WrongKind" && through.got === "file")
      const followed = yield* Effect.flip(UnixFs.resolve(source, withLink.cid, ["link", "x"]))
      assert.isTrue(followed._tag === "WrongKind" && followed.got === "symlink")
      const link = yield* UnixFs.resolve(source, withLink.cid, ["link"])
      const { kind, target: told } = yield* UnixFs.stat(source, link)
      assert.deepStrictEqual([kind, told], ["symlink", "../../etc/passwd"])
      const read = yield* Effect.flip(Stream.runDrain(UnixFs.cat(source, link)))
      assert.strictEqual(read._tag, "WrongKind")
    })
  )

  it.effect("refute a changed block of a directory before a name of it is given", () =>
    Effect.gen(function* () {
      const files = Array.from({ length: 40 }, (_, i) => [`d/${i}`, Uint8Array.of(i)] as const)
      const imported = yield* Effect.promise(() =>
        Imported.files(files, { ...Imported.V0, shardSplitThresholdBytes: 0, shardFanoutBits: 3 })
      )
      const { asked, source } = Imported.spied(imported.blocks)
      yield* namesIn(UnixFs.entries(source, imported.root))
      assert.isAbove(asked.length, 3, "there are shards below the first")
      for (const { bytes, cid } of imported.blocks.filter(({ cid }) => asked.includes(Cid.key(cid)))) {
        const lie = bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1)
        const lied = BlockSource.fromBlocks([...imported.blocks, { cid, bytes: lie }])
        assert.strictEqual((yield* Effect.flip(namesIn(UnixFs.entries(lied, imported.root))))._tag, "RefutedError")
      }
    })
  )

  it.effect("refuse names that leave a folder, and names that come twice", () =>
    Effect.gen(function* () {
      for (const bad of ["", ".", "..", "../../.ssh/authorized_keys", "/etc/passwd", "a\0b"]) {
        assert.strictEqual((yield* failureOf(directory("fine", bad)))._tag, "MalformedBlock", JSON.stringify(bad))
      }
      assert.strictEqual((yield* failureOf(directory("a", "a")))._tag, "MalformedBlock")
      assert.deepStrictEqual(
        yield* namesIn(UnixFs.entries(BlockSource.fromBlocks([directory("...")]), directory("...").cid)),
        ["..."]
      )
    })
  )

  it.effect("refuse shards that are not what the format says", () =>
    Effect.gen(function* () {
      const imported = yield* Effect.promise(() =>
        Imported.files(
          Array.from({ length: 30 }, (_, i) => [`d/${i}`, Uint8Array.of(i)] as const),
          { ...Imported.V0, shardSplitThresholdBytes: 0 }
        )
      )
      const root = imported.blocks.find(({ cid }) => Cid.key(cid) === Cid.key(imported.root))!
      const node = dagPb.decode(root.bytes)
      const honest = Result.getOrThrow(UnixFsData.decode(node.Data!))
      const links = node.Links
      const named = links.findIndex(({ Name }) => Name!.length > 2)
      const renamed = (name: string) => links.with(named, { ...links[named]!, Name: name })
      const lies: ReadonlyArray<readonly [data: UnixFsData.UnixFsData, links: ReadonlyArray<dagPb.PBLink>]> = [
        [{ ...honest, fanout: 255 }, links],
        [{ ...honest, fanout: 4 }, links],
        [{ ...honest, fanout: 2 ** 40 }, links],
        [{ ...honest, hashType: 0x12 }, links],
        [{ ...honest, data: new Uint8Array(32).fill(255) }, links],
        [{ ...honest, data: new Uint8Array(0) }, links],
        [honest, links.toReversed()],
        [honest, links.slice(1)],
        [honest, [...links, links.at(-1)!]],
        [honest, renamed(`${links[named]!.Name!.slice(0, 2)}another`)],
        [honest, renamed("ZZ1")],
        [honest, renamed("1")],
        [honest, renamed(`${links[named]!.Name!.slice(0, 2)}../x`)],
        [honest, links.with(named, { ...links[named]!, Name: links[named]!.Name!.slice(0, 2), Hash: leaf.cid })],
        [honest, links.with(named, { ...links[named]!, Name: links[named]!.Name!.slice(0, 2), Hash: root.cid })]
      ]
      for (const [i, [data, links]] of lies.entries()) {
        const lie = block(
          data,
          links.map(({ Hash, Name, Tsize }) => dagPb.createLink(Name ?? "", Tsize ?? 0, Hash))
        )
        const failure = yield* failureOf(lie, imported.blocks)
        assert.strictEqual(failure._tag, "MalformedBlock", `lie ${i}`)
      }
      assert.strictEqual(
        (yield* Effect.flip(UnixFs.resolve(BlockSource.fromBlocks([leaf]), leaf.cid, ["a"])))._tag,
        "WrongKind"
      )
    })
  )

  it.effect("are stopped by a shard that is named twice, and by shards deeper than hashes", () =>
    Effect.gen(function* () {
      const shard = (links: ReadonlyArray<readonly [place: number, below: Block.Block]>): Block.Block => {
        const data = new Uint8Array(32)
        for (const [place] of links) data[31 - (place >> 3)]! |= 1 << (place & 7)
        const start = data.findIndex((byte) => byte !== 0)
        return block(
          { kind: "hamt-shard", data: data.subarray(start), blockSizes: [], hashType: 0x22, fanout: 256 },
          links.map(([place, { cid }]) => dagPb.createLink(place.toString(16).toUpperCase().padStart(2, "0"), 1, cid))
        )
      }
      const bottom = block({ kind: "hamt-shard", blockSizes: [], hashType: 0x22, fanout: 256 }, [])
      // seven levels: the block of each level has 256 links, all to the one block of the level below
      const floors = [bottom]
      for (let i = 0; i < 7; i++) floors.push(shard(Array.from({ length: 256 }, (_, place) => [place, floors.at(-1)!])))
      const { asked, source } = Imported.spied(floors)
      const failure = yield* Effect.flip(namesIn(UnixFs.entries(source, floors.at(-1)!.cid)))
      assert.strictEqual(failure._tag, "MalformedBlock")
      assert.isAtMost(asked.length, 1)

      const chain = [bottom]
      for (let i = 0; i < 8; i++) chain.push(shard([[i, chain.at(-1)!]]))
      const blocks = BlockSource.fromBlocks(chain)
      assert.deepStrictEqual(yield* namesIn(UnixFs.entries(blocks, chain[7]!.cid)), [])
      const deep = yield* Effect.flip(namesIn(UnixFs.entries(blocks, chain[8]!.cid)))
      assert.strictEqual(deep._tag, "MalformedBlock")
    })
  )
})

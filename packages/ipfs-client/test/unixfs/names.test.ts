/** Tests that names are bytes: a name that only looks like another name does not lead to the content of that name. */
import { assert, describe, it } from "@effect/vitest"
import {
  Block,
  BlockSource,
  Cid,
  DagPbObject,
  DirectoryCid,
  IpfsPath,
  UnixFs,
  UnixFsData,
  ProvenIpfsClient
} from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"

import * as Clients from "../support/clients.ts"
import * as IpfsNode from "../support/ipfsNode.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A byte order mark, which text decoders often drop. */
const MARK = "\ufeff"

/** Names that are not UTF-8: an invalid byte, half a character, half a surrogate pair, an overlong slash. */
const BROKEN = [[0xff], [0x61, 0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0xaf]].map((bytes) => Uint8Array.from(bytes))

const raw = (text: string): Block.Block => {
  const bytes = utf8(text)
  return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
}

/** Writes a field of dag-pb by hand: the field's number and wire type, a length of one or two bytes, and the bytes. */
const field = (key: number, bytes: Uint8Array): ReadonlyArray<number> => [
  key,
  ...(bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]),
  ...bytes
]

const node = (
  data: Uint8Array,
  links: ReadonlyArray<readonly [name: Uint8Array, cid: Cid.Cid, size?: ReadonlyArray<number>]>
): Block.Block => {
  const written = links.flatMap(([name, cid, size = [1]]) =>
    field(0x12, Uint8Array.from([...field(0x0a, cid.bytes), ...field(0x12, name), 0x18, ...size]))
  )
  const bytes = Uint8Array.from([...written, ...field(0x0a, data)])
  return { cid: Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes)), bytes }
}

const DIRECTORY = Uint8Array.of(8, 1)

const file = (index: number): Block.Block => raw(`file ${index}`)

/** Makes a plain directory with one file for each name. */
const plain = (names: ReadonlyArray<Uint8Array>) => {
  const files = names.map((_, i) => file(i))
  const root = node(
    DIRECTORY,
    names.map((name, i) => [name, files[i]!.cid])
  )
  return { root: root.cid, blocks: [root, ...files], source: BlockSource.fromBlocks([root, ...files]), names }
}

/** Makes a sharded directory with these names by our own writer. The reader checks that each name is at its place. */
const sharded = (names: ReadonlyArray<Uint8Array>) => {
  const files = names.map((_, i) => file(i))
  // This is more than a plain directory can hold.
  const many = Array.from({ length: 8000 }, (_, i) => [`filler ${i} ${"x".repeat(20)}`, file(0)] as const)
  const made = Result.getOrThrow(
    DirectoryCid.make(
      [...many, ...names.map((name, i) => [name, files[i]!] as const)].map(
        ([name, { bytes, cid }]) => [name, { cid, totalSize: bytes.length }] as const
      )
    )
  )
  assert.isAbove(made.blocks.length, 1)
  const blocks = [...made.blocks, ...files]
  return { root: made.cid, blocks, source: BlockSource.fromBlocks(blocks), names }
}

const KINDS = { plain, sharded }

/**
 * The texts that are shown for the names in `BROKEN`: like Go, with U+FFFD for each byte that is not part of a
 * character. They are worked out by hand.
 */
const SHOWN = ["\ufffd", "a\ufffd\ufffd", "\ufffd\ufffd\ufffd", "\ufffd\ufffd"]

for (const [kind, make] of Object.entries(KINDS)) {
  describe(`a name in a ${kind} directory`, () => {
    it.effect("keeps its byte order mark, and is not found without it", () =>
      Effect.gen(function* () {
        const { root, source } = make([utf8(`${MARK}a.txt`), utf8("b")])
        const entries = yield* Stream.runCollect(UnixFs.entries(source, root))
        assert.includeMembers(
          entries.map(({ name }) => name),
          [`${MARK}a.txt`, "b"]
        )
        assert.isTrue(Cid.equals(yield* UnixFs.resolve(source, root, [`${MARK}a.txt`]), file(0).cid))
        for (const name of ["a.txt", `${MARK}${MARK}a.txt`, `${MARK}b`, "a.txt\u0000"]) {
          assert.strictEqual((yield* Effect.flip(UnixFs.resolve(source, root, [name])))._tag, "NoSuchEntry", name)
        }
      })
    )

    it.effect("that is not UTF-8 is shown and found by its bytes, never by what is shown", () =>
      Effect.gen(function* () {
        const { names, root, source } = make(BROKEN)
        const entries = yield* Stream.runCollect(UnixFs.entries(source, root))
        for (const [i, bytes] of names.entries()) {
          const entry =
            entries.find(({ cid }) => Cid.equals(cid, file(i).cid) && i > 0) ??
            entries.find(({ nameBytes }) => nameBytes !== undefined && Buffer.from(nameBytes).equals(bytes))
          assert.strictEqual(entry?.name, SHOWN[i])
          assert.deepStrictEqual(new Uint8Array(entry?.nameBytes ?? []), bytes)
          assert.isTrue(Cid.equals(yield* UnixFs.resolve(source, root, [bytes]), file(i).cid))
          for (const name of [entry!.name, utf8(entry!.name), new TextDecoder().decode(bytes)]) {
            assert.strictEqual((yield* Effect.flip(UnixFs.resolve(source, root, [name])))._tag, "NoSuchEntry")
          }
        }
      })
    )

    it.effect("that is really U+FFFD stands beside one that is shown so", () =>
      Effect.gen(function* () {
        const { root, source } = make([Uint8Array.of(0xff), utf8("\ufffd"), Uint8Array.of(0xfe)])
        for (const [i, name] of [Uint8Array.of(0xff), "\ufffd", Uint8Array.of(0xfe)].entries()) {
          assert.isTrue(Cid.equals(yield* UnixFs.resolve(source, root, [name]), file(i).cid))
        }
        const entries = yield* Stream.runCollect(UnixFs.entries(source, root))
        const alike = entries.filter(({ name }) => name === "\ufffd")
        assert.sameDeepMembers(
          alike.map(({ nameBytes }) => (nameBytes === undefined ? undefined : [...nameBytes])),
          [[0xff], undefined, [0xfe]]
        )
        // half a surrogate pair would become U+FFFD in UTF-8
        for (const name of ["\ud800", "\udfff", "\udc00\ud800"]) {
          assert.strictEqual((yield* Effect.flip(UnixFs.resolve(source, root, [name])))._tag, "NoSuchEntry")
        }
      })
    )
  })
}

it.effect("two entries of the same bytes are refused, and two that only look alike are not", () =>
  Effect.gen(function* () {
    const twice = plain([Uint8Array.of(0xff), Uint8Array.of(0xff)])
    assert.strictEqual(
      (yield* Effect.flip(Stream.runCollect(UnixFs.entries(twice.source, twice.root))))._tag,
      "MalformedBlock"
    )
    const alike = plain([Uint8Array.of(0xff), Uint8Array.of(0xfe)])
    assert.strictEqual((yield* Stream.runCollect(UnixFs.entries(alike.source, alike.root))).length, 2)
    for (const bad of ["", ".", "..", "a/b", "a\u0000b"]) {
      const { root, source } = plain([utf8(bad)])
      assert.strictEqual((yield* Effect.flip(Stream.runCollect(UnixFs.entries(source, root))))._tag, "MalformedBlock")
    }
  })
)

it.effect("a symlink's target keeps its mark, and its bytes if it is not UTF-8", () =>
  Effect.gen(function* () {
    for (const [target, shown] of [
      [utf8(`${MARK}up`), `${MARK}up`],
      [Uint8Array.of(0xff, 0x74), "\ufffdt"]
    ] as const) {
      const { bytes, cid } = DirectoryCid.symlink(target)
      const stat = yield* UnixFs.stat(BlockSource.fromBlocks([{ cid, bytes }]), cid)
      assert.strictEqual(stat.target, shown)
      assert.deepStrictEqual(stat.targetBytes, target[0] === 0xff ? target : undefined)
    }
  })
)

it("directories are written with the names that they are given, or not at all", () => {
  const entry = { cid: file(0).cid, totalSize: 6 }
  const made = Result.getOrThrow(
    DirectoryCid.make([
      [Uint8Array.of(0xff), entry],
      [`${MARK}a`, entry]
    ])
  )
  // The links are sorted by the bytes of their names. The size of a link counts all blocks below it.
  const expected = node(DIRECTORY, [
    [utf8(`${MARK}a`), entry.cid, [6]],
    [Uint8Array.of(0xff), entry.cid, [6]]
  ])
  assert.strictEqual(Cid.toText(made.cid), Cid.toText(Cid.makeV0(expected.cid.multihash.digest)))
  for (const name of ["\ud800", "a\udc00", "", "..", "a/b", Uint8Array.of(0)]) {
    assert.isTrue(Result.isFailure(DirectoryCid.make([[name, entry]])), String(name))
  }
  // Of two entries with the same name, the later one is used. Names that only look alike are different.
  const two = Result.getOrThrow(
    DirectoryCid.make([
      ["a", entry],
      [utf8("a"), entry],
      [Uint8Array.of(0xff), entry],
      [Uint8Array.of(0xfe), entry]
    ])
  )
  assert.strictEqual(Result.getOrThrow(DagPbObject.stat(two.cid, two.blocks.at(-1)!.bytes)).links, 3)
})

it("paths have no half characters, and keep their marks", () => {
  const cid = "bafkqaaqha4"
  assert.strictEqual(IpfsPath.make(Cid.fromTextUnsafe(cid), `${MARK}a`), `/ipfs/${cid}/${MARK}a`)
  assert.deepStrictEqual(Result.getOrThrow(IpfsPath.split(`${cid}/${MARK}a`)).names, [`${MARK}a`])
  assert.isTrue(Result.isFailure(IpfsPath.fromText(`${cid}/\ud800`)))
  assert.throws(() => IpfsPath.make(Cid.fromTextUnsafe(cid), "\udc00"), IpfsPath.IpfsPathError)
})

it("an object's links show their names, and say the bytes of those that are none", () => {
  const { blocks, root } = plain([utf8(`${MARK}a`), Uint8Array.of(0xff)])
  const { links } = Result.getOrThrow(DagPbObject.get(root, blocks[0]!.bytes, "base64"))
  assert.deepStrictEqual(
    links.map(({ name, nameBytes }) => [name, nameBytes === undefined ? undefined : [...nameBytes]]),
    [
      [`${MARK}a`, undefined],
      ["\ufffd", [0xff]]
    ]
  )
})

it("a size of 2^53 and more is not rounded: it is not a size here", () => {
  // 2^53 + 1
  const big = node(DIRECTORY, [[utf8("a"), file(0).cid, [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]]])
  assert.isTrue(Result.isFailure(DagPbObject.stat(big.cid, big.bytes)))
  assert.isTrue(Result.isFailure(DagPbObject.get(big.cid, big.bytes, "base64")))
  const value = Result.getOrThrow(Block.decode(big)) as { readonly Links: ReadonlyArray<{ readonly Tsize: bigint }> }
  assert.strictEqual(value.Links[0]!.Tsize, 2n ** 53n + 1n)
})

describe("over a node", () => {
  /** Makes a node that has these blocks, and serves only blocks. */
  const holding = (blocks: ReadonlyArray<Block.Block>) =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("kubo")
      const plain = yield* Clients.to(url)
      const held = new Map(blocks.map(({ bytes, cid }) => [Cid.key(cid), bytes]))
      return ProvenIpfsClient.make({
        ...plain,
        blockGet: (cid) =>
          Effect.succeed(
            held.get(Cid.key(typeof cid === "string" ? Cid.fromTextUnsafe(cid) : cid)) ?? new Uint8Array(0)
          )
      })
    })

  it.effect("list, read and archive names as they are", () =>
    Effect.gen(function* () {
      const names = [utf8(`${MARK}a.txt`), Uint8Array.of(0xff), utf8("\ufffd")]
      const { blocks, root } = plain(names)
      const ipfs = yield* holding(blocks)
      const entries = yield* Stream.runCollect(ipfs.ls(root))
      assert.deepStrictEqual(
        entries.map(({ name, nameBytes }) => [name, nameBytes?.[0]]),
        [
          [`${MARK}a.txt`, undefined],
          ["\ufffd", 0xff],
          ["\ufffd", undefined]
        ]
      )
      const read = (name: string) => Stream.mkUint8Array(ipfs.cat(IpfsPath.make(root, name)))
      assert.deepStrictEqual(yield* read(`${MARK}a.txt`), file(0).bytes)
      // The path leads to the entry named U+FFFD, not to the entry that is only displayed as U+FFFD.
      assert.deepStrictEqual(yield* read("\ufffd"), file(2).bytes)
      assert.strictEqual((yield* Effect.flip(read("a.txt")))._tag, "NoSuchEntry")

      const archive = Buffer.from(yield* Stream.mkUint8Array(ipfs.get(root)))
      for (const name of names) {
        const path = Buffer.concat([utf8(`path=${Cid.toText(root)}/`), name, utf8("\n")])
        assert.isAtLeast(archive.indexOf(path), 0, Buffer.from(name).toString("hex"))
      }
    })
  )

  it.effect("a symlink in an archive leads where its bytes say", () =>
    Effect.gen(function* () {
      const target = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff)
      const link = node(UnixFsData.encode({ kind: "symlink", data: target, blockSizes: [] }), [])
      const ipfs = yield* holding([link])
      const archive = Buffer.from(yield* Stream.mkUint8Array(ipfs.get(link.cid)))
      assert.isAtLeast(archive.indexOf(Buffer.concat([utf8("linkpath="), target, utf8("\n")])), 0)
      const directory = plain([utf8("s")])
      const over = node(DIRECTORY, [[utf8("s"), link.cid]])
      const listing = yield* holding([over, link, ...directory.blocks])
      const [entry] = yield* Stream.runCollect(listing.ls(over.cid))
      assert.strictEqual(entry?.target, `${MARK}\ufffd`)
      assert.deepStrictEqual(entry?.targetBytes, target)
    })
  )
})

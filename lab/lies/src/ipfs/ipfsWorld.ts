/**
 * The content of a node: files, directories, links and data, made by libraries and by hand. Some of it is true, and
 * some is false.
 */
import * as dagCbor from "@ipld/dag-cbor"
import { importer } from "ipfs-unixfs-importer"
import type { CID } from "multiformats/cid"

import * as Dag from "./dag.ts"

/** Blocks by their multihashes, in hex. */
export type Blocks = ReadonlyMap<string, Uint8Array>

const part = (letter: string): Dag.Block => Dag.raw(letter.repeat(40))

const parts = ["a", "b", "c"].map(part)
const low = Dag.parent(parts.slice(1), [40, 40])

/** A file of three parts. Two of them are below an intermediate part. */
export const file = Dag.parent([parts[0]!, low], [40, 80])

/** Parts with the same sizes, but different bytes. */
const otherParts = ["x", "y", "z"].map(part)
const otherLow = Dag.parent(otherParts.slice(1), [40, 40])
export const other = Dag.parent([otherParts[0]!, otherLow], [40, 80])

export const small = Dag.raw("small")
const twin = Dag.raw("twins")
export const symlink = Dag.node(Dag.message("symlink", Dag.utf8("\ufeffup")), [])
const otherSymlink = Dag.node(Dag.message("symlink", Dag.utf8("\ufeffdn")), [])
export const sub = Dag.directory([[Dag.utf8("\ufeffa"), small]])
const otherSub = Dag.directory([[Dag.utf8("\ufeffa"), twin]])

/** The entries of a directory. Two names differ only by an invisible byte order mark, and one name is not UTF-8. */
export const ENTRIES: ReadonlyArray<readonly [name: Uint8Array, to: Dag.Block]> = [
  [Dag.utf8("a.txt"), small],
  [Dag.utf8("b.bin"), file],
  [Dag.utf8("link"), symlink],
  [Dag.utf8("sub"), sub],
  [Dag.utf8("\ufeffa.txt"), twin],
  [Uint8Array.of(0xff), twin]
]

export const directory = Dag.directory(ENTRIES)

/**
 * Directories that differ from the true one: two names are exchanged, or one entry is renamed, added, removed or has
 * different content.
 */
const otherDirectories = [
  Dag.directory(ENTRIES.map(([name], i) => [name, ENTRIES[(i + 1) % ENTRIES.length]![1]] as const)),
  Dag.directory(ENTRIES.map(([name, to], i) => [i === 0 ? Dag.utf8("A.txt") : name, to] as const)),
  Dag.directory([...ENTRIES, [Dag.utf8("more"), small]]),
  Dag.directory(ENTRIES.slice(1)),
  Dag.directory(ENTRIES.map(([name, to], i) => [name, i === 1 ? other : to] as const))
]

export const DATA = { a: [1, 2.5, { deep: "yes" }], big: 2n ** 60n, link: directory.cid, text: "\ufeffmark" }
export const data = Dag.block(Dag.DAG_CBOR, dagCbor.encode(DATA))
const otherData = [
  { ...DATA, a: [1, 2.5, { deep: "no" }] },
  { ...DATA, link: otherDirectories[0]!.cid },
  { ...DATA, big: 2n ** 60n + 1n },
  { ...DATA, text: "mark" }
].map((value) => Dag.block(Dag.DAG_CBOR, dagCbor.encode(value)))

/** The names in a sharded directory of small files, which the importer makes. */
export const SHARDED: ReadonlyArray<string> = Array.from({ length: 12 }, (_, i) => `${["f", "é", "\ufeff"][i % 3]}${i}`)

const sharded = async (contents: (index: number) => string) => {
  const blocks = new Map<string, Dag.Block>()
  const store = {
    put: async (cid: CID, bytes: Uint8Array) => {
      blocks.set(Dag.keyOf(cid), { cid, bytes })
      return cid
    }
  }
  const candidates = SHARDED.map((name, i) => ({ path: `d/${name}`, content: Dag.utf8(contents(i)) }))
  let root: CID | undefined
  const options = { cidVersion: 1, rawLeaves: true, shardSplitThresholdBytes: 1, shardFanoutBits: 3 } as const
  for await (const entry of importer(candidates, store, options)) root = entry.cid
  return { root: root!, blocks: [...blocks.values()] }
}

export const shardedContent = (index: number): string => `content ${index}`

export const shards = await sharded(shardedContent)
const otherShards = await sharded((index) => `CONTENT ${index}`)

/** All blocks that the questions read. */
export const truth: ReadonlyArray<Dag.Block> = [
  ...parts,
  low,
  file,
  small,
  twin,
  symlink,
  sub,
  directory,
  data,
  ...shards.blocks
]

/** Blocks that are used only in lies. They have the same kinds as the true blocks, and mostly the same sizes. */
export const lies: ReadonlyArray<Dag.Block> = [
  ...otherParts,
  otherLow,
  other,
  otherSymlink,
  otherSub,
  ...otherDirectories,
  ...otherData,
  ...otherShards.blocks
]

const held = (blocks: ReadonlyArray<Dag.Block>): Blocks =>
  new Map(blocks.map(({ bytes, cid }) => [Dag.keyOf(cid), bytes]))

export const honest: Blocks = held([...truth, ...lies])

/**
 * The state of a node: the block that it serves for each CID. All of its answers are made from these blocks, so that
 * they agree.
 */
export interface World {
  readonly name: string
  readonly blocks: Blocks
  /** Changes the sections of an export. */
  readonly exported?: (blocks: ReadonlyArray<Dag.Block>) => ReadonlyArray<Dag.Block>
}

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte))

/** Worlds in which one CID leads to a wrong block. All answers of the node agree with that wrong block. */
export const worlds: ReadonlyArray<World> = truth.flatMap(({ bytes, cid }, i) => {
  const kinds = (a: CID, b: CID): boolean => a.code === b.code
  const swaps = [...truth, ...lies]
    .filter((block) => block.cid.code === cid.code && !block.cid.equals(cid) && kinds(block.cid, cid))
    // Takes every third block, with a different start for each true block, so that all combinations occur.
    .filter((_, at) => (at + i) % 3 === 0)
  const changed = (name: string, to: Uint8Array): World => ({
    name: `${i} ${name}`,
    blocks: new Map(honest).set(Dag.keyOf(cid), to)
  })
  return [
    ...swaps.map((block, at) => changed(`swapped ${at}`, block.bytes)),
    changed("flipped", flipped(bytes)),
    changed("cut", bytes.subarray(0, bytes.length - 1)),
    changed("longer", Uint8Array.from([...bytes, 0])),
    changed("empty", new Uint8Array(0))
  ]
})

/** Worlds in which two CIDs lead to each other's blocks. */
export const exchanges: ReadonlyArray<World> = truth.flatMap((a, i) =>
  truth.slice(i + 1).flatMap((b, j) =>
    a.cid.code !== b.cid.code
      ? []
      : [
          {
            name: `exchanged ${i} ${i + 1 + j}`,
            blocks: new Map(honest).set(Dag.keyOf(a.cid), b.bytes).set(Dag.keyOf(b.cid), a.bytes)
          }
        ]
  )
)

/** Worlds with true blocks. Their exports contain other blocks. */
export const exports: ReadonlyArray<World> = [
  ...[0, 1, 2, 3, 4].map((at) => ({
    name: `export lacks ${at}`,
    blocks: honest,
    exported: (blocks: ReadonlyArray<Dag.Block>) => blocks.filter((_, i) => i !== at)
  })),
  { name: "export has more", blocks: honest, exported: (blocks) => [...blocks, other] },
  { name: "export has more first", blocks: honest, exported: (blocks) => [small, ...blocks] },
  { name: "export of another", blocks: honest, exported: () => [other, otherLow, ...otherParts] },
  { name: "export of nothing", blocks: honest, exported: () => [] }
]

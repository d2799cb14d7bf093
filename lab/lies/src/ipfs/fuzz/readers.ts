/**
 * The readers under attack: files, directories, CARs and single blocks.
 *
 * Half of the cases change bytes without changing the CID: only the honest bytes may pass. In the other half, the
 * changed block and all blocks that link to it are hashed again, so the changed bytes are the truth. The oracle reads
 * them without any check, and an accepted value must equal the oracle's.
 */
import { CarWriter } from "@ipld/car/writer"
import { Block, BlockSource, Car, Cid, UnixFs } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"
import { importer } from "ipfs-unixfs-importer"
import type { CID } from "multiformats/cid"

import { accepted, type Outcome, type Target } from "../../fuzzTarget.ts"
import type { Difference } from "../../leaves.ts"
import { firstFalse } from "../../leaves.ts"
import * as Dag from "../dag.ts"
import { judged } from "../ipfsJudge.ts"
import * as Scan from "../scan.ts"
import * as Bytes from "./byteMutations.ts"

type Blocks = ReadonlyMap<string, Uint8Array>

const held = (blocks: ReadonlyArray<Dag.Block>): Blocks =>
  new Map(blocks.map(({ bytes, cid }) => [Dag.keyOf(cid), bytes]))

/** Returns the source that the readers ask. For a block that it lacks, it fails like a node. */
const sourceOf = (blocks: Blocks) =>
  BlockSource.fromBlocks([...blocks].map(([key, bytes]) => ({ cid: cidOfKey(key), bytes })))

const cidOfKey = (key: string): Cid.Cid =>
  Result.getOrThrow(Cid.fromBytes(Uint8Array.from([1, 0x55, ...Buffer.from(key, "hex")])))

const [HELLO, WORLD, EMPTY, OTHER] = ["hello", "world", "", "other"].map(Dag.raw) as [
  Dag.Block,
  Dag.Block,
  Dag.Block,
  Dag.Block
]

const LEAF = Dag.node(Dag.message("file", Dag.utf8("!")), [])
const INNER = Dag.parent([WORLD, LEAF], [5, 1])
const ROOT = Dag.parent([HELLO, EMPTY, INNER], [5, 0, 6])

const FILE = [HELLO, WORLD, EMPTY, OTHER, LEAF, INNER, ROOT]

/**
 * Returns the tree with one changed block and new hashes above it. The changed block is a leaf, the parent of two
 * leaves, or the root.
 */
const rebuilt = (random: Random.Random): { readonly root: CID; readonly blocks: Blocks } => {
  const sizes = (honest: ReadonlyArray<number>): ReadonlyArray<number> =>
    Random.chance(random, 0.5)
      ? honest
      : honest.with(Random.int(random, honest.length), Random.pick(random, [0, 1, 4, 5, 6, 11, 2 ** 40]))
  const donors = FILE.map(({ bytes }) => bytes)
  const maybe = (block: Dag.Block, chance: number): Dag.Block =>
    Random.chance(random, chance) ? Dag.block(block.cid.code, Bytes.mutate(block.bytes, random, donors)) : block
  const leaf = maybe(Random.pick(random, [LEAF, HELLO, EMPTY]), 0.2)
  const inner = maybe(Dag.parent([maybe(Random.pick(random, [WORLD, HELLO, EMPTY]), 0.1), leaf], sizes([5, 1])), 0.3)
  const root = maybe(
    Dag.parent([HELLO, EMPTY, inner], sizes([5, 0, 6]), Random.chance(random, 0.1) ? Dag.utf8("own") : undefined),
    0.3
  )
  return { root: root.cid, blocks: held([...FILE, leaf, inner, root]) }
}

const file: Target = {
  name: "ipfsFile",
  about:
    "Files, whole and in ranges: blocks changed under their CIDs, and trees hashed anew that contradict themselves",
  prepare: async () => (seed) => {
    const random = Random.make(seed)
    const isRehashed = Random.chance(random, 0.6)
    const { blocks, root } = isRehashed ? rebuilt(random) : { root: ROOT.cid, blocks: spoiled(random, FILE) }
    const offset = Random.chance(random, 0.5) ? undefined : Random.int(random, 14)
    const length = Random.chance(random, 0.5) ? undefined : Random.int(random, 14)
    const read = Stream.mkUint8Array(UnixFs.cat(sourceOf(blocks), root, { offset, length }))
    return judged(read, (bytes): Difference | undefined => {
      const from = offset ?? 0
      // only the bytes of the range are compared, because the reader does not read the other parts
      const whole = Result.try(() => (isRehashed ? Scan.fileBytes(blocks, root) : Dag.utf8("helloworld!")))
      if (Result.isFailure(whole)) return isPartial(offset, length) ? undefined : unread()
      const truth = whole.success.subarray(from, length === undefined ? undefined : from + length)
      return isContradictory(blocks, root, isRehashed) && isPartial(offset, length)
        ? undefined
        : firstFalse(Uint8Array.from(bytes), Uint8Array.from(truth), [])
    })
  }
}

const isPartial = (offset: number | undefined, length: number | undefined): boolean =>
  (offset ?? 0) > 0 || length !== undefined

/**
 * True if a reader refuses the whole file because its sizes contradict each other. A range of such a file is read where
 * the sizes place it, because no better position is known.
 */
const isContradictory = (blocks: Blocks, root: CID, isRehashed: boolean): boolean =>
  isRehashed && Effect.runSync(Effect.exit(Stream.runDrain(UnixFs.cat(sourceOf(blocks), root))))._tag === "Failure"

const unread = (): Difference => ({ leaf: "value", expected: "a file that cannot be read", got: "bytes" })

/** Returns the blocks with wrong bytes in one of them: mutated bytes, or the bytes of another block. */
const spoiled = (random: Random.Random, all: ReadonlyArray<Dag.Block>): Blocks => {
  const blocks = new Map(held(all))
  const donors = all.map(({ bytes }) => bytes)
  for (let n = Random.int(random, 3); n >= 0; n--) {
    const { bytes, cid } = Random.pick(random, all)
    const other = Random.chance(random, 0.3) ? Random.pick(random, all).bytes : Bytes.mutate(bytes, random, donors)
    blocks.set(Dag.keyOf(cid), other)
  }
  return blocks
}

const NAMES: ReadonlyArray<Uint8Array> = [
  ...["a", "b.txt", "\ufeffa", "\ufffd", "é", "..", "", "a/b", "A"].map(Dag.utf8),
  Uint8Array.of(0xff),
  Uint8Array.of(0x61, 0xe2, 0x82),
  Uint8Array.of(0)
]

/**
 * Makes a sharded directory with the importer. Returns its blocks, with the root last, and the names of its entries as
 * bytes.
 */
const shards = async () => {
  const blocks = new Map<string, Uint8Array>()
  const store = {
    put: async (cid: CID, bytes: Uint8Array) => {
      blocks.set(Dag.keyOf(cid), bytes)
      return cid
    }
  }
  const candidates = Array.from({ length: 24 }, (_, i) => ({
    path: `d/${["a", "b", "é", "\ufeff"][i % 4]}${i}`,
    content: Dag.utf8(String(i))
  }))
  let root: CID | undefined
  for await (const entry of importer(candidates, store, {
    cidVersion: 1,
    rawLeaves: true,
    shardSplitThresholdBytes: 1,
    shardFanoutBits: 3
  })) {
    root = entry.cid
  }
  return { root: root!, blocks }
}

const directory: Target = {
  name: "ipfsDirectory",
  about: "Directories, plain and sharded: entries, names that are bytes, and what paths lead to",
  prepare: async () => {
    const sharded = await shards()
    const names = Array.from({ length: 24 }, (_, i) => `${["a", "b", "é", "\ufeff"][i % 4]}${i}`)
    const truths = new Map(names.map((name, i) => [name, Dag.hex(Dag.raw(String(i)).cid.bytes)]))
    const shardBlocks = [...sharded.blocks].filter(([key]) => cidCode(sharded, key) === Dag.DAG_PB)
    const donors = shardBlocks.map(([, bytes]) => bytes)
    return (seed: number): Outcome | Promise<Outcome> => {
      const random = Random.make(seed)
      if (Random.chance(random, 0.6)) return plainCase(random)
      // The changed block keeps its CID, which names the original bytes.
      const blocks = new Map(sharded.blocks)
      const [key, bytes] = Random.pick(random, shardBlocks)
      blocks.set(key, Random.chance(random, 0.3) ? Random.pick(random, donors) : Bytes.mutate(bytes, random, donors))
      const source = sourceOf(blocks)
      const name = Random.pick(random, [...names, "x", "a1", "b2", "0", "\ufffd0"])
      return Random.chance(random, 0.5)
        ? judged(Stream.runCollect(UnixFs.entries(source, sharded.root)), (entries) =>
            firstFalse(
              Object.fromEntries(entries.map(({ cid, name }) => [name, Dag.hex(cid.bytes)])),
              Object.fromEntries(truths),
              []
            )
          )
        : judged(found(source, sharded.root, name), (cid) => firstFalse(cid, truths.get(name), []))
    }
  }
}

/** Returns the CID at a name; null if the name is proven to be absent. */
const found = (source: ReturnType<typeof sourceOf>, root: CID, name: string | Uint8Array) =>
  UnixFs.resolve(source, root, [name]).pipe(
    Effect.map((cid): string | null => Dag.hex(cid.bytes)),
    Effect.catchTag("NoSuchEntry", () => Effect.succeed(null))
  )

const cidCode = ({ blocks }: { readonly blocks: Blocks }, key: string): number => {
  const bytes = blocks.get(key)!
  return bytes.length > 8 && (bytes[0] === 0x12 || bytes[0] === 0x0a) ? Dag.DAG_PB : Dag.RAW
}

/**
 * Attacks a plain directory with chosen names. In some cases its block is mutated and hashed again. The oracle scans
 * the links of the block.
 */
const plainCase = (random: Random.Random): Promise<Outcome> => {
  const to = [HELLO, WORLD, OTHER, LEAF]
  const chosen = Array.from({ length: 1 + Random.int(random, 4) }, () =>
    Random.pick(random, Random.chance(random, 0.8) ? NAMES.slice(0, 5) : NAMES)
  )
  const honest = Dag.directory(chosen.map((name, i) => [name, to[i]!] as const))
  const root = Random.chance(random, 0.6)
    ? Dag.block(Dag.DAG_PB, Bytes.mutate(honest.bytes, random, [honest.bytes]))
    : honest
  const blocks = held([...to, root])
  const source = sourceOf(blocks)
  const links = (): ReadonlyArray<readonly [string, string]> =>
    Scan.node(root.bytes).links.map(({ cid, name }) => [Dag.hex(name ?? new Uint8Array(0)), Dag.hex(cid.bytes)])
  if (Random.chance(random, 0.5)) {
    return judged(Stream.runCollect(UnixFs.entries(source, root.cid)), (entries) =>
      firstFalse(
        entries.map(({ cid, name, nameBytes }) => [Dag.hex(nameBytes ?? Dag.utf8(name)), Dag.hex(cid.bytes)]),
        links(),
        []
      )
    )
  }
  // The entry is requested by the text of its name, as programs see it, or by its bytes.
  const name = Random.pick(random, NAMES)
  const asked = Random.chance(random, 0.5) ? new TextDecoder().decode(name) : name
  const bytes = typeof asked === "string" ? Dag.utf8(asked) : asked
  return judged(found(source, root.cid, asked), (cid) =>
    firstFalse(cid, links().find(([name]) => name === Dag.hex(bytes))?.[1] ?? null, [])
  )
}

const block: Target = {
  name: "ipfsBlock",
  about: "Single blocks: bytes and CIDs changed; the hash of the platform is the oracle",
  prepare: async () => {
    const all = [...FILE, Dag.raw("x".repeat(300))]
    const donors = all.flatMap(({ bytes, cid }) => [bytes, cid.bytes])
    return (seed: number): Outcome => {
      const random = Random.make(seed)
      const { bytes, cid } = Random.pick(random, all)
      const isCid = Random.chance(random, 0.5)
      const named = Cid.fromBytes(isCid ? Bytes.mutate(cid.bytes, random, donors) : cid.bytes)
      if (Result.isFailure(named)) return { _tag: "Refused", check: `CID ${named.failure.reason}` }
      const given = isCid && Random.chance(random, 0.9) ? bytes : Bytes.mutate(bytes, random, donors)
      const checked = Block.check(named.success, given)
      if (Result.isFailure(checked)) {
        const { failure } = checked
        return failure._tag === "UnprovenError" ? { _tag: "Claimed" } : { _tag: "Refused", check: failure.check }
      }
      const { code, digest } = named.success.multihash
      const truth = code === 0 ? given : Dag.cidOf(0x55, given).multihash.digest
      if (code !== 0 && code !== 0x12) return { _tag: "True" }
      const wanted = code === 0x12 && digest.length >= 20 ? truth.subarray(0, digest.length) : truth
      return accepted(firstFalse(Uint8Array.from(digest), Uint8Array.from(wanted), []))
    }
  }
}

const car: Target = {
  name: "ipfsCar",
  about: "CARs of a DAG, whole and partial: sections dropped, doubled, moved, strange, spliced, and bytes mutated",
  prepare: async () => {
    const dag = [ROOT, HELLO, EMPTY, INNER, WORLD, LEAF]
    const truth = new Map(dag.map(({ bytes, cid }) => [Dag.hex(cid.bytes), Dag.hex(bytes)]))
    const honest = await written(ROOT.cid, dag)
    return async (seed: number): Promise<Outcome> => {
      const random = Random.make(seed)
      const isPartial = Random.chance(random, 0.4)
      let bytes: Uint8Array
      if (Random.chance(random, 0.5)) {
        const sections = dag.slice()
        for (let n = Random.int(random, 3); n >= 0; n--) {
          const at = Random.int(random, sections.length)
          const kind = Random.int(random, 5)
          if (kind === 0 && sections.length > 1) sections.splice(at, 1)
          else if (kind === 1) sections.push(sections[at]!)
          else if (kind === 2) sections.push(OTHER)
          else if (kind === 3) sections.splice(0, 0, ...sections.splice(at, 1))
          else sections[at] = { cid: sections[at]!.cid, bytes: Random.pick(random, dag).bytes }
        }
        bytes = await written(Random.chance(random, 0.9) ? ROOT.cid : INNER.cid, sections)
      } else bytes = Bytes.mutate(honest, random, [honest])
      const cut = Random.int(random, bytes.length + 1)
      const stream = Stream.make(bytes.subarray(0, cut), bytes.subarray(cut))
      const read = Stream.runCollect(Car.dag(stream, ROOT.cid, { isPartial }))
      return judged(read, (blocks) => {
        const got = new Map(blocks.map(({ bytes, cid }) => [Dag.hex(cid.bytes), Dag.hex(bytes)]))
        const wanted = isPartial ? new Map([...truth].filter(([cid]) => got.has(cid))) : truth
        if (isPartial && !got.has(Dag.hex(ROOT.cid.bytes))) return { leaf: "root", expected: "there", got: "missing" }
        return firstFalse(Object.fromEntries(got), Object.fromEntries(wanted), [])
      })
    }
  }
}

/** Writes a CAR with the library. */
const written = async (root: CID, blocks: ReadonlyArray<Dag.Block>): Promise<Uint8Array> => {
  const { out, writer } = CarWriter.create([root])
  const parts: Array<Uint8Array> = []
  const reading = (async () => {
    for await (const part of out) parts.push(part)
  })()
  for (const block of blocks) await writer.put(block)
  await writer.close()
  await reading
  return Buffer.concat(parts)
}

export const targets: ReadonlyArray<Target> = [block, file, directory, car]

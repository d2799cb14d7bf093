/** The server's content and the true results. The importer, the codecs and tar-stream make them, not our packages. */
import { CarWriter } from "@ipld/car/writer"
import * as DagCbor from "@ipld/dag-cbor"
import * as DagPb from "@ipld/dag-pb"
import { importer } from "ipfs-unixfs-importer"
import { CID } from "multiformats/cid"
import * as Raw from "multiformats/codecs/raw"
import { sha256 } from "multiformats/hashes/sha2"
import * as Tar from "tar-stream"

import { Blocks, bytesOf, digestOf, keyStream } from "../suite/content.ts"

/** A file of three blocks, a file of one block, and a file that is used only in lies. */
export const FILE = keyStream("file", 600_000)
export const SMALL = keyStream("small", 100)
export const OTHER = keyStream("other", 600_000)
/** A range that crosses the end of the first block. */
export const RANGE = { offset: 262_140, length: 10 }

/** All blocks by their multihash, which all versions of a CID share. */
const held = new Map<string, Uint8Array>()
const keyOf = (cid: CID): string => Buffer.from(cid.multihash.bytes).toString("hex")

/** Returns the block of a CID. */
export const blockOf = (cid: CID): Uint8Array | undefined => held.get(keyOf(cid))

/** Stores the added blocks in order, and returns the last one, which is the root. */
const hold = async (
  candidates: ReadonlyArray<{ readonly path: string; readonly content: Uint8Array }>,
  isWrapped = false
) => {
  const blocks = new Blocks()
  const entries: Array<{ readonly path: string; readonly cid: CID; readonly size: number }> = []
  const options = { profile: "unixfs-v0-2015", wrapWithDirectory: isWrapped } as const
  for await (const { cid, path, size } of importer(candidates, blocks, options)) {
    entries.push({ path: path ?? "", cid, size: Number(size) })
  }
  for (const [cid, bytes] of blocks) held.set(keyOf(CID.parse(cid)), bytes)
  return entries
}

const holdBlock = async (code: number, bytes: Uint8Array): Promise<CID> => {
  const cid = CID.createV1(code, await sha256.digest(bytes))
  held.set(keyOf(cid), bytes)
  return cid
}

/** The files that `addAll` adds and wraps in a directory. Clients also list this directory. */
export const FILES = [
  { path: "a.bin", content: SMALL },
  { path: "b.bin", content: FILE }
] as const

const [a, b, directory] = await hold(FILES, true)
const [other] = await hold([{ path: "other", content: OTHER }])

/** The entries in the answer of `add`: the files, and then the directory that wraps them. */
export const added = [a!, b!, directory!] as const

/** The CIDs of the content. */
export const cids = { small: a!.cid, file: b!.cid, directory: directory!.cid, other: other!.cid } as const

/** The CIDs of the chunks of the file, in order. */
export const chunks: ReadonlyArray<CID> = DagPb.decode(blockOf(cids.file)!).Links.map(({ Hash }) => Hash)

/** A block that clients store. `DATA` is data that they store and read. */
export const BLOCK = keyStream("block", 1000)
export const block = await holdBlock(Raw.code, BLOCK)
export const DATA = { name: "data", list: [1, 2, 3], to: block }
export const data = await holdBlock(DagCbor.code, DagCbor.encode(DATA))
export const otherData = await holdBlock(DagCbor.code, DagCbor.encode({ ...DATA, name: "other" }))

/** Returns a CAR of blocks. */
export const carOf = async (
  roots: ReadonlyArray<CID>,
  blocks: ReadonlyArray<{ readonly cid: CID; readonly bytes: Uint8Array }>
) => {
  const { out, writer } = CarWriter.create([...roots])
  const written = bytesOf(out)
  for (const each of blocks) await writer.put(each)
  await writer.close()
  return written
}

const withBytes = (cid: CID) => ({ cid, bytes: blockOf(cid)! })

/** The blocks of the file in the order of a CAR: the root, and then the chunks. */
export const fileBlocks = [cids.file, ...chunks].map(withBytes)
export const otherBlocks = [cids.other, ...DagPb.decode(blockOf(cids.other)!).Links.map(({ Hash }) => Hash)].map(
  withBytes
)
export const car = await carOf([cids.file], fileBlocks)

/** Returns an archive with these files. */
export const tarOf = async (
  files: ReadonlyArray<readonly [name: string, content: Uint8Array]>
): Promise<Uint8Array> => {
  const pack = Tar.pack()
  pack.entry({ name: String(cids.directory), type: "directory" })
  for (const [name, content] of files) pack.entry({ name: `${String(cids.directory)}/${name}` }, Buffer.from(content))
  pack.finalize()
  return bytesOf(pack as unknown as AsyncIterable<Uint8Array>)
}
export const tar = await tarOf(FILES.map(({ content, path }) => [path, content]))

/** Returns an entry of a directory as text. */
export const entryShown = (name: string, cid: unknown, size: unknown, type: unknown): string =>
  [name, String(cid), String(size), String(type)].join(" ")

/** The reads and writes of a client, and the result that it must have, as text. */
export const truth = {
  cat: digestOf(FILE),
  range: digestOf(FILE.subarray(RANGE.offset, RANGE.offset + RANGE.length)),
  block: digestOf(blockOf(chunks[0]!)!),
  data: digestOf(DagCbor.encode(DATA)),
  ls: [entryShown("a.bin", cids.small, SMALL.length, "file"), entryShown("b.bin", cids.file, FILE.length, "file")].join(
    ", "
  ),
  stat: `${String(cids.file)} ${FILE.length} ${b!.size} file`,
  get: `a.bin ${digestOf(SMALL)}, b.bin ${digestOf(FILE)}`,
  export: digestOf(car),
  add: `b.bin ${String(cids.file)} ${b!.size}`,
  addAll: added.map(({ cid, path, size }) => `${path} ${String(cid)} ${size}`).join(", "),
  blockPut: String(block),
  dataPut: String(data),
  pins: `${String(cids.file)} recursive, ${String(data)} direct`,
  version: "0.43.1"
} as const

/** The name of a read or write. */
export type Read = keyof typeof truth

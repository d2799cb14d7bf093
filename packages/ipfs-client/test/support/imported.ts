/** Files and directories from the importer of js-ipfs, which is the oracle for all readers of UnixFS. */
import { type Block, BlockSource, Cid } from "@plumbline/ipfs-client"
import { MemoryBlockstore } from "blockstore-core"
import type { Effect } from "effect"
import { importer, type ImporterOptions } from "ipfs-unixfs-importer"
import type { CID } from "multiformats/cid"

export interface Imported {
  readonly root: Cid.Cid
  readonly blocks: ReadonlyArray<Block.Block>
  /** The blocks in the importer's store, for the exporter. */
  readonly store: MemoryBlockstore
}

/** Kubo's defaults. */
export const V0 = { profile: "unixfs-v0-2015" } as const

const collect = async (root: CID, store: MemoryBlockstore): Promise<Imported> => {
  const blocks: Array<Block.Block> = []
  for await (const { bytes, cid } of store.getAll()) {
    const parts: Array<Uint8Array> = []
    for await (const part of bytes) parts.push(part)
    const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
    parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0)
    blocks.push({ cid, bytes: whole })
  }
  return { root, blocks, store }
}

/** Imports files by their paths. The returned CID comes from the last result, which is the root. */
export const files = async (
  contents: Iterable<readonly [path: string, content: Uint8Array]>,
  options: ImporterOptions
): Promise<Imported> => {
  const store = new MemoryBlockstore()
  let root: CID | undefined
  const candidates = Array.from(contents, ([path, content]) => ({ path, content }))
  for await (const entry of importer(candidates, store, options)) root = entry.cid
  return collect(root!, store)
}

export const file = (content: Uint8Array, options: ImporterOptions): Promise<Imported> =>
  files([["file", content]], options)

/** Makes a source that records the requested CIDs. */
export const spied = (blocks: Iterable<Block.Block>) => {
  const asked: Array<string> = []
  const source = BlockSource.fromBlocks(blocks)
  const spy: BlockSource.BlockSource<Effect.Error<ReturnType<typeof source>>> = (cid) => {
    asked.push(Cid.key(cid))
    return source(cid)
  }
  return { asked, source: spy }
}

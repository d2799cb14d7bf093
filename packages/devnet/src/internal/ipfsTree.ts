/**
 * The directories of what is added: the tree builder that `ipfs-unixfs-importer` is given in the place of its own.
 *
 * Its own does not count subdirectories when it decides whether a directory is sharded, which Kubo does, tells no empty
 * directory but one at the top, and tells those below a sharded directory under its name.
 */
import * as dagPb from "@ipld/dag-pb"
import type { ImportResult, InProgressImportResult, TreeBuilder, WritableStorage } from "ipfs-unixfs-importer"
import { DirSharded } from "ipfs-unixfs-importer/utils"

import { invalid } from "./ipfsFailure.ts"
import type { Made, Recode } from "./ipfsRecode.ts"

export interface Options {
  readonly cidVersion: 0 | 1
  readonly recode: Recode
  readonly shardFanoutBits: number
  /** Whether the bytes of the block decide that a directory is sharded; if not, those of its names and CIDs. */
  readonly byBlockSize: boolean
  readonly wrapWithDirectory: boolean
}

/** Files are told as they come, directories at the end, each after what it holds. */
export const builder = (options: Options): TreeBuilder =>
  async function* (source, storage) {
    const top: Folder = { children: new Map(), made: undefined }
    for await (const entry of source) {
      const isFolder = entry.unixfs?.isDirectory() === true
      const made = options.recode.made(entry.cid, Number(entry.size))
      if (entry.path !== undefined) {
        const names = entry.path.split("/")
        const last = names.pop()!
        const parent = names.reduce((folder, name) => folderOf(folder, name, entry.path), top)
        if (isFolder) folderOf(parent, last, entry.path).made = entry
        else if (parent.children.has(last)) throw twice(entry.path)
        else parent.children.set(last, made)
      }
      if (!isFolder) yield { ...entry, cid: made.cid, size: BigInt(made.size) }
    }
    if (options.wrapWithDirectory) yield* flush(top, "", storage, options)
    else {
      for (const [name, child] of top.children) if ("children" in child) yield* flush(child, name, storage, options)
    }
  }

interface Folder {
  readonly children: Map<string, Made | Folder>
  /** What the importer made of the directory if it was given as one: it knows the mode and the time. */
  made: InProgressImportResult | undefined
}

const folderOf = (parent: Folder, name: string, path: string | undefined): Folder => {
  const there = parent.children.get(name)
  if (there !== undefined && !("children" in there)) throw twice(path)
  if (there !== undefined) return there
  const made: Folder = { children: new Map(), made: undefined }
  parent.children.set(name, made)
  return made
}

const twice = (path = "") => invalid("name", `${JSON.stringify(path.slice(0, 80))} is there twice`)

async function* flush(
  { children, made }: Folder,
  path: string,
  storage: WritableStorage,
  options: Options
): AsyncGenerator<ImportResult> {
  const links: Array<dagPb.PBLink> = []
  for (const [name, child] of children) {
    let leaf: Made
    if ("children" in child) {
      let last: ImportResult | undefined
      for await (const result of flush(child, path === "" ? name : `${path}/${name}`, storage, options)) {
        yield result
        last = result
      }
      leaf = { cid: last!.cid, size: Number(last!.size) }
    } else leaf = child
    links.push({ Name: name, Hash: leaf.cid, Tsize: leaf.size })
  }
  const data = made !== undefined && "block" in made ? dagPb.decode(made.block).Data : undefined
  const block = dagPb.encode(dagPb.prepare({ Data: data ?? EMPTY, Links: links }))
  const about = { path, ...(made?.unixfs === undefined ? {} : { unixfs: made.unixfs }) }
  if (sizeOf(block, links, options) > SHARD_ABOVE) {
    yield { ...(await shard(links, made, storage, options)), ...about }
  } else {
    const cid = options.recode.cidOf(block)
    await storage.put(cid, block)
    yield { cid, size: BigInt(links.reduce((sum, link) => sum + (link.Tsize ?? 0), block.length)), ...about }
  }
}

/** The UnixFS message of a directory about which nothing was said: its type. */
const EMPTY = Uint8Array.of(8, 1)

/** A directory is sharded when it is larger, in bytes. Source: IPIP-499; boxo compares so. */
const SHARD_ABOVE = 262_144

const sizeOf = (block: Uint8Array, links: ReadonlyArray<dagPb.PBLink>, options: Options): number =>
  options.byBlockSize
    ? block.length
    : links.reduce((sum, { Hash, Name }) => sum + encoder.encode(Name).length + Hash.byteLength, 0)

const encoder = new TextEncoder()

/** The importer's own shards, of what was written before. The block of the top comes last. */
const shard = async (
  links: ReadonlyArray<dagPb.PBLink>,
  made: InProgressImportResult | undefined,
  storage: WritableStorage,
  { cidVersion, recode, shardFanoutBits }: Options
): Promise<ImportResult> => {
  const { mode, mtime } = made?.unixfs ?? {}
  const directory = new DirSharded(
    {
      root: true,
      dir: true,
      path: "",
      dirty: true,
      flat: false,
      ...(mode === undefined ? {} : { mode }),
      ...(mtime === undefined ? {} : { mtime })
    },
    { cidVersion, shardFanoutBits }
  )
  for (const { Hash, Name, Tsize } of links) await directory.put(Name!, { cid: Hash, size: BigInt(Tsize ?? 0) })
  let root: ImportResult | undefined
  for await (const result of directory.flush(storage)) root = result
  const { cid, size } = recode.made(root!.cid, Number(root!.size))
  return { cid, size: BigInt(size) }
}

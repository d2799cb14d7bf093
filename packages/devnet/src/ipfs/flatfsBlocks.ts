/**
 * Stores blocks as files in the layout of Kubo's flatfs: `CY/CIQ...CYA.data`, the multihash in base32, in a folder
 * named by the two letters before the last one. All CIDs with the same multihash share a file.
 *
 * A block is stored whole or not at all: it is written to a temporary file, flushed to the disk and renamed. Small
 * blocks are flushed together, by way of a journal (`smallBlocks.ts`). Bytes that do not match their CID are neither
 * written nor returned.
 */
import * as NodeCrypto from "node:crypto"
import * as NodeFs from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import { Damaged, fromBlockError, NotFound } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"
import { base32upper } from "multiformats/bases/base32"
import * as Digest from "multiformats/hashes/digest"

import * as BlockFiles from "./blockFiles.ts"
import type { BlockJournal } from "./blockJournal.ts"
import { codeOf, failure, ofSystem } from "./embeddedFailure.ts"
import * as SmallBlocks from "./smallBlocks.ts"
import { syncFolder } from "./syncFolder.ts"

export type { BlockKey } from "./blockFiles.ts"

type Key = BlockFiles.BlockKey

export interface FlatfsBlocks {
  /**
   * Writes a block after checking it. An intact block that already exists is not written again. A damaged block is
   * replaced.
   */
  readonly put: (cid: Cid.Cid, bytes: Uint8Array) => Promise<void>
  /** Writes a block like `put`, but without the check, because its CID was just computed from these bytes. */
  readonly putMade: (cid: Cid.Cid, bytes: Uint8Array) => Promise<void>
  /** Reads a block and checks it. */
  readonly get: (cid: Cid.Cid) => Promise<Uint8Array>
  /** Reads a block without checking it; the caller must check it. */
  readonly getUnchecked: (cid: Cid.Cid) => Promise<Uint8Array>
  /**
   * Makes all blocks written so far durable. Then applies a change to the pins, and makes it durable too. Simultaneous
   * calls share the flushes of the disk. If a change throws, only that change is undone.
   */
  readonly commit: <A>(change: () => A) => Promise<A>
  /** Empties the journal of small blocks, after their files are on the disk. */
  readonly checkpoint: () => Promise<void>
  /** Writes the small blocks that a killed process left in the journal. */
  readonly recover: () => Promise<void>
  /** Lists all blocks, without reading them. Their codecs are unknown, so the CIDs are of version 1, raw. */
  readonly list: () => AsyncGenerator<{ readonly key: Key; readonly cid: Cid.Cid; readonly size: number }>
  /** Removes a block within this turn of the event loop. */
  readonly removeNow: (key: Key) => void
}

export const keyOf = (cid: Cid.Cid): Key => base32upper.baseEncode(cid.multihash.bytes)

/** Returns the CID for the block in a file; undefined if the file is not the file of a block. */
const cidOf = (name: string): Cid.Cid | undefined => {
  if (!name.endsWith(BlockFiles.EXTENSION)) return undefined
  try {
    const { code, digest } = Digest.decode(base32upper.baseDecode(name.slice(0, -BlockFiles.EXTENSION.length)))
    return Cid.make(Block.RAW, code, digest)
  } catch {
    return undefined
  }
}

/** Lists all blocks of a folder, without reading them. */
export async function* list(
  folder: string
): AsyncGenerator<{ readonly key: Key; readonly cid: Cid.Cid; readonly size: number }> {
  try {
    for (const shard of await Fs.readdir(folder, { withFileTypes: true })) {
      if (!shard.isDirectory()) continue
      for (const name of await Fs.readdir(Path.join(folder, shard.name))) {
        const cid = cidOf(name)
        const stat = NodeFs.statSync(Path.join(folder, shard.name, name), { throwIfNoEntry: false })
        if (cid !== undefined && stat !== undefined) yield { key: keyOf(cid), cid, size: stat.size }
      }
    }
  } catch (error) {
    throw ofSystem("listing blocks", error)
  }
}

/** Opens the blocks of `folder`; `temporary` is an empty folder on the same disk. Both folders must exist. */
export const make = (folder: string, temporary: string, journal: BlockJournal): FlatfsBlocks => {
  const files = BlockFiles.make(folder, temporary)
  const { fileOf, shardOf } = files
  const unflushed = new Set<string>()
  let flushing: Promise<void> = Promise.resolve()
  const atOnce = limited(CONCURRENCY)
  const small = SmallBlocks.make({ files, journal, atOnce, isSound })

  const getUnchecked = async (cid: Cid.Cid): Promise<Uint8Array> => {
    const key = keyOf(cid)
    const bytes = small.staged(key) ?? (await read(fileOf(key)))
    if (bytes === undefined) throw failure(new NotFound({ cid: Cid.toText(cid) }))
    return bytes
  }

  const flushNow = async (): Promise<void> => {
    const folders = [...unflushed]
    const shards = files.newShards()
    unflushed.clear()
    try {
      await Promise.all(folders.map((folder) => atOnce(() => syncFolder(folder))))
    } catch (error) {
      for (const folder of folders) unflushed.add(folder)
      throw ofSystem("writing a folder", error)
    }
    if (folders.includes(folder)) files.flushed(shards)
  }

  /** Flushes the names of the large blocks written so far. Their contents are already flushed. */
  const flush = (): Promise<void> => {
    if (unflushed.size === 0) return flushing
    // flushes run one after the other, so the end of the second implies the end of the first
    flushing = flushing.catch(() => undefined).then(flushNow)
    return flushing
  }

  const putLarge = (key: Key, bytes: Uint8Array): Promise<void> =>
    atOnce(async () => {
      const there = await read(fileOf(key))
      if (there === undefined || !Bytes.equals(there, bytes)) await write(files, key, bytes)
      // the name is flushed even if the file existed, because a writer may have been killed before it flushed the name
      unflushed.add(shardOf(key))
      if (files.isNew(shardOf(key))) unflushed.add(folder)
    })

  const putMade = async (cid: Cid.Cid, bytes: Uint8Array): Promise<void> => {
    const key = keyOf(cid)
    if (bytes.length > SmallBlocks.MAX_SMALL) return putLarge(key, bytes)
    small.stage(key, bytes)
    if (small.isFull()) await small.commit(() => undefined)
  }

  return {
    put: async (cid, bytes) => {
      refuse(cid, bytes)
      await putMade(cid, bytes)
    },
    putMade,
    get: (cid) =>
      atOnce(async () => {
        const bytes = await getUnchecked(cid)
        refuse(cid, bytes)
        return bytes
      }),
    getUnchecked: (cid) => atOnce(() => getUnchecked(cid)),
    commit: async (change) => {
      await flush()
      return await small.commit(change)
    },
    checkpoint: small.checkpoint,
    recover: small.recover,
    list: () => list(folder),
    removeNow: (key) => {
      try {
        small.forget(key)
        NodeFs.rmSync(fileOf(key), { force: true })
      } catch (error) {
        throw ofSystem("removing a block", error)
      }
    }
  }
}

const read = async (file: string): Promise<Uint8Array | undefined> => {
  try {
    return await Fs.readFile(file)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw ofSystem("reading a block", error)
  }
}

const write = async (files: BlockFiles.BlockFiles, key: Key, bytes: Uint8Array): Promise<void> => {
  const beside = files.beside()
  try {
    files.makeShard(key)
    const file = await Fs.open(beside, "wx")
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    await Fs.rename(beside, files.fileOf(key))
  } catch (error) {
    await Fs.rm(beside, { force: true }).catch(() => undefined)
    throw ofSystem("writing a block", error)
  }
}

/** Maximum number of files that are open at once. The system works on four of them at a time. */
const CONCURRENCY = 16

/** Throws unless the bytes match the CID. Node's SHA-256 is several times faster than one in JavaScript. */
const refuse = (cid: Cid.Cid, bytes: Uint8Array): void => {
  const { code, digest } = cid.multihash
  if (code === Multihash.SHA2_256 && digest.length === 32) {
    const got = NodeCrypto.hash("sha256", bytes, "buffer")
    if (Bytes.equals(got, digest)) return
    throw failure(new Damaged({ cid: Cid.toText(cid), expected: textOf(digest), got: textOf(got) }))
  }
  const checked = Block.check(cid, bytes, ANY_SIZE)
  if (Result.isFailure(checked)) throw fromBlockError(checked.failure)
}

/** Options without a size limit: blocks on the disk passed the check when they were written. */
const ANY_SIZE = { maxBlockSize: Number.MAX_SAFE_INTEGER }

/** True if the bytes match the name. */
export const isSound = (key: Key, bytes: Uint8Array): boolean => {
  const cid = cidOf(`${key}${BlockFiles.EXTENSION}`)
  try {
    if (cid !== undefined) refuse(cid, bytes)
    return cid !== undefined
  } catch {
    return false
  }
}

const textOf = (digest: Uint8Array): string => Hex.fromBytes(digest).slice(2)

/** Returns a function that runs at most `count` tasks at the same time; the others wait in order. */
const limited = (count: number) => {
  let free = count
  const line: Array<() => void> = []
  return async <A>(work: () => Promise<A>): Promise<A> => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

/**
 * Makes the content that is added. ipfs-unixfs-importer computes the expected CIDs, and shares no code with the tested
 * packages.
 */
import { createCipheriv, createHash } from "node:crypto"

import { type ImportCandidate, importer, type ImporterOptions } from "ipfs-unixfs-importer"
import type { CID } from "multiformats/cid"
import * as Tar from "tar-stream"

/**
 * Returns a file of Kubo's tests: the ChaCha20 key stream whose key is the SHA-256 of a seed, and whose nonce is zero.
 */
export const keyStream = (seed: string, size: number): Uint8Array =>
  createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16)).update(Buffer.alloc(size))

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Yields bytes in uneven pieces, as from a disk or a network. */
export const inPieces = async function* (bytes: Uint8Array, size = 100_003): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

/** A file or directory that was added: its path, its CID, and the size of its DAG in bytes. */
export interface Entry {
  readonly path: string
  readonly cid: string
  readonly size: number
}

/** Blocks in memory, with the functions that the importer needs from a store. */
export class Blocks extends Map<string, Uint8Array> {
  async put(cid: CID, bytes: Uint8Array): Promise<CID> {
    this.set(String(cid), bytes)
    return cid
  }
}

/** Kubo's defaults, as IPIP-499 names them. */
const KUBO = { profile: "unixfs-v0-2015" } as const satisfies ImporterOptions

/** Returns the expected entries of an add, in the order of the importer: a directory follows its entries. */
export const imported = async (
  candidates: ReadonlyArray<ImportCandidate>,
  options: ImporterOptions = {},
  blocks: Blocks = new Blocks()
): Promise<ReadonlyArray<Entry>> => {
  const entries: Array<Entry> = []
  for await (const { cid, path, size } of importer(candidates, blocks, { ...KUBO, ...options })) {
    entries.push({ path: path ?? "", cid: String(cid), size: Number(size) })
  }
  return entries
}

/** Returns the CID of one file. */
export const cidOf = async (content: Uint8Array, options: ImporterOptions = {}): Promise<string> =>
  (await imported([{ content }], options))[0]!.cid

/** Returns all values of a stream. */
export const all = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const value of values) found.push(value)
  return found
}

/** Returns all bytes of a stream. */
export const bytesOf = async (values: AsyncIterable<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(Buffer.concat(await all(values)))

/** Returns a short form of bytes for comparing and printing: their number and the start of their SHA-256. */
export const digestOf = (bytes: Uint8Array): string =>
  `${bytes.length} bytes, ${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`

/** An entry of an archive. */
export interface Archived {
  readonly name: string
  readonly type: string | null | undefined
  readonly content: string
}

/** Returns the entries of a tar archive, read by tar-stream. */
export const archived = async (archive: Uint8Array): Promise<ReadonlyArray<Archived>> => {
  const extract = Tar.extract()
  extract.end(archive)
  const entries: Array<Archived> = []
  for await (const entry of extract) {
    const { name, type } = entry.header
    entries.push({ name, type, content: digestOf(await bytesOf(entry as unknown as AsyncIterable<Uint8Array>)) })
  }
  return entries
}

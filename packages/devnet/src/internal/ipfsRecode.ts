/**
 * Blocks under other hash functions, or within their CID.
 *
 * `ipfs-unixfs-importer` knows SHA-256 only. Its blocks pass here on their way to the disk, each after those that it links
 * to: the links are put right, then the block gets the CID that was asked for.
 */
import * as dagPb from "@ipld/dag-pb"
import * as Block from "@plumbline/ipfs-client/Block"
import * as Cid from "@plumbline/ipfs-client/Cid"
import * as Multihash from "@plumbline/ipfs-client/Multihash"
import * as Result from "effect/Result"

/** A node of a DAG: its CID, and the bytes of all that it reaches. */
export interface Made {
  readonly cid: Cid.Cid
  readonly size: number
}

export interface Options {
  readonly cidVersion: 0 | 1
  readonly hash: number
  /** Blocks up to this size become part of their CID; none, if undefined. */
  readonly inlineLimit: number | undefined
}

export interface Recode {
  /** Takes a block of the importer, and gives what is to be kept in its place. */
  readonly put: (cid: Cid.Cid, bytes: Uint8Array) => Block.Block
  /** What a node of the importer has become. One that it did not make stays as it is. */
  readonly made: (cid: Cid.Cid, size: number) => Made
  /** The CID of bytes in dag-pb. */
  readonly cidOf: (bytes: Uint8Array) => Cid.Cid
}

export const make = (options: Options): Recode => {
  const cidOf = (codec: number, bytes: Uint8Array): Cid.Cid => {
    const { cidVersion, hash, inlineLimit } = options
    if (inlineLimit !== undefined && bytes.length <= inlineLimit) return Cid.make(codec, Multihash.IDENTITY, bytes)
    const cid = Result.getOrThrow(Block.cidOf(codec, bytes, hash))
    return cidVersion === 0 && codec === Block.DAG_PB ? cid.toV0() : cid
  }
  const pb = (bytes: Uint8Array): Cid.Cid => cidOf(Block.DAG_PB, bytes)
  if (options.hash === Multihash.SHA2_256 && options.inlineLimit === undefined) {
    return { put: (cid, bytes) => ({ cid, bytes }), made: (cid, size) => ({ cid, size }), cidOf: pb }
  }

  const all = new Map<string, Made>()
  const made = (cid: Cid.Cid, size: number): Made => all.get(keyOf(cid)) ?? { cid, size }
  const put = (cid: Cid.Cid, bytes: Uint8Array): Block.Block => {
    let size = bytes.length
    let block = bytes
    if (cid.code === Block.DAG_PB) {
      const node = dagPb.decode(bytes)
      const links = node.Links.map((link) => {
        const to = made(link.Hash, link.Tsize ?? 0)
        return { ...link, Hash: to.cid, Tsize: to.size }
      })
      block = dagPb.encode({ ...node, Links: links })
      size = links.reduce((sum, link) => sum + link.Tsize, block.length)
    }
    const becomes = cidOf(cid.code, block)
    all.set(keyOf(cid), { cid: becomes, size })
    return { cid: becomes, bytes: block }
  }
  return { put, made, cidOf: pb }
}

const keyOf = (cid: Cid.Cid): string => `${cid.code} ${Cid.key(cid)}`

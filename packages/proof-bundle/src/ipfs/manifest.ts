/**
 * The list of a bundle's blocks, in a form that nodes of IPFS can follow: a block of dag-cbor that is an array of
 * links.
 *
 * Kubo does not know Ethereum's codecs, so it cannot import or pin such blocks. But it knows raw bytes, and stores
 * blocks of all codecs by their hashes. So the list names each block as raw, with the same Keccak-256.
 *
 * Source: dag-cbor; a link is tag 42 over a byte string of a zero and the CID.
 */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as Result from "effect/Result"

import * as BundleCodecs from "../bundle/bundleCodecs.ts"

/** Returns a block with the codec of raw bytes. Its hash stays the same, and raw bytes have no links. */
export const rawOf = ({ bytes, cid }: Block.Block): Block.Block => ({
  cid: BundleCodecs.cidOf(BundleCodecs.RAW, cid.multihash.digest),
  bytes
})

/** Returns the list of these blocks, each as raw, in the same order. */
export const make = (blocks: ReadonlyArray<Block.Block>): Block.Block => {
  const head = headOf(blocks.length)
  const bytes = new Uint8Array(head.length + blocks.length * LINK_SIZE)
  bytes.set(head)
  blocks.forEach(({ cid }, i) => {
    const { bytes: link } = BundleCodecs.cidOf(BundleCodecs.RAW, cid.multihash.digest)
    bytes.set([0xd8, 0x2a, 0x58, link.length + 1, 0, ...link], head.length + i * LINK_SIZE)
  })
  return { cid: Cid.make(Block.DAG_CBOR, Multihash.SHA2_256, Multihash.digestOf("sha2-256", bytes)), bytes }
}

/** Returns the hashes in a list, in order; undefined if the block is not such a list. */
export const hashesOf = (block: Block.Block): ReadonlyArray<Uint8Array> | undefined => {
  const decoded = Block.decode(block)
  if (Result.isFailure(decoded) || !Array.isArray(decoded.success)) return undefined
  const hashes: Array<Uint8Array> = []
  for (const item of decoded.success) {
    const cid = Cid.asCid(item)
    const isOurs =
      cid !== undefined &&
      cid.code === BundleCodecs.RAW &&
      cid.multihash.code === Multihash.KECCAK_256 &&
      cid.multihash.digest.length === BundleCodecs.DIGEST_SIZE
    if (!isOurs) return undefined
    hashes.push(cid.multihash.digest)
  }
  return hashes.length === 0 ? undefined : hashes
}

/** Returns the head of an array in CBOR, in its shortest form. */
const headOf = (length: number): ReadonlyArray<number> => {
  if (length < 24) return [0x80 | length]
  if (length < 0x100) return [0x98, length]
  return length < 0x10000
    ? [0x99, length >>> 8, length & 0xff]
    : [0x9a, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]
}

/** Number of bytes of a link: its tag, its head, a zero, and a CID of raw bytes under Keccak-256. */
const LINK_SIZE = 4 + 1 + 4 + BundleCodecs.DIGEST_SIZE

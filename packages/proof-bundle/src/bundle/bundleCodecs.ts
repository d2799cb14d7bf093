/**
 * The CIDs of a bundle: version 1, Keccak-256, and a codec that depends on the block's position in the chain's data.
 *
 * Source: the multicodec table, 0x90 to 0x98, 0x55 and 0x1b.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"

export const BLOCK = 0x90
export const UNCLES = 0x91
export const TRANSACTION_TRIE = 0x92
export const RECEIPT_TRIE = 0x94
export const STATE_TRIE = 0x96
export const STORAGE_TRIE = 0x98
/** The codec of raw bytes: code of contracts, block access lists, addresses, names of storage words, and calls. */
export const RAW = 0x55

/** Names of the codecs, for people to read. */
export const names: ReadonlyMap<number, string> = new Map([
  [BLOCK, "header"],
  [UNCLES, "list of uncles"],
  [TRANSACTION_TRIE, "node of the transactions' trie"],
  [RECEIPT_TRIE, "node of the receipts' trie"],
  [STATE_TRIE, "node of the state trie"],
  [STORAGE_TRIE, "node of a storage trie"],
  [RAW, "code, access list, address, key or call"]
])

/** Number of bytes of a Keccak-256 digest. */
export const DIGEST_SIZE = 32

/** The Keccak-256 of the RLP of an empty list: that of a block without uncles, and of a block that touches no account. */
export const EMPTY_LIST: Hash32.Hash32 = /* @__PURE__ */ Keccak256.hashHex(/* @__PURE__ */ Uint8Array.of(0xc0))

export const cidOf = (codec: number, hash: Uint8Array): Cid.Cid => Cid.make(codec, Multihash.KECCAK_256, hash)

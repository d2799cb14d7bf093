/**
 * The state-sync transactions of Polygon: nodes show one at the end of a block, with its receipt and logs, although no
 * root of the header covers it.
 *
 * Its hash follows from the block, so a node cannot pass off another transaction as one. A node can still invent one
 * for any block. Source: bor (core/types/bor_receipt.go).
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"

import type * as Block from "../model/Block.ts"

const PREFIX = /* @__PURE__ */ new TextEncoder().encode("matic-bor-receipt-")

const NUMBER = 8

/** The number and hash of a block. Both are null for a pending block. */
export interface BlockId {
  readonly number: bigint | null
  readonly hash: Hash32.Hash32 | null
}

/** True if the hash is that of the state-sync transaction of the block. */
export const isOf = (hash: Hex.Hex, { hash: blockHash, number }: BlockId): boolean => {
  if (number === null || blockHash === null || number >= 2n ** 64n) return false
  const key = new Uint8Array(PREFIX.length + NUMBER + 32)
  key.set(PREFIX)
  new DataView(key.buffer).setBigUint64(PREFIX.length, number)
  key.set(Hash32.toBytes(blockHash), PREFIX.length + NUMBER)
  return Hex.equals(Keccak256.hashHex(key), hash)
}

/** True if a block's last transaction is a state-sync transaction. Nothing proves that a block has none. */
export const isLastOf = ({ transactions, ...block }: BlockId & Pick<Block.Block, "transactions">): boolean => {
  const last = transactions.at(-1)
  return last !== undefined && isOf(typeof last === "string" ? last : last.hash, block)
}

/** Keeps proven headers, so that the trusted block and blocks near it are read once. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Verified } from "@plumbline/verdict/Verdict"

import * as Block from "../model/Block.ts"
import type { AncestryHeaders } from "./Ancestry.ts"

/** Keeps the most recently used headers, by hash. */
export const make = (): AncestryHeaders => {
  const headers = new BoundedMap<Hash32.Hash32, Verified<Block.WithHashes>>(KEPT)
  return {
    get: (hash) => headers.use(hash),
    keep: (hash, block) => void headers.set(hash, headerOf(block))
  }
}

/**
 * Returns the fields that a block's hash proves, and at most one transaction hash, which shows if the block has
 * transactions. This bounds the size, because a node may send any number of hashes and further fields.
 */
const headerOf = ({ anchor, proven, value }: Verified<Block.Block>): Verified<Block.WithHashes> => {
  const fields = Object.entries(value).filter(([name]) => Block.headerFields.has(name) && !ofBodies.has(name))
  const { transactions } = Block.onlyHashes(value) as Block.WithHashes
  const header = { ...Object.fromEntries(fields), transactions: transactions.slice(0, 1) } as unknown
  return Proven.make({ value: header as Block.WithHashes, anchor, proven, claimed: [] })
}

/** Fields that follow from the block's body. They are dropped, because the body is not kept. */
const ofBodies: ReadonlySet<string> = new Set(["uncles", "size"])

/** Maximum number of headers to keep, about 3 kB each. */
const KEPT = 128

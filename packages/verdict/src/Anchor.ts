/** The trusted hash from which a verdict follows. */

/** A hash that the caller trusts. Everything else follows from it by hashing. */
export type Anchor = BlockAnchor | LightClientAnchor | TransactionAnchor | CidAnchor

/** The hash of a block. */
export interface BlockAnchor {
  readonly _tag: "Block"
  readonly hash: `0x${string}`
}

/**
 * The hash of an execution block. A light client of the beacon chain started at a checkpoint and reached this block.
 */
export interface LightClientAnchor {
  readonly _tag: "LightClient"
  readonly hash: `0x${string}`
  /** The root of the beacon block from which the light client started. The reader named it. */
  readonly checkpoint: `0x${string}`
  /** The slot of the beacon block that names the execution block. */
  readonly slot: bigint
  /**
   * The finality of the beacon block. `finalized`: members signed a state that names the block as finalized.
   * `optimistic`: members signed the block, which can still be reorganised. `forced`: the block counts as finalized
   * only because finality was missing for a period. `checkpoint`: the reader named the block, and no member has signed
   * yet.
   */
  readonly finality: "finalized" | "optimistic" | "forced" | "checkpoint"
  /** Number of members of the sync committee that signed, and the size of the committee: 512 on public networks. */
  readonly participation: readonly [signed: number, size: number]
  /**
   * Whole seconds from the beginning of the slot to the read. A program that keeps an anchor must add the time since
   * then.
   */
  readonly age: number
}

/** The hash of a transaction. */
export interface TransactionAnchor {
  readonly _tag: "Transaction"
  readonly hash: `0x${string}`
}

/** A content identifier of IPFS, as text. */
export interface CidAnchor {
  readonly _tag: "Cid"
  readonly hash: string
}

/** Makes an anchor of the hash of a block. */
export const block = (hash: `0x${string}`): BlockAnchor => ({ _tag: "Block", hash })

/**
 * Makes an anchor of a block that a light client follows.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * const anchor = Anchor.lightClient({
 *   hash: "0xab",
 *   checkpoint: "0xcd",
 *   slot: 14n,
 *   finality: "optimistic",
 *   participation: [509, 512],
 *   age: 14
 * })
 * Anchor.equals(anchor, { ...anchor, finality: "finalized" }) // => true
 * Anchor.equals(anchor, Anchor.block("0xab")) // => false
 * ```
 */
export const lightClient = (fields: Omit<LightClientAnchor, "_tag">): LightClientAnchor => ({
  _tag: "LightClient",
  ...fields
})

/** Makes an anchor of the hash of a transaction. */
export const transaction = (hash: `0x${string}`): TransactionAnchor => ({ _tag: "Transaction", hash })

/** Makes an anchor of a CID. */
export const cid = (hash: string): CidAnchor => ({ _tag: "Cid", hash })

/**
 * True if both anchors are the same hash of the same kind. Upper and lower case are the same in hex, but not in a CID.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * Anchor.equals(Anchor.block("0xAB"), Anchor.block("0xab")) // => true
 * Anchor.equals(Anchor.block("0xab"), Anchor.transaction("0xab")) // => false
 * ```
 */
export const equals = (a: Anchor, b: Anchor): boolean =>
  a._tag === b._tag && (a.hash === b.hash || (a._tag !== "Cid" && a.hash.toLowerCase() === b.hash.toLowerCase()))

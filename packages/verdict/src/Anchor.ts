/** The hash from which a verdict follows: trust enters here. */

/** A hash that the caller trusts. Everything else follows from it by hashing. */
export type Anchor = BlockAnchor | TransactionAnchor | CidAnchor

/** The hash of a block. */
export interface BlockAnchor {
  readonly _tag: "Block"
  readonly hash: `0x${string}`
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

/** Makes an anchor of the hash of a transaction. */
export const transaction = (hash: `0x${string}`): TransactionAnchor => ({ _tag: "Transaction", hash })

/** Makes an anchor of a CID. */
export const cid = (hash: string): CidAnchor => ({ _tag: "Cid", hash })

/**
 * True if both anchors are the same hash of the same kind. Hex counts in either case; a CID counts letter by letter.
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

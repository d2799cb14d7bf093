/**
 * The evidence for one value: the bytes that a node or a bundle gave, in the order from the anchor to the value.
 *
 * It is not checked yet: {@link Hanging.hang} hashes it.
 */

/** Bytes whose hash the previous part names. */
export type EvidencePart = HeaderPart | TriePart | WholePart

/** The RLP of a header. `follow` is the field that leads to the next part, or that is the value itself. */
export interface HeaderPart {
  readonly _tag: "Header"
  readonly bytes: Uint8Array
  readonly follow: string
}

/** The nodes of a trie along one path, the root's first. */
export interface TriePart {
  readonly _tag: "Trie"
  readonly trie: TrieName
  /** The key. Its half bytes (nibbles) are the path. */
  readonly key: Uint8Array
  /** The formula of the key, such as `keccak(address)`. */
  readonly keyOf: string
  readonly nodes: ReadonlyArray<Uint8Array>
}

/** The tries of a block. */
export type TrieName = "state" | "storage" | "transactions" | "receipts" | "withdrawals"

/** Bytes that are hashed as a whole: an account's code, or the headers of a block's uncles. */
export interface WholePart {
  readonly _tag: "Whole"
  readonly what: "code" | "uncles"
  readonly bytes: Uint8Array
}

/** The evidence for a value. */
export interface ValueEvidence {
  /** The hash that names the first header. */
  readonly from: `0x${string}`
  readonly parts: ReadonlyArray<EvidencePart>
}

/**
 * Finds the links between the blocks of a bundle.
 *
 * The rules are those of the codecs in `@plumbline/ipfs-client`. They are repeated here for speed: a branch of a trie
 * has sixteen links, and a bundle follows only one or two of them. Making a CID for each link would be most of the cost
 * of opening a bundle. One link is not in the codecs, whose specification is older: that to the block access list, which
 * no codec describes, and whose bytes are therefore raw.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Result from "effect/Result"

import * as BundleCodecs from "./bundleCodecs.ts"

/** A link: the hash of the linked block, and the codec that follows from the position of the link. */
export interface BundleLink {
  readonly codec: number
  readonly hash: Uint8Array
}

/**
 * Returns the links of a bundle's block that stay within the same block of the chain, in order; undefined if the
 * bundle's block does not fit its codec.
 *
 * A header also links to its parent, and the header of an uncle also links to the state after the uncle. These links
 * lead to other blocks of the chain, of which a bundle has headers at most: see `parentOf`. The hash of something empty
 * (no code, no storage, no uncles) is not a link.
 */
export const linksOf = (codec: number, bytes: Uint8Array): ReadonlyArray<BundleLink> | undefined => {
  if (codec === BundleCodecs.RAW) return []
  const decoded = Rlp.decode(bytes)
  if (Result.isFailure(decoded)) return undefined
  const item = decoded.success
  switch (codec) {
    case BundleCodecs.BLOCK:
      return isHeader(item) ? linksOfHeader(item) : undefined
    case BundleCodecs.UNCLES:
      return isList(item) && item.every(isHeader) ? [] : undefined
    case BundleCodecs.STATE_TRIE:
      return inNode(codec, item, linksOfAccount)
    default:
      return inNode(codec, item, () => [])
  }
}

/** Returns the hash of the parent that a header names. */
export const parentOf = (header: Uint8Array): Uint8Array | undefined => {
  const decoded = Rlp.decode(header)
  return Result.isSuccess(decoded) && isHeader(decoded.success) ? (decoded.success[0] as Uint8Array) : undefined
}

type Links = ReadonlyArray<BundleLink> | undefined

/** The positions of the hashes, with the codecs of the blocks that they name. */
type Places = ReadonlyArray<readonly [at: number, codec: number]>

const IN_HEADER: Places = [
  [1, BundleCodecs.UNCLES],
  [3, BundleCodecs.STATE_TRIE],
  [4, BundleCodecs.TRANSACTION_TRIE],
  [5, BundleCodecs.RECEIPT_TRIE]
]

/** Position of blockAccessListHash (EIP-7928). Headers from before Amsterdam end before it. */
const ACCESS_LIST_AT = 21

const IN_ACCOUNT: Places = [
  [2, BundleCodecs.STORAGE_TRIE],
  [3, BundleCodecs.RAW]
]

const isList = (item: Rlp.Rlp): item is ReadonlyArray<Rlp.Rlp> => !(item instanceof Uint8Array)

const isHash = (item: Rlp.Rlp | undefined): item is Uint8Array =>
  item instanceof Uint8Array && item.length === BundleCodecs.DIGEST_SIZE

/** True for a list of at least fifteen fields that begins with the parent's hash. */
const isHeader = (item: Rlp.Rlp): item is ReadonlyArray<Rlp.Rlp> =>
  isList(item) && item.length >= 15 && isHash(item[0]) && IN_HEADER.every(([at]) => isHash(item[at]))

const linksOfHeader = (fields: ReadonlyArray<Rlp.Rlp>): ReadonlyArray<BundleLink> => [
  ...linksAt(fields, IN_HEADER),
  ...(isHash(fields[ACCESS_LIST_AT]) ? linksAt(fields, [[ACCESS_LIST_AT, BundleCodecs.RAW]]) : [])
]

const linksAt = (fields: ReadonlyArray<Rlp.Rlp>, places: Places): ReadonlyArray<BundleLink> =>
  places.flatMap(([at, codec]) => {
    const hash = fields[at] as Uint8Array
    return NOTHING.some((nothing) => Bytes.equals(nothing, hash)) ? [] : [{ codec, hash }]
  })

/** The hashes of no bytes, of a trie without entries, and of an empty list. */
const NOTHING = /* @__PURE__ */ [[], [0x80], [0xc0]].map((bytes) => Keccak256.hash(Uint8Array.from(bytes)))

/** Returns the links of an account, the content of a leaf of the state trie: its storage and its code. */
const linksOfAccount = (value: Uint8Array): Links => {
  const decoded = Rlp.decode(value)
  if (Result.isFailure(decoded)) return undefined
  const account = decoded.success
  const isAccount = isList(account) && account.length === 4 && IN_ACCOUNT.every(([at]) => isHash(account[at]))
  return isAccount ? linksAt(account, IN_ACCOUNT) : undefined
}

/** Number of items of a branch: a child for each nibble, and a value, which the chain's tries never use. */
const BRANCH = 17

/**
 * Returns the hashes of a node's children, including those of small children inside the node, and the links of its
 * leaves.
 */
const inNode = (codec: number, node: Rlp.Rlp, inLeaf: (value: Uint8Array) => Links): Links => {
  // the root of a trie without entries is the RLP of no bytes
  if (!isList(node)) return node.length === 0 ? [] : undefined
  const found: Array<BundleLink> = []
  const rest: Array<Rlp.Rlp> = [node]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (!isList(next)) {
      if (next.length === 0) continue
      if (!isHash(next)) return undefined
      found.push({ codec, hash: next })
    } else if (next.length === BRANCH) {
      for (let nibble = BRANCH - 2; nibble >= 0; nibble--) rest.push(next[nibble]!)
    } else {
      const [path, below] = next
      if (next.length !== 2 || path === undefined || below === undefined || isList(path) || path.length === 0) {
        return undefined
      }
      if ((path[0]! & 0x20) === 0) rest.push(below)
      else {
        const links = isList(below) ? undefined : inLeaf(below)
        if (links === undefined) return undefined
        found.push(...links)
      }
    }
  }
  return found
}

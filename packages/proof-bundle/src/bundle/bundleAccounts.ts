/**
 * Finds the accounts that a bundle proves. The state trie holds each account under the hash of its address. A bundle
 * names an account by a raw block with the address. The hash of this block is the path to the account.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Address from "@plumbline/codec/value/Address"
import type * as Block from "@plumbline/ipfs-client/block/Block"
import type * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as TrieProof from "@plumbline/merkle-trie/proof/TrieProof"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Result from "effect/Result"

import type { HashedBlock } from "./blockTable.ts"
import * as BundleCodecs from "./bundleCodecs.ts"
import * as TrieLeaves from "./trieLeaves.ts"

/** Number of bytes of an address. */
const ADDRESS_SIZE = 20

/** Returns the blocks that name accounts whose leaves are present, in the order of the blocks' hashes. */
export const among = (
  blocks: ReadonlyArray<HashedBlock>,
  stateRoot: Hash32.Hash32,
  nodes: NodeStore.NodeStore
): ReadonlyArray<HashedBlock> => {
  const root = Hash32.toBytes(stateRoot)
  const isThere = (hash: Uint8Array): boolean => {
    const way = TrieProof.make(nodes, root, hash)
    return Result.isSuccess(way) && way.success.outcome._tag === "Included"
  }
  const found = new Map(
    blocks
      .filter(({ bytes, codec, hash }) => codec === BundleCodecs.RAW && bytes.length === ADDRESS_SIZE && isThere(hash))
      .map((block) => [Hex.fromBytes(block.hash), block])
  )
  return [...found.keys()].sort().map((text) => found.get(text)!)
}

/**
 * Returns the storage roots of accounts, each root once, given the hashes of the accounts' addresses. An empty storage
 * counts if the account has code that could write to it.
 */
export const storageRootsOf = (
  hashes: ReadonlyArray<Uint8Array>,
  stateRoot: Hash32.Hash32,
  nodes: NodeStore.NodeStore
): ReadonlyArray<Uint8Array> => {
  const roots = new Map<string, Uint8Array>()
  for (const hash of hashes) {
    const way = TrieProof.make(nodes, Hash32.toBytes(stateRoot), hash)
    if (Result.isFailure(way) || way.success.outcome._tag !== "Included") continue
    const account = Rlp.decode(way.success.outcome.value)
    if (Result.isFailure(account) || account.success instanceof Uint8Array) continue
    const [, , root, code] = account.success
    if (!(root instanceof Uint8Array) || !(code instanceof Uint8Array) || root.length !== 32) continue
    const isEmpty = Bytes.equals(root, EMPTY_ROOT) && Bytes.equals(code, NO_CODE)
    if (!isEmpty) roots.set(Hex.fromBytes(root), root)
  }
  return [...roots.values()]
}

const EMPTY_ROOT = /* @__PURE__ */ Hash32.toBytes(Trie.EMPTY_ROOT)
const NO_CODE = /* @__PURE__ */ Hash32.toBytes(Keccak256.EMPTY)

/** Returns the hashes of the addresses of all accounts whose leaves are present, in the order of the trie. */
export const keysOf = (stateRoot: Hash32.Hash32, nodes: NodeStore.NodeStore): ReadonlyArray<Uint8Array> =>
  TrieLeaves.of(Hash32.toBytes(stateRoot), nodes).map(({ key }) => key)

/** Returns blocks with the addresses of the accounts that exist. An absent account has no leaf with its hash. */
export const named = (
  addresses: ReadonlyArray<Address.Address>,
  stateRoot: Hash32.Hash32,
  nodes: NodeStore.NodeStore
): ReadonlyArray<Block.Block> => {
  const there = new Set(keysOf(stateRoot, nodes).map(Hex.fromBytes))
  return addresses.flatMap((address) => {
    const bytes = Address.toBytes(address)
    const hash = Keccak256.hash(bytes)
    return there.has(Hex.fromBytes(hash)) ? [{ cid: BundleCodecs.cidOf(BundleCodecs.RAW, hash), bytes }] : []
  })
}

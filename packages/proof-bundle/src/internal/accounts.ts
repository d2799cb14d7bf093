/**
 * Which accounts a bundle proves. The state trie has them by the hash of their address; a bundle names them by a raw
 * block that is the address itself: its hash is the way to the account.
 */
import * as Address from "@plumbline/codec/Address"
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as Rlp from "@plumbline/codec/Rlp"
import type * as Block from "@plumbline/ipfs-client/Block"
import * as Nibbles from "@plumbline/merkle-trie/Nibbles"
import type * as NodeStore from "@plumbline/merkle-trie/NodeStore"
import * as TrieProof from "@plumbline/merkle-trie/TrieProof"
import * as Result from "effect/Result"

import type { ProofBundle } from "../ProofBundle.ts"
import type { Hashed } from "./blockTable.ts"
import * as Codecs from "./codecs.ts"

/** Bytes of an address. */
const ADDRESS_SIZE = 20

/** Those blocks that are the address of an account whose leaf is there, in the order of their hashes. */
export const among = (
  blocks: ReadonlyArray<Hashed>,
  stateRoot: Hash32.Hash32,
  nodes: NodeStore.NodeStore
): ReadonlyArray<Hashed> => {
  const root = Hash32.toBytes(stateRoot)
  const isThere = (hash: Uint8Array): boolean => {
    const way = TrieProof.make(nodes, root, hash)
    return Result.isSuccess(way) && way.success.outcome._tag === "Included"
  }
  const found = new Map(
    blocks
      .filter(({ bytes, codec, hash }) => codec === Codecs.RAW && bytes.length === ADDRESS_SIZE && isThere(hash))
      .map((block) => [Hex.fromBytes(block.hash), block])
  )
  return [...found.keys()].sort().map((text) => found.get(text)!)
}

/**
 * The hashes of the addresses of all accounts whose leaves are there, in the order of the trie.
 *
 * Each node is looked at once: two places with the same node would be two accounts whose hashes end alike.
 */
export const keysOf = (stateRoot: Hash32.Hash32, nodes: NodeStore.NodeStore): ReadonlyArray<Uint8Array> => {
  const keys: Array<Uint8Array> = []
  const seen = new Set<string>()
  const rest: Array<{ readonly item: Rlp.Rlp; readonly way: ReadonlyArray<number> }> = [
    { item: Hash32.toBytes(stateRoot), way: [] }
  ]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { way } = next
    const node = next.item instanceof Uint8Array ? read(next.item, nodes, seen) : next.item
    if (node === undefined || way.length > KEY_NIBBLES) continue
    if (node.length === BRANCH) {
      for (let nibble = BRANCH - 2; nibble >= 0; nibble--) rest.push({ item: node[nibble]!, way: [...way, nibble] })
      continue
    }
    const path = node[0] instanceof Uint8Array ? Nibbles.decode(node[0]) : undefined
    if (path === undefined) continue
    const further = [...way, ...path.nibbles]
    if (!path.leaf) rest.push({ item: node[1]!, way: further })
    else if (further.length === KEY_NIBBLES) keys.push(toKey(further))
  }
  return keys
}

/** Blocks that are the addresses of those accounts that are there: of one that is not, there is no hash on the way. */
export const named = (
  { header, nodes }: Pick<ProofBundle, "header" | "nodes">,
  addresses: ReadonlyArray<Address.Address>
): ReadonlyArray<Block.Block> => {
  const there = new Set(keysOf(header.stateRoot, nodes).map(Hex.fromBytes))
  return addresses.flatMap((address) => {
    const bytes = Address.toBytes(address)
    const hash = Keccak256.hash(bytes)
    return there.has(Hex.fromBytes(hash)) ? [{ cid: Codecs.cidOf(Codecs.RAW, hash), bytes }] : []
  })
}

/** Nibbles of a hash. */
const KEY_NIBBLES = 64

/** Items of a branch. */
const BRANCH = 17

/** The node with this hash, if it is there and was not looked at. */
const read = (hash: Uint8Array, nodes: NodeStore.NodeStore, seen: Set<string>): ReadonlyArray<Rlp.Rlp> | undefined => {
  if (hash.length !== KEY_NIBBLES / 2) return undefined
  const text = Hex.fromBytes(hash)
  const bytes = seen.has(text) ? undefined : nodes(hash)
  if (bytes === undefined) return undefined
  seen.add(text)
  const node = Rlp.decode(bytes)
  return Result.isSuccess(node) && !(node.success instanceof Uint8Array) ? node.success : undefined
}

const toKey = (nibbles: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from({ length: nibbles.length / 2 }, (_, i) => nibbles[2 * i]! * 16 + nibbles[2 * i + 1]!)

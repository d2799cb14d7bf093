/** The state of a made block: the contract that holds the hashes of the 8191 blocks before it (EIP-2935). */
import { Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { hexOf } from "../inputs/byteInput.ts"

/** The number of slots. */
export const WINDOW = 8191

/** Source: EIP-2935, `HISTORY_STORAGE_ADDRESS`, and the hash of its code. */
const ADDRESS = "0x0000f90827f1c53a10cb7a02335b175320002935"
const CODE_HASH = "0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d"

/** A state with no other account. */
export interface BlockHashes {
  readonly stateRoot: string
  /** Returns the answer of eth_getProof about slots of the contract. */
  readonly prove: (keys: ReadonlyArray<string>) => unknown
}

/** Makes the state from the hashes of the blocks before it, by their numbers. */
export const make = (hashes: Iterable<readonly [number: number, hash: string]>): BlockHashes => {
  const slots = mapOf(
    [...hashes].map(([number, hash]) => [
      Hash32.toBytes(Hash32.fromHexUnsafe(`0x${(number % WINDOW).toString(16).padStart(64, "0")}`)),
      Rlp.encode(withoutZeros(Hash32.toBytes(Hash32.fromHexUnsafe(hash))))
    ])
  )
  const address = Hex.toBytesUnsafe(ADDRESS)
  const account = Rlp.encode([Uint8Array.of(1), new Uint8Array(0), slots.root, Hex.toBytesUnsafe(CODE_HASH)])
  const accounts = mapOf([[address, account]])
  return {
    stateRoot: hexOf(accounts.root),
    prove: (keys) => ({
      address: ADDRESS,
      balance: "0x0",
      nonce: "0x1",
      codeHash: CODE_HASH,
      storageHash: hexOf(slots.root),
      accountProof: accounts.prove(address).nodes,
      storageProof: keys.map((key) => {
        const { nodes, value } = slots.prove(Hex.toBytesUnsafe(key))
        return { key, value: value === undefined ? "0x0" : `0x${BigInt(hexOf(value)).toString(16)}`, proof: nodes }
      })
    })
  }
}

/** A word of storage has no zeros at its start. */
const withoutZeros = (word: Uint8Array): Uint8Array => word.subarray(word.findIndex((byte) => byte !== 0))

/** A trie whose keys are hashed, as those of a state are. */
const mapOf = (entries: ReadonlyArray<readonly [key: Uint8Array, value: Uint8Array]>) => {
  const { nodes, root } = Result.getOrThrow(
    Trie.nodesOfMap(entries.map(([key, value]) => [Keccak256.hash(key), value] as const))
  )
  const store = NodeStore.make(nodes)
  return {
    root,
    prove: (key: Uint8Array) => {
      const { nodes, outcome } = Result.getOrThrow(TrieProof.make(store, root, Keccak256.hash(key)))
      const value = outcome._tag === "Included" ? (Rlp.decodeUnsafe(outcome.value) as Uint8Array) : undefined
      return { nodes: nodes.map(hexOf), value }
    }
  }
}

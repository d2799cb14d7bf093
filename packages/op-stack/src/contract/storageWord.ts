/** Slots and words of contracts, as the compiler of Solidity lays them out. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as WordPair from "@plumbline/codec/hash/WordPair"
import * as Address from "@plumbline/codec/value/Address"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"

/** Returns the number in a slot of an unstructured variable: the Keccak-256 of its name, minus 1. */
export const named = (name: string): bigint => BigInt(Keccak256.hashHex(new TextEncoder().encode(name))) - 1n

/** Returns the slot of the value for a key of a mapping. */
export const mapping = (key: bigint, slot: bigint): bigint => BigInt(WordPair.hashUnsafe(key, slot))

/** Returns the slot of the first item of an array. */
export const array = (slot: bigint): bigint => BigInt(Keccak256.hashHex(Hash32.toBytes(StorageKey.fromSlot(slot))))

/** Returns the address in the lowest 20 bytes of a word, in lower case. */
export const address = (word: bigint): Address.Address =>
  Address.fromHexUnsafe(`0x${BigInt.asUintN(160, word).toString(16).padStart(40, "0")}`)

/** Returns the unsigned number of `bits` bits that begins `offset` bytes from the lowest byte of a word. */
export const field = (word: bigint, offset: number, bits: number): bigint =>
  BigInt.asUintN(bits, word >> BigInt(8 * offset))

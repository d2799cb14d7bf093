/**
 * An account and slots of its storage, with the trie nodes that prove them: the answer of eth_getProof (EIP-1186).
 */
import * as Hex from "@plumbline/codec/Hex"
import * as Quantity from "@plumbline/codec/Quantity"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Wire from "./internal/wire.ts"

/** RLP-encoded trie nodes, the root's first. */
const nodes = Wire.array(Wire.data)

/** `0x` and up to 64 hex digits: what nodes write for a word or a key. */
const LooseText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^0x[0-9a-fA-F]{0,64}$/u, { expected: "0x and up to 64 hex digits" }))
)

const isLoose = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= 66 &&
  value.startsWith("0x") &&
  Hex.isHex(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`)

/** 2^256 - 1. */
const MAX_WORD = (1n << 256n) - 1n

const toWord = (text: string | null): bigint => (text === null || text === "0x" ? 0n : BigInt(text))

/**
 * A word as nodes write it: a quantity (geth, reth, besu), `0x` for zero (ganache), with leading zeros (Nethermind), or
 * null for zero (old Nethermind). Written as a quantity.
 */
const Word = Schema.NullOr(LooseText).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_WORD })),
    SchemaTransformation.transform({
      decode: toWord,
      encode: (word): string | null => Quantity.toHex(word)
    })
  )
)
const word: Wire.Wire<typeof Word> = {
  schema: Word,
  decode: (value) => (value === null || isLoose(value) ? toWord(value) : Wire.fail()),
  encode: (value) => (typeof value === "bigint" && value <= MAX_WORD ? Quantity.toHex(value) : Wire.fail())
}

const storageProof = Wire.object("StorageProof", {
  /** As the client echoes it: as sent, padded or trimmed. Compare numbers, not texts: `keyOf`. */
  key: Wire.text(LooseText, isLoose),
  value: word,
  proof: nodes
})
/** One slot. `proof` may be empty: the storage trie is (geth), or `["0x80"]` for the same (anvil, old reth). */
export const StorageProof = storageProof.schema
/** See the Schema of the same name. */
export type StorageProof = typeof StorageProof.Type

const accountProof = Wire.object("AccountProof", {
  address: Wire.address,
  /** Wei. */
  balance: Wire.quantity,
  codeHash: Wire.hash32,
  nonce: Wire.quantity,
  storageHash: Wire.hash32,
  accountProof: nodes,
  storageProof: Wire.array(storageProof)
})
/**
 * The answer of eth_getProof.
 *
 * Of an account that does not exist, geth and Nethermind send zeros for `codeHash` and `storageHash`, reth and anvil the
 * hashes of nothing: both are right only beside a proof of absence.
 */
export const AccountProof = accountProof.schema
/** See the Schema of the same name. */
export type AccountProof = typeof AccountProof.Type

/** The number of the slot that a storage proof is about. */
export const keyOf = (proof: StorageProof): bigint => toWord(proof.key)

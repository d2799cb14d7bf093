/**
 * An account and slots of its storage, with the trie nodes that prove them: the answer of eth_getProof (EIP-1186).
 */
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { Digits, isDigits, toNumber } from "./digits.ts"
import { Below256, MAX_WORD } from "./numbers.ts"
import * as Wire from "./wire.ts"

/** RLP-encoded trie nodes, the root's first. */
const nodes = Wire.array(Wire.data)

/**
 * A word as nodes write it: a quantity (geth, reth, besu), `0x` for zero (ganache), with leading zeros (Nethermind), or
 * null for zero (old Nethermind). Written as a quantity.
 */
const Word = Schema.NullOr(Digits).pipe(
  Schema.decodeTo(
    Below256,
    SchemaTransformation.transform({
      decode: (text) => (text === null ? 0n : toNumber(text)),
      encode: (word): string | null => Quantity.toHex(word)
    })
  )
)
const word: Wire.Wire<typeof Word> = {
  schema: Word,
  decode: (value) => (value === null ? 0n : isDigits(value) ? toNumber(value) : Wire.fail()),
  encode: (value) => (typeof value === "bigint" && value <= MAX_WORD ? Quantity.toHex(value) : Wire.fail())
}

const storageProof = Wire.object("StorageProof", {
  /** As the client echoes it: as sent, padded or trimmed. Compare numbers, not texts: `keyOf`. */
  key: Wire.kept(Digits, isDigits),
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
export const keyOf = (proof: StorageProof): bigint => toNumber(proof.key)

/**
 * An account and slots of its storage, with the trie nodes that prove them: the answer of eth_getProof (EIP-1186).
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as HexBatch from "@plumbline/codec/hex/HexBatch"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as EthWire from "./ethWire.ts"
import { Below256, toQuantity } from "./wireNumbers.ts"
import { Digits, isDigits, isKey, Key, prefixed, toNumber } from "./wordDigits.ts"

const Nodes = Schema.Array(Hex.Hex)

/**
 * RLP-encoded trie nodes, starting with the root.
 *
 * Checking the text of a trie node decodes it. The bytes stay in the batch, where the proof of the answer finds them.
 */
const nodes: EthWire.Wire<typeof Nodes> = {
  schema: Nodes,
  decode: (values) => {
    if (!Array.isArray(values)) return EthWire.fail()
    const texts = values.slice()
    for (const text of texts) if (typeof text !== "string") return EthWire.fail()
    // the batch also refuses text that it has no space for
    return HexBatch.get()?.addAll(texts) !== undefined || texts.every(Hex.isHex) ? texts : EthWire.fail()
  },
  encode: EthWire.array(EthWire.data).encode
}

/**
 * A list that some nodes write as null if it is empty: Erigon has no nodes for the slots of an absent account, and Go
 * writes null for a list that was never made. The encoder writes a list.
 */
const orNull = <A>({ decode, encode, schema }: EthWire.Wire<Schema.Codec<ReadonlyArray<A>, any>>) => ({
  schema: Schema.NullOr(schema).pipe(
    Schema.decodeTo(
      Schema.toType(schema),
      SchemaTransformation.transform({
        decode: (found): ReadonlyArray<A> => found ?? [],
        encode: (found): ReadonlyArray<A> | null => found
      })
    )
  ),
  decode: (value: unknown) => (value === null ? [] : decode(value)),
  encode
})

/**
 * A word as nodes write it: a quantity (geth, reth, besu), `0x` for zero (ganache), with leading zeros (Nethermind), or
 * null for zero (old Nethermind). The encoder writes a quantity.
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
/** True if the text has the length and the first digit of a quantity below 2^256. */
const isQuantity = (value: unknown): value is string =>
  typeof value === "string" && value.length > 2 && value.length <= 66 && (value[2] !== "0" || value.length === 3)
const word: EthWire.Wire<typeof Word> = {
  schema: Word,
  decode: (value) => {
    if (value === null) return 0n
    if (isQuantity(value)) return Quantity.fromHexUnsafe(value)
    return isDigits(value) ? toNumber(value) : EthWire.fail()
  },
  encode: toQuantity
}

const key: EthWire.Wire<typeof Key> = {
  schema: Key,
  decode: (value) => (isKey(value) ? prefixed(value) : EthWire.fail()),
  encode: (value) => (isDigits(value) ? value : EthWire.fail())
}

const storageProof = EthWire.object("StorageProof", {
  /**
   * The key of the slot, as the node repeats it: unchanged, padded or trimmed. Compare keys as numbers (`keyOf`), not
   * as texts.
   */
  key,
  value: word,
  proof: orNull(nodes)
})
/** The proof of one slot. For an empty storage trie, `proof` is empty (geth) or `["0x80"]` (anvil, old reth). */
export const StorageProof: Schema.Codec<StorageProof, typeof storageProof.schema.Encoded> = storageProof.schema
/** See the Schema of the same name. */
export interface StorageProof extends Schema.Schema.Type<typeof storageProof.schema> {}

const described = EthWire.object("AccountProof", {
  address: EthWire.address,
  /** The balance in wei. */
  balance: EthWire.quantity,
  codeHash: EthWire.hash32,
  nonce: EthWire.quantity,
  storageHash: EthWire.hash32,
  accountProof: nodes,
  storageProof: orNull(EthWire.array(storageProof))
})
const accountProof = EthWire.install(
  {
    ...described,
    schema: described.schema.annotate({}),
    decode: (value) => {
      HexBatch.get()?.clear()
      return described.decode(value)
    }
  },
  () => described.schema
)
/**
 * The answer of eth_getProof.
 *
 * For an account that does not exist, geth and Nethermind send zeros as `codeHash` and `storageHash`; reth and anvil
 * send the hashes of empty code and empty storage. Both are valid only with a proof of absence.
 */
export const AccountProof = accountProof.schema
/** See the Schema of the same name. */
export type AccountProof = typeof AccountProof.Type

/** The number of the slot that a storage proof is about. */
export const keyOf = (proof: StorageProof): bigint => toNumber(proof.key)

/**
 * Returns an answer of eth_getProof whose keys have the caller's form, as geth writes them: a key that the caller wrote
 * with fewer than 32 bytes is a quantity. `params` are those of the call. All values are JSON.
 *
 * ```ts import.meta.vitest
 * import { AccountProof } from "@plumbline/eth-methods"
 *
 * const key = `0x${"00".repeat(32)}`
 * AccountProof.echo(["0x", ["0x00"]], { storageProof: [{ key }] }) // => { storageProof: [{ key: "0x0" }] }
 * AccountProof.echo(["0x", ["a"]], { storageProof: [{ key }] }) // => { storageProof: [{ key: "0xa" }] }
 * AccountProof.echo(["0x", [key]], { storageProof: [{ key }] }) // => { storageProof: [{ key }] }
 * ```
 */
export const echo = (params: unknown, answer: unknown): unknown => {
  const keys: unknown = Array.isArray(params) ? params[1] : undefined
  const storageProof: unknown = (answer as { storageProof?: unknown } | null)?.storageProof
  if (!Array.isArray(keys) || !Array.isArray(storageProof)) return answer
  if (keys.every((key) => typeof key !== "string" || key.length === FULL)) return answer
  return {
    ...(answer as object),
    storageProof: storageProof.map((slot, at) => {
      const key: unknown = keys[at]
      if (!isKey(key) || typeof slot !== "object" || slot === null) return slot
      const digits = prefixed(key)
      return digits.length < FULL ? { ...slot, key: Quantity.toHex(toNumber(digits)) } : slot
    })
  }
}

/**
 * Returns an answer of eth_getProof with the requested address if the node left the address out. The hash of the address
 * is the path of the proof, so a proof of another account does not pass. An address of the node's own stays, because a
 * wrong one is a lie.
 *
 * ```ts import.meta.vitest
 * import { AccountProof } from "@plumbline/eth-methods"
 *
 * AccountProof.complete(["0x01", []], { nonce: "0x0" }) // => { nonce: "0x0", address: "0x01" }
 * AccountProof.complete(["0x01", []], { address: "0x02" }) // => { address: "0x02" }
 * ```
 */
export const complete = ([address]: ReadonlyArray<unknown>, answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && ((answer as { address?: unknown }).address ?? null) === null
    ? { ...answer, address }
    : answer

/** Length of `0x` and 64 digits. */
const FULL = 66

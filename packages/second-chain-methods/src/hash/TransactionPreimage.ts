/** Returns the preimage of a transaction's hash: the hashed felts, each with the name of its field. */
import * as Felt from "../model/Felt.ts"
import type * as Transaction from "../model/Transaction.ts"
import { formsOf, hashOf } from "./hashForms.ts"
import * as Data from "./hashInputs.ts"

/** The felts that one hash covers, in order, and the hash. */
export interface TransactionPreimage {
  readonly algorithm: "pedersen" | "poseidon"
  readonly parts: ReadonlyArray<PreimagePart>
  /** The hash of the felts of the parts, without leading zeros. */
  readonly hash: Felt.Felt
}

/** One felt of a preimage. */
export interface PreimagePart {
  /**
   * The name of the transaction's field. `prefix` is the kind of the transaction as ASCII, `chain_id` the chain,
   * `data_availability_modes` both modes in one felt, and `calldata[0]` the first felt of a list. The
   * `contract_address` of a deployment is not a field; `contractAddress` computes it from the other fields.
   */
  readonly name: string
  /** The felt. For a list, it is the hash of the list. */
  readonly felt: Felt.Felt
  /** The list whose hash is `felt`; undefined if `felt` is not the hash of a list. */
  readonly list: TransactionPreimage | undefined
}

/**
 * Returns the preimage of a transaction's hash.
 *
 * **Details**
 *
 * Transactions of Starknet's first months were hashed in other forms. If you pass `hash` and one of these forms gives
 * this hash, the function returns the preimage of that form. Otherwise it returns the preimage of the current form.
 * Compare your hash with the `hash` of the result, which is computed from the parts.
 *
 * Returns undefined for a transaction of an unknown kind, and for a transaction whose numbers do not fit their felts.
 *
 * ```ts import.meta.vitest
 * import { Felt, transactionPreimage } from "@plumbline/second-chain-methods"
 *
 * const felt = Felt.fromHexUnsafe
 * const invoke = {
 *   type: "INVOKE" as const,
 *   version: "0x1" as const,
 *   transaction_hash: felt("0x20253c9603df29744583b62fb1018d6ef88e6d22d2e6bf2ea1d2e83cb03c223"),
 *   sender_address: felt("0x1"),
 *   calldata: [felt("0x2")],
 *   max_fee: felt("0x3"),
 *   nonce: felt("0x4"),
 *   signature: []
 * }
 * const preimage = transactionPreimage(invoke, felt("0x534e5f4d41494e"))!
 * preimage.algorithm // => "pedersen"
 * preimage.parts.map(({ name }) => name).join() // => "prefix,version,sender_address,entry_point_selector,calldata,max_fee,chain_id,nonce"
 * preimage.hash === invoke.transaction_hash // => true
 * ```
 */
export const transactionPreimage = (
  transaction: Transaction.Transaction,
  chainId: Felt.Felt,
  hash?: Felt.Felt
): TransactionPreimage | undefined => {
  const { forms } = formsOf(transaction, Felt.toBigInt(chainId))
  try {
    const wanted = hash === undefined ? undefined : Felt.toBigInt(hash)
    const form = wanted === undefined ? undefined : forms.find((one) => hashOf(one) === wanted)
    const shown = form ?? forms[0]
    return shown === undefined ? undefined : named(shown.preimage())
  } catch (error) {
    // a node may send numbers that do not fit felts; a transaction with such numbers has no hash
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const named = ({ algorithm, parts }: Data.HashInput): TransactionPreimage => {
  const shown = parts.map(({ name, value }): PreimagePart => {
    if (typeof value === "bigint") return { name, felt: Felt.fromBigIntUnsafe(value), list: undefined }
    const list = named(value)
    return { name, felt: list.hash, list }
  })
  const felts = shown.map(({ felt, name }) => ({ name, value: Felt.toBigInt(felt) }))
  return { algorithm, parts: shown, hash: Felt.fromBigIntUnsafe(Data.digest({ algorithm, parts: felts })) }
}

/** Derives a transaction's hash, sender, deployed address and signer from its own fields. */
import type * as Broadcast from "../model/Broadcast.ts"
import * as Felt from "../model/Felt.ts"
import type * as Transaction from "../model/Transaction.ts"
import { isSigned } from "./accountSignature.ts"
import { addressOf } from "./contractAddress.ts"
import { formsOf, type HashableTransaction, hashOf } from "./hashForms.ts"

export type { HashableTransaction } from "./hashForms.ts"

/**
 * Returns the hash of a transaction, in the current form of its kind and version, without leading zeros.
 *
 * **Details**
 *
 * Version 3 is hashed with the bounds in the transaction: a transaction without bounds for L1 data gas is hashed
 * without them, as before Starknet 0.13.4. The query bit of a version is part of the hash. A `transaction_hash` in the
 * transaction is ignored. `verifyTransaction` also supports the older forms.
 *
 * ```ts import.meta.vitest
 * import { Felt, transactionHash } from "@plumbline/second-chain-methods"
 *
 * const felt = Felt.fromHexUnsafe
 * const mainnet = felt("0x534e5f4d41494e")
 * const invoke = {
 *   type: "INVOKE" as const,
 *   version: "0x1" as const,
 *   sender_address: felt("0x1"),
 *   calldata: [felt("0x2")],
 *   max_fee: felt("0x3"),
 *   nonce: felt("0x4"),
 *   signature: []
 * }
 * transactionHash(invoke, mainnet) // => felt("0x20253c9603df29744583b62fb1018d6ef88e6d22d2e6bf2ea1d2e83cb03c223")
 * ```
 */
export const transactionHash = (
  transaction: Transaction.KnownTransaction | Broadcast.Invoke | Broadcast.DeployAccount,
  chainId: Felt.Felt
): Felt.Felt => Felt.fromBigIntUnsafe(hashOf(formsOf(transaction, Felt.toBigInt(chainId)).forms[0]!))

/**
 * Returns the account that sent a transaction, without leading zeros. For a DEPLOY_ACCOUNT, it is the deployed address.
 * Returns `undefined` for DEPLOY, L1_HANDLER and unknown kinds, which no account signs.
 *
 * ```ts import.meta.vitest
 * import { Felt, senderOf, Transaction } from "@plumbline/second-chain-methods"
 * import { Schema } from "effect"
 *
 * const transaction = Schema.decodeUnknownSync(Transaction.Transaction)({
 *   transaction_hash: "0x1",
 *   type: "DECLARE",
 *   version: "0x1",
 *   sender_address: "0x0acc0",
 *   class_hash: "0x2",
 *   max_fee: "0x3",
 *   nonce: "0x4",
 *   signature: []
 * })
 * senderOf(transaction) // => Felt.fromHexUnsafe("0xacc0")
 * ```
 */
export const senderOf = (transaction: HashableTransaction): Felt.Felt | undefined => {
  const { sender } = formsOf(transaction, 0n)
  return sender === undefined ? undefined : Felt.fromBigIntUnsafe(sender)
}

/**
 * Returns the address of the contract that a DEPLOY or DEPLOY_ACCOUNT makes, without leading zeros.
 *
 * ```ts import.meta.vitest
 * import { contractAddress, Felt } from "@plumbline/second-chain-methods"
 *
 * const felt = Felt.fromHexUnsafe
 * const deployment = { class_hash: felt("0x1"), contract_address_salt: felt("0x2"), constructor_calldata: [felt("0x3")] }
 * contractAddress(deployment) // => felt("0x3bcdc52f2676b5db3e71f2397ae3e98d5d5b39fdcb824d26e698bd863eba458")
 * ```
 */
export const contractAddress = (deployment: {
  readonly class_hash: Felt.Felt
  readonly contract_address_salt: Felt.Felt
  readonly constructor_calldata: ReadonlyArray<Felt.Felt>
}): Felt.Felt =>
  Felt.fromBigIntUnsafe(
    addressOf({
      classHash: Felt.toBigInt(deployment.class_hash),
      salt: Felt.toBigInt(deployment.contract_address_salt),
      constructorCalldata: deployment.constructor_calldata.map(Felt.toBigInt)
    })
  )

/**
 * True if the key made the signature `[r, s]` of the hash, by ECDSA on the Stark curve. Accounts with one key make the
 * same check.
 *
 * `publicKey` is the x coordinate, as accounts store it. The caller must know that the account has such a key, because
 * only the account's own code defines its signatures.
 *
 * ```ts import.meta.vitest
 * import { Felt, isSignedBy } from "@plumbline/second-chain-methods"
 *
 * const felt = Felt.fromHexUnsafe
 * const publicKey = felt("0x53305aa470b10d018e8364ea4a292040e7ea41c9b1fb18910f8f408fb99c5d1")
 * const signature = [
 *   felt("0xc31e4ff0334d988d23e97233768a6a905d5125609127b9d1a637e4ee54e076"),
 *   felt("0x5c0948fd21318046fe19f04938d3f25078ee570a77387a80081f9e925f39aff")
 * ]
 * isSignedBy(felt("0x1234"), signature, publicKey) // => true
 * isSignedBy(felt("0x1235"), signature, publicKey) // => false
 * ```
 */
export const isSignedBy = (hash: Felt.Felt, signature: ReadonlyArray<Felt.Felt>, publicKey: Felt.Felt): boolean =>
  isSigned(Felt.toBigInt(hash), signature.map(Felt.toBigInt), Felt.toBigInt(publicKey))

/**
 * Verifies a transaction by its own hash. The hash proves the hashed fields, the parts of a deployment prove its
 * address, and the account's key, if known, proves the signature.
 */
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type ComparableValue, type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { isSigned } from "../hash/accountSignature.ts"
import { type HashForm, type HashForms, formsOf, hashOf } from "../hash/hashForms.ts"
import * as Felt from "../model/Felt.ts"
import * as Transaction from "../model/Transaction.ts"
import * as SecondChainEvidence from "./SecondChainEvidence.ts"
import * as SecondChainReason from "./SecondChainReason.ts"

/** Options for verifying a transaction. */
export interface VerifyTransactionOptions {
  /**
   * The chain id, which every hash covers, as `starknet_chainId` returns it. Take it from a configuration, not from a
   * node.
   */
  readonly chainId: Felt.Felt
  /**
   * Returns the public key of an account if the account has only one key and the caller knows this key. The address of
   * the account has no leading zeros.
   */
  readonly publicKeyOf?: (account: Felt.Felt) => Felt.Felt | undefined
  /**
   * Hashed fields of version 3 that the node's specification lacks: `l1_data_gas` before 0.8, `proof_facts` before
   * 0.10.1. If a transaction lacks them and its hash does not match, it is CLAIMED and not refuted. The hash may cover
   * the omitted fields, so the mismatch does not show a lie. Default: none.
   */
  readonly omits?: ReadonlyArray<SecondChainReason.OmittedField>
}

/** A hashed field that nodes of older specifications omit. */
export type OmittedField = SecondChainReason.OmittedField

/**
 * Proves a transaction from the requested hash.
 *
 * **Details**
 *
 * Proven: every field that the hash of this kind and version covers, the deployed address, and the signature of an
 * account whose key is known. Claimed: other signatures, because no hash covers them, and all other fields. A
 * transaction of an unknown kind is CLAIMED as a whole. It is refuted if its fields give its hash under a known kind. A
 * transaction of more than 50,000 felts, ten times what a sequencer accepts, is not hashed, and is CLAIMED, because
 * hashing 50,000 felts takes 15 s.
 *
 * Fails with `RefutedError`: `transaction.transaction_hash` (another transaction), `transaction hash` (its fields do not
 * give the hash), `transaction.contract_address` and `transaction.sender_address` (of a deployment),
 * `transaction.signature`, `transaction.type`, `transaction.version`.
 *
 * ```ts import.meta.vitest
 * import { Felt, Transaction, verifyTransaction } from "@plumbline/second-chain-methods"
 * import { Result, Schema } from "effect"
 *
 * const chainId = Felt.fromHexUnsafe("0x534e5f4d41494e")
 * const hash = Felt.fromHexUnsafe("0x20253c9603df29744583b62fb1018d6ef88e6d22d2e6bf2ea1d2e83cb03c223")
 * const transaction = Schema.decodeUnknownSync(Transaction.Transaction)({
 *   transaction_hash: hash,
 *   type: "INVOKE",
 *   version: "0x1",
 *   sender_address: "0x1",
 *   calldata: ["0x2"],
 *   max_fee: "0x3",
 *   nonce: "0x5",
 *   signature: []
 * })
 * const lie = verifyTransaction(transaction, hash, { chainId })
 * Result.isFailure(lie) && lie.failure.check // => "transaction hash"
 * ```
 */
export const verifyTransaction = (
  transaction: Transaction.Transaction,
  hash: Felt.Felt,
  options: VerifyTransactionOptions
): Result.Result<Verdict.Verdict<Transaction.Transaction>, RefutedError> => {
  if (!Felt.equals(transaction.transaction_hash, hash)) {
    return Result.fail(refute("transaction.transaction_hash", hash, transaction.transaction_hash))
  }
  const wanted = Felt.toBigInt(hash)
  const chainId = Felt.toBigInt(options.chainId)
  const it = Transaction.caseOf(transaction)
  if (it.kind === "UNKNOWN") {
    const { sent } = it.transaction
    const wrong = lengthOf(sent) > MAX_FELTS_UNKNOWN ? undefined : disguise(sent, wanted, chainId)
    return wrong === undefined
      ? Result.succeed(Verdict.claim(transaction, SecondChainReason.UnknownKind({})))
      : Result.fail(wrong)
  }
  if (lengthOf(transaction) > MAX_FELTS)
    return Result.succeed(Verdict.claim(transaction, SecondChainReason.TooLong({ most: MAX_FELTS })))
  const forms = formsOf(transaction, chainId)
  const form = forms.forms.find((one) => hashOf(one) === wanted)
  if (form === undefined) {
    const omitted = options.omits?.filter((field) => lacks(it, field)) ?? []
    return omitted.length === 0
      ? Result.fail(refute("transaction hash", hash, hex(hashOf(forms.forms[0]!))))
      : Result.succeed(Verdict.claim(transaction, SecondChainReason.LeftOut({ fields: omitted })))
  }
  return proven(transaction, form, forms, wanted, options)
}

/**
 * Proves a transaction of a pending list from the hash that the transaction itself contains.
 *
 * **Details**
 *
 * Works like `verifyTransaction`, with one more claim, `pending`. The hash shows that the transaction is well formed,
 * but only the node says that the transaction is pending. It may be invented, old, or never included in a block.
 *
 * ```ts import.meta.vitest
 * import { Felt, Transaction, verifyPending } from "@plumbline/second-chain-methods"
 * import { Result, Schema } from "effect"
 *
 * const chainId = Felt.fromHexUnsafe("0x534e5f4d41494e")
 * const transaction = Schema.decodeUnknownSync(Transaction.Transaction)({
 *   transaction_hash: "0x20253c9603df29744583b62fb1018d6ef88e6d22d2e6bf2ea1d2e83cb03c223",
 *   type: "INVOKE",
 *   version: "0x1",
 *   sender_address: "0x1",
 *   calldata: ["0x2"],
 *   max_fee: "0x3",
 *   nonce: "0x4",
 *   signature: []
 * })
 * const verdict = Result.getOrThrow(verifyPending(transaction, { chainId }))
 * verdict._tag // => "VERIFIED"
 * verdict.claimed.map((claim) => claim.field) // => ["signature", "pending"]
 * ```
 */
export const verifyPending = (
  transaction: Transaction.Transaction,
  options: VerifyTransactionOptions
): Result.Result<Verdict.Verdict<Transaction.Transaction>, RefutedError> =>
  Result.map(verifyTransaction(transaction, transaction.transaction_hash, options), (verdict) =>
    Verdict.withClaim(verdict, Claim.question("pending", SecondChainReason.PendingSaidByNode({})))
  )

/** Returns the verdict on a transaction whose hash matches, with its unproven fields as claims. */
const proven = (
  transaction: Transaction.Transaction,
  { covered }: HashForm,
  { deployed, sender }: HashForms,
  hash: bigint,
  { chainId, publicKeyOf }: VerifyTransactionOptions
): Result.Result<Verdict.Verdict<Transaction.Transaction>, RefutedError> => {
  const shown = new Set(["transaction_hash", ...covered])
  const fields = covered.filter((field) => field in transaction)
  const evidence: Array<Evidence> = [SecondChainEvidence.TransactionHash({ fields, hash: hex(hash), chainId })]
  if (deployed !== undefined) {
    for (const field of ["contract_address", "sender_address"]) {
      const said = (transaction as Fields)[field]
      if (said === undefined) continue
      if (!Felt.isFelt(said) || Felt.toBigInt(said) !== deployed) {
        return Result.fail(refute(`transaction.${field}`, hex(deployed), comparable(said)))
      }
      shown.add(field)
    }
    evidence.push(SecondChainEvidence.DeployedAddress({ address: hex(deployed) }))
  }
  const key = sender === undefined ? undefined : publicKeyOf?.(hex(sender))
  if (key !== undefined) {
    // every kind with a sender has a signature
    const { signature } = transaction as Transaction.InvokeV3
    if (!isSigned(hash, signature.map(Felt.toBigInt), Felt.toBigInt(key))) {
      return Result.fail(refute("transaction.signature", `one of the key ${key}`, signature.slice(0, 2).join(" ")))
    }
    shown.add("signature")
    evidence.push(SecondChainEvidence.Signed({ account: hex(sender!), publicKey: key }))
  }
  const claimed: Array<Claim.Claim> = []
  for (const field in transaction) {
    if (shown.has(field)) continue
    const reason = field === "signature" ? SecondChainReason.KeyUnknown({}) : SecondChainReason.NotHashed({})
    claimed.push(Claim.of(field, reason))
  }
  if ("resource_bounds" in transaction) {
    for (const field of unknownFields({ ...transaction.resource_bounds })) {
      claimed.push(Claim.of(field, SecondChainReason.NotHashed({})))
    }
  }
  return Result.succeed(
    Proven.make({
      value: transaction,
      anchor: Anchor.transaction(transaction.transaction_hash),
      proven: evidence,
      claimed
    })
  )
}

type Fields = Readonly<Record<string, unknown>>

const hex = Felt.fromBigIntUnsafe

/** Returns a value that the error can show, even if the node's answer has no text there. */
const comparable = (value: unknown): ComparableValue =>
  typeof value === "string" || value === null ? value : "something of another kind"

/** Maximum number of felts to hash. A node can send any number, and hashing cannot be interrupted. */
const MAX_FELTS = 50_000

/** Maximum number of felts of an unknown kind, which may be hashed once for each known kind. */
const MAX_FELTS_UNKNOWN = 5000

/** Returns the number of items in all lists of a transaction. */
const lengthOf = (transaction: object): number => {
  let length = 0
  for (const value of Object.values(transaction)) if (Array.isArray(value)) length += value.length
  return length
}

/** Returns the paths of unknown fields inside the resource bounds. */
const unknownFields = (bounds: Fields): ReadonlyArray<string> =>
  Object.entries(bounds).flatMap(([resource, bound]) =>
    RESOURCES.has(resource)
      ? Object.keys(bound as Fields)
          .filter((field) => !BOUND.has(field))
          .map((field) => `resource_bounds.${resource}.${field}`)
      : [`resource_bounds.${resource}`]
  )

const RESOURCES = new Set(["l1_gas", "l2_gas", "l1_data_gas"])
const BOUND = new Set(["max_amount", "max_price_per_unit"])

/** True if the transaction lacks a field that its kind has. */
const lacks = (it: Transaction.TransactionCase, field: OmittedField): boolean =>
  field === "proof_facts"
    ? it.kind === "INVOKE v3" && it.transaction.proof_facts === undefined
    : "resource_bounds" in it.transaction && it.transaction.resource_bounds.l1_data_gas === undefined

/**
 * Refutes a transaction of an unknown kind if its fields give its hash under a known kind. Without this check, a node
 * could turn a refutation into a claim by changing only the type or version.
 */
const disguise = (said: Fields, hash: bigint, chainId: bigint): RefutedError | undefined => {
  for (const { fields, type, version } of KINDS) {
    if (!fields.every((field) => Object.hasOwn(said, field))) continue
    const known = decode({ ...said, type, version })
    if (Result.isFailure(known)) continue
    if (!formsOf(known.success, chainId).forms.some((form) => hashOf(form) === hash)) continue
    return said["type"] === type
      ? refute("transaction.version", version, comparable(said["version"]))
      : refute("transaction.type", type, comparable(said["type"]))
  }
  return undefined
}

const decode = Schema.decodeUnknownResult(Transaction.Transaction)

/**
 * The known kinds, each with the fields that distinguish it. Only a transaction with these fields is tried as that
 * kind.
 */
const FIELDS: { readonly [Kind in Transaction.KnownKind]: ReadonlyArray<string> } = {
  "INVOKE v0": ["entry_point_selector", "max_fee"],
  "INVOKE v1": ["sender_address", "calldata", "max_fee"],
  "INVOKE v3": ["sender_address", "calldata", "resource_bounds"],
  "DECLARE v0": ["sender_address", "class_hash", "max_fee"],
  "DECLARE v1": ["sender_address", "class_hash", "max_fee", "nonce"],
  "DECLARE v2": ["compiled_class_hash", "max_fee"],
  "DECLARE v3": ["compiled_class_hash", "resource_bounds"],
  "DEPLOY v0": ["constructor_calldata"],
  "DEPLOY v1": ["constructor_calldata"],
  "DEPLOY_ACCOUNT v1": ["constructor_calldata", "max_fee"],
  "DEPLOY_ACCOUNT v3": ["constructor_calldata", "resource_bounds"],
  "L1_HANDLER v0": ["entry_point_selector", "nonce"]
}

/** Every known type and version as text, with and without the query bit. */
const KINDS = Object.entries(FIELDS).flatMap(([kind, fields]) => {
  const [type, digit] = kind.split(" v")
  return [`0x${digit}`, `0x1${"0".repeat(31)}${digit}`].map((version) => ({ type, version, fields }))
})

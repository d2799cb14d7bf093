/**
 * Proves a transaction from its own hash: the signed fields by the hash, the sender by recovery.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as LaterForks from "../model/LaterForks.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import * as SignatureScalar from "../model/SignatureScalar.ts"
import * as Transaction from "../model/Transaction.ts"
import * as LaterEncoding from "../rlp/laterEncoding.ts"
import * as Sender from "../rlp/signedPayload.ts"
import { chainIdInV, isLegacy, isUnsigned, parityOf } from "../rlp/signedPayload.ts"
import { isOfMantle, write } from "../rlp/transactionEncoding.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, contradiction, type Derived } from "./provenDifference.ts"
import * as StateSync from "./stateSync.ts"
import { unknownFields } from "./unknownFields.ts"

/** Options of `verifyTransaction`. */
export interface VerifyTransactionOptions {
  /** The engine that recovers the sender. Default: `SenderRecovery.standard`. */
  readonly recovery?: RecoveryEngine | undefined
  /** Forks that this version does not know, by the caller's configuration. Default: none. */
  readonly forks?: LaterForks.LaterForks | undefined
}

/** Proves a transaction from the requested hash: see `Verify.transaction`. */
export const verifyTransaction = (
  transaction: Transaction.Transaction,
  hash: Hash32.Hash32,
  recovery: RecoveryEngine,
  forks?: LaterForks.LaterForks
): Result.Result<Verdict<Transaction.Transaction>, RefutedError> => {
  if (!Hex.equals(transaction.hash, hash)) return Result.fail(refute("transaction.hash", hash, transaction.hash))
  if (!Transaction.isKnown(transaction)) {
    const type = typeOf(transaction)
    const form = type === undefined ? undefined : LaterForks.transactionType(forks, type)
    if (form !== undefined) return verifyLater(transaction, hash, form)
    const disguised = disguise(transaction, LaterForks.transactionTypes(forks))
    return disguised === undefined
      ? Result.succeed(claim(transaction, EthReason.UnknownTransactionType({ type })))
      : Result.fail(refute("transaction.type", disguised, type))
  }
  const writer = RlpWriter.make()
  write(writer, transaction)
  const got = Hash32.fromBytesUnsafe(writer.hash(0))
  if (!Hex.equals(got, hash)) {
    const { blockHash, blockNumber } = transaction
    if (Transaction.isDeposit(transaction) && isOfMantle(writer, transaction))
      return Result.succeed(claim(transaction, EthReason.UnknownTransactionType({ type: transaction.type })))
    // a node cannot make up a block for which another transaction's hash is that of a state-sync transaction
    return StateSync.isOf(hash, { number: blockNumber, hash: blockHash })
      ? Result.succeed(claim(transaction, EthReason.StateSync({})))
      : Result.fail(refute("transaction hash", hash, got))
  }
  writer.reset()
  const unsigned = isUnsigned(transaction)
  const derived = ofSignature(transaction)
  const other = contradiction(transaction, derived)
  const wrong =
    checkPending(transaction) ??
    (other === undefined ? undefined : refute(`transaction.${other[0]}`, other[1], other[2])) ??
    (unsigned || Transaction.isDeposit(transaction)
      ? undefined
      : checkSender(transaction, "transaction", recovery, writer))
  if (wrong !== undefined) return Result.fail(wrong)
  const claimed: Array<Claim.Claim> = []
  const reason = transaction.blockHash === null ? EthReason.Pending({}) : EthReason.Place({})
  for (const field of placeFields) claimed.push(Claim.of(field, reason))
  const by = coverOf(transaction)
  if (by !== "deposit" && !isLegacy(transaction) && transaction.type !== 1n)
    claimed.push(Claim.of("gasPrice", EthReason.EffectivePrice({})))
  if (unsigned) claimed.push(Claim.of("from", EthReason.Unsigned({})))
  for (const field of uncovered(transaction)) claimed.push(Claim.of(field, EthReason.NotCovered({ by })))
  return Result.succeed(
    Proven.make({
      value: completed(transaction, derived.always, NEVER),
      anchor: Anchor.transaction(hash),
      proven: [
        EthEvidence.TransactionHash({ hash, ...(by === "deposit" ? { deposit: true } : {}) }),
        ...(unsigned || by === "deposit" ? [] : [EthEvidence.SignedBy({ sender: transaction.from })])
      ],
      claimed
    })
  )
}

/** Proves a transaction of a type whose form the caller names. Its sender is proven only if it is one of the fields. */
const verifyLater = (
  transaction: Transaction.Unknown,
  hash: Hash32.Hash32,
  form: LaterTransactions.TransactionType
): Result.Result<Verdict<Transaction.Transaction>, RefutedError> => {
  const fault = LaterEncoding.faultOf(form.fields, transaction, "transaction")
  if (fault !== undefined) return Result.fail(refute(fault.path, fault.expected, "another kind of value"))
  const writer = RlpWriter.make()
  LaterEncoding.write(writer, form, transaction)
  const got = Hash32.fromBytesUnsafe(writer.hash(0))
  if (!Hex.equals(got, hash)) return Result.fail(refute("transaction hash", hash, got))
  const reason = transaction.blockHash === null ? EthReason.Pending({}) : EthReason.Place({})
  return Result.succeed(
    Proven.make({
      value: transaction,
      anchor: Anchor.transaction(hash),
      proven: [EthEvidence.TransactionHash({ hash })],
      claimed: [
        ...placeFields.map((field) => Claim.of(field, reason)),
        ...(hasSender(form) ? [] : [Claim.of("from", EthReason.TransactionRulesUnknown({ type: BigInt(form.type) }))]),
        ...uncoveredBy(form, transaction).map((field) => Claim.of(field, EthReason.NotCovered({ by: "signature" })))
      ]
    })
  )
}

/** True if the sender is one of the fields that the hash of a transaction of this type covers. */
export const hasSender = ({ fields }: LaterTransactions.TransactionType): boolean =>
  fields.some(({ name }) => name === "from")

/** Names of fields that the hash of a transaction of this form does not cover, without its place and its sender. */
export const uncoveredBy = (
  { fields }: LaterTransactions.TransactionType,
  transaction: Transaction.Transaction
): ReadonlyArray<string> => {
  const found = new Set<string>()
  LaterEncoding.strangersOf(fields, transaction, "", found)
  return [...found].filter((name) => !BESIDE.has(name))
}

const placeFields = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp"] as const

/** The fields whose proof is that of the hash, the place or the sender. */
const BESIDE: ReadonlySet<string> = new Set([...placeFields, "hash", "type", "from"])

const NEVER = (): boolean => false

/** Refutes a transaction that gives some fields of its place and leaves others null. */
const checkPending = (transaction: Transaction.KnownTransaction): RefutedError | undefined => {
  const { blockHash, blockNumber, transactionIndex } = transaction
  if (blockHash === null) {
    return blockNumber === null && transactionIndex === null
      ? undefined
      : refute("transaction.blockHash", "a hash, as it says its place", null)
  }
  if (blockNumber === null) return refute("transaction.blockNumber", "a number, as it says its block", null)
  if (transactionIndex === null) return refute("transaction.transactionIndex", "a number, as it says its block", null)
  return undefined
}

/** Returns what covers the fields of a transaction: its signature, or only its hash if it is a deposit. */
export const coverOf = (transaction: Transaction.Transaction): "deposit" | "signature" =>
  Transaction.isDeposit(transaction) ? "deposit" : "signature"

/**
 * Returns the fields that repeat or follow from the signature: the type, the parity and the chain. A deposit has no
 * signature and no price: nodes send zeros in their place, null or nothing.
 */
export const ofSignature = (transaction: Transaction.KnownTransaction): Derived => {
  if (Transaction.isDeposit(transaction)) {
    const { r, s } = transaction
    return { always: {}, ifSent: { gasPrice: 0n, v: 0n, yParity: 0n, r: zeroAs(r), s: zeroAs(s) } }
  }
  const parity = isUnsigned(transaction) ? 0n : parityOf(transaction)
  if (isLegacy(transaction)) {
    const chainId = chainIdInV(transaction.v)
    return { always: { type: 0n, chainId }, ifSent: { yParity: parity, chainID: chainId } }
  }
  const chainId = Transaction.chainIdOf(transaction)
  return { always: { chainId, v: parity, yParity: parity }, ifSent: { chainID: chainId } }
}

/** Returns the scalar if it is zero in some spelling, and otherwise zero. */
const zeroAs = (said: SignatureScalar.SignatureScalar | undefined): SignatureScalar.SignatureScalar =>
  said !== undefined && SignatureScalar.toBigInt(said) === 0n ? said : "0x0"

/**
 * True if the transaction has every field of `ofSignature` with its right value. This is a shortcut for the usual
 * transaction, so false means only that the fields need a closer look.
 */
export const isAsSigned = (transaction: Transaction.KnownTransaction): boolean => {
  if (transaction.type === 0x7en) {
    const { gasPrice, r, s, v, yParity } = transaction
    return gasPrice === 0n && v === 0n && yParity === undefined && r === "0x0" && s === "0x0"
  }
  if (transaction.chainID !== undefined) return false
  if (isLegacy(transaction)) {
    const { chainId, type, v, yParity } = transaction
    return type !== undefined && yParity === undefined && chainId === chainIdInV(v)
  }
  const { chainId, v, yParity } = transaction
  return chainId !== undefined && yParity !== undefined && v === yParity
}

/** Compares `from` with the recovered sender. Uses the writer as scratch space, after its present content. */
export const checkSender = (
  transaction: Transaction.SignedTransaction,
  path: string,
  recovery: RecoveryEngine,
  writer: RlpWriter.RlpWriter
): RefutedError | undefined => {
  const sender = Sender.recover(transaction, recovery, writer)
  if (sender === undefined) return refute(`${path} signature`, "a signature that some key can make", "none")
  return Hex.equals(sender, transaction.from) ? undefined : refute(`${path}.from`, sender, transaction.from)
}

/**
 * Returns the true type of a transaction that the node sent with an unknown type. Tries each known type, and those that
 * the caller names: the type is true if the fields then hash to the transaction's hash. Returns undefined if no type fits. Without this check, a node
 * could turn a refutation into a claim by changing only the type.
 */
export const disguise = (
  transaction: Transaction.Unknown,
  later: ReadonlyArray<LaterTransactions.TransactionType>
): bigint | undefined => {
  const wire = encodeUnknown(transaction)
  for (const type of [0n, 1n, 2n, 3n, 4n, 0x7en]) {
    // a deposit with the fields of Mantle's decodes as a deposit only by its own Schema
    const known = (type === 0x7en ? decodeDeposit : decode)({ ...wire, type: `0x${type.toString(16)}` })
    if (Result.isFailure(known) || !Transaction.isKnown(known.success)) continue
    const writer = RlpWriter.make()
    write(writer, known.success)
    if (Hex.equals(Hash32.fromBytesUnsafe(writer.hash(0)), transaction.hash)) return type
  }
  for (const form of later) {
    if (LaterEncoding.faultOf(form.fields, transaction, "") !== undefined) continue
    const writer = RlpWriter.make()
    LaterEncoding.write(writer, form, transaction)
    if (Hex.equals(Hash32.fromBytesUnsafe(writer.hash(0)), transaction.hash)) return BigInt(form.type)
  }
  return undefined
}

const encodeUnknown = Schema.encodeSync(Transaction.Unknown)
const decode = Schema.decodeUnknownResult(Transaction.Transaction)
const decodeDeposit = Schema.decodeUnknownResult(Transaction.Deposit)

/** Returns an unknown type as a number; undefined for a message, which has none. */
export const typeOf = ({ type }: Transaction.Unknown): bigint | undefined => (type === undefined ? type : BigInt(type))

/** Names of fields that the hash of a transaction of this type does not cover and that nothing else proves. */
export const uncovered = (transaction: Transaction.KnownTransaction): ReadonlyArray<string> => {
  const out = hasUsualNames(transaction) ? NONE : strangers(transaction)
  if (transaction.type === 0x7en) return out
  if (isLegacy(transaction)) {
    if (chainIdInV(transaction.v) !== undefined) return out
    const unsigned: Array<string> = []
    if (transaction.chainId != null) unsigned.push("chainId")
    if (transaction.chainID !== undefined) unsigned.push("chainID")
    return [...out, ...unsigned]
  }
  if (transaction.accessList.length === 0 && transaction.type !== 4n) return out
  const inside = new Set<string>()
  unknownFields(transaction.accessList, accessListItem, "accessList", inside)
  if (transaction.type === 4n) unknownFields(transaction.authorizationList, authorization, "authorizationList", inside)
  return [...out, ...inside]
}

const NONE: ReadonlyArray<string> = []

/** True if the transaction has exactly the field names that `usualNames` holds for its type, in the same order. */
const hasUsualNames = (transaction: Transaction.KnownTransaction): boolean => {
  const usual = usualNames[indexOf(transaction)]!
  let at = 0
  for (const field in transaction) {
    if (field !== usual[at]) return false
    at++
  }
  return at > 0 && at === usual.length
}

/** Names of fields that a transaction of this type does not have. */
const strangers = (transaction: Transaction.KnownTransaction): ReadonlyArray<string> => {
  const type = indexOf(transaction)
  const names = Object.keys(transaction)
  const known = covered[type]!
  const found = names.filter((field) => !known.has(field))
  if (found.length === 0) usualNames[type] = names
  return found
}

/**
 * For each type, the field names of the last transaction without unknown fields, in their order. Nearly all
 * transactions of a block have the same names, and comparing them takes two thirds of the time of looking up each name.
 */
const usualNames: Array<ReadonlyArray<string>> = [[], [], [], [], [], []]

/** Returns the index of a type in the lists of names: deposits come after the five types of Ethereum. */
const indexOf = (transaction: Transaction.KnownTransaction): number =>
  transaction.type === 0x7en ? 5 : Number(transaction.type ?? 0n)

const accessListItem = new Set(["address", "storageKeys"])
const authorization = new Set(["chainId", "address", "nonce", "yParity", "r", "s"])
const place = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "hash", "from"]
const said = ["type", "to", "nonce", "value", "gas", "gasPrice", "input"]
const signature = ["v", "r", "s", "yParity", "chainId", "chainID"]
const everywhere = [place, said, signature].flat()
const dynamic = everywhere.concat("accessList", "maxFeePerGas", "maxPriorityFeePerGas")
const covered: ReadonlyArray<ReadonlySet<string>> = [
  new Set(everywhere),
  new Set(everywhere.concat("accessList")),
  new Set(dynamic),
  new Set(dynamic.concat("maxFeePerBlobGas", "blobVersionedHashes")),
  new Set(dynamic.concat("authorizationList")),
  // the nonce of a deposit follows from its receipt
  new Set([
    ...place,
    "type",
    "to",
    "value",
    "gas",
    "gasPrice",
    "input",
    "v",
    "r",
    "s",
    "yParity",
    "sourceHash",
    "mint",
    "isSystemTx"
  ])
]

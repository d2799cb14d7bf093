/**
 * Proves the transactions of a block from its transactionsRoot, and compares each of their fields with the proof and
 * the header.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Claim from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import * as LaterForks from "../model/LaterForks.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import * as Transaction from "../model/Transaction.ts"
import { isEmptyRoot } from "../rlp/emptyRoots.ts"
import * as LaterEncoding from "../rlp/laterEncoding.ts"
import { withHead } from "../rlp/rlpSize.ts"
import { isLegacy, isUnsigned } from "../rlp/signedPayload.ts"
import { effectiveGasPrice, isOfMantle, write } from "../rlp/transactionEncoding.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import * as EthereumChains from "./ethereumChains.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, contradiction, type Derived } from "./provenDifference.ts"
import * as StateSync from "./stateSync.ts"
import * as TransactionItems from "./transactionItems.ts"
import {
  checkSender,
  coverOf,
  disguise,
  hasSender,
  isAsSigned,
  ofSignature,
  typeOf,
  uncovered,
  uncoveredBy
} from "./verifyTransaction.ts"

/** The result of checking a block's transactions. */
export interface Transactions {
  readonly proven: ReadonlyArray<Evidence>
  readonly claimed: ReadonlyArray<Claim.Claim>
  /** True if a transaction has an unknown type. In that case no transaction of the list is proven. */
  readonly unknown: boolean
  /** The block's transactions, with the fields that follow from their signatures and their block. */
  readonly list: Block.Block["transactions"]
  /**
   * Bytes of the transactions in the block's RLP, without the list's head; `undefined` if only their hashes are known.
   */
  readonly size: number | undefined
}

/**
 * Checks the transactions of a block whose header is proven. Without an engine that recovers senders, the senders are
 * only claimed. The writer serves as scratch space.
 */
export const checkTransactions = (
  block: Block.Block,
  recovery: RecoveryEngine | undefined,
  writer: RlpWriter.RlpWriter,
  chain: EthereumChains.OfChain
): Result.Result<Transactions, RefutedError> => {
  const found = check(block, recovery, writer, chain)
  return Result.isSuccess(found) ? found : (checkWithoutStateSync(block, recovery, writer, chain) ?? found)
}

/**
 * Checks the transactions before a state-sync transaction at the end of the block. That transaction is claimed. Returns
 * undefined if the block has none, or if its chain cannot have one.
 */
const checkWithoutStateSync = (
  block: Block.Block,
  recovery: RecoveryEngine | undefined,
  writer: RlpWriter.RlpWriter,
  chain: EthereumChains.OfChain
): Result.Result<Transactions, RefutedError> | undefined => {
  const last = block.transactions.at(-1)
  if (last === undefined || !StateSync.isOf(typeof last === "string" ? last : last.hash, block)) return undefined
  const transactions = block.transactions.slice(0, -1) as Block.Block["transactions"]
  return EthereumChains.isEthereum(chain.chainId ?? EthereumChains.namedBy(transactions))
    ? undefined
    : Result.map(check({ ...block, transactions }, recovery, writer, chain), (found) => ({
        ...found,
        list: [...found.list, last] as Block.Block["transactions"],
        claimed: [...found.claimed, Claim.of(`transactions[${transactions.length}]`, EthReason.StateSync({}))]
      }))
}

const check = (
  block: Block.Block,
  recovery: RecoveryEngine | undefined,
  writer: RlpWriter.RlpWriter,
  chain: EthereumChains.OfChain
): Result.Result<Transactions, RefutedError> => {
  const { transactions, transactionsRoot } = block
  const isEmpty = isEmptyRoot(transactionsRoot)
  if (isEmpty !== (transactions.length === 0)) {
    return Result.fail(
      isEmpty
        ? refute("transactionsRoot", "no transactions", `${transactions.length} transactions`)
        : refute("transactionsRoot", transactionsRoot, Trie.EMPTY_ROOT)
    )
  }
  if (isEmpty) {
    return Result.succeed({
      proven: [EthEvidence.ListRoot({ list: "transactions", count: 0, items: "whole" })],
      claimed: [],
      unknown: false,
      list: transactions,
      size: 0
    })
  }
  if (!areWhole(transactions)) {
    return Result.succeed({
      proven: [],
      claimed: [Claim.of("transactions", EthReason.HashesOnly({}))],
      unknown: false,
      list: transactions,
      size: undefined
    })
  }
  const forms = TransactionItems.formsOf(transactions, block, chain)
  if (forms === undefined) {
    return claimUnknown(transactions, LaterForks.transactionTypes(chain.forks, block.timestamp))
  }
  for (const [i, form] of forms) {
    const fault = LaterEncoding.faultOf(form.fields, transactions[i]!, `transactions[${i}]`)
    if (fault !== undefined) return Result.fail(refute(fault.path, fault.expected, "another kind of value"))
  }
  return checkKnown(block, { transactions, forms }, recovery, writer, chain)
}

const areWhole = (transactions: Block.Block["transactions"]): transactions is ReadonlyArray<Transaction.Transaction> =>
  typeof transactions[0] !== "string"

const claimUnknown = (
  transactions: ReadonlyArray<Transaction.Transaction>,
  later: ReadonlyArray<LaterTransactions.TransactionType>
): Result.Result<Transactions, RefutedError> => {
  let reason: Reason | undefined
  for (const [i, transaction] of transactions.entries()) {
    const isNamed = later.some(({ type }) => BigInt(type) === Transaction.typeOf(transaction))
    if (Transaction.isKnown(transaction) || isNamed) continue
    const disguised = disguise(transaction, later)
    if (disguised !== undefined) return Result.fail(refute(`transactions[${i}].type`, disguised, typeOf(transaction)))
    reason ??= EthReason.UnknownTransactionType({ type: typeOf(transaction), index: i })
  }
  return Result.succeed(claimedAs(transactions, reason))
}

/** Returns the result for transactions of which one has an unknown encoding. */
const claimedAs = (transactions: ReadonlyArray<Transaction.Transaction>, reason: Reason | undefined): Transactions => ({
  proven: [],
  claimed: reason === undefined ? [] : [Claim.of("transactions", reason)],
  unknown: true,
  list: transactions,
  size: undefined
})

/** The items of a list whose root is that of the header. */
interface Rooted {
  readonly items: TransactionItems.Written
  /** True if the trie holds blob transactions with their blobs. */
  readonly withBlobs: boolean
  /** The hashes of the transactions, as one text. */
  readonly hashes: string
}

/**
 * Compares the root of the list with that of the header. The list is only claimed if a transaction may be one of Mantle,
 * whose form no hash here fits.
 */
const rooted = (
  { transactionsRoot }: Block.Block,
  readable: TransactionItems.Readable,
  writer: RlpWriter.RlpWriter,
  { chainId }: EthereumChains.OfChain
): Result.Result<Rooted | Transactions, RefutedError> => {
  const { transactions } = readable
  // each transaction is hashed as a message, together with the leaves of the trie, which hold the same bytes
  const items = TransactionItems.encode(readable, writer, write)
  const root = Trie.rootOfWritten(writer, items.starts, items.ends)
  const hashes = writer.hashTexts(items.starts)
  if (Hex.equals(root, transactionsRoot)) return Result.succeed({ items, withBlobs: false, hashes })
  const other = TransactionItems.encodeWithBlobs(readable, transactionsRoot, writer)
  if (other !== undefined) return Result.succeed({ items: other, withBlobs: true, hashes })
  // name the transaction whose own hash is wrong; if each hash is right, some transactions are missing, added or out of
  // order
  const at = transactions.findIndex(({ hash }, i) => !Hex.equals(hash, TransactionItems.hashAt(hashes, i)))
  const wrong = transactions[at]
  if (wrong === undefined) return Result.fail(refute("transactionsRoot", transactionsRoot, root))
  // on another chain than Mantle, a lie has this form
  const mayBeOfMantle = !EthereumChains.isEthereum(chainId) && !EthereumChains.isOpStack(chainId)
  return mayBeOfMantle && Transaction.isDeposit(wrong) && isOfMantle(writer, wrong)
    ? Result.succeed(claimedAs(transactions, EthReason.UnknownTransactionType({ type: wrong.type, index: at })))
    : Result.fail(refute(`transactions[${at}] hash`, wrong.hash, TransactionItems.hashAt(hashes, at)))
}

const checkKnown = (
  block: Block.Block,
  readable: TransactionItems.Readable,
  recovery: RecoveryEngine | undefined,
  writer: RlpWriter.RlpWriter,
  chain: EthereumChains.OfChain
): Result.Result<Transactions, RefutedError> =>
  Result.flatMap(rooted(block, readable, writer, chain), (found) =>
    "items" in found ? checkRooted(block, readable, found, recovery, writer) : Result.succeed(found)
  )

/** Checks the fields of transactions whose bytes are proven. */
const checkRooted = (
  block: Block.Block,
  { forms, transactions }: TransactionItems.Readable,
  { hashes, items, withBlobs }: Rooted,
  recovery: RecoveryEngine | undefined,
  writer: RlpWriter.RlpWriter
): Result.Result<Transactions, RefutedError> => {
  const areSame = TransactionItems.haveHashes(transactions, hashes)
  let size = 0
  let list: Array<Transaction.Transaction> | undefined
  const loose = new Map<string, Array<number>>()
  const claimed: Array<Claim.Claim> = []
  let deposits = 0
  let signed = 0
  for (let i = 0; i < transactions.length; i++) {
    const transaction = transactions[i]!
    const form = forms.get(i)
    const known = form === undefined ? (transaction as Transaction.KnownTransaction) : undefined
    if (known?.type === 0x7en) deposits++
    else if (known !== undefined) signed++
    const unsigned = recovery !== undefined && known !== undefined && isUnsigned(known)
    const derived =
      known === undefined
        ? { always: placeOf(i, block) }
        : isAsDerived(known, i, block)
          ? undefined
          : derivedOf(known, i, block)
    const check = (path: string): RefutedError | undefined =>
      (areSame ? undefined : checkHash(transaction, path, TransactionItems.hashAt(hashes, i))) ??
      (derived === undefined ? undefined : checkDerived(transaction, path, derived)) ??
      (recovery === undefined || unsigned || known === undefined || known.type === 0x7en
        ? undefined
        : (writer.reset(), checkSender(known, path, recovery, writer)))
    // only a fault needs the path, so its text is made only for a fault
    if (check("") !== undefined) return Result.fail(check(`transactions[${i}]`)!)
    if (derived !== undefined) (list ??= [...transactions])[i] = completed(transaction, derived.always, NEVER)
    else if (transaction.blockTimestamp === undefined)
      (list ??= [...transactions])[i] = { ...transaction, blockTimestamp: block.timestamp }
    // a typed transaction is a byte string in the block, a legacy one a list
    const length = items.ends[i]! - items.starts[i]!
    size += known !== undefined && isLegacy(known) ? length : withHead(length)
    for (const field of form === undefined ? uncovered(known!) : uncoveredBy(form, transaction)) {
      const at = loose.get(field)
      if (at === undefined) loose.set(field, [i])
      else at.push(i)
    }
    if (unsigned) claimed.push(Claim.of(`transactions[${i}].from`, EthReason.Unsigned({})))
    if (form !== undefined && !hasSender(form)) {
      claimed.push(Claim.of(`transactions[${i}].from`, EthReason.TransactionRulesUnknown({ type: BigInt(form.type) })))
    }
  }
  // a node decides how many there are, which may be more than a call can have arguments
  for (const claim of looseClaims(transactions, loose)) claimed.push(claim)
  const areSigned = signed > 0
  if (recovery === undefined && areSigned)
    claimed.push(Claim.of("transactions[].from", EthReason.SendersNotRecovered({})))
  return Result.succeed({
    proven: [
      EthEvidence.ListRoot({ list: "transactions", count: transactions.length, items: "whole", withBlobs }),
      ...((recovery === undefined && areSigned) || deposits + signed === 0
        ? []
        : [EthEvidence.Senders(deposits === 0 ? {} : { deposits, recovered: areSigned })])
    ],
    claimed,
    unknown: false,
    list: list ?? transactions,
    size
  })
}

/** Returns the claims of fields that nothing covers, by the transactions that have them. */
const looseClaims = (
  transactions: ReadonlyArray<Transaction.Transaction>,
  loose: ReadonlyMap<string, ReadonlyArray<number>>
): ReadonlyArray<Claim.Claim> => {
  const claimed: Array<Claim.Claim> = []
  const holders = holdersOf(transactions, loose)
  for (const [field, indices] of loose) {
    // if transactions of other types have the field legitimately, name only those that should not have it
    const everywhere = field.includes("[") || indices.length === holders.get(field)
    const by = indices.every((i) => coverOf(transactions[i]!) === "deposit") ? "deposit" : "signature"
    if (everywhere) claimed.push(Claim.of(`transactions[].${field}`, EthReason.NotCovered({ by })))
    else {
      for (const i of indices)
        claimed.push(Claim.of(`transactions[${i}].${field}`, EthReason.NotCovered({ by: coverOf(transactions[i]!) })))
    }
  }
  return claimed
}

/** Counts the transactions that have each of the fields. A node decides how many fields there are. */
const holdersOf = (
  transactions: ReadonlyArray<Transaction.Transaction>,
  fields: ReadonlyMap<string, unknown>
): ReadonlyMap<string, number> => {
  const holders = new Map<string, number>()
  if (fields.size === 0) return holders
  for (const transaction of transactions)
    for (const name of Object.keys(transaction)) if (fields.has(name)) holders.set(name, (holders.get(name) ?? 0) + 1)
  return holders
}

const checkHash = (transaction: Transaction.Transaction, path: string, hash: Hash32.Hash32): RefutedError | undefined =>
  Hex.equals(transaction.hash, hash) ? undefined : refute(`${path}.hash`, hash, transaction.hash)

/** Returns the fields that follow from the position of a transaction in the proven block. */
const placeOf = (index: number, block: Block.Block) => ({
  blockHash: block.hash,
  blockNumber: block.number,
  transactionIndex: BigInt(index),
  blockTimestamp: block.timestamp
})

/** Returns the fields that follow from a transaction's signature, and from its position in the proven block. */
const derivedOf = (transaction: Transaction.KnownTransaction, index: number, block: Block.Block): Derived => {
  const { always, ifSent } = ofSignature(transaction)
  return {
    always: {
      ...placeOf(index, block),
      ...(transaction.type === 0x7en ? {} : { gasPrice: effectiveGasPrice(transaction, block.baseFeePerGas) }),
      ...always
    },
    ifSent
  }
}

/**
 * True if the transaction has every field of `derivedOf` with its right value, except that the time of its block may be
 * missing: many nodes do not repeat it. A block has hundreds of transactions, and nearly all of them are as expected.
 * So this comparison by name precedes the one by `contradiction`, which is slower and then decides.
 */
const isAsDerived = (transaction: Transaction.KnownTransaction, index: number, block: Block.Block): boolean =>
  transaction.blockHash === block.hash &&
  transaction.blockNumber === block.number &&
  transaction.transactionIndex === BigInt(index) &&
  (transaction.blockTimestamp === undefined || transaction.blockTimestamp === block.timestamp) &&
  transaction.gasPrice === effectiveGasPrice(transaction, block.baseFeePerGas) &&
  isAsSigned(transaction)

const checkDerived = (
  transaction: Transaction.Transaction,
  path: string,
  derived: Derived
): RefutedError | undefined => {
  const wrong = contradiction(transaction, derived)
  return wrong === undefined ? undefined : refute(`${path}.${wrong[0]}`, wrong[1], wrong[2])
}

const NEVER = (): boolean => false

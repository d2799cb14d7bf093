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
import { hasBlobs, writeNetworkForm } from "../rlp/networkForm.ts"
import { withHead } from "../rlp/rlpSize.ts"
import { isLegacy, isUnsigned } from "../rlp/signedPayload.ts"
import { effectiveGasPrice, isOfMantle, write } from "../rlp/transactionEncoding.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import * as EthereumChains from "./ethereumChains.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, contradiction, type Derived } from "./provenDifference.ts"
import * as StateSync from "./stateSync.ts"
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
  const forms = formsOf(transactions, block, chain)
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

/** Whole transactions, each of a known type or of a form that the caller names. */
interface Readable {
  readonly transactions: ReadonlyArray<Transaction.Transaction>
  /** The forms by the index of their transaction. */
  readonly forms: ReadonlyMap<number, LaterTransactions.TransactionType>
}

const NO_FORMS: Readable["forms"] = new Map()

/** Returns the forms that the caller names for unknown types; undefined if one of these types has none. */
const formsOf = (
  transactions: ReadonlyArray<Transaction.Transaction>,
  { timestamp }: Block.Block,
  { forks }: EthereumChains.OfChain
): Readable["forms"] | undefined => {
  if (transactions.every(Transaction.isKnown)) return NO_FORMS
  const forms = new Map<number, LaterTransactions.TransactionType>()
  for (const [i, transaction] of transactions.entries()) {
    if (Transaction.isKnown(transaction)) continue
    const form =
      transaction.type === undefined
        ? undefined
        : LaterForks.transactionType(forks, BigInt(transaction.type), timestamp)
    if (form === undefined) return undefined
    forms.set(i, form)
  }
  return forms
}

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

const checkKnown = (
  block: Block.Block,
  readable: Readable,
  recovery: RecoveryEngine | undefined,
  writer: RlpWriter.RlpWriter,
  { chainId }: EthereumChains.OfChain
): Result.Result<Transactions, RefutedError> => {
  const { forms, transactions } = readable
  // each transaction is hashed as a message, together with the leaves of the trie, which hold the same bytes
  const own = encode(readable, writer, write)
  const root = Trie.rootOfWritten(writer, own.starts, own.ends)
  const hashes = writer.hashTexts(own.starts)
  const hashAt = (i: number) => hashes.slice(HASH_TEXT * i, HASH_TEXT * (i + 1)) as Hash32.Hash32
  let items = own
  let withBlobs = false
  if (!Hex.equals(root, block.transactionsRoot)) {
    const other = encodeWithBlobs(readable, block.transactionsRoot, writer)
    if (other === undefined) {
      // name the transaction whose own hash is wrong; if each hash is right, some transactions are missing, added or
      // out of order
      const at = transactions.findIndex((transaction, i) => !Hex.equals(transaction.hash, hashAt(i)))
      const wrong = transactions[at]
      // on another chain than Mantle, a lie has this form
      const mayBeOfMantle = !EthereumChains.isEthereum(chainId) && !EthereumChains.isOpStack(chainId)
      if (mayBeOfMantle && wrong !== undefined && Transaction.isDeposit(wrong) && isOfMantle(writer, wrong))
        return Result.succeed(
          claimedAs(transactions, EthReason.UnknownTransactionType({ type: wrong.type, index: at }))
        )
      return Result.fail(
        at < 0
          ? refute("transactionsRoot", block.transactionsRoot, root)
          : refute(`transactions[${at}] hash`, transactions[at]!.hash, hashAt(at))
      )
    }
    items = other
    withBlobs = true
  }
  const areSame = haveHashes(transactions, hashes)
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
      (areSame ? undefined : checkHash(transaction, path, hashAt(i))) ??
      (derived === undefined ? undefined : checkDerived(transaction, path, derived)) ??
      (recovery === undefined || unsigned || known === undefined || known.type === 0x7en
        ? undefined
        : (writer.reset(), checkSender(known, path, recovery, writer)))
    // only a fault needs the path, so its text is made only for a fault
    if (check("") !== undefined) return Result.fail(check(`transactions[${i}]`)!)
    if (derived !== undefined) (list ??= [...transactions])[i] = completed(transaction, derived.always, NEVER)
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

/** Characters of the text of a hash. */
const HASH_TEXT = 66

type Write = (writer: RlpWriter.RlpWriter, transaction: Transaction.KnownTransaction) => void

/** The positions of items in a writer. */
interface Written {
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
}

/** Writes the transactions in the form in which their trie holds them, each as a message to hash. */
const encode = ({ forms, transactions }: Readable, writer: RlpWriter.RlpWriter, write: Write): Written => {
  const starts: Array<number> = []
  const ends: Array<number> = []
  for (const [i, transaction] of transactions.entries()) {
    const start = writer.beginMessage()
    const form = forms.get(i)
    if (form === undefined) write(writer, transaction as Transaction.KnownTransaction)
    else LaterEncoding.write(writer, form, transaction)
    starts.push(start)
    ends.push(writer.endMessage(start))
  }
  return { starts, ends }
}

/**
 * Encodes the list again, with blob transactions in the network form (with their blobs). Returns the encoded items if
 * their trie has this root; otherwise returns undefined.
 */
const encodeWithBlobs = (readable: Readable, root: Hash32.Hash32, writer: RlpWriter.RlpWriter): Written | undefined => {
  if (!readable.transactions.some((one) => Transaction.isKnown(one) && hasBlobs(one))) return undefined
  const items = encode(readable, writer, (writer, transaction) =>
    hasBlobs(transaction) ? writeNetworkForm(writer, transaction) : write(writer, transaction)
  )
  return Hex.equals(Trie.rootOfWritten(writer, items.starts, items.ends), root) ? items : undefined
}

/**
 * True if the transactions have these hashes, in lower case. The hashes are compared as one text, so that `hashes` need
 * not be cut.
 */
const haveHashes = (transactions: ReadonlyArray<Transaction.Transaction>, hashes: string): boolean => {
  let said = ""
  for (const { hash } of transactions) {
    // longer text could hold a part of the next hash
    if (hash.length !== HASH_TEXT) return false
    said += hash
  }
  return said === hashes
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
 * True if the transaction has every field of `derivedOf` with its right value. A block has hundreds of transactions,
 * and nearly all of them are as expected. So this comparison by name precedes the one by `contradiction`, which is
 * slower and then decides.
 */
const isAsDerived = (transaction: Transaction.KnownTransaction, index: number, block: Block.Block): boolean =>
  transaction.blockHash === block.hash &&
  transaction.blockNumber === block.number &&
  transaction.transactionIndex === BigInt(index) &&
  transaction.blockTimestamp === block.timestamp &&
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

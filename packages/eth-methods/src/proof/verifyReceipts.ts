/**
 * Proves the receipts of a block from its receiptsRoot, and compares each of their fields with the proven block.
 *
 * Sources: Yellow Paper section 4.3.1; EIP-658, EIP-1559, EIP-4844, EIP-7778. Since Amsterdam the sum of the receipts'
 * gas is not compared with the block's gas, because of EIP-7778.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { fieldOf } from "@plumbline/codec/wire/WireObject"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, claimAll, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import * as LaterForks from "../model/LaterForks.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import * as Log from "../model/Log.ts"
import * as LogsBloom from "../model/LogsBloom.ts"
import * as Receipt from "../model/Receipt.ts"
import * as Transaction from "../model/Transaction.ts"
import { isEmptyRoot } from "../rlp/emptyRoots.ts"
import * as LaterEncoding from "../rlp/laterEncoding.ts"
import { type ReceiptOutcome, write } from "../rlp/receiptEncoding.ts"
import * as EthereumChains from "./ethereumChains.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, difference, leftOut } from "./provenDifference.ts"
import { hasOpenAddress, isOfOpStack, repeatedBy, settle } from "./receiptFields.ts"
import * as StateSync from "./stateSync.ts"

/**
 * Proves all receipts of a proven block.
 *
 * **Details**
 *
 * Proven by the block's header alone: types, status or root, cumulativeGasUsed and gasUsed, logs with their places and
 * numbers, every logsBloom, and the block's own logsBloom and gasUsed (gasUsed only until Amsterdam). Proven when the
 * block has whole transactions: transactionHash, from (when the senders are proven), to, contractAddress,
 * effectiveGasPrice, blobGasUsed. Claimed: blobGasPrice, which follows from the header by the blob schedule of a fork;
 * the status of a receipt from before Byzantium; fields that nothing proves; and, if only the hash of a transaction is
 * known, the fields that need the transaction.
 *
 * The value has every field that follows from the proof, even if the node left it out. A missing field that readers
 * expect and that does not follow is claimed.
 *
 * A receipt of an unknown type is assumed to have the encoding of the known types. If the root then does not fit, the
 * receipts are CLAIMED. So are receipts with a status and no root that do not fit, if they may be from before Byzantium.
 * The receipt of a state-sync transaction at the end is claimed. Neither holds on a known chain of Ethereum.
 *
 * Fails with `RefutedError`: `receipts` (their number), `receiptsRoot`, `logsBloom` and `gasUsed` (the block's),
 * `receipts[i].<field>`, `receipts[i].logs[j].<field>`.
 */
export const verifyReceipts = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  block: Verified<Block.Block>,
  options: EthereumChains.OfChain = {}
): Result.Result<Verdict<ReadonlyArray<Receipt.Receipt>>, RefutedError> => {
  const { value } = block
  const chainId = options.chainId ?? EthereumChains.namedBy(value.transactions)
  const chain = { chainId, forks: options.forks }
  if (EthereumChains.isEthereum(chainId)) return verifyOwn(receipts, block, chain)
  // a state-sync transaction is in no root; some nodes leave out its receipt
  const hashes = value.transactions.map((transaction) =>
    typeof transaction === "string" ? transaction : transaction.hash
  )
  const own = withoutStateSync(receipts, (receipt) => receipt.transactionHash, value)
  const count = withoutStateSync(hashes, (hash) => hash, value).length
  const transactions = value.transactions.slice(0, count) as Block.Block["transactions"]
  const verdict = verifyOwn(
    own,
    Proven.make({
      value: { ...value, transactions },
      anchor: block.anchor,
      proven: block.proven,
      claimed: block.claimed
    }),
    chain
  )
  return own === receipts
    ? verdict
    : Result.map(verdict, ({ _tag, anchor, claimed, proven, value }) => {
        const all = [...value, receipts.at(-1)!]
        const claims = [...claimed, Claim.of(`receipts[${own.length}]`, EthReason.StateSync({}))]
        return _tag === "CLAIMED"
          ? claimAll(all, claims, proven)
          : Proven.make({ value: all, anchor, proven, claimed: claims })
      })
}

/** Returns the items of a block without the one of a state-sync transaction at the end. */
const withoutStateSync = <A>(
  items: ReadonlyArray<A>,
  hashOf: (item: A) => Hash32.Hash32,
  block: Block.Block
): ReadonlyArray<A> => {
  const last = items.at(-1)
  return last !== undefined && StateSync.isOf(hashOf(last), block) ? items.slice(0, -1) : items
}

const verifyOwn = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  block: Verified<Block.Block>,
  chain: EthereumChains.OfChain
): Result.Result<Verdict<ReadonlyArray<Receipt.Receipt>>, RefutedError> => {
  const { value } = block
  const count = value.transactions.length
  if (receipts.length !== count) {
    return Result.fail(refute("receipts", `${count} receipts`, `${receipts.length} receipts`))
  }
  const forms = formsOf(receipts, value, chain)
  const transactions = wholeOf(value.transactions, forms)
  const blooms = LogsBloom.ofEach(receipts.map((receipt) => receipt.logs))
  const wrong = checkKinds(receipts, transactions) ?? checkLastFields(receipts, forms) ?? checkBlooms(receipts, blooms)
  if (wrong !== undefined) return Result.fail(wrong)
  return RlpWriter.borrow((writer) => verifyWith(writer, { receipts, blooms, forms }, block, transactions, chain))
}

const verifyWith = (
  writer: RlpWriter.RlpWriter,
  writable: Writable,
  block: Verified<Block.Block>,
  transactions: ReadonlyArray<Transaction.Transaction> | undefined,
  { chainId }: EthereumChains.OfChain
): Result.Result<Verdict<ReadonlyArray<Receipt.Receipt>>, RefutedError> => {
  const { value } = block
  const { blooms, forms, receipts } = writable
  const count = receipts.length
  const root = rootOf(writable, value.receiptsRoot, writer)
  const mayLack = !root.fits && mayLackRoots(receipts, value, chainId)
  if (!root.fits && !mayLack) {
    // another chain may have other receipts for this type
    const ofOpStack =
      transactions !== undefined || EthereumChains.isEthereum(chainId) || EthereumChains.isOpStack(chainId)
    const unknown = receipts.findIndex((receipt) => {
      const type = Receipt.typeOf(receipt)
      const hasForm = forms.get(type)?.receiptFields !== undefined
      return type > LAST_KNOWN_TYPE && !hasForm && (type !== 0x7en || !ofOpStack)
    })
    if (unknown < 0) return Result.fail(refute("receiptsRoot", value.receiptsRoot, root.got))
    return Result.succeed(claim(receipts, EthReason.UnknownReceiptType({ index: unknown })))
  }
  const other = checkBlock(receipts, blooms, value)
  if (other !== undefined) return Result.fail(other)
  return Result.map(settle(receipts, transactions, forms, value, writer), (whole) => {
    if (mayLack) return claim(receipts, EthReason.RootsNotSent({}))
    return Proven.make({
      value: whole,
      anchor: block.anchor,
      proven: [
        EthEvidence.ListRoot({ list: "receipts", count, items: "whole" }),
        ...(count === 0 || transactions === undefined ? [] : [EthEvidence.ReceiptsOfTransactions({})])
      ],
      claimed: claims({ ...writable, receipts: whole }, root.outcome, transactions, block)
    })
  })
}

/**
 * Proves one receipt of a block whose receipts are proven.
 *
 * Fails with `RefutedError`: `receipt.transactionHash` (another transaction, or a transaction of another block),
 * `receipt.<field>`.
 */
export const verifyReceipt = (
  receipt: Receipt.Receipt,
  transactionHash: Hash32.Hash32,
  receipts: Verified<ReadonlyArray<Receipt.Receipt>>
): Result.Result<Verified<Receipt.Receipt>, RefutedError> => {
  if (!Hex.equals(receipt.transactionHash, transactionHash)) {
    return Result.fail(refute("receipt.transactionHash", transactionHash, receipt.transactionHash))
  }
  const beside = new Set(receipts.claimed.map(({ field }) => field))
  const at = receipts.value.findIndex(
    (other, i) => Hex.equals(other.transactionHash, transactionHash) && !beside.has(`receipts[${i}]`)
  )
  if (at < 0) return Result.fail(refute("receipt.transactionHash", "a transaction of the block", transactionHash))
  const own = `receipts[${at}].`
  const proven = receipts.value[at]!
  const open = new Set(
    receipts.claimed.flatMap(({ field }) =>
      [LIST, own].flatMap((path) => (field.startsWith(path) ? [field.slice(path.length)] : []))
    )
  )
  const loose: Array<Claim.Claim> = []
  const wrong =
    difference(receipt, proven, "receipt", (path) =>
      loose.push(Claim.of(path.slice("receipt.".length), EthReason.NotCovered({ by: "receipts" })))
    ) ??
    // an omitted type means 0, so omitting another type is a lie
    (Receipt.typeOf(receipt) === proven.type ? undefined : refute("receipt.type", proven.type, null)) ??
    leftOut(
      receipt,
      proven,
      "receipt",
      outcomes.filter((name) => !open.has(name))
    )
  if (wrong !== undefined) return Result.fail(wrong)
  // a field that the list only claims is claimed here too; but a second outcome would turn a proof into a claim
  const value = completed(
    receipt,
    proven,
    (path) => open.has(path) && (!Receipt.knownFields.has(path) || path === "status" || path === "root")
  )
  const claimed = receipts.claimed.flatMap(({ field, reason }) => {
    const list = [LIST, own].find((path) => field.startsWith(path))
    const inside = list === undefined ? undefined : field.slice(list.length)
    return inside !== undefined && concerns(value, inside, reason) ? [Claim.of(inside, reason)] : []
  })
  return Result.succeed(
    Proven.make({
      value,
      anchor: receipts.anchor,
      proven: [EthEvidence.Member({ list: "receipts", index: at, count: receipts.value.length })],
      claimed: [...claimed, ...loose]
    })
  )
}

const LIST = "receipts[]."

/** The two fields for the outcome of a transaction. The trie holds only one. */
const outcomes = ["status", "root"] as const

/** The last type of Ethereum. Deposits of the OP stack have type 0x7e. */
const LAST_KNOWN_TYPE = 4n

/** The largest type that a receipt can have (EIP-2718). */
const MAX_TYPE = 0x7fn

/** The forms of later types that the caller names, by type. */
type Forms = ReadonlyMap<bigint, LaterTransactions.TransactionType>

const NO_FORMS: Forms = new Map()

/** Receipts with what their encoding needs. */
interface Writable {
  readonly receipts: ReadonlyArray<Receipt.Receipt>
  readonly blooms: ReadonlyArray<Uint8Array>
  readonly forms: Forms
}

/** Returns the forms of the types of receipts that are not known. */
const formsOf = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  { timestamp }: Block.Block,
  { forks }: EthereumChains.OfChain
): Forms => {
  if (forks === undefined) return NO_FORMS
  const types = new Set(receipts.map(Receipt.typeOf).filter((type) => type > LAST_KNOWN_TYPE))
  return new Map(
    [...types].flatMap((type) => {
      const form = LaterForks.transactionType(forks, type, timestamp)
      return form === undefined ? [] : [[type, form] as const]
    })
  )
}

const checkLastFields = (receipts: ReadonlyArray<Receipt.Receipt>, forms: Forms): RefutedError | undefined => {
  if (forms.size === 0) return undefined
  for (const [i, receipt] of receipts.entries()) {
    const fields = forms.get(Receipt.typeOf(receipt))?.receiptFields ?? []
    const fault = LaterEncoding.faultOf(fields, receipt, `receipts[${i}]`)
    if (fault !== undefined) return refute(fault.path, fault.expected, "another kind of value")
  }
  return undefined
}

/** Returns the transactions if each is whole, and of a known type or of one that the caller names. */
const wholeOf = (
  transactions: Block.Block["transactions"],
  forms: Forms
): ReadonlyArray<Transaction.Transaction> | undefined => {
  const whole = transactions.filter(
    (transaction): transaction is Transaction.Transaction =>
      typeof transaction !== "string" &&
      (Transaction.isKnown(transaction) || forms.has(Transaction.typeOf(transaction)))
  )
  return whole.length === transactions.length ? whole : undefined
}

/**
 * Checks the kind of each receipt: with a status, or with a root. The encoding has no field names, so a root must not
 * pass as a status of 32 bytes.
 */
const checkKinds = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  transactions: ReadonlyArray<Transaction.Transaction> | undefined
): RefutedError | undefined => {
  for (const [i, receipt] of receipts.entries()) {
    if (receipt.status == null && Receipt.rootOf(receipt) === undefined) {
      return refute(`receipts[${i}].status`, "a status, or a root", "neither")
    }
    if (receipt.status != null && receipt.status > 1n) return refute(`receipts[${i}].status`, "0 or 1", receipt.status)
    const type = transactions === undefined ? undefined : Transaction.typeOf(transactions[i]!)
    const said = Receipt.typeOf(receipt)
    if (type !== undefined && said !== type) return refute(`receipts[${i}].type`, type, receipt.type)
    if (Receipt.hasHashedNonce(receipt) && receipt.depositNonce === undefined)
      return refute(`receipts[${i}].depositNonce`, "a nonce, as the receipt has a depositReceiptVersion", null)
    if (said > MAX_TYPE) return refute(`receipts[${i}].type`, `at most 0x${MAX_TYPE.toString(16)}`, said)
  }
  return undefined
}

const checkBlooms = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  blooms: ReadonlyArray<Uint8Array>
): RefutedError | undefined => {
  for (const [i, { logs, logsBloom }] of receipts.entries()) {
    const expected = logs.length === 0 ? NO_LOGS : Hex.fromBytes(blooms[i]!)
    if (!Hex.equals(logsBloom, expected)) return refute(`receipts[${i}].logsBloom`, expected, logsBloom)
  }
  return undefined
}

const NO_LOGS: Hex.Hex = `0x${"00".repeat(LogsBloom.SIZE)}`

/**
 * Computes the root of the receipts' trie with each kind of outcome. Returns the root that equals the expected one, and
 * that kind; if none is equal, returns the last root.
 */
const rootOf = (
  { blooms, forms, receipts }: Writable,
  expected: Hash32.Hash32,
  writer: RlpWriter.RlpWriter
): { readonly fits: boolean; readonly outcome: ReceiptOutcome; readonly got: Hash32.Hash32 } => {
  if (receipts.length === 0) return { fits: isEmptyRoot(expected), outcome: "status", got: Trie.EMPTY_ROOT }
  // Nethermind adds a status to receipts that have a root, and other nodes add a root to receipts that have a status;
  // the trie holds only one of the two
  const both = receipts.some((receipt) => receipt.status != null && Receipt.rootOf(receipt) !== undefined)
  let got = expected
  for (const outcome of both ? (["root", "status"] as const) : (["root"] as const)) {
    writer.reset()
    const ends = receipts.map((receipt, i) => {
      const type = Receipt.typeOf(receipt)
      write(writer, receipt, Number(type), outcome, blooms[i]!, forms.get(type)?.receiptFields)
      return writer.position
    })
    got = Trie.rootOfWritten(writer, [0, ...ends.slice(0, -1)], ends)
    if (Hex.equals(got, expected)) return { fits: true, outcome, got }
  }
  return { fits: false, outcome: "root", got }
}

/**
 * True if the receipts may be from before Byzantium, and the node sends a status in place of their roots, as reth does.
 * A false status then looks the same.
 */
const mayLackRoots = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  { baseFeePerGas, number }: Block.Block,
  chainId: bigint | undefined
): boolean =>
  baseFeePerGas === undefined &&
  !EthereumChains.isSinceByzantium(chainId, number!) &&
  receipts.every(
    (receipt) => receipt.status != null && Receipt.rootOf(receipt) === undefined && Receipt.typeOf(receipt) === 0n
  )

/** Checks the receipts together against the block's header. */
const checkBlock = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  blooms: ReadonlyArray<Uint8Array>,
  block: Block.Block
): RefutedError | undefined => {
  const bloom = Hex.fromBytes(LogsBloom.union(blooms))
  if (!Hex.equals(bloom, block.logsBloom!)) return refute("logsBloom", block.logsBloom, bloom)
  const used = receipts.at(-1)?.cumulativeGasUsed ?? 0n
  // since Amsterdam a block counts gas before refunds, and a receipt after refunds (EIP-7778)
  if (block.blockAccessListHash === undefined && used !== block.gasUsed) return refute("gasUsed", block.gasUsed, used)
  return undefined
}

/**
 * True if a claim about `receipts[]` concerns this receipt. It does not if the receipt lacks the field, or if the field
 * of this receipt is proven.
 */
const concerns = (receipt: Receipt.Receipt, path: string, reason: Reason): boolean => {
  const [field = ""] = path.split("[", 1)
  if (fieldOf(receipt, field) === undefined && !isMissed(receipt, field)) return false
  if (EthReason.CreationOutcome.is(reason)) return receipt.to === null && receipt.contractAddress === null
  if (field === "contractAddress" && !EthReason.TransactionByHashOnly.is(reason))
    return receipt.contractAddress !== null
  if (field === "status") return Receipt.rootOf(receipt) !== undefined
  if (field === "root") return receipt.status !== undefined
  return true
}

/**
 * True if readers expect the field in this receipt, and take it for "none" if it is missing. If such a field does not
 * follow from the proof, it is claimed even if it is missing.
 */
const isMissed = (receipt: Receipt.Receipt, field: string): boolean =>
  ofBlobs.has(field) ? receipt.type === 3n : ofTransaction.has(field)

/**
 * Returns a function from the index of a transaction to the reason why its sender is only claimed. For a proven
 * sender the reason is undefined.
 */
const senderReasons = (block: Verified<Block.Block>): ((index: number) => Reason | undefined) => {
  const ofEach = new Map(
    block.claimed.filter(({ field }) => SENDER.test(field)).map(({ field, reason }) => [field, reason])
  )
  const ofAll = ofEach.get("transactions[].from")
  if (ofAll !== undefined) return () => ofAll
  return ofEach.size === 0 ? () => undefined : (index) => ofEach.get(`transactions[${index}].from`)
}

/** Returns the reason why the block's whole transactions are not proven; undefined if they were not asked for. */
const causeOf = ({ claimed }: Verified<Block.Block>): Reason | undefined =>
  claimed.find(({ field, reason }) => field === "transactions" && !EthReason.HashesOnly.is(reason))?.reason

const SENDER = /^transactions\[\d*\]\.from$/u

const claims = (
  { forms, receipts }: Writable,
  outcome: ReceiptOutcome,
  transactions: ReadonlyArray<Transaction.Transaction> | undefined,
  block: Verified<Block.Block>
): ReadonlyArray<Claim.Claim> => {
  const senderReason = senderReasons(block)
  const ofOpStack = isOfOpStack(block.value)
  const byHashOnly = EthReason.TransactionByHashOnly({ cause: causeOf(block) })
  const claimed = new Map<string, Claim.Claim>()
  const add = (field: string, reason: Reason): void => {
    claimed.set(`${field} ${reason._tag}`, Claim.of(field, reason))
  }
  for (const [i, receipt] of receipts.entries()) {
    const form = forms.get(Receipt.typeOf(receipt))
    for (const field of Object.keys(receipt)) {
      if (form?.receiptFields?.some(({ name }) => name === field) === true) continue
      const path = form === undefined ? LIST : `receipts[${i}].`
      if (!Receipt.knownFields.has(field)) add(path + field, EthReason.NotCovered({ by: "receipts" }))
    }
    if (!Receipt.hasHashedNonce(receipt)) {
      for (const field of ofDeposits)
        if (fieldOf(receipt, field) !== undefined)
          add(`receipts[${i}].${field}`, EthReason.NotCovered({ by: "receipts" }))
    }
    if (ofOpStack && receipt.blobGasUsed !== undefined)
      add(`${LIST}blobGasUsed`, EthReason.NotCovered({ by: "receipts" }))
    for (const log of receipt.logs) {
      for (const field of Object.keys(log)) {
        if (!Log.knownFields.has(field)) add(`${LIST}logs[].${field}`, EthReason.NotCovered({ by: "receipts" }))
      }
    }
    if (receipt.blobGasPrice !== undefined || isMissed(receipt, "blobGasPrice")) {
      add(`${LIST}blobGasPrice`, EthReason.BlobSchedule({}))
    }
    const root = Receipt.rootOf(receipt)
    if (root !== undefined && receipt.status !== undefined) {
      add(LIST + (outcome === "root" ? "status" : "root"), EthReason.OtherOutcome({ holds: outcome }))
    }
    if (receipt.to === null && receipt.contractAddress === null && outcome === "root" && root !== undefined) {
      add(`${LIST}contractAddress`, EthReason.CreationOutcome({}))
    }
    if (transactions === undefined) {
      for (const field of ofTransaction) {
        if (fieldOf(receipt, field) !== undefined || isMissed(receipt, field)) add(LIST + field, byHashOnly)
      }
      if (receipt.logs.length > 0) add(`${LIST}logs[].transactionHash`, byHashOnly)
      continue
    }
    const transaction = transactions[i]!
    if (!Transaction.isKnown(transaction)) {
      const proven: ReadonlySet<string> = new Set(["transactionHash", ...repeatedBy(form!)])
      for (const field of ofTransaction) {
        if (!proven.has(field))
          add(`receipts[${i}].${field}`, EthReason.TransactionRulesUnknown({ type: Receipt.typeOf(receipt) }))
      }
      continue
    }
    if (hasOpenAddress(receipt, transaction))
      add(`receipts[${i}].contractAddress`, EthReason.NotCovered({ by: "receipts" }))
    const ofSender = senderReason(i)
    if (ofSender === undefined) continue
    // one claim about all receipts if no sender is proven; otherwise a claim for each unproven sender
    const path = EthReason.SendersNotRecovered.is(ofSender) ? LIST : `receipts[${i}].`
    add(`${path}from`, ofSender)
    if (receipt.contractAddress != null) add(`${path}contractAddress`, ofSender)
  }
  return [...claimed.values()]
}

/** The fields of a deposit's receipt that the receipts' trie holds only together, and since Canyon (OP stack). */
const ofDeposits = ["depositNonce", "depositReceiptVersion"] as const

/** The fields that a receipt repeats from its transaction. */
const ofTransaction: ReadonlySet<string> = new Set([
  "transactionHash",
  "from",
  "to",
  "contractAddress",
  "effectiveGasPrice",
  "blobGasUsed"
])

/** The fields that only receipts of transactions with blobs have. */
const ofBlobs: ReadonlySet<string> = new Set(["blobGasUsed", "blobGasPrice"])

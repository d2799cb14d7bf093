/**
 * The encoding of receipts of every fork, as in the leaves of the receipts' trie.
 *
 * Sources: Yellow Paper section 4.3.1, EIP-658, EIP-2718; OP-stack specification (protocol/deposits).
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Address from "@plumbline/codec/value/Address"

import type * as Block from "../model/Block.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import type * as Log from "../model/Log.ts"
import * as Receipt from "../model/Receipt.ts"
import * as Transaction from "../model/Transaction.ts"
import * as LaterEncoding from "./laterEncoding.ts"
import * as StrictItems from "./strictItems.ts"
import { effectiveGasPrice } from "./transactionEncoding.ts"

/**
 * The outcome field that a receipt holds: until Byzantium the state root after the transaction, since then the status.
 */
export type ReceiptOutcome = "root" | "status"

/**
 * Appends the RLP of a receipt, or `type || RLP` for a typed receipt.
 *
 * The first field is the requested kind of outcome (status or root), or the other kind if the receipt lacks the
 * requested one. `bloom` is the filter of the receipt's logs, and `lastFields` are those after the logs that a later type
 * has.
 */
export const write = (
  writer: RlpWriter.RlpWriter,
  receipt: Receipt.Receipt,
  type: number,
  outcome: ReceiptOutcome,
  bloom: Uint8Array,
  lastFields: ReadonlyArray<LaterTransactions.Field> = []
): void => {
  if (type !== 0) writer.byte(type)
  const list = writer.beginList()
  const root = Receipt.rootOf(receipt)
  if (root !== undefined && (outcome === "root" || receipt.status == null)) writer.data(root)
  else writer.quantity(receipt.status ?? 0n)
  writer.quantity(receipt.cumulativeGasUsed)
  writer.bytes(bloom)
  const logs = writer.beginList()
  for (const log of receipt.logs) {
    const entry = writer.beginList()
    writer.data(log.address)
    const topics = writer.beginList()
    for (const topic of log.topics) writer.data(topic)
    writer.endList(topics)
    writer.data(log.data)
    writer.endList(entry)
  }
  writer.endList(logs)
  if (type === 0x7e && Receipt.hasHashedNonce(receipt)) {
    writer.quantity(receipt.depositNonce ?? 0n)
    writer.quantity(receipt.depositReceiptVersion!)
  }
  LaterEncoding.writeFields(writer, lastFields, receipt)
  writer.endList(list)
}

/**
 * Returns the address of the contract that a transaction creates (Yellow Paper, section 7). The writer serves as
 * scratch space.
 */
export const createdAddress = (
  sender: Address.Address,
  nonce: bigint,
  writer: RlpWriter.RlpWriter
): Address.Address => {
  const from = writer.position
  const list = writer.beginList()
  writer.data(sender)
  writer.quantity(nonce)
  writer.endList(list)
  return Address.fromBytesUnsafe(writer.hash(from).subarray(12))
}

/** The gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072n

/**
 * Reads the receipts of a block's transactions, in order: RLP lists for legacy transactions, `type || RLP` for others.
 */
export const readAll = (
  encoded: ReadonlyArray<Uint8Array>,
  block: Block.WithTransactions
): ReadonlyArray<Receipt.Receipt> => {
  const { transactions } = block
  if (encoded.length !== transactions.length) {
    return StrictItems.refuse("receipts", `${transactions.length} receipts`, `${encoded.length}`)
  }
  let gasBefore = 0n
  let logsBefore = 0
  return encoded.map((bytes, index) => {
    const path = `receipts[${index}]`
    const transaction = transactions[index]!
    if (!Transaction.isKnown(transaction))
      return StrictItems.refuse(path, "one of types 0 to 4 or 0x7e", `type ${transaction.type}`)
    const own = read(bytes, Transaction.typeOf(transaction), path)
    if (own.cumulativeGasUsed < gasBefore) {
      return StrictItems.refuse(`${path}.cumulativeGasUsed`, `${gasBefore} or more`, `${own.cumulativeGasUsed}`)
    }
    const place = {
      blockHash: block.hash!,
      blockNumber: block.number!,
      transactionHash: transaction.hash,
      transactionIndex: BigInt(index)
    }
    const { from, to } = transaction
    const nonce = Transaction.isDeposit(transaction) ? own.deposit.depositNonce : transaction.nonce
    const receipt: Receipt.Receipt = {
      type: Transaction.typeOf(transaction),
      ...own.outcome,
      cumulativeGasUsed: own.cumulativeGasUsed,
      gasUsed: own.cumulativeGasUsed - gasBefore,
      effectiveGasPrice: effectiveGasPrice(transaction, block.baseFeePerGas),
      logsBloom: own.logsBloom,
      logs: own.logs.map((log, i) => ({
        ...log,
        ...place,
        blockTimestamp: block.timestamp,
        logIndex: BigInt(logsBefore + i),
        removed: false
      })),
      ...place,
      from,
      to: to ?? null,
      // before Canyon, the encoding does not hold the nonce of a deposit, which gives the address
      ...(to == null && nonce === undefined
        ? {}
        : { contractAddress: to == null ? createdAddress(from, nonce!, RlpWriter.make(64)) : null }),
      ...own.deposit,
      ...(transaction.type === 3n ? { blobGasUsed: GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) } : {})
    }
    gasBefore = own.cumulativeGasUsed
    logsBefore += own.logs.length
    return receipt
  })
}

const read = (bytes: Uint8Array, type: bigint, path: string) => {
  if (type !== 0n && bytes[0] !== Number(type)) {
    return StrictItems.refuse(
      path,
      `the type 0x${type.toString(16).padStart(2, "0")}`,
      bytes.length === 0 ? "no bytes" : Hex.fromBytes(bytes.subarray(0, 1))
    )
  }
  const [outcome, gas, bloom, logs, nonce, version] = StrictItems.list(
    StrictItems.decode(type === 0n ? bytes : bytes.subarray(1), path),
    path,
    type === 0x7en ? [4, 6] : [4]
  ) as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp, Rlp.Rlp, Rlp.Rlp?, Rlp.Rlp?]
  return {
    outcome: outcomeOf(outcome, path),
    cumulativeGasUsed: StrictItems.integer(gas, `${path}.cumulativeGasUsed`),
    logsBloom: StrictItems.sized(bloom, 256, `${path}.logsBloom`),
    logs: StrictItems.list(logs, `${path}.logs`).map((log, i) => readLog(log, `${path}.logs[${i}]`)),
    deposit:
      nonce === undefined || version === undefined
        ? {}
        : {
            depositNonce: StrictItems.integer(nonce, `${path}.depositNonce`),
            depositReceiptVersion: StrictItems.integer(version, `${path}.depositReceiptVersion`)
          }
  }
}

/** Reads the outcome: until Byzantium the state root after the transaction, since then its status (EIP-658). */
const outcomeOf = (item: Rlp.Rlp, path: string): Pick<Receipt.Receipt, "root" | "status"> => {
  const bytes = StrictItems.bytes(item, `${path}.status`)
  if (bytes.length === 32) return { root: StrictItems.hash(bytes, `${path}.root`) }
  const status = StrictItems.integer(bytes, `${path}.status`)
  return status < 2n ? { status } : StrictItems.refuse(`${path}.status`, "0, 1 or a root of 32 bytes", `${status}`)
}

const readLog = (item: Rlp.Rlp, path: string): Pick<Log.Log, "address" | "topics" | "data"> => {
  const [address, topics, data] = StrictItems.list(item, path, [3]) as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp]
  const words = StrictItems.list(topics, `${path}.topics`, [0, 1, 2, 3, 4])
  return {
    address: StrictItems.address(address, `${path}.address`),
    topics: words.map((topic, i) => StrictItems.hash(topic, `${path}.topics[${i}]`)),
    data: StrictItems.data(data, `${path}.data`)
  }
}

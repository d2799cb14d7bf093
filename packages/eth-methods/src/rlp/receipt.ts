/** Receipts of every fork from their encoding: the inverse of `verify/receipt`. */
import * as Hex from "@plumbline/codec/Hex"
import type * as Rlp from "@plumbline/codec/Rlp"
import * as RlpWriter from "@plumbline/codec/RlpWriter"

import type * as Block from "../Block.ts"
import type * as Log from "../Log.ts"
import type * as Receipt from "../Receipt.ts"
import * as Transaction from "../Transaction.ts"
import { createdAddress } from "../verify/receipt.ts"
import { effectiveGasPrice } from "../verify/transaction.ts"
import * as Fields from "./fields.ts"

/** The gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072n

/** The receipts of a block's transactions, in their order: the RLP list of a legacy one, `type || RLP` of the others. */
export const readAll = (
  encoded: ReadonlyArray<Uint8Array>,
  block: Block.WithTransactions
): ReadonlyArray<Receipt.Receipt> => {
  const { transactions } = block
  if (encoded.length !== transactions.length) {
    return Fields.refuse("receipts", `${transactions.length} receipts`, `${encoded.length}`)
  }
  let gasBefore = 0n
  let logsBefore = 0
  return encoded.map((bytes, index) => {
    const path = `receipts[${index}]`
    const transaction = transactions[index]!
    if (!Transaction.isKnown(transaction)) return Fields.refuse(path, "one of types 0 to 4", `type ${transaction.type}`)
    const own = read(bytes, Transaction.typeOf(transaction), path)
    if (own.cumulativeGasUsed < gasBefore) {
      return Fields.refuse(`${path}.cumulativeGasUsed`, `${gasBefore} or more`, `${own.cumulativeGasUsed}`)
    }
    const place = {
      blockHash: block.hash!,
      blockNumber: block.number!,
      transactionHash: transaction.hash,
      transactionIndex: BigInt(index)
    }
    const { from, nonce, to } = transaction
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
      contractAddress: to == null ? createdAddress(from, nonce, RlpWriter.make(64)) : null,
      ...(transaction.type === 3n ? { blobGasUsed: GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) } : {})
    }
    gasBefore = own.cumulativeGasUsed
    logsBefore += own.logs.length
    return receipt
  })
}

const read = (bytes: Uint8Array, type: bigint, path: string) => {
  if (type !== 0n && bytes[0] !== Number(type)) {
    return Fields.refuse(
      path,
      `the type 0x0${type}`,
      bytes.length === 0 ? "no bytes" : Hex.fromBytes(bytes.subarray(0, 1))
    )
  }
  const [outcome, gas, bloom, logs] = Fields.list(
    Fields.decode(type === 0n ? bytes : bytes.subarray(1), path),
    path,
    [4]
  ) as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp, Rlp.Rlp]
  return {
    outcome: outcomeOf(outcome, path),
    cumulativeGasUsed: Fields.integer(gas, `${path}.cumulativeGasUsed`),
    logsBloom: Fields.sized(bloom, 256, `${path}.logsBloom`),
    logs: Fields.list(logs, `${path}.logs`).map((log, i) => readLog(log, `${path}.logs[${i}]`))
  }
}

/** Until Byzantium the state root after the transaction, since then whether it had an effect (EIP-658). */
const outcomeOf = (item: Rlp.Rlp, path: string): Pick<Receipt.Receipt, "root" | "status"> => {
  const bytes = Fields.bytes(item, `${path}.status`)
  if (bytes.length === 32) return { root: Fields.hash(bytes, `${path}.root`) }
  const status = Fields.integer(bytes, `${path}.status`)
  return status < 2n ? { status } : Fields.refuse(`${path}.status`, "0, 1 or a root of 32 bytes", `${status}`)
}

const readLog = (item: Rlp.Rlp, path: string): Pick<Log.Log, "address" | "topics" | "data"> => {
  const [address, topics, data] = Fields.list(item, path, [3]) as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp]
  const words = Fields.list(topics, `${path}.topics`, [0, 1, 2, 3, 4])
  return {
    address: Fields.address(address, `${path}.address`),
    topics: words.map((topic, i) => Fields.hash(topic, `${path}.topics[${i}]`)),
    data: Fields.data(data, `${path}.data`)
  }
}

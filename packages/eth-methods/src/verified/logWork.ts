/** The work to prove the logs of a range: headers, receipts and kilobytes of logs, and its bounds. */
import type { Reason } from "@plumbline/verdict/Reason"

import type * as Block from "../model/Block.ts"
import type * as Log from "../model/Log.ts"
import type * as Receipt from "../model/Receipt.ts"
import * as EthReason from "../proof/EthReason.ts"

/** The bounds of one read: work, and milliseconds. */
export interface LogBounds {
  readonly maxWork: number
  readonly maxTime: number
}

/** Makes the reason of a range that needs more than a bound. `next` is the newest block whose logs are not proven. */
export const tooLong = (
  { maxTime, maxWork }: LogBounds,
  bound: "work" | "time",
  { from, next, to }: { readonly from: bigint; readonly to: bigint; readonly next: bigint }
): Reason =>
  EthReason.RangeTooLong({
    bound,
    from,
    to,
    max: bound === "work" ? maxWork : maxTime,
    next,
    // if none was read, half of the work may be for receipts; if the node is slow, one block is the most to hope for
    within: from + (next < to ? to - next : bound === "work" ? BigInt(Math.ceil(maxWork / 2)) : 1n) - 1n
  })

/** Returns the work of one block before its receipts are known: its header, and its receipts if they are needed. */
export const workOf = (block: Block.WithHashes, needsReceipts: boolean): number =>
  1 + (needsReceipts ? receiptsIn(block) : 0)

/**
 * Returns the number of receipts of a block by the node's list of hashes, but at most as many as the proven gas can pay
 * for: a list that is too long must not make a block look expensive.
 */
export const receiptsIn = ({ gasUsed, transactions }: Block.WithHashes): number =>
  Math.min(transactions.length, Math.ceil(Number(gasUsed) / GAS))

/** Gas that a transaction of Ethereum costs at least. Some transactions of other chains cost none. */
const GAS = 21_000

/** The size of a log without its data, in bytes: its address, topics and places. */
const LOG = 512

/** Returns the size of the selected logs and of the data of all logs of a block, in kilobytes, rounded down. */
export const kilobytesOf = (receipts: ReadonlyArray<Receipt.Receipt>, selected: ReadonlyArray<Log.Log>): number => {
  let bytes = LOG * selected.length
  for (const { logs } of receipts) for (const { data } of logs) bytes += data.length / 2 - 1
  return Math.floor(bytes / 1024)
}

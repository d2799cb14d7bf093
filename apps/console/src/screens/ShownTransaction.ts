/** A transaction as the parts of its screen share it. */
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import type * as EthTransaction from "@plumbline/eth-methods/model/Transaction"
import type * as Verdict from "@plumbline/verdict/Verdict"

import type { ReadBlock } from "../contract/ContractReads.ts"

/** A transaction, its receipt, and the links from both. */
export interface ShownTransaction {
  readonly network: string
  /** The trust that links hold: the reader's, if it reaches the block. */
  readonly trust: string | undefined
  readonly transaction: EthTransaction.KnownTransaction
  /** The verdict on what was signed. */
  readonly word: "VERIFIED" | "CLAIMED"
  readonly receipt: Verdict.Verdict<Receipt.Receipt | null>
  /** The time of the block in seconds; undefined if there is no block. */
  readonly time: bigint | undefined
  /** Returns the link to the proof of a field in the list of transactions or receipts. */
  readonly item: (list: "transactions" | "receipts", field: string) => string
  /** The block at which contracts are asked for the units of their amounts; undefined if there is no block. */
  readonly decoding:
    | { readonly network: string; readonly trust: string | undefined; readonly block: ReadBlock }
    | undefined
}

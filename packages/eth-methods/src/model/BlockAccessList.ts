/**
 * Block access lists (EIP-7928): the accounts and slots that a block touched, and the values after each transaction that
 * changed them.
 *
 * Since Amsterdam, each header has the Keccak-256 of the list's RLP, so the list is proven as a whole, or not at all. An
 * account or slot that a proven list does not name was not touched by the block.
 *
 * Sources: EIP-7928; execution-apis (schemas/block-access-list.yaml), whose words have 32 bytes. Nodes that write words
 * without leading zeros are read too.
 */
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import * as StorageWord from "./StorageWord.ts"

const word = EthWire.of(StorageWord.StorageWord)

/** 0: before the first transaction. 1 to n: that transaction, from 1. n + 1: after the last. */
const index = EthWire.quantity

const slotChanges = EthWire.object("SlotChanges", {
  /** The slot's key. */
  key: word,
  /** The words after each transaction that changed the slot. A write of the same word is a read. */
  changes: EthWire.array(EthWire.object("WordChange", { index, value: word }))
})

const account = EthWire.object("AccountChanges", {
  address: EthWire.address,
  /** The slots that the block changed. */
  storageChanges: EthWire.array(slotChanges),
  /** The keys of the slots that the block read, and did not change. */
  storageReads: EthWire.array(word),
  /** Balances, in wei. */
  balanceChanges: EthWire.array(EthWire.object("BalanceChange", { index, value: EthWire.quantity })),
  nonceChanges: EthWire.array(EthWire.object("NonceChange", { index, value: EthWire.quantity })),
  /** Codes. That of a delegated account is `0xef0100` and an address (EIP-7702). */
  codeChanges: EthWire.array(EthWire.object("CodeChange", { index, code: EthWire.data }))
})
/** An account that the block touched, with its changes. An account without changes and reads was only looked at. */
export const AccountChanges: Schema.Codec<AccountChanges, typeof account.schema.Encoded> = account.schema
/** See the Schema of the same name. */
export interface AccountChanges extends Schema.Schema.Type<typeof account.schema> {}

/**
 * The list of a block, in ascending order of addresses. Every value is that after the transaction of its index: the
 * value before is not in the list.
 *
 * ```ts import.meta.vitest
 * import { BlockAccessList } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const address = `0x${"11".repeat(20)}`
 * const none = { storageChanges: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }
 * const list = Schema.decodeUnknownSync(BlockAccessList.BlockAccessList)([{ address, ...none, storageReads: ["0x1"] }])
 * list[0]?.storageReads // => [`0x${"01".padStart(64, "0")}`]
 * ```
 */
export const BlockAccessList: Schema.Codec<
  BlockAccessList,
  ReadonlyArray<typeof account.schema.Encoded>
> = /* @__PURE__ */ Schema.Array(AccountChanges)
/** See the Schema of the same name. */
export type BlockAccessList = ReadonlyArray<AccountChanges>

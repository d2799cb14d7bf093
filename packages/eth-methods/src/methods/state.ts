/** Methods about the state after a block: accounts, code, storage, and their proofs. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Schema from "effect/Schema"

import * as AccountProof from "../model/AccountProof.ts"
import * as Checksums from "../model/checksums.ts"
import { Quantity256 } from "../model/numbers.ts"
import * as StorageKey from "../model/StorageKey.ts"
import * as StorageValues from "../model/StorageValues.ts"
import * as StorageWord from "../model/StorageWord.ts"
import { address, FEW, stateBlock } from "./params.ts"

/** Maximum number of storage keys of one eth_getProof, as in geth. */
export const MAX_PROOF_KEYS = 1024

/** The balance of an account, in wei. */
export const eth_getBalance = Method.make("eth_getBalance", {
  params: [address, stateBlock],
  result: Quantity256,
  doc: "The balance of the account, in wei.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The code of an account. */
export const eth_getCode = Method.make("eth_getCode", {
  params: [address, stateBlock],
  result: Hex.Hex,
  doc: "The code of the account; none for one that is not a contract.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The nonce of an account. */
export const eth_getTransactionCount = Method.make("eth_getTransactionCount", {
  params: [address, stateBlock],
  result: Quantity256,
  doc: "The nonce of the account: the number of transactions it sent, and of contracts it created.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** A 32-byte word of an account's storage. */
export const eth_getStorageAt = Method.make("eth_getStorageAt", {
  params: [
    address,
    Method.param("position", StorageKey.StorageKey, { doc: "slot, at most 32 bytes", values: FEW }),
    stateBlock
  ],
  result: StorageWord.StorageWord,
  doc: "The word at this position of the account's storage.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** Words of the storage of several accounts. */
export const eth_getStorageValues = Method.make("eth_getStorageValues", {
  params: [
    Method.param("slots", StorageValues.Request, {
      doc: "slots by address, at most 1024 in all",
      // An account for each slot.
      values: 2 * StorageValues.MAX_SLOTS,
      check: Checksums.fault
    }),
    stateBlock
  ],
  result: StorageValues.StorageValues,
  doc: "The words at these positions of the storage of these accounts.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** An account and slots of its storage, with their Merkle proofs. */
export const eth_getProof = Method.make("eth_getProof", {
  params: [
    address,
    Method.param("storageKeys", Schema.Array(StorageKey.StorageKey).check(Schema.isMaxLength(MAX_PROOF_KEYS)), {
      doc: "slots to prove, at most 1024 of 32 bytes",
      // Some more than are taken, so that the error says how many are.
      values: 2 * MAX_PROOF_KEYS
    }),
    stateBlock
  ],
  result: AccountProof.AccountProof,
  doc: "The account and these slots of its storage, with their Merkle proofs.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

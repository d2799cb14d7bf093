/** Methods about the state after a block: accounts, code, storage, and their proofs. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import * as AccountProof from "../model/AccountProof.ts"
import * as AddressChecksums from "../model/addressChecksums.ts"
import * as StorageKey from "../model/StorageKey.ts"
import * as StorageValues from "../model/StorageValues.ts"
import * as StorageWord from "../model/StorageWord.ts"
import { Quantity256 } from "../model/wireNumbers.ts"
import * as EthMethod from "./EthMethod.ts"
import { address, FEW, stateBlock } from "./ethParams.ts"

/** Maximum number of storage keys of one eth_getProof, as in geth. */
export const MAX_PROOF_KEYS = 1024

/** The balance of an account, in wei. */
export const eth_getBalance = /* @__PURE__ */ EthMethod.make("eth_getBalance", {
  read: "getBalance",
  trust: "proven",
  params: [address, stateBlock],
  result: Quantity256,
  doc: "The balance of the account, in wei.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The code of an account. */
export const eth_getCode = /* @__PURE__ */ EthMethod.make("eth_getCode", {
  read: "getCode",
  trust: "proven",
  params: [address, stateBlock],
  result: Hex.Hex,
  doc: "The code of the account; empty if it has none.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The nonce of an account. */
export const eth_getTransactionCount = /* @__PURE__ */ EthMethod.make("eth_getTransactionCount", {
  read: "getTransactionCount",
  trust: "proven",
  params: [address, stateBlock],
  result: Quantity256,
  doc: "The nonce of the account: the number of sent transactions and created contracts.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** A 32-byte word of an account's storage. */
export const eth_getStorageAt = /* @__PURE__ */ EthMethod.make("eth_getStorageAt", {
  read: "getStorageAt",
  trust: "proven",
  params: [
    address,
    /* @__PURE__ */ EthMethod.param("position", StorageKey.StorageKey, {
      names: "slots",
      doc: "slot, at most 32 bytes",
      values: FEW
    }),
    stateBlock
  ],
  result: StorageWord.StorageWord,
  doc: "The word at this position of the account's storage.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

const slotsByAccount = /* @__PURE__ */ (() =>
  EthMethod.param("slots", StorageValues.StorageValuesRequest, {
    names: "slotsByAccount",
    doc: "slots by address, at most 1024 in all",
    // Counts one account for each slot, because a request cannot have more accounts than slots.
    values: 2 * StorageValues.MAX_SLOTS,
    check: AddressChecksums.fault
  }))()

/** Words of the storage of several accounts. */
export const eth_getStorageValues = /* @__PURE__ */ EthMethod.make("eth_getStorageValues", {
  read: "getStorageValues",
  trust: "proven",
  params: [slotsByAccount, stateBlock],
  result: StorageValues.StorageValues,
  doc: "The words at these positions of the storage of these accounts.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

const storageKeys = /* @__PURE__ */ (() =>
  EthMethod.param("storageKeys", Schema.Array(StorageKey.StorageKey).check(Schema.isMaxLength(MAX_PROOF_KEYS)), {
    names: "slots",
    doc: "slots to prove, at most 1024 of 32 bytes",
    // Twice the maximum, so that a request with a few too many gets an error that names the maximum.
    values: 2 * MAX_PROOF_KEYS,
    byNull: []
  }))()

/** An account and slots of its storage, with their Merkle proofs. */
export const eth_getProof = /* @__PURE__ */ EthMethod.make("eth_getProof", {
  read: "getProof",
  trust: "proven",
  params: [address, storageKeys, stateBlock],
  result: AccountProof.AccountProof,
  doc: "The account and these slots of its storage, with their Merkle proofs.",
  cost: 150,
  verification: "proven",
  cache: "block",
  echo: AccountProof.echo,
  complete: AccountProof.complete
})

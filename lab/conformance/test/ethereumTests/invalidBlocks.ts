/**
 * The kinds of invalid blocks in ethereum/tests, keyed by the exception that the tests name.
 *
 * A verifier of answers checks bytes against hashes. Rules of consensus need more data: the state, the fork, and the
 * parent's fields. A caller that trusts a hash also trusts that its block follows these rules. Breaking them cannot
 * make an answer about that block wrong.
 */
import type { Reasons } from "../support/tally.ts"

/**
 * The checks that refute blocks of one kind, and the reason why the verification does not cover other blocks of the
 * kind.
 */
export interface Kind {
  readonly refuted?: Reasons
  readonly outside?: readonly [why: string, count: number]
}

const fork = "which fields, types and data a fork allows is a rule of its schedule"
const limits = "limits on header fields are rules of consensus"
const parent = "how a field follows from the parent's fields is a rule of consensus"
const state = "what accounts have and what runs is known only by executing"
const blobs = "prices and numbers of blobs are rules of consensus"
const merge = "proof of work and the Merge: which kind of block the chain takes is a rule of consensus"

export const invalidBlocks: Readonly<Record<string, Kind>> = {
  EXTRA_DATA_INVALID_DAO: { outside: [fork, 10] },
  EXTRA_DATA_TOO_BIG: { outside: [limits, 1] },
  GASLIMIT_TOO_BIG: { outside: [limits, 1] },
  GAS_ALLOWANCE_EXCEEDED: { refuted: { transactionsRoot: 2 } },
  IMPORT_IMPOSSIBLE_DIFFICULTY_OVER_PARIS: { outside: [merge, 1] },
  IMPORT_IMPOSSIBLE_LEGACY: { outside: [fork, 1] },
  IMPORT_IMPOSSIBLE_LEGACY_WRONG_PARENT: { outside: [fork, 2] },
  IMPORT_IMPOSSIBLE_LONDON_WRONG_PARENT: { outside: [fork, 2] },
  IMPORT_IMPOSSIBLE_PARIS_OVER_SHANGHAI: { refuted: { "bytes: withdrawals": 1 }, outside: [fork, 1] },
  IMPORT_IMPOSSIBLE_PARIS_WRONG_POS: { outside: [merge, 1] },
  IMPORT_IMPOSSIBLE_PARIS_WRONG_POW: { outside: [merge, 1] },
  IMPORT_IMPOSSIBLE_SHANGHAI: { outside: [fork, 2] },
  IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS: {
    refuted: { uncles: 1 },
    outside: ["that there are no uncles since the Merge is a rule of consensus", 28]
  },
  INCORRECT_EXCESS_BLOB_GAS: { outside: [parent, 9] },
  INSUFFICIENT_ACCOUNT_FUNDS: { outside: [state, 2] },
  INSUFFICIENT_MAX_FEE_PER_BLOB_GAS: { outside: [blobs, 2] },
  INSUFFICIENT_MAX_FEE_PER_GAS: {
    refuted: { transactionsRoot: 3 },
    outside: ["that a transaction pays the base fee is a rule of consensus", 1]
  },
  INTRINSIC_GAS_TOO_LOW: {
    refuted: { transactionsRoot: 1 },
    outside: ["the gas that a transaction needs is a rule of its fork", 1]
  },
  INVALID_BLOCK_NUMBER: { refuted: { parentHash: 1 } },
  INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT: { outside: [parent, 3] },
  INVALID_DIFFICULTY: { outside: [parent, 1] },
  INVALID_GASLIMIT: { outside: [parent, 10] },
  INVALID_GAS_USED: { outside: ["the gas used is proven by receipts, which the tests do not hold", 4] },
  INVALID_RECEIPTS_ROOT: { outside: ["the receipts' root is proven by receipts, which the tests do not hold", 1] },
  INVALID_STATE_ROOT: { outside: [state, 2] },
  INVALID_TRANSACTIONS_ROOT: { refuted: { transactionsRoot: 1 } },
  INVALID_WITHDRAWALS_ROOT: { refuted: { withdrawalsRoot: 2 } },
  "RLP_STRUCTURES_ENCODING or RLP_INVALID_FIELD_OVERFLOW_64": {
    refuted: { "bytes: withdrawals[i].amount": 1, "bytes: withdrawals[i].validatorIndex": 1, withdrawalsRoot: 3 }
  },
  TYPE_3_TX_BLOB_COUNT_EXCEEDED: { outside: [blobs, 1] },
  TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH: { outside: [blobs, 4] },
  TYPE_3_TX_PRE_FORK: { outside: [fork, 1] },
  "TYPE_3_TX_PRE_FORK or TYPE_3_TX_ZERO_BLOBS": { outside: [fork, 1] },
  TYPE_3_TX_ZERO_BLOBS: { outside: [blobs, 1] },
  TYPE_NOT_SUPPORTED: { refuted: { transactionsRoot: 3 } },
  UNCLE_PARENT_INCORRECT: { outside: ["which headers may be uncles is a rule of consensus", 1] },
  UNKNOWN_PARENT: { refuted: { parentHash: 3 } },
  UNKNOWN_PARENT_ZERO: { refuted: { parentHash: 1 } }
}

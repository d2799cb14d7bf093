/** False answers in the right form. Only proofs can detect them. */
import { Catalogue } from "@plumbline/tamper"

import { type Behaviour, type Family, type Fault, type Read, resulting, telling } from "../fault.ts"

const lie = (read: Read, name: string, server: Behaviour, ours: string): Fault => ({
  name,
  read,
  proven: true,
  server,
  ours
})

/** Returns the fault in which the server tells a published lie to this read. */
const published = (read: Read, name: string, ours: string): Fault => {
  const one = Catalogue.byName(name)!
  return lie(read, `${read}: ${one.about}`, telling(one), ours)
}

const block = "eth_getBlockByHash"

export const family: Family = {
  name: "Lies",
  faults: [
    published("block", "state-root", "Refuted: header hash"),
    published("block", "transaction-drop", "Refuted: transactionsRoot"),
    lie(
      "block",
      "block: another one that exists",
      resulting([block], (_, { other }) => other.block),
      "Refuted: block.hash"
    ),
    lie(
      "block",
      "block: another one under the hash that was asked for",
      resulting([block], (it, { other }) => ({ ...other.block, hash: it.hash })),
      "Refuted: header hash"
    ),
    published("transaction", "tx-value", "Refuted: transaction hash"),
    published("transaction", "tx-from", "Refuted: transaction.from"),
    lie(
      "transaction",
      "transaction: another one that exists",
      resulting(["eth_getTransactionByHash"], (_, { other }) => other.transaction),
      "Refuted: transaction.hash"
    ),
    published("slot", "storage", "Refuted: storageProof[0].value"),
    published("account", "balance", "Refuted: account.balance"),
    lie(
      "account",
      "account: another account with its proof",
      resulting(["eth_getProof"], (_, { other }) => other.proof),
      "Refuted: address"
    ),
    published("account", "truncated-proof", "Refuted: accountProof node 2"),
    // Absence cannot be proven here. A client that asks only one node has to believe it.
    published("transaction", "null", "absent"),
    published("block", "null", "absent")
  ]
}

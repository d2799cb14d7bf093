/** False answers in the right form. Only proofs can detect them. */
import { type Behaviour, type Family, type Fault, type Read, resulting } from "../fault.ts"

const lie = (read: Read, name: string, server: Behaviour, ours: string): Fault => ({
  name,
  read,
  proven: true,
  server,
  ours
})

const block = "eth_getBlockByHash"
const transaction = "eth_getTransactionByHash"
const proof = "eth_getProof"

export const family: Family = {
  name: "Lies",
  faults: [
    lie(
      "block",
      "block: another stateRoot and timestamp",
      resulting([block], (it, { other }) => ({ ...it, stateRoot: other.block["stateRoot"], timestamp: "0x1" })),
      "Refuted: header hash"
    ),
    lie(
      "block",
      "block: transactions left out",
      resulting([block], (it) => ({ ...it, transactions: [] })),
      "Refuted: transactionsRoot"
    ),
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
    lie(
      "transaction",
      "transaction: another value and sender",
      resulting([transaction], (it, { other }) => ({
        ...it,
        value: "0xde0b6b3a7640000",
        from: other.transaction["to"]
      })),
      "Refuted: transaction hash"
    ),
    lie(
      "transaction",
      "transaction: another sender alone",
      resulting([transaction], (it, { other }) => ({ ...it, from: other.proof["address"] })),
      "Refuted: transaction.from"
    ),
    lie(
      "transaction",
      "transaction: another one that exists",
      resulting([transaction], (_, { other }) => other.transaction),
      "Refuted: transaction.hash"
    ),
    {
      name: "slot: another value",
      read: "slot",
      proven: true,
      // the lie is told to a client that requests the slot, and to a client that requests its proof
      server: resulting(["eth_getStorageAt", proof], (it) => {
        const value = `0x${"0".repeat(62)}2a`
        return typeof it === "string" ? value : { ...it, storageProof: [{ ...it.storageProof[0], value: "0x2a" }] }
      }),
      ours: "Refuted: storageProof[0].value"
    },
    lie(
      "account",
      "account: another balance",
      resulting([proof], (it) => ({ ...it, balance: "0xde0b6b3a7640000" })),
      "Refuted: account.balance"
    ),
    lie(
      "account",
      "account: another account with its proof",
      resulting([proof], (_, { other }) => other.proof),
      "Refuted: address"
    ),
    lie(
      "account",
      "account: a proof without its last node",
      resulting([proof], (it) => ({ ...it, accountProof: it.accountProof.slice(0, -1), balance: "0x1" })),
      "Refuted: accountProof node 2"
    ),
    // Absence cannot be proven here. A client that asks only one node has to believe it.
    lie(
      "transaction",
      "transaction: null for one that exists",
      resulting([transaction], () => null),
      "absent"
    ),
    lie(
      "block",
      "block: null for one that exists",
      resulting([block], () => null),
      "absent"
    )
  ]
}

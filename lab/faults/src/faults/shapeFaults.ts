/** Results that do not have the promised form: other types, missing pieces, wrong lengths. */
import { type Family, type Fault, resulting } from "../fault.ts"
import type { Json, Truth } from "../liveAnswers.ts"

const transaction = (name: string, ours: string, change: (result: any) => Json): Fault => ({
  name,
  read: "transaction",
  server: resulting(["eth_getTransactionByHash"], change),
  ours
})

const block = (name: string, ours: string, change: (result: any) => Json): Fault => ({
  name,
  read: "block",
  server: resulting(["eth_getBlockByHash"], change),
  ours
})

const slot = (name: string, ours: string, change: (result: any) => Json): Fault => ({
  name,
  read: "slot",
  server: resulting(["eth_getStorageAt"], change),
  ours
})

const account = (name: string, ours: string, change: (result: any, truth: Truth) => Json): Fault => ({
  name,
  read: "account",
  server: resulting(["eth_getProof"], change),
  ours
})

const without = (result: any, ...names: ReadonlyArray<string>): Json =>
  Object.fromEntries(Object.entries(result).filter(([name]) => !names.includes(name))) as Json

export const family: Family = {
  name: "Results that are no such thing",
  faults: [
    block("block: a number, no hex, a text for the list", "DecodeError at number", (it) => ({
      ...it,
      number: 5,
      gasLimit: "abc",
      transactions: "nope"
    })),
    block("block: hash, number, stateRoot and transactions missing", "DecodeError at number", (it) =>
      without(it, "hash", "number", "stateRoot", "transactions")
    ),
    block("block: hash cut off, stateRoot of one byte, empty logsBloom", "DecodeError at hash", (it) => ({
      ...it,
      hash: it.hash.slice(0, 40),
      stateRoot: "0x12",
      logsBloom: "0x"
    })),
    block("block: hashes where whole transactions were asked for", "DecodeError at transactions", (it) => ({
      ...it,
      transactions: it.transactions.map((each: any) => each.hash)
    })),
    {
      ...block("block: no difficulty, totalDifficulty, size, uncles", "the truth", (it) =>
        without(it, "difficulty", "totalDifficulty", "size", "uncles")
      ),
      honest: true
    },
    transaction("transaction: value is a number, nonce no hex", "DecodeError at nonce", (it) => ({
      ...it,
      value: 12,
      nonce: "xyz"
    })),
    transaction("transaction: an empty object", "DecodeError at hash", () => ({})),
    transaction("transaction: a list of one", "DecodeError", (it) => [it]),
    transaction("transaction: true", "DecodeError", () => true),
    transaction("transaction: empty text", "DecodeError", () => ""),
    {
      ...transaction("transaction: of a type that nobody knows", "the truth", (it) => ({ ...it, type: "0x64" })),
      honest: true
    },
    slot("slot: the number 42", "DecodeError", () => 42),
    slot("slot: no hex", "DecodeError", () => "0xzzzz"),
    account("account: the proof is a text", "DecodeError at accountProof", (it) => ({ ...it, accountProof: "no" })),
    account("account: no storage proof", "DecodeError at storageProof", (it) => without(it, "storageProof")),
    account("account: a balance of 257 bits", "DecodeError at balance", (it) => ({
      ...it,
      balance: `0x1${"0".repeat(64)}`
    }))
  ]
}

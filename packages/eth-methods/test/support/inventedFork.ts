/**
 * Blocks of an invented fork, which appends three fields to the header. ethereumjs' RLP and Keccak-256 make the hash, so
 * nothing of the verifiers is used.
 */
import { createBlockHeader } from "@ethereumjs/block"
import type { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { hexToBytes } from "@ethereumjs/util"
import { keccak256 } from "viem"

import * as Made from "./made.ts"

/** The fields of the invented fork, as a node shows them, in the order of the header's RLP. */
export const FIELDS = {
  inventedRoot: `0x${"a1".repeat(32)}`,
  inventedCount: "0x80",
  inventedNote: "0x706c"
} as const

/** The file that names the fork. */
export const FILE = {
  forks: [
    {
      name: "invented",
      headerFields: [
        { name: "inventedRoot", kind: "hash" },
        { name: "inventedCount", kind: "quantity" },
        { name: "inventedNote", kind: "bytes" }
      ]
    }
  ]
} as const

/** Makes a block of a fork, with the fields of the invented fork appended to its header. The block has no `size`. */
export const block = async (hardfork: Hardfork, fields: Made.JsonObject = FIELDS): Promise<Made.JsonObject> => {
  const made = await Made.block(hardfork)
  const header = createBlockHeader(
    {
      parentHash: text(made["parentHash"]),
      uncleHash: text(made["sha3Uncles"]),
      coinbase: text(made["miner"]),
      stateRoot: text(made["stateRoot"]),
      transactionsTrie: text(made["transactionsRoot"]),
      receiptTrie: text(made["receiptsRoot"]),
      logsBloom: text(made["logsBloom"]),
      difficulty: text(made["difficulty"]),
      number: text(made["number"]),
      gasLimit: text(made["gasLimit"]),
      gasUsed: text(made["gasUsed"]),
      timestamp: text(made["timestamp"]),
      extraData: text(made["extraData"]),
      mixHash: text(made["mixHash"]),
      nonce: text(made["nonce"]),
      ...Object.fromEntries(APPENDED.flatMap((name) => (made[name] === undefined ? [] : [[name, text(made[name])]])))
    },
    { common: Made.common(hardfork), skipConsensusFormatValidation: true }
  )
  const items = Object.values(fields).map((value) => (value === "0x0" ? new Uint8Array() : hexToBytes(text(value))))
  const hash = keccak256(RLP.encode([...header.raw(), ...items]))
  const transactions = Made.list(made["transactions"]).map((one) => ({ ...Made.object(one), blockHash: hash }))
  const { size: _size, ...rest } = made
  return { ...rest, ...fields, hash, transactions }
}

const APPENDED = [
  "baseFeePerGas",
  "withdrawalsRoot",
  "blobGasUsed",
  "excessBlobGas",
  "parentBeaconBlockRoot",
  "requestsHash",
  "blockAccessListHash",
  "slotNumber"
]

/** Returns a field as hex text with whole bytes. */
const text = (value: Made.Json | undefined): `0x${string}` => {
  const digits = Made.string(value).slice(2)
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

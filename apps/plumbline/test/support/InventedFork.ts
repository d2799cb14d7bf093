/** An invented fork: a block of the history chain with two more header fields. viem's RLP makes its hash. */
import { assert } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { concat, type Hex, keccak256, toRlp } from "viem"

import type * as LyingNode from "./LyingNode.ts"

const names = [
  ..."parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit".split(
    " "
  ),
  ..."gasUsed timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas".split(" "),
  ..."parentBeaconBlockRoot requestsHash".split(" ")
]

const quantities = new Set(
  "difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas inventedCount".split(" ")
)

/** The fields that the fork appends to the header. */
export const invented = { inventedCount: "0x0", inventedRoot: `0x${"a1".repeat(32)}` }

const item = (name: string, value: string): Hex => {
  if (!quantities.has(name)) return value as Hex
  const digits = value.slice(2).replace(/^0+/u, "")
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

/** A transaction of the type that the invented fork adds. Its sender is one of its fields. */
export const own = {
  type: "0x5",
  nonce: "0x80",
  to: "0x1111111111111111111111111111111111111111",
  notes: ["0x00", "0x"],
  from: "0x00000000000000000000000000000000000000f5"
} as const

const transactionTypes = [
  {
    type: "0x5",
    fields: [
      { name: "nonce", kind: "quantity" },
      { name: "to", kind: "receiver" },
      { name: "notes", kind: { list: "bytes" } },
      { name: "from", kind: "address" }
    ]
  }
]

/** Returns a block of the history chain as the invented fork has it, with nothing but one transaction of its type. */
export const block = async (history: LyingNode.LyingNode, number: number = HistoryChain.head.number) => {
  const block = await history.ask("eth_getBlockByNumber", [`0x${number.toString(16)}`, true])
  const bytes = concat([own.type.replace("0x", "0x0") as Hex, toRlp([own.nonce, own.to, [...own.notes], own.from])])
  // the only node of a trie with one key, the RLP of 0, is the leaf with that whole key (Yellow Paper, appendix D)
  const transactionsRoot = keccak256(toRlp(["0x2080", bytes]))
  const fields = { ...block, ...invented, transactionsRoot }
  assert.isUndefined(block.blockAccessListHash)
  const hash = keccak256(toRlp([...names, ...Object.keys(invented)].map((name) => item(name, fields[name]))))
  const { size: _size, ...rest } = fields
  const place = { blockHash: hash, blockNumber: block.number, transactionIndex: "0x0" }
  return { ...rest, hash, transactions: [{ ...own, ...place, hash: keccak256(bytes) }] }
}

/** Returns the block as a node answers it, whole or with the hashes of its transactions. */
export const shown = (whole: Awaited<ReturnType<typeof block>>, full: boolean) =>
  full ? whole : { ...whole, transactions: whole.transactions.map(({ hash }: { readonly hash: string }) => hash) }

const headerFields = [
  { name: "inventedCount", kind: "quantity" },
  { name: "inventedRoot", kind: "hash" }
]

/** The file that describes the fork. */
export const file = JSON.stringify({
  after: "requestsHash",
  forks: [{ name: "invented", headerFields, transactionTypes }]
})

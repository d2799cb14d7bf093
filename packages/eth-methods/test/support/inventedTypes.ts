/**
 * A block with transactions of an invented type, and their receipts, which have two more fields. The RLP, the trie and the
 * receipts of ethereumjs make all bytes, so nothing of the verifiers is used.
 */
import { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, concatBytes, hexToBytes } from "@ethereumjs/util"
import { Bloom, encodeReceipt, type TxReceipt } from "@ethereumjs/vm"
import { keccak256 } from "viem"

import * as Made from "./made.ts"
import { rootOf } from "./receipts.ts"

/** The type, as data. */
export const TYPE = {
  type: "0x5",
  fields: [
    { name: "chainId", kind: "quantity" },
    { name: "nonce", kind: "quantity" },
    { name: "maxFeePerGas", kind: "quantity" },
    { name: "to", kind: "receiver" },
    { name: "value", kind: "quantity" },
    { name: "input", kind: "bytes" },
    {
      name: "accessList",
      kind: {
        list: [
          { name: "address", kind: "address" },
          { name: "storageKeys", kind: { list: "hash" } }
        ]
      }
    },
    { name: "notes", kind: { list: "bytes" } },
    { name: "ticket", kind: "hash" },
    { name: "yParity", kind: "integer" },
    { name: "r", kind: "integer" },
    { name: "s", kind: "integer" }
  ],
  receiptFields: [
    { name: "ticketGas", kind: "quantity" },
    { name: "tickets", kind: { list: "hash" } }
  ]
} as const

/** The file that names the type. */
export const FILE = { forks: [{ name: "invented", transactionTypes: [TYPE] }] } as const

/** The sender that nodes show. No signature is behind it. */
const FROM = "0x00000000000000000000000000000000000000f5"

const WORD = `0x${"ab".repeat(32)}` as const

/** Transactions of the type, as a node shows them without their places: a call, and a creation with short values. */
const SHOWN: ReadonlyArray<Made.JsonObject> = [
  {
    type: "0x5",
    chainId: "0x1",
    nonce: "0x80",
    maxFeePerGas: "0x4a817c800",
    to: "0x1111111111111111111111111111111111111111",
    value: "0xde0b6b3a7640000",
    input: "0xdeadbeef",
    accessList: [
      { address: "0x2222222222222222222222222222222222222222", storageKeys: [WORD, `0x${"00".repeat(32)}`] },
      { address: "0x3333333333333333333333333333333333333333", storageKeys: [] }
    ],
    notes: ["0x", "0x00", "0x7f", `0x${"cd".repeat(60)}`],
    ticket: WORD,
    yParity: "0x1",
    r: `0x00${"12".repeat(31)}`,
    s: "0x3",
    from: FROM
  },
  {
    type: "0x5",
    chainId: "0x1",
    nonce: "0x0",
    maxFeePerGas: "0x1",
    to: null,
    value: "0x0",
    input: "0x",
    accessList: [],
    notes: [],
    ticket: WORD,
    yParity: "0x0",
    r: "0x1",
    s: "0x7f",
    from: FROM
  }
]

/** The last fields of the receipts, as a node shows them. */
const LAST: Made.JsonObject = { ticketGas: "0x100", tickets: [WORD] }

type Item = Uint8Array | Array<Item>

const number = (json: Made.Json | undefined): Uint8Array => {
  const digits = BigInt(Made.string(json)).toString(16)
  return digits === "0"
    ? new Uint8Array()
    : hexToBytes(`0x${digits.padStart(digits.length + (digits.length % 2), "0")}`)
}

const bytes = (json: Made.Json | undefined): Uint8Array => hexToBytes(Made.string(json) as `0x${string}`)

/** Encodes a transaction of the type. The order of its fields is written out here once more. */
const encode = (json: Made.JsonObject): Uint8Array => {
  const items: Array<Item> = [
    number(json["chainId"]),
    number(json["nonce"]),
    number(json["maxFeePerGas"]),
    json["to"] === null ? new Uint8Array() : bytes(json["to"]),
    number(json["value"]),
    bytes(json["input"]),
    Made.list(json["accessList"]).map((item): Array<Item> => {
      const { address, storageKeys } = Made.object(item)
      return [bytes(address), Made.list(storageKeys).map(bytes)]
    }),
    Made.list(json["notes"]).map(bytes),
    bytes(json["ticket"]),
    number(json["yParity"]),
    number(json["r"]),
    number(json["s"])
  ]
  return concatBytes(Uint8Array.of(5), RLP.encode(items))
}

export interface Invented {
  readonly block: Made.JsonObject
  readonly receipts: ReadonlyArray<Made.JsonObject>
  /** The positions of the transactions of the type. */
  readonly at: ReadonlyArray<number>
}

/** Options of the made block. */
export interface Options {
  readonly hardfork?: Hardfork
  /** The transactions of the type. Default: a call and a creation. */
  readonly shown?: ReadonlyArray<Made.JsonObject>
  /** The last fields of their receipts. */
  readonly last?: Made.JsonObject
  /** False for a block with nothing but transactions of the type. */
  readonly others?: boolean
}

/** Makes a block with transactions of the type behind the first and the last one of the known types. */
export const make = async ({
  hardfork = Hardfork.Osaka,
  last = LAST,
  others = true,
  shown = SHOWN
}: Options = {}): Promise<Invented> => {
  const known = others ? Made.signed(hardfork) : []
  const [first, ...rest] = known
  const mixed = [...(first === undefined ? [] : [first]), ...shown.slice(0, 1), ...rest, ...shown.slice(1)]
  const isKnown = (one: (typeof mixed)[number]): one is (typeof known)[number] => "serialize" in one
  const leaves = mixed.map((one) => (isKnown(one) ? one.serialize() : encode(one)))
  const address = new Uint8Array(20).fill(9)
  const logs: TxReceipt["logs"] = [[address, [new Uint8Array(32).fill(8)], Uint8Array.of(1, 2, 3)]]
  const bloom = new Bloom()
  bloom.add(address)
  bloom.add(new Uint8Array(32).fill(8))
  const outcomes = mixed.map((one, i) => ({
    one,
    receipt: { status: 1 as const, cumulativeBlockGasUsed: 30_000n * BigInt(i + 1), bitvector: bloom.bitvector, logs }
  }))
  const receiptTrie = await rootOf(
    outcomes.map(({ one, receipt }) => {
      if (isKnown(one)) return encodeReceipt(receipt, one.type)
      const fields: Array<Item> = [
        Uint8Array.of(1),
        number(Made.hex(receipt.cumulativeBlockGasUsed)),
        receipt.bitvector,
        receipt.logs.map(([address, topics, data]) => [address, topics, data]),
        ...("ticketGas" in last ? [number(last["ticketGas"]), Made.list(last["tickets"]).map(bytes)] : [])
      ]
      return concatBytes(Uint8Array.of(5), RLP.encode(fields))
    })
  )
  const made = await Made.block(hardfork, known, [], {
    transactionsTrie: await rootOf(leaves),
    receiptTrie,
    logsBloom: bloom.bitvector,
    gasUsed: outcomes.at(-1)!.receipt.cumulativeBlockGasUsed
  })
  const knownShown = Made.list(made["transactions"]).map(Made.object)
  const hashes = leaves.map((leaf) => keccak256(leaf))
  const place = (i: number): Made.JsonObject => ({
    blockHash: made["hash"]!,
    blockNumber: made["number"]!,
    transactionIndex: Made.hex(i)
  })
  const transactions = mixed.map((one, i): Made.JsonObject => {
    const own = isKnown(one) ? knownShown[known.indexOf(one)]! : { ...one, blockTimestamp: made["timestamp"]! }
    return { ...own, ...place(i), hash: hashes[i]! }
  })
  const receipts = outcomes.map(({ one, receipt }, i): Made.JsonObject => {
    const transaction = transactions[i]!
    const creates = transaction["to"] === null
    return {
      ...place(i),
      transactionHash: hashes[i]!,
      type: transaction["type"]!,
      status: "0x1",
      cumulativeGasUsed: Made.hex(receipt.cumulativeBlockGasUsed),
      gasUsed: "0x7530",
      effectiveGasPrice: transaction["gasPrice"] ?? "0x1",
      from: transaction["from"]!,
      to: transaction["to"]!,
      contractAddress: creates ? "0x4444444444444444444444444444444444444444" : null,
      logsBloom: bytesToHex(receipt.bitvector),
      logs: receipt.logs.map(([address, topics, data]) => ({
        ...place(i),
        transactionHash: hashes[i]!,
        address: bytesToHex(address),
        topics: topics.map(bytesToHex),
        data: bytesToHex(data),
        logIndex: Made.hex(i),
        removed: false
      })),
      ...(isKnown(one) ? {} : last)
    }
  })
  // the created contracts of the known transactions
  for (const [i, one] of mixed.entries()) {
    if (isKnown(one) && one.to === undefined) delete receipts[i]!["contractAddress"]
  }
  const { size: _size, ...rest2 } = made
  return {
    block: { ...rest2, transactions },
    receipts,
    at: mixed.flatMap((one, i) => (isKnown(one) ? [] : [i]))
  }
}

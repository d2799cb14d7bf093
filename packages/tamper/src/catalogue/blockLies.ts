/** Lies about blocks and the chain. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Lie from "../lie/Lie.ts"
import * as Everywhere from "./everywhere.ts"

const decode = Schema.decodeUnknownResult(Block.Block)

/** Returns the block with a changed header and with the hash of the changed header. */
const forged = (block: any, change: object): unknown => {
  const other = { ...block, ...change }
  const header = Result.flatMap(Result.mapError(decode(other), String), (typed) =>
    Result.mapError(BlockRlp.encodeHeader(typed), String)
  )
  return Result.isSuccess(header) ? { ...other, hash: Keccak256.hashHex(header.success) } : block
}

const isNumber = (block: unknown): block is string => typeof block === "string" && block.startsWith("0x")

/** Returns the true block that is this number of blocks earlier. */
const before =
  (blocks: bigint) =>
  (truth: any, { ask, params: [, full] }: Lie.AskedCall) => {
    const number = BigInt(truth.number ?? 0) - blocks
    return number < 0n ? Effect.succeed(truth) : ask("eth_getBlockByNumber", [`0x${number.toString(16)}`, full])
  }

export const lies: ReadonlyArray<Lie.Lie> = [
  Lie.make("block-timestamp", {
    about: "a block was made at another time",
    expected: "REFUTED",
    changes: Everywhere.blocks((block) => ({ ...block, timestamp: "0x1" }))
  }),
  Lie.make("block-forged", {
    about: "a block of the liar's own making, with the hash that it has, stands at the number of a true one",
    expected: "REFUTED",
    changes: {
      eth_getBlockByNumber: (block) => forged(block, { extraData: "0x6c6965", timestamp: "0x1" })
    }
  }),
  Lie.make("block-swap", {
    about: "a true block of another height, with the number that was asked for",
    expected: "REFUTED",
    changes: {
      eth_getBlockByNumber: (truth, asked) =>
        Effect.map(before(1n)(truth, asked), (other) => (other === truth ? truth : { ...other, number: truth.number }))
    }
  }),
  Lie.make("parent-hash", {
    about: "a block has another parent",
    expected: "REFUTED",
    changes: Everywhere.blocks((block) => ({ ...block, parentHash: `0x${"42".repeat(32)}` }))
  }),
  Lie.make("state-root", {
    about: "a block has another state",
    expected: "REFUTED",
    changes: Everywhere.blocks((block) => ({ ...block, stateRoot: `0x${"42".repeat(32)}` }))
  }),
  Lie.make("bloom-clear", {
    about: "a block's bloom filter is empty, so that no logs are looked for in it",
    expected: "REFUTED",
    changes: {
      ...Everywhere.blocks((block) => ({ ...block, logsBloom: `0x${"00".repeat(256)}` })),
      eth_getLogs: () => []
    }
  }),
  Lie.make("transaction-drop", {
    about: "a block lacks its last transaction",
    expected: "REFUTED",
    changes: {
      ...Everywhere.blocks((block) => ({ ...block, transactions: block.transactions.slice(0, -1) })),
      ...Object.fromEntries(
        ["eth_getBlockTransactionCountByHash", "eth_getBlockTransactionCountByNumber"].map((method) => [
          method,
          (count: string) => (BigInt(count) === 0n ? count : `0x${(BigInt(count) - 1n).toString(16)}`)
        ])
      )
    }
  }),
  Lie.make("uncle-add", {
    about: "a block has an uncle more",
    expected: "REFUTED",
    changes: Everywhere.blocks((block) => ({ ...block, uncles: [...(block.uncles ?? []), `0x${"42".repeat(32)}`] }))
  }),
  Lie.make("withdrawal-amount", {
    about: "the withdrawals of a block are larger",
    expected: "REFUTED",
    changes: Everywhere.blocks((block) =>
      Array.isArray(block.withdrawals)
        ? { ...block, withdrawals: block.withdrawals.map((one: any) => ({ ...one, amount: "0xffffffff" })) }
        : block
    )
  }),
  Lie.make("equivocation", {
    about: "a block that is asked for by its number is a forged one every second time",
    expected: "REFUTED",
    changes: {
      eth_getBlockByNumber: (block, { count }) => (count % 2 === 1 ? forged(block, { timestamp: "0x1" }) : block)
    }
  }),
  Lie.make("head-old", {
    about: "the head is an old block, which was the head once",
    expected: "CLAIMED",
    changes: {
      eth_blockNumber: (number) => (BigInt(number) < 8n ? "0x0" : `0x${(BigInt(number) - 8n).toString(16)}`),
      eth_getBlockByNumber: (truth, asked) => (isNumber(asked.params[0]) ? truth : before(8n)(truth, asked))
    }
  }),
  Lie.make("chain-id", {
    about: "the node serves another chain",
    expected: "REFUTED",
    changes: { eth_chainId: () => "0x7a69", net_version: () => "31337" }
  }),
  Lie.make("gas", {
    about: "gas costs a thousand times as much",
    expected: "CLAIMED",
    changes: Object.fromEntries(
      ["eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_estimateGas", "eth_blobBaseFee"].map((method) => [
        method,
        (value: string) => `0x${(BigInt(value) * 1000n).toString(16)}`
      ])
    )
  }),
  Lie.make("null", {
    about: "nothing exists: no block, transaction or receipt",
    expected: "CLAIMED",
    changes: Object.fromEntries(
      [
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getTransactionByHash",
        "eth_getTransactionReceipt",
        "eth_getBlockReceipts"
      ].map((method) => [method, () => null])
    )
  })
]

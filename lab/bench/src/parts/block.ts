/** A block with its transactions: decoding, verification, and both together from the text. */
import { createBlockFromRPC } from "@ethereumjs/block"
import { Block, SenderRecovery, Verify } from "@plumbline/eth-methods"
import { NativeRecovery } from "@plumbline/secp256k1"
import { Effect, Result, Schema } from "effect"
import { Block as OxBlock } from "ox"
import { formatBlock } from "viem"

import { hash, size, source, text } from "../inputs/blockInput.ts"
import { hexOf } from "../inputs/byteInput.ts"
import { canonical } from "../inputs/canonical.ts"
import { common } from "../inputs/ethereumjsAnswers.ts"
import type { Part, Row } from "../measure/measuredRow.ts"

const decode = Schema.decodeUnknownSync(Block.Block)
const answer = JSON.parse(text)
const decoded = decode(answer)

/** The engines that recover senders, each with its ceiling in nanoseconds. The fallback has no ceiling. */
const engines: ReadonlyArray<readonly [name: string, ceiling: number | undefined, SenderRecovery.RecoveryEngine]> = [
  ["the default", 60e6, SenderRecovery.standard],
  ["JavaScript", undefined, SenderRecovery.noble],
  ["native", 15e6, await Effect.runPromise(NativeRecovery.make)]
]

/** Shows a block with the block's time in each transaction: a verified one has it, and this node did not send it. */
const showTimed = (value: unknown): string => {
  const block = value as { readonly timestamp: unknown; readonly transactions: ReadonlyArray<object> }
  const timed = block.transactions.map((transaction) => ({ blockTimestamp: block.timestamp, ...transaction }))
  return canonical({ ...block, transactions: timed })
}

const verified = (block: typeof decoded): unknown =>
  Result.getOrThrow(Verify.block(block, hash as never, { senders: false })).value

/** Does the same checks with ethereumjs. It begins with the parsed answer, because ethereumjs accepts no text. */
const byEthereumjs = (senders: boolean) => async (): Promise<unknown> => {
  const block = createBlockFromRPC(answer, [], { common, setHardfork: true })
  if (hexOf(block.hash()) !== hash) throw new Error("another hash")
  for (const [i, transaction] of block.transactions.entries()) {
    if (hexOf(transaction.hash()) !== answer.transactions[i].hash) throw new Error("another transaction")
    if (senders && transaction.getSenderAddress().toString() !== answer.transactions[i].from) {
      throw new Error("another sender")
    }
  }
  if (!(await block.transactionsTrieIsValid())) throw new Error("another root of transactions")
  if (!(await block.withdrawalsTrieIsValid())) throw new Error("another root of withdrawals")
  // the checks have proven the answer, so it is the result
  return answer
}

const kilobytes = Math.round(text.length / 1000)

const rows: ReadonlyArray<Row> = [
  {
    name: `typed decode of ${kilobytes} kB, all checks`,
    goal: 1,
    show: canonical,
    ours: () => decode(JSON.parse(text)),
    peers: {
      "viem (unchecked)": () => formatBlock(JSON.parse(text)),
      "ox (unchecked)": () => OxBlock.fromRpc(JSON.parse(text))
    },
    yardsticks: { "JSON.parse alone": () => JSON.parse(text) }
  },
  {
    name: `${size} transactions verified, no senders`,
    goal: 80,
    waits: true,
    show: showTimed,
    ours: () => verified(decoded),
    peers: { "@ethereumjs/block": byEthereumjs(false) },
    yardsticks: { "ours, decoding too": () => verified(decode(answer)) }
  },
  ...engines.map(([name, ceiling, recovery]): Row => ({
    name: `${size} transactions verified with senders, ${name}`,
    ...(ceiling === undefined ? {} : { ceiling }),
    waits: true,
    turn: 600,
    rounds: 5,
    show: showTimed,
    ours: () => Result.getOrThrow(Verify.block(decoded, hash as never, { recovery })).value,
    peers: { "@ethereumjs/block": byEthereumjs(true) }
  })),
  {
    name: "text to proven value, no senders",
    goal: 1,
    show: showTimed,
    ours: () => verified(decode(JSON.parse(text))),
    peers: { "viem (unchecked, unproven)": () => formatBlock(JSON.parse(text)) },
    yardsticks: { "ox (unchecked, unproven)": () => OxBlock.fromRpc(JSON.parse(text)) }
  }
]

export const block: Part = { name: "block", open: () => Promise.resolve({ rows, notes: [source] }) }

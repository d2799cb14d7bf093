/**
 * Chains of many blocks with logs, made by ethereumjs, and nodes that answer about them. Every fourth block has one
 * transaction, whose receipt has up to four logs.
 */
import { Hardfork } from "@ethereumjs/common"
import { hexToBytes } from "@ethereumjs/util"
import { Hash32 } from "@plumbline/codec"
import { Effect, Layer } from "effect"

import { LogFilter, TrustedBlock } from "../../src/index.ts"
import * as Made from "./made.ts"
import type { Replies } from "./node.ts"
import * as Receipts from "./receipts.ts"

export interface LogBlock {
  readonly number: bigint
  readonly hash: Hash32.Hash32
  readonly json: Made.JsonObject
  readonly receipts: ReadonlyArray<Made.Json>
  /** The logs of the receipts, as a node returns them. */
  readonly logs: ReadonlyArray<Made.JsonObject>
}

/** The blocks of a chain. The first block has the number 1, and each block is the parent of the next. */
export type LogChain = ReadonlyArray<LogBlock>

const transaction = Made.shortSignature()

/** Options of a chain. */
export interface Making {
  /** Chains with another salt have other blocks and other logs. Default: 0. */
  readonly salt?: number
  /** The step by which the data of the logs of one block grows. Default: 40 bytes. */
  readonly bytes?: number
  /** The number of transactions of a block that has some. Default: 1. */
  readonly copies?: number
}

/** Adds blocks to a chain. */
export const extend = async (
  chain: LogChain,
  count: number,
  { bytes = 40, copies = 1, salt = 0 }: Making = {}
): Promise<LogChain> => {
  const made = [...chain]
  for (let added = 0; added < count; added++) {
    const number = BigInt(made.length + 1)
    const { block, receipts } = await Receipts.make(Hardfork.London, {
      transactions: (number + BigInt(salt)) % 4n === 0n ? Array.from({ length: copies }, () => transaction) : [],
      logs: () =>
        Array.from({ length: Number((number / 4n) % 5n) }, (_, at) => [
          Receipts.address(at % 2),
          [Receipts.topic(at), Receipts.topic(Number(number))],
          new Uint8Array(at * bytes).fill(salt)
        ]),
      failed: () => false,
      fields: {
        number,
        parentHash: hexToBytes(made.at(-1)?.hash ?? Hash32.ZERO),
        timestamp: 1_700_000_000n + number + BigInt(salt)
      }
    })
    const logs = receipts.flatMap((receipt) => Made.list(Made.object(receipt)["logs"]).map(Made.object))
    made.push({ number, hash: Hash32.fromHexUnsafe(Made.string(block["hash"])), json: block, receipts, logs })
  }
  return made
}

/** A chain that a test replaces as time goes on. */
export interface Head {
  chain: LogChain
}

/** Returns an honest node. It also knows the blocks of chains on which it was before, by their hashes. */
export const answers = (head: Head): Replies => {
  const known = new Map<string, LogBlock>()
  let seen: LogChain = []
  const find = (parameter: unknown): LogBlock | undefined => {
    if (seen !== head.chain) for (const block of (seen = head.chain)) known.set(block.hash, block)
    const text = String(parameter)
    if (text === "latest") return head.chain.at(-1)
    return text.length === 66 ? known.get(text) : head.chain[Number(text) - 1]
  }
  return (method, [first, second]) => {
    switch (method) {
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber": {
        const block = find(first)
        return block === undefined ? null : second === true ? block.json : Receipts.withHashes(block.json)
      }
      case "eth_getBlockReceipts":
        return [...(find((first as { readonly blockHash: string }).blockHash)?.receipts ?? [])]
      case "eth_getLogs": {
        const { blockHash, fromBlock, toBlock, ...selection } = first as Readonly<Record<string, string>>
        const blocks =
          blockHash === undefined
            ? head.chain.slice(Number(find(fromBlock)?.number ?? 1n) - 1, Number(find(toBlock)?.number ?? 0n))
            : [find(blockHash)!]
        return select(blocks, selection)
      }
      default:
        return undefined
    }
  }
}

/** Returns the logs of blocks that a filter selects. */
export const select = (blocks: LogChain, selection: LogFilter.Selection): Array<Made.Json> => {
  const isSelected = LogFilter.selector(selection)
  return blocks.flatMap(({ logs }) => logs.filter((log) => isSelected(log as never)))
}

/** Trusts the newest block of a chain, whatever the test replaces it by. */
export const trusting = (head: Head): Layer.Layer<TrustedBlock.TrustedBlock> =>
  Layer.succeed(TrustedBlock.TrustedBlock, {
    resolve: () => Effect.sync(() => ({ _tag: "OnChain", hash: head.chain.at(-1)!.hash, by: "the test" }) as const)
  })

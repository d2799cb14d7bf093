/**
 * A small chain made by ethereumjs, and a node that answers about it. The chain has transactions of every type,
 * receipts, logs, uncles, states with proofs and, since Prague, the hashes of older blocks in the state.
 */
import { Hardfork } from "@ethereumjs/common"
import { hexToBytes, type PrefixedHexString } from "@ethereumjs/util"

import * as Made from "./made.ts"
import type { Replies } from "./node.ts"
import * as Receipts from "./receipts.ts"
import * as State from "./state.ts"

/**
 * The number of the first block, which is empty. Block 102 has transactions of all types and, before the Merge, two
 * uncles; 103 has one transaction; 104 is the head.
 */
export const FIRST = 100n
export const FULL = 102n
export const HEAD = 104n

interface Entry {
  readonly block: Made.JsonObject
  readonly receipts: Array<Made.Json>
  readonly uncles: ReadonlyArray<Made.JsonObject>
  readonly state: State.State
}

export interface World {
  /** An honest node. */
  readonly answers: Replies
  /** Returns the block with this number, with whole transactions. */
  readonly block: (number: bigint) => Made.JsonObject
  readonly receipts: (number: bigint) => ReadonlyArray<Made.Json>
  readonly uncles: (number: bigint) => ReadonlyArray<Made.JsonObject>
}

/**
 * Makes a world. With `other`, it makes a second world with the same transactions. From block `since` on, each block,
 * state and log of the second world differs from the first world's.
 */
export const make = async (fork: Hardfork, other = 0, since = FIRST): Promise<World> => {
  const entries: Array<Entry> = []
  const isProofOfWork = !Made.common(fork).gteHardfork(Hardfork.Paris)
  const remembers = new Map<bigint, string>()
  for (let number = FIRST; number <= HEAD; number++) {
    const salt = number < since ? 0 : other
    const transactions = number === FULL ? Made.signed(fork) : number === FULL + 1n ? [Made.shortSignature()] : []
    const headers =
      number === FULL && isProofOfWork ? [1, 2].map((n) => Made.uncleHeader(fork, n + 2 * salt, 100n)) : []
    const state = await State.make({
      wealth: number + BigInt(salt) * 1000n,
      ...(number === HEAD && !isProofOfWork ? { remembers: new Map(remembers) } : {})
    })
    const { block, receipts } = await Receipts.make(fork, {
      transactions,
      uncles: headers,
      logs: (index) => logs(index + salt),
      fields: {
        number,
        parentHash: hexToBytes((remembers.get(number - 1n) ?? `0x${"77".repeat(32)}`) as PrefixedHexString),
        stateRoot: state.root,
        timestamp: 1_700_000_000n + number + BigInt(salt)
      }
    })
    remembers.set(number, Made.string(block["hash"]))
    entries.push({ block, receipts, uncles: headers.map(Made.uncleOf), state })
  }
  const at = (number: bigint): Entry => entries[Number(number - FIRST)]!
  return {
    answers: answersOf(entries),
    block: (number) => at(number).block,
    receipts: (number) => at(number).receipts,
    uncles: (number) => at(number).uncles
  }
}

/** Returns two logs for most transactions. One of the two logs has a topic that other contracts emit too. */
const logs = (index: number): Receipts.Logs =>
  index % 4 === 3
    ? []
    : [
        [Receipts.address(index % 3), [Receipts.topic(7), Receipts.topic(index)], new Uint8Array(40).fill(index)],
        [Receipts.address(9), [], new Uint8Array(0)]
      ]

const TAGS: Readonly<Record<string, bigint>> = { latest: HEAD, safe: HEAD - 1n, finalized: FULL }

const answersOf = (entries: ReadonlyArray<Entry>): Replies => {
  const transactions = entries.flatMap((entry) => Made.list(entry.block["transactions"]).map(Made.object))
  const receipts = entries.flatMap((entry) => entry.receipts.map(Made.object))
  const proofs = new Map<string, Made.JsonObject>()

  const find = (parameter: unknown): Entry | undefined => {
    if (typeof parameter === "object" && parameter !== null) {
      const { blockHash, blockNumber } = parameter as { blockHash?: string; blockNumber?: string }
      return find(blockHash ?? blockNumber)
    }
    const text = String(parameter)
    const number = TAGS[text] === undefined ? text : Made.hex(TAGS[text])
    return entries.find(({ block }) => block["hash"] === text || block["number"] === number)
  }
  const shown = (entry: Entry | undefined, whole: unknown): Made.Json =>
    entry === undefined ? null : whole === true ? entry.block : Receipts.withHashes(entry.block)
  const proof = (entry: Entry, text: string, keys: ReadonlyArray<string>) => {
    const address = text.toLowerCase()
    const id = [Made.string(entry.block["hash"]), address, ...keys].join()
    const known = proofs.get(id)
    if (known !== undefined) return known
    return entry.state.answer(address, keys).then((made) => {
      proofs.set(id, made)
      return made
    })
  }
  const field = async (parameter: unknown, address: unknown, name: string): Promise<Made.Json | undefined> => {
    const entry = find(parameter)
    return entry === undefined ? undefined : (await proof(entry, String(address), []))[name]
  }
  const words = async (parameter: unknown, address: string, keys: ReadonlyArray<string>) => {
    const entry = find(parameter)
    if (entry === undefined) return undefined
    const slots = Made.list((await proof(entry, address, keys))["storageProof"])
    return slots.map(
      (slot) =>
        `0x${BigInt(Made.string(Made.object(slot)["value"]))
          .toString(16)
          .padStart(64, "0")}`
    )
  }
  const count = (list: ReadonlyArray<unknown> | undefined): Made.Json =>
    list === undefined ? null : Made.hex(list.length)

  return (method, [first, second, third]) => {
    switch (method) {
      case "eth_blockNumber":
        return Made.hex(HEAD)
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber":
        return shown(find(first), second)
      case "eth_getBlockTransactionCountByHash":
      case "eth_getBlockTransactionCountByNumber":
        return count(find(first)?.receipts)
      case "eth_getUncleByBlockHashAndIndex":
      case "eth_getUncleByBlockNumberAndIndex":
        return find(first)?.uncles[Number(second)] ?? null
      case "eth_getUncleCountByBlockHash":
      case "eth_getUncleCountByBlockNumber":
        return count(find(first)?.uncles)
      case "eth_getTransactionByHash":
        return transactions.find(({ hash }) => hash === first) ?? null
      case "eth_getTransactionByBlockHashAndIndex":
      case "eth_getTransactionByBlockNumberAndIndex": {
        const entry = find(first)
        return entry === undefined ? null : (Made.list(entry.block["transactions"])[Number(second)] ?? null)
      }
      case "eth_getTransactionReceipt":
        return receipts.find(({ transactionHash }) => transactionHash === first) ?? null
      case "eth_getBlockReceipts":
        return find(first)?.receipts ?? null
      case "eth_getLogs": {
        const filter = first as Filter
        const isKnown = filter.blockHash === undefined || find(filter.blockHash) !== undefined
        return isKnown ? select(receipts, filter, find) : undefined
      }
      case "eth_getBalance":
        return field(second, first, "balance")
      case "eth_getTransactionCount":
        return field(second, first, "nonce")
      case "eth_getCode":
        return find(second) === undefined ? undefined : State.codeOf(String(first))
      case "eth_getStorageAt":
        return words(third, String(first), [String(second)]).then((list) => list?.[0])
      case "eth_getStorageValues":
        return Promise.all(
          Object.entries(first as Record<string, ReadonlyArray<string>>).map(
            async ([address, keys]) => [address, (await words(second, address, keys)) ?? []] as const
          )
        ).then((list): Made.JsonObject => Object.fromEntries(list))
      case "eth_getProof": {
        const entry = find(third)
        return entry === undefined ? undefined : proof(entry, String(first), second as ReadonlyArray<string>)
      }
      default:
        return undefined
    }
  }
}

interface Filter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string
  readonly topics?: ReadonlyArray<string | null>
}

/** Returns the logs that a filter selects. The filter has at most one address, and at most one topic per position. */
const select = (
  receipts: ReadonlyArray<Made.JsonObject>,
  filter: Filter,
  find: (parameter: unknown) => Entry | undefined
): Made.Json => {
  const numberOf = (parameter: string | undefined): bigint =>
    BigInt(Made.string(find(parameter ?? "latest")!.block["number"]))
  const [from, to] =
    filter.blockHash === undefined
      ? [numberOf(filter.fromBlock), numberOf(filter.toBlock)]
      : [numberOf(filter.blockHash), numberOf(filter.blockHash)]
  return receipts
    .flatMap((receipt) => Made.list(receipt["logs"]).map(Made.object))
    .filter((log) => {
      const number = BigInt(Made.string(log["blockNumber"]))
      const topics = Made.list(log["topics"])
      return (
        number >= from &&
        number <= to &&
        (filter.address === undefined || filter.address === log["address"]) &&
        (filter.topics ?? []).every((topic, at) => at < topics.length && (topic === null || topic === topics[at]))
      )
    })
}

/** The questions about the attacked block: every method of the verifying clients, with every kind of parameters. */
import { Address, Hash32 } from "@plumbline/codec"
import { type ProvenEthClient, StorageKey, type VerdictEthClient } from "@plumbline/eth-methods"
import type { Effect } from "effect"

import type { Json } from "../../json.ts"
import { list, type Params, quantity, text } from "./node.ts"
import { NEVER, transactionsOf, type World } from "./world.ts"

/** One question, which suits both clients because their methods have the same names and parameters. */
export interface Question {
  readonly name: string
  readonly method: string
  /** Returns the parameters, in wire form, of the call that requests the truth. `at` replaces a tag. */
  readonly params: (at: string) => Params
  /** The tag in the question, which only the node can resolve. */
  readonly tag?: "latest"
  readonly ask: (eth: Either) => Effect.Effect<unknown, ProvenEthClient.ProvenReadFailure>
  /** True if the plain client lacks the method, so that only the proving client is asked. */
  readonly onlyProven?: true
}

/** The methods that both clients have. */
export type Either = {
  readonly [name in keyof VerdictEthClient.Client]: (
    ...parameters: ReadonlyArray<any>
  ) => Effect.Effect<unknown, ProvenEthClient.ProvenReadFailure>
} & { readonly blockNumber?: Effect.Effect<bigint, ProvenEthClient.ProvenReadFailure> }

type Method = keyof VerdictEthClient.Client

const hash32 = (hash: string): Hash32.Hash32 => Hash32.fromHexUnsafe(hash)

export const questionsOf = (world: World): ReadonlyArray<Question> => {
  const { block, hash, number, state } = world
  const numberText = quantity(number)
  const out: Array<Question> = []
  const add = (method: Method, params: Params, parameters: ReadonlyArray<unknown>, how = ""): void => {
    out.push({
      name: `${method} ${how}`.trim(),
      method: `eth_${method}`,
      params: () => params,
      ask: (eth) => eth[method](...parameters)
    })
  }
  const addLatest = (method: Method, params: (at: string) => Params, parameters: ReadonlyArray<unknown>): void => {
    out.push({
      name: `${method} latest`,
      method: `eth_${method}`,
      params,
      tag: "latest",
      ask: (eth) => eth[method](...parameters)
    })
  }

  for (const full of [false, true]) {
    const how = full ? "whole" : "with hashes"
    add("getBlockByHash", [hash, full], [hash32(hash), { full }], how)
    add("getBlockByNumber", [numberText, full], [number, { full }], how)
  }
  addLatest("getBlockByNumber", (at) => [at, false], ["latest"])
  out.push({
    name: "blockNumber",
    method: "eth_getBlockByNumber",
    params: (at) => [at, false],
    tag: "latest",
    ask: (eth) => eth.blockNumber!,
    onlyProven: true
  })

  const indices = transactionsOf(block).map((_, i) => BigInt(i))
  const chosen = indices.length <= 5 ? indices : [0n, 1n, indices.at(-1)!]
  add("getBlockTransactionCountByHash", [hash], [hash32(hash)])
  add("getBlockTransactionCountByNumber", [numberText], [number])
  for (const index of [...chosen, BigInt(indices.length)]) {
    add("getTransactionByBlockHashAndIndex", [hash, quantity(index)], [hash32(hash), index], `${index}`)
    add("getTransactionByBlockNumberAndIndex", [numberText, quantity(index)], [number, index], `${index}`)
  }
  const hashes = chosen.map((index) => text(transactionsOf(block)[Number(index)]!["hash"]))
  for (const one of [...hashes, NEVER]) {
    add("getTransactionByHash", [one], [hash32(one)], one)
    add("getTransactionReceipt", [one], [hash32(one)], one)
  }

  add("getUncleCountByBlockHash", [hash], [hash32(hash)])
  add("getUncleCountByBlockNumber", [numberText], [number])
  for (const index of [0n, 1n, 2n]) {
    add("getUncleByBlockHashAndIndex", [hash, quantity(index)], [hash32(hash), index], `${index}`)
    add("getUncleByBlockNumberAndIndex", [numberText, quantity(index)], [number, index], `${index}`)
  }

  add("getBlockReceipts", [{ blockHash: hash }], [hash32(hash)], "by hash")
  add("getBlockReceipts", [numberText], [number], "by number")
  addLatest("getBlockReceipts", (at) => [at], ["latest"])

  add("getLogs", [{ blockHash: hash }], [{ blockHash: hash32(hash) }], "of a hash")
  add(
    "getLogs",
    [{ fromBlock: numberText, toBlock: numberText }],
    [{ fromBlock: number, toBlock: number }],
    "of a number"
  )
  const topic = world.receipts.flatMap(({ logs }) => list(logs)).map((log) => list((log as any).topics)[0])[0]
  if (topic !== undefined) {
    const topics: Json = [topic]
    add("getLogs", [{ blockHash: hash, topics }], [{ blockHash: hash32(hash), topics }], "with a topic")
  }
  if (world.ranges) {
    const [from, to] = [number - 2n, number + 1n > world.head ? world.head : number + 1n]
    const range = { fromBlock: quantity(from), toBlock: quantity(to) }
    add("getLogs", [range], [{ fromBlock: from, toBlock: to }], "of a range")
  }
  if (state === undefined) return out

  const keys = [...state.slots]
  const storageKeys = keys.map((key) => StorageKey.fromSlot(BigInt(key)))
  for (const [how, wire, parameter] of [
    ["by hash", hash, hash32(hash)],
    ["by EIP-1898", { blockHash: hash }, { blockHash: hash32(hash) }],
    ["by number", numberText, number]
  ] as const) {
    const known = [state.contract, state.account, state.absent]
    for (const who of typeof wire === "string" && wire === hash ? known : known.slice(0, 1)) {
      const address = Address.fromHexUnsafe(who)
      add("getBalance", [who, wire], [address, parameter], `${how} ${who}`)
      add("getCode", [who, wire], [address, parameter], `${how} ${who}`)
      add("getTransactionCount", [who, wire], [address, parameter], `${how} ${who}`)
      add("getProof", [who, keys, wire], [address, storageKeys, parameter], `${how} ${who}`)
    }
    const contract = Address.fromHexUnsafe(state.contract)
    for (const [i, key] of keys.entries()) {
      add("getStorageAt", [state.contract, key, wire], [contract, storageKeys[i]!, parameter], `${how} ${key}`)
    }
    add("getStorageValues", [{ [state.contract]: keys }, wire], [{ [state.contract]: storageKeys }, parameter], how)
  }
  const contract = Address.fromHexUnsafe(state.contract)
  addLatest("getBalance", (at) => [state.account, at], [Address.fromHexUnsafe(state.account), "latest"])
  addLatest("getStorageAt", (at) => [state.contract, keys[0]!, at], [contract, storageKeys[0]!, "latest"])
  addLatest("getProof", (at) => [state.contract, keys, at], [contract, storageKeys, "latest"])
  return out
}

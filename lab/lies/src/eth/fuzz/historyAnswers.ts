/** True answers about the history chain, which ethereumjs executed, in the form of a node's answers. */
import { History, HistoryChain } from "@plumbline/devnet"
import { Effect } from "effect"

import * as Json from "../../json.ts"
import * as Commit from "./commit.ts"

/** Asks an honest node. */
export type Ask = (method: string, params: ReadonlyArray<unknown>) => Promise<Json.Json>

export const ask = async (): Promise<Ask> => {
  const node = await Effect.runPromise(History.make)
  const decoder = new TextDecoder()
  return async (method, params) =>
    JSON.parse(decoder.decode(await Effect.runPromise(node.call(method, params)))) as Json.Json
}

/** Reads something once for all targets. */
const once = <A>(read: () => Promise<A>): (() => Promise<A>) => {
  let found: Promise<A> | undefined
  return () => (found ??= read())
}

/** Whole blocks with few transactions: at least one of each fork, with uncles if the fork has them. */
export const wholes: () => Promise<ReadonlyArray<Commit.Whole>> = once(async () => {
  const node = await ask()
  const numbers = new Set<number>()
  const small = HistoryChain.blocks.filter(({ number, transactions }) => number > 0 && transactions.length <= 6)
  for (const { name } of HistoryChain.forks) {
    const of = small.filter(({ fork }) => fork === name)
    for (const block of [
      of.toSorted((a, b) => b.transactions.length - a.transactions.length)[0],
      of.find(({ uncles }) => uncles.length > 0)
    ]) {
      if (block !== undefined) numbers.add(block.number)
    }
  }
  for (const { number } of HistoryChain.blocks) {
    const block = object(await node("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]))
    const { transactions, withdrawals } = block
    if (Json.isList(withdrawals) && withdrawals.length > 0 && Json.isList(transactions) && transactions.length <= 6) {
      numbers.add(number)
      break
    }
  }
  for (const type of ["0x1", "0x2", "0x3", "0x4"]) {
    const of = small.find(({ transactions }) => transactions.some((transaction) => transaction.type === type))
    if (of !== undefined) numbers.add(of.number)
  }
  return Promise.all([...numbers].toSorted((a, b) => a - b).map((number) => whole(node, number)))
})

/** Reads everything about one block. Throws if the forger's encodings differ from the node's answer. */
export const whole = async (node: Ask, number: number): Promise<Commit.Whole> => {
  const at = `0x${number.toString(16)}`
  const block = object(await node("eth_getBlockByNumber", [at, true]))
  const count = Json.isList(block["uncles"]) ? block["uncles"].length : 0
  const uncles = await Promise.all(
    Array.from({ length: count }, async (_, index) =>
      object(await node("eth_getUncleByBlockNumberAndIndex", [at, `0x${index.toString(16)}`]))
    )
  )
  const receipts = (await node("eth_getBlockReceipts", [at])) as ReadonlyArray<Json.Json>
  const found = { block, uncles, receipts: receipts.map(object) }
  const committed = Commit.commit(found)
  for (const name of ["block", "uncles", "receipts"] as const) {
    if (sorted(committed[name]) !== sorted(found[name])) {
      throw new Error(
        `block ${number}: ${name} are not what they commit to:\n${sorted(committed[name])}\n${sorted(found[name])}`
      )
    }
  }
  return found
}

export const object = (json: Json.Json | undefined): Json.JsonObject => {
  if (!Json.isObject(json)) throw new Error("not an object")
  return json
}

const sorted = (json: Json.Json): string =>
  JSON.stringify(json, (_, value: Json.Json) =>
    Json.isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value
  )

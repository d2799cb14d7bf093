/** One read of each kind, by any client, and the rows that are made of them. */
import type { Run } from "../../measure/row.ts"

export interface Reader {
  readonly slot: (account: `0x${string}`, slot: `0x${string}`) => Promise<unknown>
  readonly block: (hash: `0x${string}`) => Promise<unknown>
  readonly transaction: (hash: `0x${string}`) => Promise<unknown>
}

export const ACCOUNT = `0x${"12".repeat(20)}` as const

/** Slot or hash number `n`, as cheaply as possible, because every contender pays for it. */
const wordOf = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

/** The kind of a call with its number: clients merge calls that are the same, so that each run has its own. */
export type Call = (reader: Reader) => (n: number) => Promise<unknown>

export const slot: Call = (reader) => (n) => reader.slot(ACCOUNT, wordOf(n))
export const block: Call = (reader) => (n) => reader.block(wordOf(n))
export const transaction: Call = (reader) => (n) => reader.transaction(wordOf(n))

/** Calls at the same time: one, or as many as there are. */
export const atOnce = (call: (n: number) => Promise<unknown>, count: number): Run =>
  count === 1
    ? async (first) => [await call(first)]
    : (first) => Promise.all(Array.from({ length: count }, (_, i) => call(first + i)))

/** The reads that are measured with every client, one of each kind, and the rows of these reads. */
import type { Run } from "../../measure/measuredRow.ts"

export interface Reader {
  readonly slot: (account: `0x${string}`, slot: `0x${string}`) => Promise<unknown>
  readonly block: (hash: `0x${string}`) => Promise<unknown>
  readonly transaction: (hash: `0x${string}`) => Promise<unknown>
}

export const ACCOUNT = `0x${"12".repeat(20)}` as const

/** Returns slot or hash number `n`. It does this cheaply, because the time counts for every contender. */
export const wordOf = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

/** A kind of call. `n` makes each call different, because clients merge equal calls. */
export type Call = (reader: Reader) => (n: number) => Promise<unknown>

export const slot: Call = (reader) => (n) => reader.slot(ACCOUNT, wordOf(n))
export const block: Call = (reader) => (n) => reader.block(wordOf(n))
export const transaction: Call = (reader) => (n) => reader.transaction(wordOf(n))

/** Makes `count` calls at the same time. */
export const atOnce = (call: (n: number) => Promise<unknown>, count: number): Run =>
  count === 1
    ? async (first) => [await call(first)]
    : (first) => Promise.all(Array.from({ length: count }, (_, i) => call(first + i)))

/** Compares the tables of two indexers of the same chain. */
import { setTimeout } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"

import type { Indexer, Tables } from "./indexer.ts"

/** The outcome of a comparison: the tables at its end, and the transfers that the compared indexer lost. */
export interface Comparison {
  readonly isSame: boolean
  readonly expected: Tables
  readonly tables: Tables
  readonly lost: number
}

/** Milliseconds between two looks at the tables. */
const PAUSE = 250

/** Waits until both indexers have a transaction and the same tables, for at most so many milliseconds. */
export const compare = async (
  reference: Indexer,
  indexer: Indexer,
  transaction: string,
  limit: number
): Promise<Comparison> => {
  const end = performance.now() + limit
  const has = ({ sent = [] }: Tables): boolean => sent.some(({ id }) => id === transaction)
  for (;;) {
    const [expected = {}, tables = {}] = await Promise.all([reference.tables(), indexer.tables()])
    const isSame = has(expected) && has(tables) && isDeepStrictEqual(tables, expected)
    const isOver = performance.now() > end || indexer.isOver()
    if (isSame || isOver) return { isSame, expected, tables, lost: lostOf(expected, tables) }
    await setTimeout(PAUSE)
  }
}

/** Waits until an indexer has read what it calls history, or has ended, or for at most so many milliseconds. */
export const readHistory = async (indexer: Indexer, limit: number): Promise<void> => {
  const end = performance.now() + limit
  while ((await indexer.tables()) === undefined && !indexer.isOver() && performance.now() < end) {
    await setTimeout(PAUSE)
  }
}

/** Waits until an indexer has said something, for at most so many milliseconds. Returns the match. */
export const heard = async (indexer: Indexer, what: RegExp, limit: number): Promise<string | undefined> => {
  const end = performance.now() + limit
  for (;;) {
    const match = what.exec(indexer.said())
    if (match !== null || indexer.isOver() || performance.now() > end) return match?.[0]
    await setTimeout(PAUSE)
  }
}

/** Returns the number of transfers in blocks that the indexer has read, without those that it has. */
const lostOf = (expected: Tables, { sent = [], transfer = [] }: Tables): number => {
  const read = new Set(sent.map(({ id }) => id))
  const has = new Set(transfer.map(({ id }) => id))
  return (expected["transfer"] ?? []).filter(({ id, transaction }) => read.has(transaction) && !has.has(id)).length
}

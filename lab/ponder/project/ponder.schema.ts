/** The tables of the indexer. */
import { onchainTable } from "ponder"

export const transfer = onchainTable("transfer", (t) => ({
  id: t.text().primaryKey(),
  token: t.hex().notNull(),
  from: t.hex().notNull(),
  to: t.hex().notNull(),
  value: t.bigint().notNull(),
  block: t.bigint().notNull(),
  time: t.bigint().notNull(),
  transaction: t.hex().notNull()
}))

export const swap = onchainTable("swap", (t) => ({
  id: t.text().primaryKey(),
  pool: t.hex().notNull(),
  to: t.hex().notNull(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
  /** The gas of the transaction, from its receipt. */
  gas: t.bigint().notNull(),
  /** The pool's reserve after the block, from a call. */
  reserve: t.bigint().notNull(),
  /** The trader's ether after the block. */
  ether: t.bigint().notNull(),
  /** The word of the pool's storage that holds its price. */
  word: t.hex().notNull()
}))

export const sent = onchainTable("sent", (t) => ({
  id: t.hex().primaryKey(),
  to: t.hex(),
  input: t.hex().notNull(),
  nonce: t.integer().notNull(),
  block: t.hex().notNull()
}))

export const block = onchainTable("block", (t) => ({
  number: t.bigint().primaryKey(),
  hash: t.hex().notNull(),
  root: t.hex().notNull()
}))

/** The real transactions of the set, in the form of the JSON-RPC interface. */
import { files, json } from "../support/fixtures.ts"

type Json = Readonly<Record<string, any>>

/** A transaction of a real network, as nodes answer with it, and the file that it comes from. */
export interface Real {
  readonly file: string
  readonly transaction: Json
  /** True if the file had the field names of sequencers, which were translated to those of nodes. */
  readonly translated: boolean
}

/**
 * Translates a sequencer's transaction. Sequencers write some fields differently from nodes: the type of an invocation,
 * the names of resources, and the place where data is published, which sequencers write as a number. All other fields
 * and their order stay.
 */
const ofSequencer = (transaction: Json): Json => {
  const mode = (value: number): string => (value === 0 ? "L1" : "L2")
  const inOtherWords: Readonly<Record<string, (value: any) => unknown>> = {
    type: (type: string) => (type === "INVOKE_FUNCTION" ? "INVOKE" : type),
    resource_bounds: (bounds: Json) =>
      Object.fromEntries(Object.entries(bounds).map(([name, bound]) => [name.toLowerCase(), bound])),
    nonce_data_availability_mode: mode,
    fee_data_availability_mode: mode
  }
  return Object.fromEntries(
    Object.entries(transaction).map(([field, value]) => [field, inOtherWords[field]?.(value) ?? value])
  )
}

/** Adds the hash to a transaction of a block with receipts, where the receipt holds the hash. */
const withHash = (transaction: Json, receipt: Json): Json => ({
  transaction_hash: receipt["transaction_hash"],
  ...transaction
})

/** Yields the transactions in a value. Receipts have a type too, but no version. */
function* transactionsIn(value: any): Generator<Json> {
  if (typeof value !== "object" || value === null) return
  if (typeof value.type === "string" && typeof value.version === "string") yield value
  else if (value.receipt !== undefined) yield withHash(value.transaction, value.receipt)
  else for (const inner of Object.values(value)) yield* transactionsIn(inner)
}

/** Adds the hash to a single transaction. The name of its file contains the hash. */
const named = (file: string, transaction: Json): Json => {
  const hash = /_(0x[0-9a-f]+)\.json$/u.exec(file)?.[1]
  return transaction["transaction_hash"] === undefined && hash !== undefined
    ? { transaction_hash: hash, ...transaction }
    : transaction
}

const read = (pattern: string, translated: boolean): ReadonlyArray<Real> =>
  files(pattern).flatMap((file) =>
    [...transactionsIn(json(file))].map((transaction) => ({
      file,
      translated,
      transaction: named(file, translated ? ofSequencer(transaction) : transaction)
    }))
  )

/**
 * Returns all real transactions. A transaction without a hash is not in a block yet, and has the form in which its
 * sender submits it.
 */
export const real = (): ReadonlyArray<Real> => [
  ...read("4-starknet/pathfinder-gateway/*.json", true),
  ...read("4-starknet/starknet-rs/*.txt", true),
  ...read("4-starknet/starknet.go/*.json", false)
]

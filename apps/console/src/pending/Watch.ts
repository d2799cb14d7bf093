/**
 * Watches a node's pending transactions in a worker thread. This module starts the thread and defines its messages.
 */
import type { VerdictName } from "../look/VerdictMark.tsx"

/** The node to watch. The URL may hold a key, so it is sent only to the thread. */
export interface WatchOrder {
  readonly url: string
  /** The id of the chain, in hex: every hash covers it. It comes from the operator, not from the node. */
  readonly chainId: string
}

/** A transaction in the list. */
export interface PendingRow {
  /** The hash, and the number of earlier rows with the same hash. */
  readonly id: string
  readonly hash: string
  readonly type: string
  readonly version: string
  /** The field that names the account or the contract; undefined if there is none. */
  readonly address: string | undefined
  /** The number of felts in all lists of the transaction. */
  readonly felts: number
}

/** The verdict on a transaction. */
export interface PendingVerdict {
  readonly word: VerdictName
  /** The check that failed, with both hashes. */
  readonly refuted?: { readonly check: string; readonly expected: string; readonly got: string } | undefined
}

/** A field of an open transaction. */
export interface Field {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  /** The number of lines that are left out. */
  readonly more: number
  /** True if the hash covers the field; otherwise `why` says why not. */
  readonly isHashed: boolean
  readonly why: string | undefined
}

/** A felt that the hash covers, or the end of a list of felts. */
export interface HashedFelt {
  /** The name of the field that the felt holds, such as `calldata[0]`. */
  readonly name: string
  readonly felt: string
  /** The number of lists around the felt: 0 for a felt that the transaction's hash covers directly. */
  readonly depth: number
  /** If the felt is the hash of a list, the number of felts in that list; otherwise undefined. */
  readonly of: number | undefined
}

/** The felts that are hashed, and the hash that the thread computed from them. */
export interface Preimage {
  readonly algorithm: "pedersen" | "poseidon"
  readonly rows: ReadonlyArray<HashedFelt>
  /** The number of rows that are left out. */
  readonly more: number
  readonly hash: string
}

/** A transaction with its fields. */
export interface OpenedTransaction {
  readonly id: string
  readonly fields: ReadonlyArray<Field>
  /** Undefined for a transaction of an unknown kind, and for a transaction that is too long to hash here. */
  readonly preimage: Preimage | undefined
  /** Claims about the transaction as a whole, such as that it is pending. */
  readonly claims: ReadonlyArray<string>
}

/** A message from the worker thread. */
export type WorkerMessage =
  | { readonly _tag: "Listed"; readonly rows: ReadonlyArray<PendingRow>; readonly total: number; readonly at: number }
  /** The list has not changed. */
  | { readonly _tag: "Same"; readonly at: number }
  | { readonly _tag: "Judged"; readonly verdicts: ReadonlyArray<readonly [id: string, judged: PendingVerdict]> }
  | { readonly _tag: "Opened"; readonly opened: OpenedTransaction }
  /** `again` is the number of seconds after which the thread asks again; undefined if it does not. */
  | { readonly _tag: "Failed"; readonly message: string; readonly again: number | undefined }

/** A message to the worker thread. */
export type WorkerRequest =
  | { readonly _tag: "Watch"; readonly order: WatchOrder }
  | { readonly _tag: "Open"; readonly id: string }
  | { readonly _tag: "Pause"; readonly isPaused: boolean }

/** Maximum number of transactions that are listed. A node may send any number. */
export const MAX_ROWS = 20_000

/** A running watch. */
export interface Watch {
  readonly ask: (wish: WorkerRequest) => void
  readonly end: () => void
}

/** Starts the worker thread of a watch. Call `end` of the result to end the thread. */
export const begin = (order: WatchOrder, told: (news: WorkerMessage) => void): Watch => {
  const thread = new Worker(new URL("watchWorker.ts", import.meta.url), { type: "module" })
  thread.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => told(data))
  const message = "The thread that hashes did not start."
  thread.addEventListener("error", () => told({ _tag: "Failed", message, again: undefined }))
  const ask = (wish: WorkerRequest): void => thread.postMessage(wish, [])
  ask({ _tag: "Watch", order })
  return { ask, end: () => thread.terminate() }
}

/** Returns the id of a chain in hex, from the form that the service's configuration has: a number, hex, or a name. */
export const chainIdOf = (configured: number | string): string => {
  if (typeof configured === "number") return `0x${configured.toString(16)}`
  if (/^0x[0-9a-f]{1,62}$/iu.test(configured)) return configured.toLowerCase()
  return `0x${Array.from(configured.slice(0, 31), (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`
}

/** Returns the ASCII text of a felt, such as the chain id `SN_MAIN`; undefined if the felt is not ASCII text. */
export const chainName = (chainId: string): string | undefined => {
  const digits = chainId.slice(2)
  const bytes = digits.padStart(digits.length + (digits.length % 2), "0").match(/../gu) ?? []
  const name = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)))
  return /^[!-~]+$/u.test(name) ? name : undefined
}

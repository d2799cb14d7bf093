/** The interface between the suites and a popular client: how to make the client, and its reads. */
import type { Facts } from "./facts.ts"

/** The part of an EIP-1193 provider that popular clients need. */
export interface Provider {
  readonly request: (request: { readonly method: string; readonly params?: any }) => Promise<any>
  readonly on: (event: string, listener: (...payload: ReadonlyArray<any>) => void) => any
  readonly removeListener: (event: string, listener: (...payload: ReadonlyArray<any>) => void) => any
}

/** A way to a node. */
export type Way =
  | { readonly _tag: "Provider"; readonly provider: Provider }
  | { readonly _tag: "Http"; readonly url: string }
  | { readonly _tag: "WebSocket"; readonly url: string }

/** The reads of a client, keyed by name. */
export type Reads = Readonly<Record<string, () => Promise<unknown>>>

/** A client with its reads. */
export interface Client {
  /** Reads of facts, whose answers can be proven. */
  readonly facts: Reads
  /** Further reads of facts: a block of each kind, a transaction of each type, the logs of all blocks. */
  readonly kinds: Reads
  /**
   * Reads of advice, such as a gas price, and of `eth_call`. The provider and the proxy pass advice as CLAIMED, and
   * refuse `eth_call`.
   */
  readonly others: Reads
  /** Ends its connection. */
  readonly close: () => Promise<void> | void
}

/** A library. Its clients send each call once, and keep no answers. */
export interface Library {
  readonly name: string
  readonly make: (way: Way, facts: Facts) => Client
}

/** Returns one named read for each item. */
export const each = <A>(
  prefix: string,
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  read: (one: A) => Promise<unknown>
): Reads => Object.fromEntries(all.map((one) => [`${prefix} ${nameOf(one)}`, () => read(one)]))

/** The outcome of a read: its value as text, or the code of its error (0 if the error has no code). */
export type Outcome = { readonly value: string } | { readonly code: number }

/** Returns a value with all its parts as text, including each bigint. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? "undefined"

/** The members in which libraries keep the original error. */
const INNER = ["error", "info", "cause", "innerError"] as const

/** Returns the error code of the node, the provider or the proxy. Each library wraps this code in its own errors. */
const codeOf = (error: any): number => {
  // viem gives errors without a number the code -1
  if (typeof error?.code === "number" && error.code !== -1) return error.code
  for (const member of INNER) {
    const code = typeof error?.[member] === "object" ? codeOf(error[member]) : 0
    if (code !== 0) return code
  }
  return 0
}

/** Reads one after the other, because some lies are told every second time. */
export const outcomes = async (reads: Reads): Promise<ReadonlyMap<string, Outcome>> => {
  const found = new Map<string, Outcome>()
  for (const [name, read] of Object.entries(reads)) {
    found.set(
      name,
      await read().then(
        (value): Outcome => ({ value: text(value) }),
        (error): Outcome => ({ code: codeOf(error) })
      )
    )
  }
  return found
}

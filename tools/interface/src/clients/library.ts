/** A client of the field as the suites have it: how it is made, and what it reads. */
import type { Facts } from "./facts.ts"

/** The part of an EIP-1193 provider that clients of the field ask for. */
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

/** Reads of a client by name. */
export type Reads = Readonly<Record<string, () => Promise<unknown>>>

/** A client that was made. */
export interface Client {
  /** Reads of facts, which a proof decides. */
  readonly facts: Reads
  /** Further ones: a block of each kind, a transaction of each type, the logs of all blocks. */
  readonly kinds: Reads
  /** Reads of advice and of calls: the door passes the first kind marked, and refuses the second. */
  readonly others: Reads
  /** Ends its connection. */
  readonly close: () => Promise<void> | void
}

/** A library. Its clients send each call once, and keep no answers. */
export interface Library {
  readonly name: string
  readonly make: (way: Way, facts: Facts) => Client
}

/** Returns a read for each of several things, under a name for each. */
export const each = <A>(
  prefix: string,
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  read: (one: A) => Promise<unknown>
): Reads => Object.fromEntries(all.map((one) => [`${prefix} ${nameOf(one)}`, () => read(one)]))

/** The outcome of a read: its value as text, or the code of its error (0 if it has none). */
export type Outcome = { readonly value: string } | { readonly code: number }

/** Returns a value as text that shows each bigint, and each part of it. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? "undefined"

/** The members in which libraries keep the error that they were given. */
const INNER = ["error", "info", "cause", "innerError"] as const

/** Returns the code that a node or a door gave, which each library wraps in errors of its own. */
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

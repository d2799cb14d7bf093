/**
 * Answers of a node of the second chain as `PendingTransactions` looks at them: as little as it must see is read, and
 * what it hands on unseen is still the node's bytes.
 */

import { membersOf, parse } from "./jsonMembers.ts"

/** A version, which is a short text. Anything else is nothing that a version could be. */
export const version = (json: Uint8Array): unknown => (json.length <= MAX_VERSION ? parse(json) : undefined)

const MAX_VERSION = 256

/** A block: whether it has a hash, and its transactions as a list that nobody has read. */
export const block = (json: Uint8Array): unknown => {
  const members = membersOf(json)
  if (members === undefined) return undefined
  const hash = members.get("block_hash")
  const transactions = members.get("transactions")
  return {
    block_hash: hash === undefined || isNull(hash) ? undefined : HASH,
    transactions: transactions?.[0] === OPEN_BRACKET ? list(transactions) : undefined
  }
}

/** That there is one is enough to know. */
const HASH = "0x"

/** A list that stands for its text. */
export const list = (json: Uint8Array): ReadonlyArray<unknown> => {
  const unread: ReadonlyArray<unknown> = []
  texts.set(unread, json)
  return unread
}

/** The JSON text of what the middleware answers with: of a list from here the node's own, else it is the empty list. */
export const bytesOf = (answer: unknown): Uint8Array => texts.get(answer as ReadonlyArray<unknown>) ?? EMPTY

const OPEN_BRACKET = 0x5b

const texts = new WeakMap<ReadonlyArray<unknown>, Uint8Array>()

const EMPTY = new TextEncoder().encode("[]")

const isNull = (json: Uint8Array): boolean => parse(json.subarray(0, MAX_VERSION)) === null

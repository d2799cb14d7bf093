/**
 * Reads answers of a node of the second chain for `PendingTransactions`. As little as possible is parsed, and unparsed
 * parts are passed on as the node's bytes.
 */
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"

/** Parses a version, which is a short text. Anything else cannot be a version. */
export const version = (json: Uint8Array): unknown => (json.length <= MAX_VERSION ? JsonBytes.parse(json) : undefined)

const MAX_VERSION = 256

/** Reads two fields of a block: a placeholder if the block has a hash, and the transactions as an unparsed list. */
export const block = (json: Uint8Array): unknown => {
  const members = JsonBytes.membersOf(json)
  if (members === undefined) return undefined
  const hash = members.get("block_hash")
  const transactions = members.get("transactions")
  return {
    block_hash: hash === undefined || isNull(hash) ? undefined : HASH,
    transactions: transactions?.[0] === JsonBytes.OPEN_BRACKET ? list(transactions) : undefined
  }
}

/** A placeholder for a block's hash, because only the presence of a hash matters. */
const HASH = "0x"

/** Returns an empty list as a placeholder for the given JSON text. The text is not parsed. */
export const list = (json: Uint8Array): ReadonlyArray<unknown> => {
  const unread: ReadonlyArray<unknown> = []
  texts.set(unread, json)
  return unread
}

/**
 * Returns the JSON text of the middleware's answer. A list made by `list` returns the node's text; any other list is
 * empty.
 */
export const bytesOf = (answer: unknown): Uint8Array => texts.get(answer as ReadonlyArray<unknown>) ?? EMPTY

const texts = new WeakMap<ReadonlyArray<unknown>, Uint8Array>()

const EMPTY = new TextEncoder().encode("[]")

const isNull = (json: Uint8Array): boolean => JsonBytes.parse(json.subarray(0, MAX_VERSION)) === null

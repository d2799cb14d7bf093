/** Tells which questions about logs are so long that their proof needs a turn, in the mode `prove`. */
import * as Predicate from "effect/Predicate"

/** The methods that prove a range of logs. The second asks for the logs of a filter, which is the first method. */
const names: ReadonlySet<string> = new Set(["eth_getLogs", "eth_getFilterLogs"])

/** True if a method proves a range of logs. */
export const isOf = (method: string): boolean => names.has(method)

/** Maximum number of blocks of a range that needs no turn: their headers are read in one part. */
const SHORT = 64n

/**
 * True if the proof of an answer to `eth_getLogs` may need many reads. A range of few blocks needs few. The length of a
 * range that a tag bounds is not known, unless both ends are the same.
 */
export const isLong = (method: string, params: ReadonlyArray<unknown>): boolean => {
  const filter = params[0]
  if (method !== "eth_getLogs" || !Predicate.isObject(filter) || Predicate.hasProperty(filter, "blockHash"))
    return false
  const from = boundOf(filter, "fromBlock")
  const to = boundOf(filter, "toBlock")
  return from !== to && !(typeof from === "bigint" && typeof to === "bigint" && to - from < SHORT)
}

const boundOf = (filter: object, name: string): bigint | string => {
  const bound = Predicate.hasProperty(filter, name) ? filter[name] : undefined
  if (!Predicate.isString(bound)) return "latest"
  return QUANTITY.test(bound) ? BigInt(bound) : bound
}

/** Matches the number of a block. Longer ones are the number of none. */
const QUANTITY = /^0x[\da-f]{1,16}$/iu

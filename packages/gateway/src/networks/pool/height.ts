/** Numbers of latest blocks and their differences; and ids of chains, which are numbers too. */

import { Buffer } from "node:buffer"

/** Parses a number, or a quantity in 0x hex. Undefined for anything else. */
export const read = (json: Uint8Array): bigint | undefined => {
  const text = decoder.decode(json.subarray(0, MAX_BYTES)).trim()
  const digits = /^(?:(\d{1,20})|"(0x[0-9a-fA-F]{1,16})")$/u.exec(text)
  return digits === null ? undefined : BigInt(digits[1] ?? digits[2]!)
}

export const highest = (heights: ReadonlyArray<bigint | undefined>): bigint | undefined =>
  heights.reduce(
    (first, height) => (first === undefined || (height !== undefined && height > first) ? height : first),
    undefined
  )

/** Returns the blocks behind, never below zero; undefined without two numbers to compare. */
export const behind = (height: bigint | undefined, first: bigint | undefined): number | undefined =>
  height === undefined || first === undefined ? undefined : Math.max(0, Number(first - height))

/** Parses the id of a chain. Undefined for anything else. */
export const readId = (json: Uint8Array): bigint | undefined => {
  const text = decoder.decode(json.subarray(0, 96)).trim()
  const digits = /^(?:(\d{1,20})|"(0x[0-9a-fA-F]{1,64})")$/u.exec(text)
  return digits === null ? undefined : BigInt(digits[1] ?? digits[2]!)
}

/** Returns a configured id as a number: from a number, a `0x` hex text, or a text whose ASCII bytes are the number. */
export const idOf = (id: number | string): bigint =>
  typeof id === "number" || /^0x[0-9a-f]+$/iu.test(id)
    ? BigInt(id)
    : BigInt(`0x${Buffer.from(id, "latin1").toString("hex") || "0"}`)

const MAX_BYTES = 64

const decoder = new TextDecoder()

/** Reads the numbers of latest blocks, and chain ids. */

import { Buffer } from "node:buffer"

import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"

/** Parses a number, or a quantity in 0x hex. Returns undefined for anything else. */
export const read = (json: Uint8Array): bigint | undefined => {
  const text = decoder.decode(json.subarray(0, MAX_BYTES)).trim()
  const digits = /^(?:(\d{1,20})|"(0x[0-9a-fA-F]{1,16})")$/u.exec(text)
  return digits === null ? undefined : BigInt(digits[1] ?? digits[2]!)
}

/** Reads the latest block from the answer to a probe: a number, or a block. Returns undefined for anything else. */
export const readHead = (json: Uint8Array): ProbedHead | undefined => {
  const number = read(json)
  if (number !== undefined) return { number: Number(number) }
  const block = JsonBytes.membersOf(json)
  const of = (name: string): number | undefined => {
    const member = block?.get(name)
    const value = member === undefined ? undefined : read(member)
    return value === undefined ? undefined : Number(value)
  }
  const height = of("number") ?? of("block_number")
  if (height === undefined) return undefined
  const hash = /^"(0x[0-9a-fA-F]{1,64})"$/u.exec(decoder.decode(block?.get("hash")?.subarray(0, 80)))?.[1]
  const seconds = of("timestamp")
  return { number: height, hash, time: seconds === undefined ? undefined : seconds * 1000 }
}

/** The latest block of a node, as a probe read it. */
export interface ProbedHead {
  readonly number: number
  readonly hash?: string | undefined
  /** The timestamp of the block, in milliseconds since the epoch. */
  readonly time?: number | undefined
}

/** Parses the id of a chain. Returns undefined for anything else. */
export const readId = (json: Uint8Array): bigint | undefined => {
  const text = decoder.decode(json.subarray(0, 96)).trim()
  const digits = /^(?:(\d{1,20})|"(0x[0-9a-fA-F]{1,64})")$/u.exec(text)
  return digits === null ? undefined : BigInt(digits[1] ?? digits[2]!)
}

/**
 * Returns a chain id from the options as a number. The option is a number, a `0x` hex text, or a text whose ASCII bytes
 * are the number.
 */
export const idOf = (id: number | string): bigint =>
  typeof id === "number" || /^0x[0-9a-f]+$/iu.test(id)
    ? BigInt(id)
    : BigInt(`0x${Buffer.from(id, "latin1").toString("hex") || "0"}`)

const MAX_BYTES = 64

const decoder = new TextDecoder()

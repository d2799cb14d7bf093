/**
 * The bloom filters of logs: 256 bytes in which each address and topic of a log sets three bits.
 *
 * A bit that is not set proves that a log is not there; bits that are set prove nothing.
 *
 * Source: Yellow Paper, section 4.3.1.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"

import { filterValues } from "./filterValues.ts"
import type * as Log from "./Log.ts"
import type * as LogFilter from "./LogFilter.ts"

/** Bytes of a bloom filter. */
export const SIZE = 256

/** The parts of a log that enter a bloom filter. */
export type Logged = Pick<Log.Log, "address" | "topics">

/**
 * Returns the bloom filter of each list of logs, in the order of the lists. It equals the `logsBloom` of a receipt with
 * these logs. All hashes are computed together.
 *
 * ```ts import.meta.vitest
 * import { LogsBloom } from "@plumbline/eth-methods"
 *
 * LogsBloom.ofEach([[]]) // => [new Uint8Array(256)]
 * ```
 */
export const ofEach = (lists: ReadonlyArray<ReadonlyArray<Logged>>): ReadonlyArray<Uint8Array<ArrayBuffer>> => {
  const texts = new Set<Hex.Hex>()
  for (const logs of lists) {
    for (const log of logs) {
      texts.add(log.address)
      for (const topic of log.topics) texts.add(topic)
    }
  }
  const bits = bitsOf(texts)
  return lists.map((logs) => {
    const bloom = new Uint8Array(SIZE)
    for (const log of logs) {
      set(bloom, bits.get(log.address)!)
      for (const topic of log.topics) set(bloom, bits.get(topic)!)
    }
    return bloom
  })
}

/** Combines the bits of several filters, such as the filters of all receipts of a block into the block's filter. */
export const union = (blooms: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const out = new Uint8Array(SIZE)
  for (const bloom of blooms) for (let i = 0; i < SIZE; i++) out[i]! |= bloom[i]!
  return out
}

/**
 * True if a block (or receipt) with this `logsBloom` can hold logs that the filter selects; false proves that it holds
 * none.
 *
 * ```ts import.meta.vitest
 * import { Hash32, Hex } from "@plumbline/codec"
 * import { LogsBloom } from "@plumbline/eth-methods"
 *
 * const none = Hex.fromBytes(new Uint8Array(256))
 * LogsBloom.mayMatch(none, { topics: [Hash32.ZERO] }) // => false
 * LogsBloom.mayMatch(none, {}) // => true
 * ```
 */
export const mayMatch = (logsBloom: Hex.Hex, filter: LogFilter.Selection): boolean => matcher(filter)(logsBloom)

/**
 * Returns a test of `logsBloom` values, which gives the same result as `mayMatch`. The values of the filter are hashed
 * once, so the test takes microseconds per block.
 *
 * ```ts import.meta.vitest
 * import { Hash32, Hex } from "@plumbline/codec"
 * import { LogsBloom } from "@plumbline/eth-methods"
 *
 * const mayMatch = LogsBloom.matcher({ topics: [Hash32.ZERO] })
 * mayMatch(Hex.fromBytes(new Uint8Array(256))) // => false
 * mayMatch(Hex.fromBytes(new Uint8Array(256).fill(255))) // => true
 * ```
 */
export const matcher = (filter: LogFilter.Selection): ((logsBloom: Hex.Hex) => boolean) => {
  const wanted = [filter.address, ...(filter.topics ?? [])].flatMap((one) => filterValues(one) ?? [])
  const bits = bitsOf(new Set(wanted.flatMap((texts) => [...texts] as Array<Hex.Hex>)))
  const positions = wanted.map((texts) => [...texts].map((text) => bits.get(text as Hex.Hex)!))
  return (logsBloom) => {
    const bloom = Hex.toBytesUnsafe(logsBloom)
    return positions.every((alternatives) => alternatives.some((bits) => isSet(bloom, bits)))
  }
}

/** The positions of three bits, out of 2048. */
type Bits = readonly [number, number, number]

const bitsOf = (texts: ReadonlySet<Hex.Hex>): ReadonlyMap<Hex.Hex, Bits> => {
  const writer = RlpWriter.make(34 * texts.size + 64)
  const inputs: Array<Uint8Array> = []
  for (const text of texts) {
    const from = writer.position
    writer.data(text)
    // an address or topic has 20 or 32 bytes, so its RLP head is one byte
    inputs.push(writer.view(from + 1))
  }
  const hashes = Keccak256.hashMany(inputs)
  const out = new Map<Hex.Hex, Bits>()
  let at = 0
  for (const text of texts) {
    const hash = hashes[at++]!
    out.set(text, [bit(hash, 0), bit(hash, 2), bit(hash, 4)])
  }
  return out
}

const bit = (hash: Uint8Array, at: number): number => ((hash[at]! & 7) << 8) | hash[at + 1]!

/** Sets three bits of a filter. Bit 0 is the lowest bit of the last byte. */
const set = (bloom: Uint8Array, bits: Bits): void => {
  for (const bit of bits) bloom[SIZE - 1 - (bit >> 3)]! |= 1 << (bit & 7)
}

const isSet = (bloom: Uint8Array, bits: Bits): boolean =>
  bits.every((bit) => (bloom[SIZE - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0)

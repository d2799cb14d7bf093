/**
 * The latest block of each network, for operators. It is read on request, at most once a second, and costs no project
 * anything.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

import type { Network } from "../networks/Network.ts"
import type { RuntimeConfig } from "./runtimeConfig.ts"

/** The latest block that a node of the network has named. It is not proven. */
export interface NetworkHead {
  readonly number: bigint
  readonly hash: string
  /** The timestamp of the block, in milliseconds since the epoch. */
  readonly time: number
}

/** Returns the latest block of a network; undefined if none was ever read. */
export type NetworkHeads = (network: Network) => Effect.Effect<NetworkHead | undefined>

/**
 * Makes a reader of heads. The reader asks a network at most once per second. In between, or if the network does not
 * answer in time, it returns the last head. The head's `time` shows its age. A read is a call: after one with a head, the
 * network's state in `states` is `up`, so that no head stands beside "not asked yet".
 */
export const make = (states: RuntimeConfig["states"]): NetworkHeads => {
  const known = new WeakMap<Network, Known>()
  return (network) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const entry = known.get(network) ?? { head: undefined, askedAt: -Infinity }
      known.set(network, entry)
      // The absolute difference is used so that a clock that was set back does not stop the reads.
      if (Math.abs(now - entry.askedAt) < FRESH) return Effect.succeed(entry.head)
      entry.askedAt = now
      const asked = askOf(network)
      if (asked === undefined) return Effect.undefined
      return asked.pipe(
        Effect.timeoutOption(TIMEOUT),
        Effect.match({
          onFailure: () => entry.head,
          onSuccess: (answer) => {
            const head = answer._tag === "Some" ? read(answer.value) : undefined
            if (head === undefined) return entry.head
            states.set(network, "up")
            return (entry.head = head)
          }
        })
      )
    })
}

interface Known {
  head: NetworkHead | undefined
  askedAt: number
}

/** Minimum time between two reads of a head, in milliseconds. */
const FRESH = 1000

const TIMEOUT = "2 seconds"

const askOf = ({ methods, upstream }: Network) =>
  methods.get(ETH) !== undefined
    ? upstream.call(ETH, ["latest", false])
    : methods.get(STARKNET) !== undefined
      ? upstream.call(STARKNET, ["latest"])
      : undefined

const ETH = "eth_getBlockByNumber"
const STARKNET = "starknet_getBlockWithTxHashes"

/** Maximum size of an answer that is read, in bytes. A block of ten thousand transactions has 700 kB. */
const MAX_BYTES = 4 * 1024 * 1024

/** Reads the head from a block of either chain; undefined for anything else. */
export const read = (json: Uint8Array): NetworkHead | undefined => {
  if (json.length > MAX_BYTES) return undefined
  const block = parsed(json)
  const number = numberOf(block?.["number"] ?? block?.["block_number"])
  const hash = block?.["hash"] ?? block?.["block_hash"]
  const time = numberOf(block?.["timestamp"])
  if (number === undefined || time === undefined || typeof hash !== "string" || !/^0x[0-9a-f]{1,64}$/iu.test(hash)) {
    return undefined
  }
  const millis = Number(time) * 1000
  return millis <= MAX_TIME ? { number, hash, time: millis } : undefined
}

/** The latest time that a Date can hold. */
const MAX_TIME = 8.64e15

const parsed = (json: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(decoder.decode(json))
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** Reads a whole number, or a quantity in 0x hex of at most 64 bits. */
const numberOf = (value: unknown): bigint | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  return typeof value === "string" && /^0x[0-9a-f]{1,16}$/iu.test(value) ? BigInt(value) : undefined
}

const decoder = new TextDecoder()

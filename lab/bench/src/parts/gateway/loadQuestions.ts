/**
 * The questions of the rows. A question makes the body of each call from its number. All bodies of a question have the
 * same length.
 */
import * as Chain from "./provableChain.ts"

/** Returns the body of the call with the number `n`. */
export type Question = (n: number) => string

const DIGITS = 12

const positionOf = (n: number): string => `0x${n.toString(16).padStart(DIGITS, "0").padStart(64, "0")}`

const call = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`

/** Asks for a different slot of the latest block each time, so that no answer can be cached. */
export const slot: Question = (n) => call("eth_getStorageAt", `"0x${"12".repeat(20)}","${positionOf(n)}","latest"`)

const slotAt = (position: number): string =>
  call("eth_getStorageAt", `"${Chain.address}","${positionOf(position)}","${Chain.blockHash}"`)

/** Asks for a different slot of the block each time. The answer can be cached, but is not cached yet. */
export const newSlot: Question = (n) => slotAt(n + 1_000_000)

/** Asks for a few slots of the block again and again. */
export const knownSlot: Question = (n) => slotAt(Chain.setSlots[n % Chain.setSlots.length]!)

/** Asks for transactions that are checked, but whose place is not proven, so that no answer is cached. */
export const transaction: Question = (n) =>
  call("eth_getTransactionByHash", `"${Chain.transactionHashes[n % Chain.transactionHashes.length]!}"`)

/** Asks for the whole block by its hash again and again. */
export const block: Question = () => call("eth_getBlockByHash", `"${Chain.blockHash}",true`)

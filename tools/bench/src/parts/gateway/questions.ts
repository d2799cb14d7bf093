/** The calls of the rows: the body of the call with each number. All bodies of a question have the same length. */
import * as Chain from "./chain.ts"

/** Returns the body of the call with a number. */
export type Question = (n: number) => string

const DIGITS = 12

const positionOf = (n: number): string => `0x${n.toString(16).padStart(DIGITS, "0").padStart(64, "0")}`

const call = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`

/** Asks for another slot each time, of the latest block: nothing can be kept. */
export const slot: Question = (n) => call("eth_getStorageAt", `"0x${"12".repeat(20)}","${positionOf(n)}","latest"`)

const slotAt = (position: number): string =>
  call("eth_getStorageAt", `"${Chain.address}","${positionOf(position)}","${Chain.blockHash}"`)

/** Asks for another slot each time, of the block: the answer could be kept, and is not there yet. */
export const newSlot: Question = (n) => slotAt(n + 1_000_000)

/** Asks for a few slots of the block again and again. */
export const knownSlot: Question = (n) => slotAt(Chain.setSlots[n % Chain.setSlots.length]!)

/** Asks for transactions that are checked, and whose place is not proven: no answer is kept. */
export const transaction: Question = (n) =>
  call("eth_getTransactionByHash", `"${Chain.transactionHashes[n % Chain.transactionHashes.length]!}"`)

/** Asks for the whole block by its hash again and again. */
export const block: Question = () => call("eth_getBlockByHash", `"${Chain.blockHash}",true`)

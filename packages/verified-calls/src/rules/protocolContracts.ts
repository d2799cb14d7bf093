/**
 * Contracts that the protocol writes to with each block.
 *
 * Sources: EIP-2935, 4788, 7002, 7251.
 */
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as Verify from "@plumbline/eth-methods/proof/Verify"

/** Keeps the hashes of older blocks (EIP-2935). */
export const HISTORY: string = /* @__PURE__ */ Verify.ancestorQuestion(0n).address.toLowerCase()

/** Keeps the roots of the beacon chain (EIP-4788). */
export const BEACON_ROOTS = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02"

/** The queues of requests, which the end of a block shortens: withdrawals (EIP-7002) and consolidations (EIP-7251). */
export const QUEUES: ReadonlyArray<string> = [
  "0x00000961ef480eb55e80d19ad83579a64c007002",
  "0x0000bbddc7ce488642fb579f8b00f3a590007251"
]

/** All of them. */
export const all: ReadonlyArray<string> = [HISTORY, BEACON_ROOTS, ...QUEUES]

/** `HISTORY_BUFFER_LENGTH` (EIP-4788): the number of times whose roots are kept. */
const ROOTS = 8191n

/** Returns the key of the slot that has the hash of a block. */
export const historyKey = (number: bigint): string => Verify.ancestorQuestion(number).storageKeys[0]!

/** Returns the slots that a block of this time writes, with their words. The root is zero, as eth_simulateV1 has it. */
export const beaconSlots = (timestamp: bigint): ReadonlyArray<readonly [key: string, word: bigint]> => [
  [StorageKey.fromSlot(timestamp % ROOTS), timestamp],
  [StorageKey.fromSlot((timestamp % ROOTS) + ROOTS), 0n]
]

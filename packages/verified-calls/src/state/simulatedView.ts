/**
 * The proven state below simulated blocks, with what the protocol writes at the beginning of each of them.
 *
 * A simulated block has no hash, because its state root is not known. A run ends if it reads such a hash, or a queue that
 * the end of a simulated block has shortened.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"

import { unsupported } from "../rules/callFailures.ts"
import { type Hardfork, isSince } from "../rules/Hardforks.ts"
import * as ProtocolContracts from "../rules/protocolContracts.ts"
import type { ProvenAccount, StateView } from "./stateView.ts"

export interface SimulatedView extends StateView {
  /** Begins the next block. */
  readonly enter: (block: { readonly number: bigint; readonly timestamp: bigint; readonly hardfork: Hardfork }) => void
}

/** A word that the protocol wrote, or undefined for one that is not known. */
type Words = Map<string, bigint | undefined>

/** Slots of a contract with some words in place of the proven ones. */
class Slots extends Map<string, bigint> {
  readonly #proven: ReadonlyMap<string, bigint>
  readonly #written: Words

  constructor(proven: ReadonlyMap<string, bigint>, written: Words) {
    super()
    this.#proven = proven
    this.#written = written
  }

  override get(key: string): bigint | undefined {
    if (!this.#written.has(key)) return this.#proven.get(key)
    const word = this.#written.get(key)
    if (word === undefined) throw unsupported(SIMULATED_HASH)
    return word
  }
}

/** Makes the view. `base` is the real block below the simulated ones. */
export const make = (
  view: StateView,
  base: { readonly number: bigint; readonly hash: Hash32.Hash32 }
): SimulatedView => {
  const history: Words = new Map()
  const beacon: Words = new Map()
  let entered = 0
  let current = base.number

  /** A contract with code, and words that the protocol wrote there. A contract that does not exist gets none. */
  const written = (account: ProvenAccount | undefined, words: Words): ProvenAccount | undefined =>
    account === undefined || !account.exists || account.codeHash === Keccak256.EMPTY || words.size === 0
      ? account
      : {
          ...account,
          // not the root of an empty storage, for which no slot is looked up
          storageRoot: Hash32.ZERO,
          slots: new Slots(account.slots, words)
        }

  return {
    code: view.code,
    account: (address) => {
      const account = view.account(address)
      if (address === ProtocolContracts.HISTORY) return written(account, history)
      if (address === ProtocolContracts.BEACON_ROOTS) return written(account, beacon)
      if (entered > 1 && ProtocolContracts.QUEUES.includes(address)) {
        throw unsupported("a queue of requests after a simulated block")
      }
      return account
    },
    blockHash: (number) => {
      if (number < base.number) return view.blockHash(number)
      if (number === base.number) return base.hash
      throw unsupported(SIMULATED_HASH)
    },
    enter: ({ hardfork, number, timestamp }) => {
      if (isSince(hardfork, "prague")) {
        history.set(ProtocolContracts.historyKey(number - 1n), current === base.number ? BigInt(base.hash) : undefined)
      }
      if (isSince(hardfork, "cancun")) {
        for (const [key, word] of ProtocolContracts.beaconSlots(timestamp)) beacon.set(key, word)
      }
      current = number
      entered += 1
    }
  }
}

const SIMULATED_HASH = "the hash of a simulated block"

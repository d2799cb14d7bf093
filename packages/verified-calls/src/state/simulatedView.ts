/**
 * The proven state below simulated blocks, with what the protocol writes at the beginning of each of them.
 *
 * A simulated block has no hash, because its state root is not known. A run that reads such a hash, or a queue that the end
 * of a simulated block has shortened, has no outcome: `refused` says so.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hash32Value from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"

import { type Hardfork, isSince } from "../rules/Hardforks.ts"
import * as ProtocolContracts from "../rules/protocolContracts.ts"
import type { ProvenAccount, StateView } from "./stateView.ts"

export interface SimulatedView extends StateView {
  /** Begins the next block. */
  readonly enter: (block: { readonly number: bigint; readonly timestamp: bigint; readonly hardfork: Hardfork }) => void
  /** What the run read that no simulation has; undefined if there was nothing. */
  readonly refused: () => string | undefined
}

/** A word that the protocol wrote, or undefined for one that is not known. */
type Words = Map<string, bigint | undefined>

/** Slots of a contract with some words in place of the proven ones. */
class Slots extends Map<string, bigint> {
  readonly #proven: ReadonlyMap<string, bigint>
  readonly #written: Words
  readonly #refuse: () => void

  constructor(proven: ReadonlyMap<string, bigint>, written: Words, refuse: () => void) {
    super()
    this.#proven = proven
    this.#written = written
    this.#refuse = refuse
  }

  override get(key: string): bigint | undefined {
    if (!this.#written.has(key)) return this.#proven.get(key)
    const word = this.#written.get(key)
    if (word === undefined) this.#refuse()
    return word ?? 0n
  }
}

/** Makes the view. `base` is the real block below the simulated ones. */
export const make = (
  view: StateView,
  base: { readonly number: bigint; readonly hash: Hash32.Hash32 }
): SimulatedView => {
  const history: Words = new Map()
  const beacon: Words = new Map()
  let refused: string | undefined
  let entered = 0
  let current = base.number
  const refuse = (what: string): void => {
    refused ??= what
  }

  /** A contract with code, and words that the protocol wrote there. A contract that does not exist gets none. */
  const written = (account: ProvenAccount | undefined, words: Words, what: string): ProvenAccount | undefined =>
    account === undefined || !account.exists || account.codeHash === Keccak256.EMPTY || words.size === 0
      ? account
      : {
          ...account,
          // not the root of an empty storage, for which no slot is looked up
          storageRoot: Hash32Value.ZERO,
          slots: new Slots(account.slots, words, () => refuse(what))
        }

  return {
    code: view.code,
    account: (address) => {
      const account = view.account(address)
      if (address === ProtocolContracts.HISTORY) return written(account, history, SIMULATED_HASH)
      if (address === ProtocolContracts.BEACON_ROOTS) return written(account, beacon, SIMULATED_HASH)
      if (entered > 1 && ProtocolContracts.QUEUES.includes(address))
        refuse("a queue of requests after a simulated block")
      return account
    },
    blockHash: (number) => {
      if (number < base.number) return view.blockHash(number)
      if (number === base.number) return base.hash
      refuse(SIMULATED_HASH)
      return Hash32Value.ZERO
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
    },
    refused: () => refused
  }
}

const SIMULATED_HASH = "the hash of a simulated block"

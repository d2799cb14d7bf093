/**
 * Finds the variables that a bundle proves, by name, without paths from the caller.
 *
 * The names of variables come from the layout, and the keys of mappings from their bytes in the bundle. Names and keys
 * do not change the proven fact, which is a word at a slot. The reader chooses the layout; nothing here proves that it
 * belongs to the contract.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as TrieProof from "@plumbline/merkle-trie/proof/TrieProof"
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type * as StorageType from "@plumbline/storage-layout/layout/StorageType"
import * as Location from "@plumbline/storage-layout/location/Location"
import * as SlotPreimage from "@plumbline/storage-layout/location/SlotPreimage"
import type * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import * as Readable from "@plumbline/storage-layout/read/Readable"
import * as Slot from "@plumbline/storage-layout/slot/Slot"
import * as Plan from "@plumbline/storage-layout/value/Plan"
import * as Result from "effect/Result"

import type { ProofBundle } from "../bundle/ProofBundle.ts"
import * as BundleState from "./bundleState.ts"
import type { NotInBundleError } from "./NotInBundleError.ts"
import * as StorageLeaves from "./storageLeaves.ts"

/** A proven word without a name in the layout. */
export interface Unnamed {
  /** The word's slot, if the bundle has a preimage of the hash. */
  readonly slot: Slot.Slot | undefined
  /** Keccak-256 of the word's slot. This hash is the path to the word in the trie. */
  readonly slotHash: Hash32.Hash32
  readonly word: bigint
}

/** Parts of a contract's storage. */
export interface ProvenStorage {
  /** Whole variables, parts of other variables, and entries of mappings, in the layout's order. */
  readonly locations: ReadonlyArray<Location.Location>
  /** Variables without any word in the bundle. */
  readonly missing: ReadonlyArray<string>
  /** Mappings without an entry in the bundle, and variables that could not be searched. */
  readonly left: ReadonlyArray<Readable.LeftOutVariable>
  /** Words other than zero that belong to none of the locations, in the order of the trie. */
  readonly unnamed: ReadonlyArray<Unnamed>
}

/** Maximum number of parts of variables that are searched. Further parts are listed in `left` as `TooLarge`. */
export const MAX_PLACES = 65_536

/**
 * Maximum number of words that the locations of one bundle span. Pass it as `maxWords` when you read the locations, so
 * that the same values are too large in both steps.
 */
export const MAX_WORDS = 65_536

/**
 * Finds the variables of a contract that a bundle proves, and the entries of its mappings whose keys the bundle names.
 *
 * Fails with `NotInBundleError` if the bundle does not prove the account.
 */
export const find = (
  bundle: ProofBundle,
  contract: ContractStorage.StoredContract
): Result.Result<ProvenStorage, NotInBundleError> =>
  Result.map(BundleState.account(bundle, contract.address), (account) =>
    new Finder(bundle, contract.layout, account).find()
  )

/** The parts of one location that the bundle has. */
interface Found {
  /** True if the bundle has every word of the location's value, and the value has at least one. */
  readonly isWhole: boolean
  /** The location, or the parts of the location that the bundle has. */
  readonly parts: ReadonlyArray<Location.Location>
  /** Entries of the mappings within the location. */
  readonly entries: ReadonlyArray<Location.Location>
}

const NOTHING: Found = { isWhole: false, parts: [], entries: [] }

class Finder {
  readonly #bundle: ProofBundle
  readonly #layout: Layout
  readonly #root: Hash32.Hash32
  readonly #index: SlotPreimage.PreimageIndex
  readonly #words = new Map<Slot.Slot, bigint | undefined>()
  readonly #named = new Set<string>()
  readonly #large: Array<Readable.LeftOutVariable> = []
  #places = MAX_PLACES

  constructor(bundle: ProofBundle, layout: Layout, { storageRoot }: BundleState.BundleAccount) {
    this.#bundle = bundle
    this.#layout = layout
    this.#root = storageRoot
    this.#index = SlotPreimage.index(layout, bundle.preimages)
  }

  find(): ProvenStorage {
    const locations: Array<Location.Location> = []
    const missing: Array<string> = []
    const { left } = Readable.locate(this.#layout)
    const entered = new Set<string>()
    for (const variable of Readable.variables(this.#layout)) {
      const { entries, parts } = this.#look(variable)
      locations.push(...parts, ...entries)
      if (entries.length > 0) entered.add(variable.path)
      else if (parts.length === 0 && variable.type._tag !== "Mapping") missing.push(variable.path)
    }
    const unread = left.filter(({ path, reason }) => reason !== "Mapping" || !entered.has(path))
    const mappings = new Set(unread.map(({ path }) => path))
    return {
      locations,
      missing: missing.filter((path) => !mappings.has(path)),
      left: [...unread, ...this.#large],
      unnamed: this.#unnamed()
    }
  }

  #look(location: Location.Location): Found {
    if (this.#places-- <= 0) {
      if (this.#places === -1) {
        this.#large.push({ path: location.path, type: location.type.label, reason: "TooLarge" })
      }
      return NOTHING
    }
    const { type } = location
    if (type._tag === "Mapping") {
      const inside = SlotPreimage.entries(this.#layout, location, this.#index).map((entry) => this.#look(entry))
      return { isWhole: false, parts: [], entries: inside.flatMap(({ entries, parts }) => [...parts, ...entries]) }
    }
    const isWhole = this.#isWhole(location)
    if (isWhole && !this.#mayHoldMapping(type)) return { isWhole, parts: [location], entries: [] }
    const inside = this.#below(location).map((part) => this.#look(part))
    const parts = isWhole ? [location] : inside.flatMap(({ parts }) => parts)
    return { isWhole, parts, entries: inside.flatMap(({ entries }) => entries) }
  }

  /** Returns the parts of a value: members, elements and mappings. */
  #below({ path, type }: Location.Location): ReadonlyArray<Location.Location> {
    const at = (text: string): ReadonlyArray<Location.Location> => {
      const found = Location.locate(this.#layout, text)
      return Result.isSuccess(found) ? [found.success] : []
    }
    switch (type._tag) {
      case "Struct":
        return type.members.flatMap(({ name }) => at(`${path}.${name}`))
      case "FixedArray":
        return this.#elements(type.length, (i) => at(`${path}[${i}]`))
      case "DynamicArray":
      case "BoundedArray":
      case "DynamicBytes":
      case "BoundedBytes": {
        const [length] = at(`${path}.length`)
        const count = length === undefined ? undefined : this.#word(length.slot)
        if (length === undefined || count === undefined) return []
        return "base" in type ? [length, ...this.#elements(count, (i) => at(`${path}[${i}]`))] : [length]
      }
      default:
        return []
    }
  }

  #elements(length: bigint, at: (index: number) => ReadonlyArray<Location.Location>): ReadonlyArray<Location.Location> {
    // one element more than the limit, so that the search notices when it must leave some out
    const count = Math.min(Number(length), this.#places + 1)
    return Array.from({ length: Math.max(0, count) }, (_, i) => at(i)).flat()
  }

  /** True if the bundle has every word that a plan for the value reads, and the plan reads at least one. */
  #isWhole(location: Location.Location): boolean {
    const slots: Array<Slot.Slot> = []
    const started = Plan.start(this.#layout, [location], { maxWords: MAX_WORDS })
    if (Result.isFailure(started)) return false
    let plan = started.success
    while (plan._tag === "Want") {
      if (!plan.slots.every((slot) => this.#word(slot) !== undefined)) return false
      for (const slot of plan.slots) slots.push(slot)
      plan = Plan.give(plan, (slot) => this.#word(slot)!)
    }
    for (const slot of slots) this.#named.add(hashOf(slot))
    return slots.length > 0
  }

  /** Returns the word at a slot; undefined if the bundle does not prove it. */
  #word(slot: Slot.Slot): bigint | undefined {
    if (!this.#words.has(slot)) this.#words.set(slot, this.#prove(slot))
    return this.#words.get(slot)
  }

  #prove(slot: Slot.Slot): bigint | undefined {
    const way = Keccak256.hash(Slot.numberKey(slot))
    const made = TrieProof.make(this.#bundle.nodes, Hash32.toBytes(this.#root), way)
    if (Result.isFailure(made)) return undefined
    const { outcome } = made.success
    return outcome._tag === "Included" ? StorageLeaves.wordOf(outcome.value) : 0n
  }

  #mayHoldMapping(type: StorageType.StorageType): boolean {
    const seen = new Set([type])
    for (const inner of seen) {
      if (inner._tag === "Mapping") return true
      const below =
        inner._tag === "Struct" ? inner.members.map(({ type }) => type) : "base" in inner ? [inner.base] : []
      for (const id of below) seen.add(this.#layout.types.get(id)!)
    }
    return false
  }

  #unnamed(): ReadonlyArray<Unnamed> {
    const { nodes, preimages } = this.#bundle
    // a preimage may name two slots: the one that is its hash and, if it has 32 bytes, the one whose number it is
    const slots = new Map<string, Slot.Slot>()
    for (const bytes of preimages) {
      const hash = BigInt(Keccak256.hashHex(bytes))
      slots.set(hashOf(hash), hash)
      if (bytes.length === 32) slots.set(Keccak256.hashHex(bytes), BigInt(Hex.fromBytes(bytes)))
    }
    return StorageLeaves.wordsOf(this.#root, nodes)
      .filter(({ slotHash, word }) => word !== 0n && !this.#named.has(slotHash))
      .map(({ slotHash, word }) => ({ slot: slots.get(slotHash), slotHash, word }))
  }
}

const hashOf = (slot: Slot.Slot): Hash32.Hash32 => Keccak256.hashHex(Slot.numberKey(slot))

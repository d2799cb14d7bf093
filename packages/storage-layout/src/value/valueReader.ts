/** Decodes values from known words, and collects the slots of missing words. */
import * as Hex from "@plumbline/codec/hex/Hex"

import type { Layout } from "../layout/Layout.ts"
import * as StorageType from "../layout/StorageType.ts"
import * as ArrayElements from "../location/arrayElements.ts"
import type { Location } from "../location/Location.ts"
import * as Slot from "../slot/Slot.ts"
import * as Word from "../slot/word.ts"
import { type DecodedValue, Flaw, type FlawReason, type Value } from "./Value.ts"
import * as ValueWord from "./valueWord.ts"

/** Words of storage by their slots. */
export type KnownWords = ReadonlyMap<Slot.Slot, bigint>

/** The locations that a plan reads, and their layout. */
export interface ReadQuestion {
  readonly layout: Layout
  readonly locations: ReadonlyArray<Location>
  readonly maxDepth: number
}

/**
 * The number of words that the values may still span, and the decisions on parts of the values. A decision stays valid
 * in all later rounds. Without the decisions, each round would charge the same words again.
 */
export interface ReadBudget {
  readonly left: bigint
  /**
   * The decisions of the reader, by key. The key of a part with a length is the slot of that length. For the words in
   * place, the first location has the key -1, the second -2, and so on.
   */
  readonly granted: ReadonlyMap<bigint, boolean>
}

/** The parts of a path. The path is rendered only for a flaw. */
interface Trail {
  readonly parent: Trail | undefined
  readonly step: string
}

/** The result of one round. The values are valid only if `wanted` is empty. */
export interface ReadOutcome {
  readonly values: ReadonlyArray<DecodedValue>
  readonly wanted: ReadonlySet<Slot.Slot>
  readonly budget: ReadBudget
}

export const read = (question: ReadQuestion, words: KnownWords, budget: ReadBudget): ReadOutcome => {
  const reader = new Reader(question, words, budget)
  const values = question.locations.map((location, index) => reader.locate(location, index))
  return { values, wanted: reader.wanted, budget: reader.budget() }
}

/** True if the type has a value: every type except mappings and arrays of mappings. */
export const hasValue = ({ types }: Layout, type: StorageType.StorageType): boolean => {
  let inner = type
  while ("base" in inner) inner = types.get(inner.base)!
  return inner._tag !== "Mapping"
}

class Reader {
  readonly wanted = new Set<Slot.Slot>()
  readonly #question: ReadQuestion
  readonly #words: KnownWords
  readonly #granted: Map<bigint, boolean>
  #left: bigint
  #flaws: Array<Flaw> = []

  constructor(question: ReadQuestion, words: KnownWords, budget: ReadBudget) {
    this.#question = question
    this.#words = words
    this.#granted = new Map(budget.granted)
    this.#left = budget.left
  }

  budget(): ReadBudget {
    return { left: this.#left, granted: this.#granted }
  }

  locate(location: Location, index: number): DecodedValue {
    this.#flaws = []
    const trail = { parent: undefined, step: location.path }
    const value = this.#bounded(location, trail) ?? this.#start(location, index, trail)
    return { value, flaws: this.#flaws }
  }

  /** Returns the flaw of an index that its array does not have. */
  #bounded({ bounds }: Location, trail: Trail): Flaw | undefined {
    for (const { index, slot } of bounds) {
      const length = this.#word(slot)
      if (length !== undefined && length <= index) return this.#flaw("OutOfRange", trail)
    }
    return undefined
  }

  #start({ offset, part, slot, type }: Location, index: number, trail: Trail): Value {
    if (part === "length") return this.#length(type, slot, trail) ?? 0n
    if (!this.#spend(BigInt(-1 - index), StorageType.slots(type))) return this.#flaw("TooLarge", trail)
    return this.#value(type, slot, offset, trail, 0)
  }

  /**
   * Decodes a value. The result is arbitrary while one of its words is missing. The budget was already charged for the
   * words that the value spans in place.
   */
  #value(type: StorageType.StorageType, slot: Slot.Slot, offset: number, trail: Trail, depth: number): Value {
    if (depth > this.#question.maxDepth) return this.#flaw("TooDeep", trail)
    if (StorageType.isValueType(type)) {
      const word = this.#word(slot)
      if (word === undefined) return 0n
      const value = ValueWord.decode(type, word, offset, this.#question.layout.dialect)
      return typeof value === "object" && "flaw" in value ? this.#flaw(value.flaw, trail, value.bytes) : value
    }
    switch (type._tag) {
      case "DynamicBytes":
      case "BoundedBytes":
        return this.#content(type, slot, trail)
      case "Struct": {
        const { types } = this.#question.layout
        return Object.fromEntries(
          type.members.flatMap((member) => {
            const inner = types.get(member.type)!
            if (!hasValue(this.#question.layout, inner)) return []
            const below = { parent: trail, step: `.${member.name}` }
            return [[member.name, this.#value(inner, Slot.add(slot, member.slot), member.offset, below, depth + 1)]]
          })
        )
      }
      case "FixedArray":
        return this.#elements(type.base, slot, type.length, trail, depth)
      case "BoundedArray": {
        const length = this.#length(type, slot, trail)
        if (typeof length !== "bigint") return length ?? 0n
        return this.#elements(type.base, Slot.add(slot, 1n), length, trail, depth)
      }
      case "DynamicArray": {
        const length = this.#length(type, slot, trail)
        if (typeof length !== "bigint") return length ?? 0n
        const base = this.#question.layout.types.get(type.base)!
        return this.#spend(slot, ArrayElements.span(this.#question.layout, base, length))
          ? this.#elements(type.base, Slot.data(slot), length, trail, depth)
          : this.#flaw("TooLarge", trail, Word.toHex(length, 32))
      }
      case "Mapping":
        // unreachable: `hasValue` excludes mappings
        return {}
    }
  }

  #elements(id: StorageType.TypeId, start: Slot.Slot, length: bigint, trail: Trail, depth: number): Value {
    const { layout } = this.#question
    const base = layout.types.get(id)!
    const values: Array<Value> = []
    for (let index = 0n; index < length; index++) {
      const place = ArrayElements.place(layout, base, start, index)
      const below = { parent: trail, step: `[${index}]` }
      values.push(this.#value(base, place.slot, place.offset, below, depth + 1))
    }
    return values
  }

  /** Decodes text or bytes. */
  #content(type: StorageType.DynamicBytes | StorageType.BoundedBytes, slot: Slot.Slot, trail: Trail): Value {
    const length = this.#length(type, slot, trail)
    if (typeof length !== "bigint") return length ?? ""
    const word = this.#words.get(slot)!
    const short = type._tag === "DynamicBytes" && length < 32n
    if (!short && type._tag === "DynamicBytes" && !this.#spend(slot, (length + 31n) / 32n)) {
      return this.#flaw("TooLarge", trail, Word.toHex(word, 32))
    }
    const start = type._tag === "DynamicBytes" ? Slot.data(slot) : Slot.add(slot, 1n)
    const count = short ? 1 : Number((length + 31n) / 32n)
    const parts = short ? [word] : Array.from({ length: count }, (_, i) => this.#word(Slot.add(start, BigInt(i))))
    if (parts.includes(undefined)) return ""
    const digits = parts.map((part) => Word.toHex(part!, 32).slice(2)).join("")
    const bytes: Hex.Hex = `0x${digits.slice(0, Number(length) * 2)}`
    if (!type.text) return bytes
    try {
      return utf8.decode(Hex.toBytesUnsafe(bytes))
    } catch {
      return this.#flaw("NotUtf8", trail, bytes)
    }
  }

  /** Returns the number of bytes or elements; undefined while the word is missing. */
  #length(type: StorageType.StorageType, slot: Slot.Slot, trail: Trail): bigint | Flaw | undefined {
    const word = this.#word(slot)
    if (word === undefined) return undefined
    const length = type._tag === "DynamicBytes" ? ValueWord.bytesLength(word) : word
    const most = "limit" in type ? type.limit : Slot.COUNT
    return length === undefined || length > most ? this.#flaw("BadLength", trail, Word.toHex(word, 32)) : length
  }

  #word(slot: Slot.Slot): bigint | undefined {
    const word = this.#words.get(slot)
    if (word === undefined) this.wanted.add(slot)
    return word
  }

  /** Charges the budget. Returns true if the budget allows this many words more. */
  #spend(key: bigint, words: bigint): boolean {
    const before = this.#granted.get(key)
    if (before !== undefined) return before
    const granted = words <= this.#left
    if (granted) this.#left -= words
    this.#granted.set(key, granted)
    return granted
  }

  #flaw(reason: FlawReason, trail: Trail, bytes?: Hex.Hex): Flaw {
    let path = ""
    for (let at: Trail | undefined = trail; at !== undefined; at = at.parent) path = at.step + path
    const flaw = new Flaw(reason, path, bytes)
    this.#flaws.push(flaw)
    return flaw
  }
}

// keep a byte order mark, because it is a part of the text
const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

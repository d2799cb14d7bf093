/**
 * Makes random paths through random layouts, and computes their slots with viem from the compiler's JSON, without this
 * package.
 */
import * as Random from "@plumbline/seeded/Random"
import {
  bytesToHex,
  concatBytes,
  encodeAbiParameters,
  type Hex,
  hexToBytes,
  keccak256,
  numberToBytes,
  stringToBytes,
  toHex
} from "viem"

import { bits, type Kind, kinds } from "./valueKinds.ts"

/** A step in the form of `Formula.make`, with the label of the type instead of the type, and with bytes as hex. */
export interface Expected {
  readonly _tag: string
  readonly path: string
  readonly slot: bigint
  readonly offset: number
  readonly label: string
  readonly [field: string]: unknown
}

export interface Way {
  readonly path: string
  readonly steps: ReadonlyArray<Expected>
  readonly content: unknown
}

const END = 2n ** 256n
const wrap = (slot: bigint): bigint => ((slot % END) + END) % END
const word = (value: bigint): Uint8Array => numberToBytes(wrap(value), { size: 32 })

const hashed = (preimage: Uint8Array) => ({ preimage: bytesToHex(preimage), digest: keccak256(preimage) })
const hashedContent = (slot: bigint) => {
  const hash = hashed(word(slot))
  return { _tag: "Hashed", ...hash, slot: BigInt(hash.digest) }
}

/** Makes an index for an array of any length, sometimes a huge one. */
const anyIndex = (random: Random.Random): bigint =>
  Random.int(random, 6) === 0 ? bits(random, 31) : BigInt(Random.int(random, 70))

const text = (random: Random.Random, most: number): string =>
  Array.from({ length: Random.int(random, most + 1) }, () => Random.pick(random, ["a", "Z", " ", "7", "é", "鉛"])).join(
    ""
  )

/**
 * Makes random variables of a contract `Drawn`. A struct contains only earlier structs, so that no struct contains
 * itself.
 */
export const declarations = (random: Random.Random, count: number): string => {
  const structs: Array<string> = []
  const type = (depth: number): string => {
    switch (depth > 3 ? 0 : Random.int(random, 12)) {
      case 1:
      case 2:
        return `${type(depth + 1)}[${1 + Random.int(random, depth === 0 ? 40 : 5)}]`
      case 3:
        return `${type(depth + 1)}[]`
      case 4:
      case 5: {
        const key =
          Random.int(random, 3) === 0 ? Random.pick(random, ["string", "bytes"]) : Random.pick(random, kinds).type
        return `mapping(${key} => ${type(depth + 1)})`
      }
      case 6:
        return Random.pick(random, ["string", "bytes"])
      case 7:
      case 8:
        return structs.length === 0 ? "uint40" : Random.pick(random, structs)
      default:
        return Random.pick(random, kinds).type
    }
  }
  const members = (prefix: string, many: number, depth: number): string =>
    Array.from({ length: many }, (_, i) => `${type(depth)} ${prefix}${i};`).join(" ")
  const definitions: Array<string> = []
  for (let i = 0; i < 4; i++) {
    definitions.push(`struct S${i} { ${members("m", 1 + Random.int(random, 7), 2)} }`)
    structs.push(`S${i}`)
  }
  return `${definitions.join("\n")} contract Drawn { ${members("v", count, 0)} }`
}

/** Returns the kind that solc's label of a value type names. */
const kindOf = (label: string): Kind => kinds.find(({ type }) => label === type || label === `enum ${type}`)!

/** Returns the ABI type of a kind. */
const abiType = ({ type }: Kind): string => ({ Color: "uint8", Price: "uint96", Tag: "bytes3" })[type] ?? type

const isValue = (type: any): boolean =>
  type.encoding === "inplace" && type.members === undefined && type.base === undefined

const lengthOf = (label: string): bigint => BigInt(/\[(\d+)\]$/.exec(label)![1]!)

/**
 * Returns the place of an element, by the Solidity documentation: values are packed, anything else begins in a new
 * slot.
 */
const elementOf = (base: any, first: bigint, index: bigint) => {
  const size = BigInt(base.numberOfBytes)
  const perSlot = isValue(base) ? 32n / size : 1n
  const slots = isValue(base) ? 1n : size / 32n
  const offset = isValue(base) ? Number((index % perSlot) * size) : 0
  return { perSlot, slots, slot: wrap(first + (index / perSlot) * slots), offset }
}

/** Makes a random path into a variable of solc's JSON. The path may end anywhere. */
export const solcWay = (random: Random.Random, json: any, variable: any): Way => {
  let id: string = variable.type
  let path: string = variable.label
  let slot = BigInt(variable.slot)
  const steps: Array<Expected> = []
  const add = (_tag: string, offset: number, fields: object) =>
    steps.push({ _tag, path, slot, offset, label: json.types[id].label, ...fields })
  add("Variable", variable.offset, {})
  for (;;) {
    const type = json.types[id]
    const isLast = isValue(type) || Random.int(random, 6) === 0
    if (type.encoding === "bytes" || (type.encoding === "dynamic_array" && isLast)) {
      if (Random.int(random, 2) === 0) return { path, steps, content: hashedContent(slot) }
      path += ".length"
      add("Length", 0, {})
      return { path, steps, content: undefined }
    }
    if (isLast) return { path, steps, content: undefined }
    if (type.encoding === "mapping") {
      const { bytes, written } = solcKey(random, json.types[type.key].label)
      const hash = hashed(concatBytes([bytes, word(slot)]))
      path += `[${written}]`
      slot = BigInt(hash.digest)
      id = type.value
      add("Entry", 0, { ...hash, key: bytesToHex(bytes), text: undefined })
    } else if (type.members !== undefined) {
      const member = Random.pick<any>(random, type.members)
      path += `.${member.label}`
      slot = wrap(slot + BigInt(member.slot))
      id = member.type
      add("Member", member.offset, { name: member.label, add: BigInt(member.slot) })
    } else {
      const content = type.encoding === "dynamic_array" ? hashedContent(slot) : undefined
      const index = content === undefined ? BigInt(Random.int(random, Number(lengthOf(type.label)))) : anyIndex(random)
      const first = content?.slot ?? slot
      const { offset, perSlot, slots, slot: at } = elementOf(json.types[type.base], first, index)
      path += `[${index}]`
      slot = at
      id = type.base
      add("Element", offset, { index, first, content, perSlot, slots })
    }
  }
}

/** Makes a random key. Returns its text in a path, and its bytes as `abi.encode` gives them (text: `encodePacked`). */
const solcKey = (random: Random.Random, label: string) => {
  if (label === "string") {
    const key = text(random, 50)
    return { written: JSON.stringify(key), bytes: stringToBytes(key) }
  }
  if (label === "bytes") {
    const key: Hex = toHex(bits(random, 33), { size: 33 })
    return { written: key, bytes: hexToBytes(key) }
  }
  const kind = kindOf(label)
  const number = bits(random, kind.size)
  const value = kind.value(number)
  const encoded = kind.type === "Color" ? number % 3n : value
  return { written: String(value), bytes: hexToBytes(encodeAbiParameters([{ type: abiType(kind) }], [encoded])) }
}

/** A part of storage that belongs to only one value. */
export interface Leaf {
  readonly path: string
  readonly slot: bigint
  readonly offset: number
  readonly bytes: number
}

/** Returns every part of solc's variables whose slot is not a hash: all elements, one by one. */
export const solcLeaves = (json: any): ReadonlyArray<Leaf> => {
  const leaves: Array<Leaf> = []
  const visit = (id: string, path: string, slot: bigint, offset: number): void => {
    const type = json.types[id]
    if (isValue(type)) leaves.push({ path, slot, offset, bytes: Number(type.numberOfBytes) })
    else if (type.encoding !== "inplace") {
      leaves.push({ path: type.encoding === "dynamic_array" ? `${path}.length` : path, slot, offset: 0, bytes: 32 })
    } else if (type.members !== undefined) {
      for (const member of type.members) {
        visit(member.type, `${path}.${member.label}`, slot + BigInt(member.slot), member.offset)
      }
    } else {
      for (let index = 0n; index < lengthOf(type.label); index++) {
        const at = elementOf(json.types[type.base], slot, index)
        visit(type.base, `${path}[${index}]`, at.slot, at.offset)
      }
    }
  }
  for (const { label, offset, slot, type } of json.storage) visit(type, label, BigInt(slot), offset)
  return leaves
}

/** A type of Vyper, with the number of slots that it takes in place. */
export type VyperType =
  | {
      readonly _tag: "Value"
      readonly text: string
      readonly slots: bigint
      readonly key: (random: Random.Random) => Key
    }
  | { readonly _tag: "Text"; readonly text: string; readonly slots: bigint; readonly limit: bigint }
  | {
      readonly _tag: "Fixed"
      readonly text: string
      readonly slots: bigint
      readonly base: VyperType
      readonly length: bigint
    }
  | {
      readonly _tag: "Dynamic"
      readonly text: string
      readonly slots: bigint
      readonly base: VyperType
      readonly limit: bigint
    }
  | {
      readonly _tag: "Map"
      readonly text: string
      readonly slots: bigint
      readonly of: VyperType
      readonly value: VyperType
    }

interface Key {
  readonly written: string
  /** 32 bytes. */
  readonly bytes: Uint8Array
}

const vyperValue = (name: string, abi: string, size: number, valueOf: (bits: bigint) => unknown): VyperType => ({
  _tag: "Value",
  text: name,
  slots: 1n,
  key: (random) => {
    const value = valueOf(bits(random, size))
    return { written: String(value), bytes: hexToBytes(encodeAbiParameters([{ type: abi }], [value])) }
  }
})

const vyperValues: ReadonlyArray<VyperType> = [
  vyperValue("uint256", "uint256", 32, (n) => n),
  vyperValue("uint8", "uint8", 1, (n) => n),
  vyperValue("int128", "int128", 16, (n) => BigInt.asIntN(128, n)),
  vyperValue("address", "address", 20, (n) => toHex(n, { size: 20 })),
  vyperValue("bool", "bool", 1, (n) => n % 2n === 1n),
  vyperValue("bytes4", "bytes4", 4, (n) => toHex(n, { size: 4 })),
  vyperValue("bytes32", "bytes32", 32, (n) => toHex(n, { size: 32 }))
]

/** Makes a random type of Vyper. Only mappings contain mappings. */
export const vyperType = (random: Random.Random, depth: number, mayMap: boolean): VyperType => {
  const choice = depth > 3 ? 0 : Random.int(random, 9)
  if (mayMap && (choice === 1 || choice === 2)) {
    const of = Random.int(random, 3) === 0 ? vyperText(random) : Random.pick(random, vyperValues)
    const value = vyperType(random, depth + 1, true)
    return { _tag: "Map", text: `HashMap[${of.text}, ${value.text}]`, slots: 1n, of, value }
  }
  if (choice === 3 || choice === 4) {
    const base = vyperType(random, depth + 1, false)
    const length = BigInt(1 + Random.int(random, 6))
    return { _tag: "Fixed", text: `${base.text}[${length}]`, slots: length * base.slots, base, length }
  }
  if (choice === 5 || choice === 6) {
    const base = vyperType(random, depth + 1, false)
    const limit = BigInt(1 + Random.int(random, 6))
    return { _tag: "Dynamic", text: `DynArray[${base.text}, ${limit}]`, slots: 1n + limit * base.slots, base, limit }
  }
  return choice === 7 ? vyperText(random) : Random.pick(random, vyperValues)
}

const vyperText = (random: Random.Random): VyperType => {
  const limit = BigInt(1 + Random.int(random, 90))
  return { _tag: "Text", text: `String[${limit}]`, slots: 1n + (limit + 31n) / 32n, limit }
}

/** Returns the offset of a value in Vyper. Each value has a separate word, with `bytesN` at the high-order end. */
const vyperOffset = (type: VyperType): number => (type.text === "bytes4" ? 28 : 0)

/** Makes a random path into a variable of Vyper. The path may end anywhere. */
export const vyperWay = (random: Random.Random, name: string, start: bigint, variable: VyperType): Way => {
  let type = variable
  let path = name
  let slot = start
  const steps: Array<Expected> = []
  const add = (_tag: string, fields: object) =>
    steps.push({ _tag, path, slot, offset: _tag === "Length" ? 0 : vyperOffset(type), label: type.text, ...fields })
  add("Variable", {})
  for (;;) {
    const isLast = type._tag === "Value" || Random.int(random, 6) === 0
    const following = { _tag: "Following", slot: wrap(slot + 1n) }
    if (type._tag === "Text" || (type._tag === "Dynamic" && isLast)) {
      if (Random.int(random, 2) === 0) return { path, steps, content: following }
      path += ".length"
      add("Length", {})
      return { path, steps, content: undefined }
    }
    if (type._tag === "Value" || isLast) return { path, steps, content: undefined }
    if (type._tag === "Map") {
      const key = vyperKey(random, type.of)
      const hash = hashed(concatBytes([word(slot), key.bytes]))
      path += `[${key.written}]`
      slot = BigInt(hash.digest)
      type = type.value
      add("Entry", { ...hash, key: bytesToHex(key.bytes), text: key.text })
    } else {
      const index = BigInt(Random.int(random, Number(type._tag === "Fixed" ? type.length : type.limit)))
      const content = type._tag === "Dynamic" ? following : undefined
      const first = content?.slot ?? slot
      type = type.base
      path += `[${index}]`
      slot = wrap(first + index * type.slots)
      add("Element", { index, first, content, perSlot: 1n, slots: type.slots })
    }
  }
}

const vyperKey = (random: Random.Random, of: VyperType): Key & { readonly text: Hex | undefined } => {
  if (of._tag === "Value") return { ...of.key(random), text: undefined }
  const key = text(random, 20)
  const bytes = stringToBytes(key)
  return { written: JSON.stringify(key), bytes: hexToBytes(keccak256(bytes)), text: bytesToHex(bytes) }
}

/** Returns every word of a variable of Vyper, one by one. */
export const vyperLeaves = (name: string, start: bigint, variable: VyperType): ReadonlyArray<Leaf> => {
  const leaves: Array<Leaf> = []
  const visit = (type: VyperType, path: string, slot: bigint): void => {
    switch (type._tag) {
      case "Value": {
        const bytes = { uint8: 1, int128: 16, address: 20, bool: 1, bytes4: 4 }[type.text] ?? 32
        leaves.push({ path, slot, offset: vyperOffset(type), bytes })
        break
      }
      case "Map":
        leaves.push({ path, slot, offset: 0, bytes: 32 })
        break
      case "Text": {
        leaves.push({ path: `${path}.length`, slot, offset: 0, bytes: 32 })
        for (let at = 0n; at < type.limit; at += 32n) {
          const bytes = Number(type.limit - at < 32n ? type.limit - at : 32n)
          leaves.push({ path, slot: slot + 1n + at / 32n, offset: 32 - bytes, bytes })
        }
        break
      }
      case "Fixed":
        for (let i = 0n; i < type.length; i++) visit(type.base, `${path}[${i}]`, slot + i * type.base.slots)
        break
      case "Dynamic":
        leaves.push({ path: `${path}.length`, slot, offset: 0, bytes: 32 })
        for (let i = 0n; i < type.limit; i++) visit(type.base, `${path}[${i}]`, slot + 1n + i * type.base.slots)
    }
  }
  visit(variable, name, start)
  return leaves
}

/** Draws types and values of them. */
import * as Random from "@plumbline/seeded/Random"
import * as viem from "viem"
import type { AbiParameter } from "viem"

/** Makes a type, at most so many types within one another. */
export const anyType = (random: Random.Random, depth: number): AbiParameter => {
  const chosen = depth === 0 ? 0 : Random.int(random, 4)
  if (chosen === 1) {
    const item = anyType(random, depth - 1)
    return { ...item, type: `${item.type}[${Random.pick(random, ["", "1", "2", "3"])}]` }
  }
  if (chosen === 2) {
    const isNamed = Random.chance(random, 0.5)
    const components = Array.from({ length: 1 + Random.int(random, 3) }, (_, i) => ({
      ...anyType(random, depth - 1),
      name: isNamed || Random.chance(random, 0.3) ? `m${i}` : ""
    }))
    return { type: "tuple", components }
  }
  const bits = 8 * (1 + Random.int(random, 32))
  const sized = [`uint${bits}`, `int${bits}`, `bytes${bits / 8}`]
  return { type: Random.pick(random, [...sized, "bool", "address", "string", "bytes"]) }
}

/** Makes a value of a type, as viem takes it. */
export const anyValue = (random: Random.Random, type: AbiParameter): unknown => {
  const [, item, length] = /^(.*)\[(\d*)\]$/u.exec(type.type) ?? []
  if (item !== undefined) {
    const count = length === "" ? Random.int(random, 4) : Number(length)
    return Array.from({ length: count }, () => anyValue(random, { ...type, type: item }))
  }
  if ("components" in type) {
    const values = type.components.map((member) => anyValue(random, member))
    return type.components.every(({ name }) => name !== "")
      ? Object.fromEntries(type.components.map(({ name }, index) => [name, values[index]]))
      : values
  }
  const hex = (size: number) => viem.bytesToHex(Random.bytes(random, size))
  if (type.type === "bool") return Random.chance(random, 0.5)
  if (type.type === "address") return hex(20)
  if (type.type === "string") return Random.pick(random, ["", "text", "naïve 🌍", "x".repeat(Random.int(random, 70))])
  if (type.type === "bytes") return hex(Random.int(random, 70))
  const size = Number(/\d+/u.exec(type.type)![0])
  if (type.type.startsWith("bytes")) return hex(size)
  const bits = BigInt(hex(size / 8))
  const value = type.type.startsWith("int") ? BigInt.asIntN(size, bits) : bits
  return size <= 48 ? Number(value) : value
}

/** Returns the value with its texts in lower case, and small integers as bigints. */
export const lower = (value: unknown): unknown => {
  if (typeof value === "string") return value.toLowerCase()
  if (typeof value === "number") return BigInt(value)
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map(lower)
    : Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, lower(inside)]))
}

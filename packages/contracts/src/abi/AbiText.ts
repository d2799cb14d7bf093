/** Reads values that a person types, and shows values as JSON. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import * as Result from "effect/Result"

import { AbiArgumentError } from "./AbiError.ts"
import * as AbiParameters from "./AbiParameters.ts"
import type { AbiParameter } from "./AbiType.ts"
import * as AbiTypes from "./abiTypes.ts"

/** A value without names: a tuple is a list, and every integer a bigint. */
export type AbiValue = bigint | boolean | string | ReadonlyArray<AbiValue>

/**
 * Reads one text for each type: arrays as `[a,b]`, tuples as `(a,b)`, integers decimal or `0x`. An address in mixed case
 * must have the checksum of EIP-55.
 *
 * ```ts import.meta.vitest
 * import { AbiText } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * AbiText.read([{ type: "uint8[]" }, { type: "string" }], ["[1,0x2]", "two words"]) // => Result.succeed([[1n, 2n], "two words"])
 * const wrong = AbiText.read([{ type: "uint8" }], ["256"])
 * Result.isFailure(wrong) && wrong.failure.message // => "argument 1 of (uint8) must be uint8: a number that fits, decimal or 0x"
 * ```
 */
export const read = (
  parameters: ReadonlyArray<AbiParameter>,
  texts: ReadonlyArray<string>
): Result.Result<ReadonlyArray<AbiValue>, AbiArgumentError> => {
  const fail = (reason: AbiArgumentError["reason"]) =>
    Result.fail(new AbiArgumentError({ types: AbiTypes.names(parameters), reason }))
  if (texts.length !== parameters.length) {
    return fail({ _tag: "Count", expected: parameters.length, given: texts.length })
  }
  const values: Array<AbiValue> = []
  for (const [position, type] of parameters.entries()) {
    const value = valueOf(type, texts[position]!)
    // a number must fit, and bytes and lists be as long as they must
    if (value === undefined || Result.isFailure(AbiParameters.encode([type], [value]))) {
      return fail({ _tag: "Value", position, type: AbiTypes.name(type), form: formOf(type) })
    }
    values.push(value)
  }
  return Result.succeed(values)
}

/** Returns the form in which a value of a type is typed. */
const formOf = (type: AbiParameter): string => {
  const array = AbiTypes.arrayOf(type)
  if (array !== undefined) {
    return `its items as [a,b]${array.length === undefined ? "" : `, ${array.length} of them`}`
  }
  if (type.type === "tuple") return `its ${AbiTypes.membersOf(type).length} members as (a,b)`
  if (type.type === "address") return "0x and 40 hex digits; in mixed case with the checksum of EIP-55"
  if (type.type === "bool") return "true or false"
  if (type.type === "string") {
    return 'a text; within an array or a tuple, in double quotes as in JSON if it has one of , [ ] ( ) "'
  }
  const size = /^bytes(\d*)$/u.exec(type.type)?.[1]
  if (size !== undefined) return size === "" ? "0x and hex digits" : `0x and ${2 * Number(size)} hex digits`
  return "a number that fits, decimal or 0x"
}

/** Reads a value; undefined if the text has not the form of the type. */
const valueOf = (type: AbiParameter, text: string): AbiValue | undefined => {
  const array = AbiTypes.arrayOf(type)
  if (array !== undefined) return listOf(itemsOf(text, "[", "]"), () => array.item)
  switch (type.type) {
    case "tuple": {
      const members = AbiTypes.membersOf(type)
      const items = itemsOf(text, "(", ")")
      return items?.length === members.length ? listOf(items, (index) => members[index]!) : undefined
    }
    case "address": {
      const address = Result.getOrUndefined(Address.fromHex(text))
      return address !== undefined && Address.isChecksumValid(address) ? address.toLowerCase() : undefined
    }
    case "bool":
      return text === "true" ? true : text === "false" ? false : undefined
    case "string":
      return text
  }
  if (type.type.startsWith("bytes")) return Hex.isHex(text) ? text.toLowerCase() : undefined
  if (!/^-?(?:[0-9]{1,78}|0x[0-9a-f]{1,64})$/iu.test(text)) return undefined
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text)
}

const listOf = (
  texts: ReadonlyArray<string> | undefined,
  typeAt: (index: number) => AbiParameter
): ReadonlyArray<AbiValue> | undefined => {
  const values: Array<AbiValue> = []
  for (const [index, text] of texts?.entries() ?? []) {
    const type = typeAt(index)
    const value = valueOf(type, type.type === "string" ? unquoted(text) : text)
    if (value === undefined) return undefined
    values.push(value)
  }
  return texts === undefined ? undefined : values
}

/** Removes the quotes of a text within an array or a tuple. */
const unquoted = (text: string): string => {
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

/** Splits `[a,b]` into its items; undefined if the brackets do not match. */
const itemsOf = (text: string, open: string, close: string): ReadonlyArray<string> | undefined => {
  const whole = text.trim()
  if (!whole.startsWith(open) || !whole.endsWith(close) || whole.length < 2) return undefined
  const inner = whole.slice(1, -1)
  if (inner.trim() === "") return []
  const items: Array<string> = []
  let depth = 0
  let from = 0
  let isQuoted = false
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at]!
    if (isQuoted) {
      if (char === "\\") at += 1
      else if (char === '"') isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === "[" || char === "(") depth += 1
    else if (char === "]" || char === ")") depth -= 1
    else if (char === "," && depth === 0) {
      items.push(inner.slice(from, at).trim())
      from = at + 1
    }
    if (depth < 0) return undefined
  }
  return depth === 0 && !isQuoted ? [...items, inner.slice(from).trim()] : undefined
}

/**
 * Returns a decoded value without names: tuples as lists, and all integers as bigints.
 *
 * ```ts import.meta.vitest
 * import { AbiText } from "@plumbline/contracts"
 *
 * const point = { type: "tuple", components: [{ name: "x", type: "uint8" }, { name: "y", type: "uint8" }] }
 * AbiText.fromDecoded(point, { x: 1, y: 2 }) // => [1n, 2n]
 * ```
 */
export const fromDecoded = (type: AbiParameter, value: unknown): AbiValue => {
  if (typeof value === "number") return BigInt(value)
  if (typeof value !== "object" || value === null) return value as bigint | boolean | string
  const item = AbiTypes.arrayOf(type)?.item
  if (item !== undefined) return (value as ReadonlyArray<unknown>).map((inside) => fromDecoded(item, inside))
  return AbiTypes.membersOf(type).map((member, index) =>
    fromDecoded(member, Array.isArray(value) ? value[index] : (value as Record<string, unknown>)[member.name!])
  )
}

/**
 * Returns the form of a value in JSON: integers as decimal text, because JSON's numbers are exact only up to 2^53.
 *
 * ```ts import.meta.vitest
 * import { AbiText } from "@plumbline/contracts"
 *
 * AbiText.toJson([1n, true, "0x00"]) // => ["1", true, "0x00"]
 * ```
 */
export const toJson = (value: AbiValue): unknown =>
  typeof value === "bigint" ? value.toString() : typeof value === "object" ? value.map(toJson) : value

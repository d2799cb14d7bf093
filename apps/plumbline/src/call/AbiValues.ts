/** The values that a person types, and those that a call returns. viem encodes and decodes them. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import * as Result from "effect/Result"
import type { AbiParameter } from "viem"
import { decodeAbiParameters, encodeAbiParameters, encodeFunctionData, toFunctionSelector } from "viem/utils"

import { UsageError } from "../terminal/UsageError.ts"
import type { AbiSignature } from "./AbiSignature.ts"

/** A value: a tuple is a list. */
export type AbiValue = bigint | boolean | string | ReadonlyArray<AbiValue>

/** Returns the data of a call: the selector and the encoded arguments. */
export const encode = ({ item }: AbiSignature, texts: ReadonlyArray<string>): Result.Result<Hex.Hex, UsageError> => {
  const { inputs } = item
  if (texts.length !== inputs.length) {
    return Result.fail(usage(`the signature has ${inputs.length} arguments, and ${texts.length} are given`))
  }
  const args = inputs.map((type, i) => encodable(type, valueOf(type, texts[i]!)))
  const wrong = args.indexOf(undefined)
  return wrong === -1
    ? Result.succeed(encodeFunctionData({ abi: [item], args }))
    : Result.fail(usage(`argument ${wrong + 1} must be ${nameOf(inputs[wrong]!)}: ${formOf(inputs[wrong]!)}`))
}

const usage = (problem: string): UsageError => new UsageError({ problem })

/** Returns the value if it has the type: a number fits, and bytes and lists are as long as they must be. */
const encodable = (type: AbiParameter, value: AbiValue | undefined): AbiValue | undefined => {
  if (value === undefined) return undefined
  try {
    encodeAbiParameters([type], [value])
    return value
  } catch {
    return undefined
  }
}

const ARRAY = /^(.*)\[(\d*)\]$/u

/** Returns the type of an array's items; undefined for other types. */
const itemOf = (type: AbiParameter): AbiParameter | undefined => {
  const item = ARRAY.exec(type.type)?.[1]
  return item === undefined ? undefined : { ...type, type: item }
}

const membersOf = (type: AbiParameter): ReadonlyArray<AbiParameter> => ("components" in type ? type.components : [])

/** Returns the name of a type as in a signature, such as `(uint256,bool)[]`. */
const nameOf = (type: AbiParameter): string =>
  type.type.replace(/^tuple/u, () => `(${membersOf(type).map(nameOf).join(",")})`)

/** Returns the form in which a value of a type is typed. */
const formOf = (type: AbiParameter): string => {
  const length = ARRAY.exec(type.type)?.[2]
  if (length !== undefined) return `its items as [a,b]${length === "" ? "" : `, ${length} of them`}`
  if (type.type === "tuple") return `its ${membersOf(type).length} members as (a,b)`
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
  const item = itemOf(type)
  if (item !== undefined) return listOf(itemsOf(text, "[", "]"), () => item)
  switch (type.type) {
    case "tuple": {
      const members = membersOf(type)
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

/** Maximum size of the data that is decoded, in bytes. Values that share their bytes can be many more than the data. */
const MAX_DECODED = 2 ** 20

/**
 * Decodes what a call returned; undefined if the bytes are not the encoding of values of these types, which more bytes
 * may follow.
 */
export const decode = ({ hasOutputs, item }: AbiSignature, data: Hex.Hex): ReadonlyArray<AbiValue> | undefined =>
  hasOutputs ? valuesIn(item.outputs, data) : undefined

/** Decodes what a call returned, if it returned and the signature says what its function returns. */
export const decodeOutcome = (
  signature: AbiSignature | undefined,
  outcome: CallOutcome
): ReadonlyArray<AbiValue> | undefined =>
  signature === undefined || outcome._tag !== "Returned" ? undefined : decode(signature, outcome.data)

/** Returns the arguments in the data of a call; undefined if the data is not that of this function. */
export const argumentsIn = ({ item }: AbiSignature, data: Hex.Hex): ReadonlyArray<AbiValue> | undefined =>
  data.toLowerCase().startsWith(toFunctionSelector(item))
    ? valuesIn(item.inputs, `0x${data.slice(SELECTOR.length)}`)
    : undefined

const SELECTOR = "0x00000000"

/**
 * Returns the values of these types in the data.
 *
 * viem drops bits that a type has no place for, such as those of a uint8 above 255. So the values are encoded again:
 * what does not give the same bytes is not shown as a value.
 */
const valuesIn = (types: ReadonlyArray<AbiParameter>, data: Hex.Hex): ReadonlyArray<AbiValue> | undefined => {
  if (types.length === 0) return []
  if (Hex.size(data) > MAX_DECODED) return undefined
  try {
    const values = decodeAbiParameters(types, data)
    return data.toLowerCase().startsWith(encodeAbiParameters(types, values))
      ? types.map((type, index) => plain(type, values[index]))
      : undefined
  } catch {
    return undefined
  }
}

/** Returns a decoded value with all integers as bigint, and addresses in lower case as in all answers. */
const plain = (type: AbiParameter, value: unknown): AbiValue => {
  if (Array.isArray(value)) {
    const item = itemOf(type)
    return value.map((inside, index) => plain(item ?? membersOf(type)[index]!, inside))
  }
  if (typeof value === "number") return BigInt(value)
  return type.type === "address" ? String(value).toLowerCase() : (value as bigint | boolean | string)
}

/** Returns the form of `--json`: integers as decimal text, because JSON's numbers are exact only up to 2^53. */
export const wire = (value: AbiValue): unknown =>
  typeof value === "bigint" ? value.toString() : typeof value === "object" ? value.map(wire) : value

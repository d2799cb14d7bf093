/** Encodes arguments that a person types: the data of a call. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as AbiType from "./AbiType.ts"

/** Returns the selector and the encoded arguments. */
export const encode = (
  { canonical, inputs }: AbiType.AbiSignature,
  texts: ReadonlyArray<string>
): Result.Result<Hex.Hex, UsageError> => {
  if (texts.length !== inputs.length) {
    return Result.fail(usage(`the signature has ${inputs.length} arguments, and ${texts.length} are given`))
  }
  const parts = inputs.map((type, i) => partOf(type, texts[i]!))
  const wrong = parts.indexOf(undefined)
  if (wrong !== -1) {
    return Result.fail(
      usage(`argument ${wrong + 1} must be ${AbiType.name(inputs[wrong]!)}: ${formOf(inputs[wrong]!)}`)
    )
  }
  const selector = Keccak256.hashHex(new TextEncoder().encode(canonical)).slice(0, 10)
  return Result.succeed(`${selector}${joined(inputs, parts as ReadonlyArray<string>)}` as Hex.Hex)
}

const usage = (problem: string): UsageError => new UsageError({ problem })

/** Returns the form in which a value of a type is typed. */
const formOf = (type: AbiType.AbiType): string => {
  switch (type._tag) {
    case "Integer":
      return "a number that fits, decimal or 0x"
    case "Address":
      return "0x and 40 hex digits; in mixed case with the checksum of EIP-55"
    case "Bool":
      return "true or false"
    case "FixedBytes":
      return `0x and ${2 * type.size} hex digits`
    case "Bytes":
      return "0x and hex digits"
    case "Text":
      return 'a text; within an array or a tuple, in double quotes as in JSON if it has one of , [ ] ( ) "'
    case "Array":
      return `its items as [a,b]${type.length === undefined ? "" : `, ${type.length} of them`}`
    case "Tuple":
      return `its ${type.members.length} members as (a,b)`
  }
}

const word = (n: bigint): string => BigInt.asUintN(256, n).toString(16).padStart(64, "0")

/** Returns the encoding of a value without `0x`; undefined if the text is not a value of the type. */
const partOf = (type: AbiType.AbiType, text: string): string | undefined => {
  switch (type._tag) {
    case "Integer": {
      if (!/^-?(?:[0-9]{1,78}|0x[0-9a-f]{1,64})$/iu.test(text)) return undefined
      const n = text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text)
      return (type.isSigned ? BigInt.asIntN(type.bits, n) : BigInt.asUintN(type.bits, n)) === n ? word(n) : undefined
    }
    case "Address": {
      const address = Result.getOrUndefined(Address.fromHex(text))
      return address === undefined || !Address.isChecksumValid(address)
        ? undefined
        : word(BigInt(address.toLowerCase()))
    }
    case "Bool":
      return text === "true" ? word(1n) : text === "false" ? word(0n) : undefined
    case "FixedBytes":
      return Hex.isHex(text) && Hex.size(text) === type.size ? padded(text.slice(2).toLowerCase()) : undefined
    case "Bytes":
      return Hex.isHex(text) ? withLength(text.slice(2).toLowerCase()) : undefined
    case "Text":
      return withLength(Hex.fromBytes(new TextEncoder().encode(text)).slice(2))
    case "Array": {
      const items = itemsOf(text, "[", "]")
      if (items === undefined || (type.length !== undefined && items.length !== type.length)) return undefined
      const all = sequence(
        items.map(() => type.item),
        items
      )
      return all === undefined ? undefined : `${type.length === undefined ? word(BigInt(items.length)) : ""}${all}`
    }
    case "Tuple": {
      const items = itemsOf(text, "(", ")")
      return items?.length === type.members.length ? sequence(type.members, items) : undefined
    }
  }
}

const padded = (digits: string): string => digits.padEnd(Math.ceil(digits.length / 64) * 64, "0")

const withLength = (digits: string): string => word(BigInt(digits.length / 2)) + padded(digits)

const sequence = (types: ReadonlyArray<AbiType.AbiType>, texts: ReadonlyArray<string>): string | undefined => {
  const parts = types.map((type, i) => partOf(type, unquoted(type, texts[i]!)))
  return parts.includes(undefined) ? undefined : joined(types, parts as ReadonlyArray<string>)
}

/** Joins encoded values: the static ones and the offsets of the dynamic ones, and then the dynamic ones. */
const joined = (types: ReadonlyArray<AbiType.AbiType>, parts: ReadonlyArray<string>): string => {
  let offset = types.reduce((sum, { words }) => sum + 32 * (words ?? 1), 0)
  const heads: Array<string> = []
  const tails: Array<string> = []
  types.forEach(({ words }, i) => {
    const part = parts[i]!
    if (words !== undefined) return void heads.push(part)
    heads.push(word(BigInt(offset)))
    tails.push(part)
    offset += part.length / 2
  })
  return [...heads, ...tails].join("")
}

/** Removes the quotes of a text within an array or a tuple. */
const unquoted = (type: AbiType.AbiType, text: string): string => {
  if (type._tag !== "Text" || !text.startsWith('"')) return text
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

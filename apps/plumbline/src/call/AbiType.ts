/**
 * The types of a signature such as `balanceOf(address)(uint256)`: the function's name and arguments, and the types that
 * it returns.
 *
 * Source: the contract ABI specification of Solidity.
 */
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"

/** A type. `words` is the number of words of a static type; undefined for a dynamic one. */
export type AbiType =
  | { readonly _tag: "Integer"; readonly bits: number; readonly isSigned: boolean; readonly words: 1 }
  | { readonly _tag: "Address" | "Bool"; readonly words: 1 }
  | { readonly _tag: "FixedBytes"; readonly size: number; readonly words: 1 }
  | { readonly _tag: "Bytes" | "Text"; readonly words: undefined }
  | {
      readonly _tag: "Array"
      readonly item: AbiType
      /** Undefined if the array is as long as its data says. */
      readonly length: number | undefined
      readonly words: number | undefined
    }
  | { readonly _tag: "Tuple"; readonly members: ReadonlyArray<AbiType>; readonly words: number | undefined }

/** A parsed signature. */
export interface AbiSignature {
  /** The canonical form of the name and the arguments, whose hash begins with the selector. */
  readonly canonical: string
  readonly inputs: ReadonlyArray<AbiType>
  /** Undefined if the signature does not say what the function returns. */
  readonly outputs: ReadonlyArray<AbiType> | undefined
}

/** Maximum length of a signature, in characters. */
const MAX_TEXT = 2048

/** Maximum nesting depth of arrays and tuples. */
const MAX_DEPTH = 16

/** Maximum number of words of a static type. */
const MAX_WORDS = 65_536

/** Parses a signature. */
export const signature = (text: string): Result.Result<AbiSignature, UsageError> => {
  const match = text.length > MAX_TEXT ? null : /^\s*([A-Za-z_$][\w$]*)\s*(\(.*)$/u.exec(text)
  if (match === null) return Result.fail(malformed)
  const rest = { text: match[2]!.replaceAll(/\s+/gu, ""), at: 0 }
  const inputs = list(rest, 0)
  if (inputs === undefined) return Result.fail(malformed)
  const canonical = match[1]! + name({ _tag: "Tuple", members: inputs, words: undefined })
  const outputs = rest.at === rest.text.length ? undefined : list(rest, 0)
  if (rest.at !== rest.text.length) return Result.fail(malformed)
  return Result.succeed({ canonical, inputs, outputs })
}

/** Returns the canonical name of a type, such as `uint256[]`. */
export const name = (type: AbiType): string => {
  switch (type._tag) {
    case "Integer":
      return `${type.isSigned ? "" : "u"}int${type.bits}`
    case "Address":
      return "address"
    case "Bool":
      return "bool"
    case "FixedBytes":
      return `bytes${type.size}`
    case "Bytes":
      return "bytes"
    case "Text":
      return "string"
    case "Array":
      return `${name(type.item)}[${type.length ?? ""}]`
    case "Tuple":
      return `(${type.members.map(name).join(",")})`
  }
}

const malformed = new UsageError({
  problem: "signature must be a name and types, such as balanceOf(address)(uint256), or 0x and the data of the call"
})

/** The text that is parsed, and the index of the next character. */
interface Cursor {
  readonly text: string
  at: number
}

/** Parses types in brackets; undefined if they are malformed. */
const list = (cursor: Cursor, depth: number): ReadonlyArray<AbiType> | undefined => {
  if (cursor.text[cursor.at] !== "(" || depth > MAX_DEPTH) return undefined
  cursor.at += 1
  const types: Array<AbiType> = []
  if (cursor.text[cursor.at] === ")") {
    cursor.at += 1
    return types
  }
  for (;;) {
    const type = one(cursor, depth)
    if (type === undefined) return undefined
    types.push(type)
    const end = cursor.text[cursor.at]
    cursor.at += 1
    if (end === ")") return types
    if (end !== ",") return undefined
  }
}

const one = (cursor: Cursor, depth: number): AbiType | undefined => {
  let type = cursor.text[cursor.at] === "(" ? tuple(list(cursor, depth + 1)) : elementary(cursor)
  for (let nested = depth; type !== undefined && cursor.text[cursor.at] === "["; nested += 1) {
    SUFFIX.lastIndex = cursor.at
    const match = SUFFIX.exec(cursor.text)
    if (match === null || nested >= MAX_DEPTH) return undefined
    cursor.at = SUFFIX.lastIndex
    type = array(type, match[1] === "" ? undefined : Number(match[1]))
  }
  return type
}

const SUFFIX = /\[(|[1-9][0-9]{0,4})\]/uy
const WORD = /[a-z0-9]+/uy

const tuple = (members: ReadonlyArray<AbiType> | undefined): AbiType | undefined => {
  if (members === undefined || members.length === 0) return undefined
  const words = members.reduce<number | undefined>(
    (sum, { words }) => (sum === undefined || words === undefined ? undefined : sum + words),
    0
  )
  return words !== undefined && words > MAX_WORDS ? undefined : { _tag: "Tuple", members, words }
}

const array = (item: AbiType, length: number | undefined): AbiType | undefined => {
  const words = length === undefined || item.words === undefined ? undefined : length * item.words
  return words !== undefined && words > MAX_WORDS ? undefined : { _tag: "Array", item, length, words }
}

const elementary = (cursor: Cursor): AbiType | undefined => {
  WORD.lastIndex = cursor.at
  const word = WORD.exec(cursor.text)?.[0]
  if (word === undefined) return undefined
  cursor.at += word.length
  switch (word) {
    case "address":
      return { _tag: "Address", words: 1 }
    case "bool":
      return { _tag: "Bool", words: 1 }
    case "bytes":
      return { _tag: "Bytes", words: undefined }
    case "string":
      return { _tag: "Text", words: undefined }
  }
  const [, kind, digits] = /^(uint|int|bytes)([1-9][0-9]{0,2}|)$/u.exec(word) ?? []
  if (kind === undefined) return undefined
  const size = digits === "" ? 256 : Number(digits)
  if (kind === "bytes") return size <= 32 ? { _tag: "FixedBytes", size, words: 1 } : undefined
  return size <= 256 && size % 8 === 0 ? { _tag: "Integer", bits: size, isSigned: kind === "int", words: 1 } : undefined
}

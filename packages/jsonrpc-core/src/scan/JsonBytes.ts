/**
 * Finds and checks values in JSON bytes (RFC 8259) without parsing them.
 *
 * A proxy copies the result of a node unchanged between the answers of other calls. A result that is not valid JSON
 * would make the whole batch unreadable. So the scanner checks the result while it searches for its end, and builds no
 * objects.
 */
import {
  afterColon,
  ascii,
  type ByteRange,
  type CheckedMembers,
  isDigit,
  literalEnd,
  MAX_NESTING,
  skipSpace,
  stringEnd,
  valueEnd as structuralEnd,
  locate as locateMembers
} from "./byteScan.ts"
import { BACKSLASH, CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./punctuation.ts"

export type { ByteRange, CheckedMembers } from "./byteScan.ts"
export { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "./punctuation.ts"

/**
 * Finds the members of a response, as `Message.locate` does, and checks that `result` is valid JSON. The bytes must be
 * valid UTF-8.
 *
 * ```ts import.meta.vitest
 * import { JsonBytes } from "@plumbline/jsonrpc-core"
 *
 * const malformed = (result: string) =>
 *   JsonBytes.locate(new TextEncoder().encode(`{"jsonrpc":"2.0","id":7,"result":${result}}`))?.isMalformed
 * malformed("[1]") // => false
 * malformed("[1,]") // => true
 * ```
 */
export const locate = (bytes: Uint8Array): CheckedMembers | undefined =>
  // with a check of the result, the members say if it is malformed
  locateMembers(bytes, valueEnd) as CheckedMembers | undefined

/**
 * Returns the position after the JSON value at `start`, or -1 if there is none. The bytes must be valid UTF-8. The
 * value must begin at `start`, without white space before it.
 */
export const valueEnd = (bytes: Uint8Array, start: number): number => {
  /** The closing brackets of the open arrays and objects. */
  const open: Array<number> = []
  let at = start
  for (;;) {
    // A value begins here.
    const first = bytes[at]
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      const inside = skipSpace(bytes, at + 1)
      if (bytes[inside] !== first + 2) {
        if (open.push(first + 2) > MAX_NESTING) return -1
        at = first === OPEN_BRACE ? memberValue(bytes, inside) : inside
        if (at === -1) return -1
        continue
      }
      at = inside + 1
    } else if (first === QUOTE) at = checkedStringEnd(bytes, at)
    else at = scalarEnd(bytes, at)
    if (at === -1) return -1
    // A value ended here: the next token is a comma or a closing bracket.
    for (;;) {
      const closing = open.at(-1)
      if (closing === undefined) return at
      at = skipSpace(bytes, at)
      if (bytes[at] === COMMA) {
        at = skipSpace(bytes, at + 1)
        if (closing === CLOSE_BRACE) at = memberValue(bytes, at)
        if (at === -1) return -1
        break
      }
      if (bytes[at] !== closing) return -1
      open.pop()
      at++
    }
  }
}

/**
 * Returns the ranges of the items of an array, up to the first item that does not end. Returns undefined if the bytes
 * are not an array with an item. Items need not be valid JSON: only their brackets and strings are read.
 */
export const itemsOf = (bytes: Uint8Array): ReadonlyArray<ByteRange> | undefined => {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACKET) return undefined
  const items: Array<ByteRange> = []
  do {
    const start = skipSpace(bytes, at + 1)
    const end = itemEnd(bytes, start)
    if (end === -1 || end === start) break
    items.push({ start, end })
    at = skipSpace(bytes, end)
  } while (bytes[at] === COMMA)
  return items.length === 0 ? undefined : items
}

/** Returns the position after the object at `start`, or -1 if no complete object begins there. */
const itemEnd = (bytes: Uint8Array, start: number): number => {
  if (bytes[start] !== OPEN_BRACE) return -1
  let depth = 0
  let at = start
  while (at !== -1 && at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = stringEnd(bytes, at)
      continue
    }
    at++
    if (byte === OPEN_BRACE) depth++
    else if (byte === CLOSE_BRACE && --depth === 0) return at
  }
  return -1
}

/**
 * Returns the values of an object's members by name, as JSON text. If a name occurs twice, the last value wins. Returns
 * undefined if the text is not an object. Values need not be valid JSON: only their brackets and strings are read.
 *
 * ```ts import.meta.vitest
 * import { JsonBytes } from "@plumbline/jsonrpc-core"
 *
 * const members = JsonBytes.membersOf(new TextEncoder().encode('{"number":"0x1","uncles":[]}'))
 * new TextDecoder().decode(members?.get("uncles")) // => "[]"
 * ```
 */
export const membersOf = (json: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined => {
  const open = skipSpace(json, 0)
  if (json[open] !== OPEN_BRACE) return undefined
  const members = new Map<string, Uint8Array>()
  let at = skipSpace(json, open + 1)
  while (json[at] === QUOTE) {
    const nameEnd = stringEnd(json, at)
    const start = nameEnd === -1 ? -1 : afterColon(json, nameEnd)
    const end = start === -1 ? -1 : structuralEnd(json, start)
    const name = end === -1 ? undefined : parse(json.subarray(at, nameEnd))
    if (typeof name !== "string") return undefined
    members.set(name, json.subarray(start, end))
    at = skipSpace(json, end)
    if (json[at] === COMMA) at = skipSpace(json, at + 1)
  }
  return members
}

/** Parses JSON text in UTF-8; undefined if it is invalid. */
export const parse = (json: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(json))
  } catch {
    return undefined
  }
}

/** The decoder keeps a byte order mark, so that `JSON.parse` refuses it. */
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Returns the position of the value of the member whose name begins here, or -1. */
const memberValue = (bytes: Uint8Array, name: number): number => {
  if (bytes[name] !== QUOTE) return -1
  const end = checkedStringEnd(bytes, name)
  if (end === -1) return -1
  const colon = skipSpace(bytes, end)
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : -1
}

/** 1 for each byte that a string may contain without a further check: no quote, backslash or control character. */
const PLAIN = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0
)

/** Returns the position after the string that opens here and has valid escapes, or -1. */
const checkedStringEnd = (bytes: Uint8Array, open: number): number => {
  let at = open + 1
  for (;;) {
    while (PLAIN[bytes[at]!] === 1) at++
    if (bytes[at] === QUOTE) return at + 1
    if (bytes[at] !== BACKSLASH) return -1
    const escaped = bytes[at + 1]
    if (escaped === 0x75) {
      for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(bytes[digit])) return -1
      at += 6
    } else if (escaped !== undefined && ESCAPES.has(escaped)) at += 2
    else return -1
  }
}

/** The letters that follow a backslash: `"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t`. */
const ESCAPES: ReadonlySet<number> = /* @__PURE__ */ new Set(/* @__PURE__ */ ascii('"\\/bfnrt'))

/** Returns the position after the literal or the number at `start`, or -1. */
const scalarEnd = (bytes: Uint8Array, start: number): number => {
  const literal = literalEnd(bytes, start)
  if (literal !== -1) return literal
  let at = bytes[start] === 0x2d ? start + 1 : start
  if (bytes[at] === 0x30) at++
  else if ((at = digitsEnd(bytes, at)) === -1) return -1
  if (bytes[at] === 0x2e && (at = digitsEnd(bytes, at + 1)) === -1) return -1
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d ? 2 : 1
    at = digitsEnd(bytes, at + sign)
  }
  return at
}

/** Returns the position after one or more digits, or -1. */
const digitsEnd = (bytes: Uint8Array, start: number): number => {
  let at = start
  while (isDigit(bytes[at])) at++
  return at === start ? -1 : at
}

const isHexDigit = (byte: number | undefined): boolean =>
  byte !== undefined && (isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66))

/**
 * A strict scanner of JSON in UTF-8 bytes (RFC 8259).
 *
 * The result of a node is copied unchanged between the answers of other calls. A result that is not valid JSON would
 * make the whole batch unreadable. So the scanner checks the result while it searches for its end, and builds no
 * objects.
 */
import * as Message from "@plumbline/jsonrpc-core/message/Message"

import { BACKSLASH, CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./jsonPunctuation.ts"

/** The members of a response. */
export interface ResponseMembers extends Message.LocatedMembers {
  /** False if the result is not a JSON value. */
  readonly isJson: boolean
}

/** Finds the members of a response, as `Message.locate` does, and checks that `result` is valid JSON. */
export const locate = (bytes: Uint8Array): ResponseMembers | undefined => {
  const usual = usualOf(bytes)
  if (usual !== undefined) return usual
  const located = Message.locate(bytes)
  if (located === undefined) return undefined
  const { result } = located
  return { ...located, isJson: result === undefined || valueEnd(bytes, result.start) === result.end }
}

/** Reads a response in the form that most nodes write, `{"jsonrpc":"2.0","id":7,"result":...}`, in one pass. */
const usualOf = (bytes: Uint8Array): ResponseMembers | undefined => {
  if (!startsWith(bytes, 0, START)) return undefined
  let at = START.length
  while (isDigit(bytes[at])) at++
  if (at === START.length || !startsWith(bytes, at, MIDDLE)) return undefined
  const start = at + MIDDLE.length
  const end = valueEnd(bytes, start)
  if (end === -1 || bytes[end] !== CLOSE_BRACE || skipSpace(bytes, end + 1) !== bytes.length) return undefined
  return {
    jsonrpc: VERSION,
    id: { start: START.length, end: at },
    result: { start, end },
    error: undefined,
    isJson: true
  }
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

const START = ascii('{"jsonrpc":"2.0","id":')
const MIDDLE = ascii(',"result":')
const VERSION: Message.ByteRange = { start: 11, end: 16 }

const startsWith = (bytes: Uint8Array, from: number, expected: Uint8Array): boolean => {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[from + index] !== expected[index]) return false
  }
  return true
}

/** Maximum nesting, the same as in Go's encoding/json. It bounds the memory of the scan, as in `Message.locate`. */
const MAX_NESTING = 10_000

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
    } else if (first === QUOTE) at = stringEnd(bytes, at)
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
export const itemsOf = (bytes: Uint8Array): ReadonlyArray<Message.ByteRange> | undefined => {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACKET) return undefined
  const items: Array<Message.ByteRange> = []
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
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      do at = bytes.indexOf(QUOTE, at + 1)
      while (at !== -1 && isEscaped(bytes, at))
      if (at === -1) return -1
    } else if (byte === OPEN_BRACE) depth++
    else if (byte === CLOSE_BRACE && --depth === 0) return at + 1
  }
  return -1
}

const isEscaped = (bytes: Uint8Array, quote: number): boolean => {
  let before = quote - 1
  while (bytes[before] === BACKSLASH) before--
  return (quote - before) % 2 === 0
}

/** Returns the position of the value of the member whose name begins here, or -1. */
const memberValue = (bytes: Uint8Array, name: number): number => {
  if (bytes[name] !== QUOTE) return -1
  const end = stringEnd(bytes, name)
  if (end === -1) return -1
  const colon = skipSpace(bytes, end)
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : -1
}

/** 1 for each byte that a string may contain without a further check: no quote, backslash or control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0
)

/** Returns the position after the string that opens here, or -1. */
const stringEnd = (bytes: Uint8Array, open: number): number => {
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
const ESCAPES: ReadonlySet<number> = new Set(ascii('"\\/bfnrt'))

const LITERALS = ["null", "true", "false"].map(ascii)

/** Returns the position after the literal or the number at `start`, or -1. */
const scalarEnd = (bytes: Uint8Array, start: number): number => {
  for (const literal of LITERALS) if (startsWith(bytes, start, literal)) return start + literal.length
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

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

const isHexDigit = (byte: number | undefined): boolean =>
  byte !== undefined && (isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66))

const skipSpace = (bytes: Uint8Array, start: number): number => {
  let at = start
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++
  return at
}

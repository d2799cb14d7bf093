/**
 * Scans the bytes of a response, and finds its members without parsing their values.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./punctuation.ts"

/** Bytes `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The byte ranges of the members of a response. Exactly one of `result` and `error` is present. */
export interface LocatedMembers {
  readonly jsonrpc: ByteRange | undefined
  readonly id: ByteRange | undefined
  readonly result: ByteRange | undefined
  readonly error: ByteRange | undefined
}

/** The byte ranges of the members of a response whose result was checked. */
export interface CheckedMembers extends LocatedMembers {
  /** True if the result is not a JSON value. */
  readonly isMalformed: boolean
}

/**
 * Maximum nesting depth, which bounds the memory of the scan. It is the limit of Go's encoding/json, so geth cannot
 * send more.
 */
export const MAX_NESTING = 10_000

const JSONRPC = 0
const ID = 1
const RESULT = 2
const OTHER = 4

/**
 * Finds the members of a response. `checkedEnd` returns the position after a valid JSON value, or -1; without it, only
 * the structure of the result is checked. The end of a malformed result is where its structure ends.
 */
export const locate = (
  bytes: Uint8Array,
  checkedEnd?: (bytes: Uint8Array, start: number) => number
): LocatedMembers | CheckedMembers | undefined => {
  const found: [ByteRange | undefined, ByteRange | undefined, ByteRange | undefined, ByteRange | undefined] = [
    undefined,
    undefined,
    undefined,
    undefined
  ]
  // After the prefix that nodes usually write, the first value to scan is the result.
  let name = RESULT
  let isMalformed = false
  let at = usualPrefixEnd(bytes)
  if (at === -1) {
    const open = skipSpace(bytes, 0)
    if (bytes[open] !== OPEN_BRACE) {
      return undefined
    }
    const nameStart = skipSpace(bytes, open + 1)
    const nameEnd = stringEnd(bytes, nameStart)
    if (nameEnd === -1) {
      return undefined
    }
    name = memberName(bytes, nameStart + 1, nameEnd - 1)
    at = afterColon(bytes, nameEnd)
  } else {
    found[JSONRPC] = { start: USUAL_VERSION_START, end: USUAL_VERSION_END }
    found[ID] = { start: USUAL_ID_START, end: at - USUAL_MIDDLE.length }
  }
  while (at !== -1) {
    const isChecked = name === RESULT && checkedEnd !== undefined
    let end = isChecked ? checkedEnd(bytes, at) : valueEnd(bytes, at)
    let separator = end === -1 ? -1 : skipSpace(bytes, end)
    if (isChecked) {
      isMalformed = bytes[separator] !== COMMA && bytes[separator] !== CLOSE_BRACE
      if (isMalformed) {
        end = valueEnd(bytes, at)
        separator = end === -1 ? -1 : skipSpace(bytes, end)
      }
    }
    if (end === -1) {
      return undefined
    }
    if (name < OTHER) {
      found[name as 0 | 1 | 2 | 3] = { start: at, end }
    }
    if (bytes[separator] === CLOSE_BRACE) {
      const [jsonrpc, id, result, error] = found
      const after = separator + 1
      const isWhole = after === bytes.length || skipSpace(bytes, after) === bytes.length
      if (!isWhole || (result === undefined) === (error === undefined)) {
        return undefined
      }
      return checkedEnd === undefined ? { jsonrpc, id, result, error } : { jsonrpc, id, result, error, isMalformed }
    }
    if (bytes[separator] !== COMMA) {
      return undefined
    }
    const nameStart = skipSpace(bytes, separator + 1)
    const nameEnd = stringEnd(bytes, nameStart)
    if (nameEnd === -1) {
      return undefined
    }
    name = memberName(bytes, nameStart + 1, nameEnd - 1)
    at = afterColon(bytes, nameEnd)
  }
  return undefined
}

/** Returns the bytes of a text of ASCII characters. */
export const ascii = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

const USUAL_START = /* @__PURE__ */ ascii('{"jsonrpc":"2.0","id":')
const USUAL_MIDDLE = /* @__PURE__ */ ascii(',"result":')
const USUAL_VERSION_START = 11
const USUAL_VERSION_END = 16
const USUAL_ID_START = 22

/** Returns the position of the result's value after `{"jsonrpc":"2.0","id":N,"result":` with digits for N, or -1. */
const usualPrefixEnd = (bytes: Uint8Array): number => {
  if (!matches(bytes, 0, USUAL_START)) {
    return -1
  }
  let at = USUAL_ID_START
  while (isDigit(bytes[at])) {
    at++
  }
  return at > USUAL_ID_START && matches(bytes, at, USUAL_MIDDLE) ? at + USUAL_MIDDLE.length : -1
}

const matches = (bytes: Uint8Array, from: number, expected: Uint8Array): boolean => {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[from + index] !== expected[index]) {
      return false
    }
  }
  return true
}

const NAMES = /* @__PURE__ */ ["jsonrpc", "id", "result", "error"].map(ascii)

const memberName = (bytes: Uint8Array, from: number, to: number): number => {
  for (let name = 0; name < NAMES.length; name++) {
    if (to - from === NAMES[name]!.length && matches(bytes, from, NAMES[name]!)) {
      return name
    }
  }
  // The longest spelling of "jsonrpc" has 42 characters: seven escapes of six characters each.
  if (to - from > 42 || !bytes.subarray(from, to).includes(BACKSLASH)) {
    return OTHER
  }
  try {
    const name = ["jsonrpc", "id", "result", "error"].indexOf(
      JSON.parse(`"${String.fromCharCode(...bytes.subarray(from, to))}"`)
    )
    return name === -1 ? OTHER : name
  } catch {
    return OTHER
  }
}

/** Returns the position of the value after the colon that follows a member's name, or -1. */
export const afterColon = (bytes: Uint8Array, nameEnd: number): number => {
  const colon = skipSpace(bytes, nameEnd)
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : -1
}

/** Returns the position after the value at `start`, or -1 if there is no value or the value does not end. */
export const valueEnd = (bytes: Uint8Array, start: number): number => {
  const first = bytes[start]
  if (first === QUOTE) {
    return stringEnd(bytes, start)
  }
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    return scalarEnd(bytes, start)
  }
  // In ASCII, the code of `]` is two more than the code of `[`, and the code of `}` is two more than the code of `{`.
  const outer: Array<number> = []
  let closing = first + 2
  let at = start + 1
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      at = stringEnd(bytes, at)
      if (at === -1) {
        return -1
      }
      continue
    }
    at++
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (outer.push(closing) >= MAX_NESTING) {
        return -1
      }
      closing = byte + 2
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (byte !== closing) {
        return -1
      }
      const next = outer.pop()
      if (next === undefined) {
        return at
      }
      closing = next
    }
  }
  return -1
}

/** Number of bytes of a string that are scanned one by one before `indexOf` pays off. */
const NEAR = 48

/**
 * Returns the position after the string that opens at `open`, or -1 if no string opens there or the string does not
 * close.
 *
 * Short strings, and strings with many escapes, are walked byte by byte. In long strings `indexOf` finds the quote in
 * machine code.
 */
export const stringEnd = (bytes: Uint8Array, open: number): number => {
  if (bytes[open] !== QUOTE) {
    return -1
  }
  let at = open + 1
  while (at < bytes.length) {
    const near = Math.min(bytes.length, at + NEAR)
    while (at < near) {
      const byte = bytes[at]!
      if (byte === QUOTE) {
        return at + 1
      }
      at += byte === BACKSLASH ? 2 : 1
    }
    const close = bytes.indexOf(QUOTE, at)
    if (close === -1) {
      return -1
    }
    let before = close - 1
    while (before >= at && bytes[before] === BACKSLASH) {
      before--
    }
    if ((close - before) % 2 === 1) {
      return close + 1
    }
    at = close + 1
  }
  return -1
}

const LITERALS = /* @__PURE__ */ ["null", "true", "false"].map(ascii)

/** Returns the position after `null`, `true` or `false`, or -1. */
export const literalEnd = (bytes: Uint8Array, start: number): number => {
  for (const literal of LITERALS) {
    if (matches(bytes, start, literal)) {
      return start + literal.length
    }
  }
  return -1
}

/** Returns the position after a literal or after a run of number characters, or -1. */
const scalarEnd = (bytes: Uint8Array, start: number): number => {
  const literal = literalEnd(bytes, start)
  if (literal !== -1) {
    return literal
  }
  let at = start
  while (isNumberByte(bytes[at])) {
    at++
  }
  return at === start ? -1 : at
}

/** Returns the position of the first byte at or after `start` that is not white space. */
export const skipSpace = (bytes: Uint8Array, start: number): number => {
  let at = start
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) {
    at++
  }
  return at
}

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** True for digits, `-`, `+`, `.`, `e`, `E`. */
const isNumberByte = (byte: number | undefined): boolean =>
  isDigit(byte) || byte === 0x2d || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45

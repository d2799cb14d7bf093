/** Finds the members of an object in JSON bytes, without parsing their values. */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./jsonPunctuation.ts"

/**
 * Returns the values of an object's members by name, as JSON text. If a name occurs twice, the last value wins. Returns
 * undefined if the text is not an object. All brackets of the text must be in pairs, and all strings must be closed.
 * Results of an upstream meet this condition.
 */
export const membersOf = (json: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined => {
  const members = new Map<string, Uint8Array>()
  let at = skipSpace(json, 0)
  if (json[at] !== OPEN_BRACE) return undefined
  at = skipSpace(json, at + 1)
  while (json[at] === QUOTE) {
    const nameEnd = stringEnd(json, at)
    const name = parse(json.subarray(at, nameEnd))
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1)
    const end = valueEnd(json, start)
    if (typeof name !== "string") return undefined
    members.set(name, json.subarray(start, end))
    at = skipSpace(json, end)
    if (json[at] === COMMA) at = skipSpace(json, at + 1)
  }
  return members
}

/** Returns the position after the value at `start`. For a value without brackets, trailing white space is included. */
const valueEnd = (json: Uint8Array, start: number): number => {
  let depth = 0
  let at = start
  while (at < json.length) {
    const byte = json[at]!
    if (byte === QUOTE) {
      at = stringEnd(json, at)
      continue
    }
    const closes = byte === CLOSE_BRACE || byte === CLOSE_BRACKET
    // A value without brackets ends before the next delimiter.
    if (depth === 0 && (closes || byte === COMMA)) return at
    at++
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (closes && --depth === 0) return at
  }
  return at
}

/** Returns the position after the string that opens at `open`. */
const stringEnd = (json: Uint8Array, open: number): number => {
  let close = json.indexOf(QUOTE, open + 1)
  while (close !== -1) {
    let before = close - 1
    while (json[before] === BACKSLASH) before--
    if ((close - before) % 2 === 1) return close + 1
    close = json.indexOf(QUOTE, close + 1)
  }
  return json.length
}

const skipSpace = (json: Uint8Array, start: number): number => {
  let at = start
  while (isSpace(json[at])) at++
  return at
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const decoder = new TextDecoder()

/** Parses JSON text; undefined if it is invalid. */
export const parse = (json: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(json))
  } catch {
    return undefined
  }
}

/**
 * Small scanners over JSON text: how deep it nests, and the text of request ids exactly as written.
 *
 * `JSON.parse` turns `1.0` into `1` and `12345678901234567890` into another number, but a response must carry the id as
 * it came. So the ids are cut out of the text.
 */

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Whether arrays and objects nest deeper than `max`. Works on any text, JSON or not, in one pass without recursion. */
export const isDeeperThan = (text: string, max: number): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      at = stringEnd(text, at) - 1
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth++
      if (depth > max) {
        return true
      }
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      depth--
    }
  }
  return false
}

/**
 * The raw text of the member `id` of the root object, or of each element of the root array, in order.
 *
 * `undefined` stands for an element without an id, or that is no object. Of several members `id` the last one counts, as
 * it does for `JSON.parse`; a name written with escapes counts too. The text must be valid JSON.
 */
export const rawIds = (text: string): ReadonlyArray<string | undefined> => {
  const start = skipSpace(text, 0)
  const ids: Array<string | undefined> = []
  if (text.charCodeAt(start) !== OPEN_BRACKET) {
    elementId(text, start, ids)
    return ids
  }
  let at = skipSpace(text, start + 1)
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    at = skipSpace(text, elementId(text, at, ids))
    if (text.charCodeAt(at) === COMMA) {
      at = skipSpace(text, at + 1)
    }
  }
  return ids
}

/** Adds the id of the element at `start` to `ids` and gives the position after the element. */
const elementId = (text: string, start: number, ids: Array<string | undefined>): number => {
  if (text.charCodeAt(start) !== OPEN_BRACE) {
    ids.push(undefined)
    return valueEnd(text, start)
  }
  let id: string | undefined
  let at = skipSpace(text, start + 1)
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const nameEnd = stringEnd(text, at)
    const isId = isIdName(text, at + 1, nameEnd - 1)
    const from = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const to = valueEnd(text, from)
    if (isId) {
      id = text.slice(from, to)
    }
    at = skipSpace(text, to)
    if (text.charCodeAt(at) === COMMA) {
      at = skipSpace(text, at + 1)
    }
  }
  ids.push(id)
  return at + 1
}

const isIdName = (text: string, from: number, to: number): boolean => {
  if (to - from === 2) {
    return text.charCodeAt(from) === 0x69 && text.charCodeAt(from + 1) === 0x64
  }
  // The longest spelling is \u0069\u0064, twelve characters.
  const name = to - from <= 12 ? text.slice(from, to) : ""
  return name.includes("\\") && JSON.parse(`"${name}"`) === "id"
}

/** The position after the value at `at` of a valid text. */
const valueEnd = (text: string, start: number): number => {
  const first = text.charCodeAt(start)
  if (first === QUOTE) {
    return stringEnd(text, start)
  }
  let at = start
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    while (at < text.length && !isDelimiter(text.charCodeAt(at))) {
      at++
    }
    return at
  }
  let depth = 0
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      at = stringEnd(text, at) - 1
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth++
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      depth--
      if (depth === 0) {
        return at + 1
      }
    }
  }
  return at
}

/** The position after the string that opens at `open`, or the end of the text if it does not close. */
const stringEnd = (text: string, open: number): number => {
  let close = text.indexOf('"', open + 1)
  while (close !== -1) {
    let before = close - 1
    while (text.charCodeAt(before) === BACKSLASH) {
      before--
    }
    if ((close - before) % 2 === 1) {
      return close + 1
    }
    close = text.indexOf('"', close + 1)
  }
  return text.length
}

const skipSpace = (text: string, start: number): number => {
  let at = start
  while (isSpace(text.charCodeAt(at))) {
    at++
  }
  return at
}

const isSpace = (char: number): boolean => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09

const isDelimiter = (char: number): boolean =>
  char === COMMA || char === CLOSE_BRACE || char === CLOSE_BRACKET || isSpace(char)

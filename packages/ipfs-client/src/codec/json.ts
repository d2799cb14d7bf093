/**
 * Reads dag-json with distinct integers and floats, and writes it as Kubo does.
 *
 * A number with a point or an exponent is a float; any other number is an integer. Whole floats are written without a
 * point, as Kubo does. The tests compare this module with `@ipld/dag-json`, which does not distinguish floats from
 * integers, and escapes other characters. So its blocks have other CIDs.
 *
 * Source: the specification of dag-json; go-ipld-prime and refmt for the forms of links and bytes, for escapes, and for
 * half a surrogate pair, which is read as U+FFFD.
 */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as Names from "./names.ts"
import * as Value from "./value.ts"

/** Options for reading texts. */
export interface Options {
  /** True for plain JSON, in which nothing is a link or bytes. */
  readonly isPlain?: boolean | undefined
  /** True to accept keys that occur twice, for callers that read only links. */
  readonly anyKeys?: boolean | undefined
}

/** Reads the value of a text; `value.ts` has its types. Fails with a sentence. */
export const decode = (bytes: Uint8Array, options: Options = {}): Result.Result<unknown, string> => {
  const text = Names.strict(bytes)
  const name = options.isPlain === true ? "json" : "dag-json"
  if (text === undefined) return Result.fail(`not ${name}`)
  const reader = new Reader(text, options)
  try {
    const value = reader.value(0)
    return reader.isAtEnd() ? Result.succeed(value) : Result.fail(`not ${name}`)
  } catch (error) {
    if (error === malformed) return Result.fail(`not ${name}`)
    throw error
  }
}

/** Thrown inside nested values, and caught by `decode`. */
const malformed = new Error("not dag-json")

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const BLANK = /[ \t\r\n]*/y

/**
 * The limit of integers: 64 bits and a sign, as in CBOR. Kubo reads 63 bits, but the test vectors of IPLD have larger
 * integers.
 */
const LIMIT = 1n << 64n

/** Maximum number of characters of an integer: 20 digits and a sign. */
const MAX_DIGITS = 21

class Reader {
  #at = 0
  readonly #text: string
  readonly #options: Options

  constructor(text: string, options: Options) {
    this.#text = text
    this.#options = options
  }

  isAtEnd(): boolean {
    this.#blank()
    return this.#at === this.#text.length
  }

  value(depth: number): unknown {
    this.#blank()
    switch (this.#text[this.#at]) {
      case "{":
        return this.#map(depth)
      case "[":
        return this.#list(depth)
      case '"':
        return this.#string()
      case "n":
        return this.#literal("null", null)
      case "t":
        return this.#literal("true", true)
      case "f":
        return this.#literal("false", false)
      default:
        return this.#number()
    }
  }

  #blank(): void {
    BLANK.lastIndex = this.#at
    BLANK.test(this.#text)
    this.#at = BLANK.lastIndex
  }

  #literal<A>(text: string, value: A): A {
    if (!this.#text.startsWith(text, this.#at)) throw malformed
    this.#at += text.length
    return value
  }

  /** Takes this character if it is next. Returns false if it is not. */
  #takes(character: string): boolean {
    this.#blank()
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #string(): string {
    const from = this.#at
    let isEscaped = false
    for (let at = from + 1; ; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === BACKSLASH) {
        isEscaped = true
        at++
      } else if (code === QUOTE) {
        this.#at = at + 1
        break
      } else if (!(code >= FIRST_PRINTABLE)) throw malformed
    }
    const text = this.#text.slice(from, this.#at)
    return isEscaped ? unescaped(text) : text.slice(1, -1)
  }

  #number(): number | bigint | Value.Float {
    NUMBER.lastIndex = this.#at
    const [text, point, exponent] = NUMBER.exec(this.#text) ?? []
    if (text === undefined) throw malformed
    this.#at += text.length
    if (point !== undefined || exponent !== undefined) {
      const value = Number(text)
      if (!Number.isFinite(value)) throw malformed
      return Value.float(value)
    }
    if (text.length > MAX_DIGITS) throw malformed
    const integer = BigInt(text)
    if (integer >= LIMIT || integer < -LIMIT) throw malformed
    return Value.integer(integer)
  }

  #list(depth: number): unknown {
    if (depth >= Value.MAX_DEPTH) throw malformed
    this.#at++
    const list: Array<unknown> = []
    if (this.#takes("]")) return list
    do {
      list.push(this.value(depth + 1))
    } while (this.#takes(","))
    if (!this.#takes("]")) throw malformed
    return list
  }

  #map(depth: number): unknown {
    if (depth >= Value.MAX_DEPTH) throw malformed
    this.#at++
    const map: Record<string, unknown> = {}
    const keys = new Set<string>()
    if (this.#takes("}")) return map
    do {
      this.#blank()
      if (this.#text[this.#at] !== '"') throw malformed
      let key = this.#string()
      if (keys.has(key)) {
        if (this.#options.anyKeys !== true) throw malformed
        key = `${keys.size} `
      }
      keys.add(key)
      if (!this.#takes(":")) throw malformed
      Value.set(map, key, this.value(depth + 1))
    } while (this.#takes(","))
    if (!this.#takes("}")) throw malformed
    return this.#options.isPlain === true || keys.size > 1 || !keys.has("/") ? map : special(map)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

const unescaped = (text: string): string => {
  try {
    return (JSON.parse(text) as string).toWellFormed()
  } catch {
    throw malformed
  }
}

/**
 * Reads a map with the single key `/`. The map is a link if the value is text, it is bytes if the value is `{"bytes":
 * text}`, and otherwise it is an ordinary map.
 */
const special = (map: Readonly<Record<string, unknown>>): unknown => {
  const inner = map["/"]
  if (typeof inner === "string") {
    const cid = Cid.fromText(inner)
    if (Result.isFailure(cid)) throw malformed
    return cid.success
  }
  if (Value.isMap(inner) && Object.keys(inner).length === 1 && typeof inner["bytes"] === "string") {
    return bytesOf(inner["bytes"])
  }
  return map
}

/** Reads base64 of RFC 4648, section 4, with or without padding. As in Go, line breaks in it are ignored. */
const bytesOf = (text: string): Uint8Array => {
  const digits = text.replaceAll(/[\r\n]/g, "")
  const body = digits.replace(/={1,2}$/, "")
  if (!/^[A-Za-z0-9+/]*$/.test(body) || body.length % 4 === 1) throw malformed
  if (body.length < digits.length && digits.length % 4 !== 0) throw malformed
  // The bits after the last whole byte have no meaning, so they are set to zero.
  return Uint8Array.from(atob(withoutRest(body)), (character) => character.charCodeAt(0))
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const withoutRest = (body: string): string => {
  const rest = body.length % 4
  if (rest === 0) return body
  const mask = rest === 2 ? 0x30 : 0x3c
  return body.slice(0, -1) + DIGITS[DIGITS.indexOf(body.at(-1)!) & mask]!
}

/** Options for writing texts. */
export interface EncodeOptions {
  /** True to escape strings as `JSON.stringify` does. Default: false, to escape them as Kubo does. */
  readonly isJavaScript?: boolean | undefined
}

/** Writes a value. Fails with a sentence if the codec cannot represent it. */
export const encode = (
  value: unknown,
  { isJavaScript = false }: EncodeOptions = {}
): Result.Result<Uint8Array, string> => {
  const parts: Array<string> = []
  const problem = write(value, parts, 0, isJavaScript ? JSON.stringify : quoted)
  return problem === undefined ? Result.succeed(encoder.encode(parts.join(""))) : Result.fail(problem)
}

const encoder = /* @__PURE__ */ new TextEncoder()

const write = (
  value: unknown,
  parts: Array<string>,
  depth: number,
  quoted: (text: string) => string
): string | undefined => {
  switch (typeof value) {
    case "boolean":
    case "bigint":
      parts.push(String(value))
      return undefined
    case "string":
      if (!value.isWellFormed()) return "a string that is not UTF-8"
      parts.push(quoted(value))
      return undefined
    case "number":
      return writeNumber(value, parts)
    case "object":
      break
    default:
      return "a value that the data model does not have"
  }
  if (value === null) parts.push("null")
  else if (value instanceof Value.Float) return writeNumber(value.value, parts)
  else if (value instanceof Value.Text) parts.push(shown(value.bytes))
  else if (value instanceof Uint8Array) parts.push(`{"/":{"bytes":"${base64(value)}"}}`)
  else {
    const cid = Cid.asCid(value)
    if (cid !== undefined) {
      parts.push(`{"/":"${Cid.toText(cid)}"}`)
      return undefined
    }
    if (depth >= Value.MAX_DEPTH) return "a value that is nested too deep"
    const isList = Array.isArray(value)
    const entries: ReadonlyArray<readonly [key: string, value: unknown]> = isList
      ? value.map((item) => ["", item])
      : Object.entries(value).toSorted(([a], [b]) => compare(a, b))
    parts.push(isList ? "[" : "{")
    for (const [i, [key, inner]] of entries.entries()) {
      if (!key.isWellFormed()) return "a key that is not UTF-8"
      if (i > 0) parts.push(",")
      if (!isList) parts.push(quoted(key), ":")
      const problem = write(inner, parts, depth + 1, quoted)
      if (problem !== undefined) return problem
    }
    parts.push(isList ? "]" : "}")
  }
  return undefined
}

const writeNumber = (value: number, parts: Array<string>): string | undefined => {
  if (!Number.isFinite(value)) return "a float that is not a number"
  parts.push(Object.is(value, -0) ? "-0" : String(value))
  return undefined
}

/** Compares keys by their UTF-8. JavaScript sorts strings differently if they have characters beyond U+FFFF. */
const compare = (a: string, b: string): number => {
  const [left, right] = [encoder.encode(a), encoder.encode(b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!
  }
  return left.length - right.length
}

/** Quotes a string as Go does: the only short escapes are `\n`, `\r` and `\t`, and U+2028 and U+2029 are escaped. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(/\\\\|\\b|\\f|[\u2028\u2029]/g, (found) => ESCAPES[found] ?? found)

const ESCAPES: Readonly<Record<string, string>> = {
  "\\b": "\\u0008",
  "\\f": "\\u000c",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029"
}

/**
 * Writes a string that is not UTF-8. As in Go, each byte that is not part of a character becomes an escape, so the text
 * is only for display.
 */
const shown = (bytes: Uint8Array): string =>
  `"${Names.characters(bytes)
    .map((character) => (character === undefined ? "\\ufffd" : quoted(character).slice(1, -1)))
    .join("")}"`

const base64 = (bytes: Uint8Array): string => {
  const parts: Array<string> = []
  for (let at = 0; at < bytes.length; at += PIECE) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE))))
  }
  return parts.join("").replace(/=+$/, "")
}

/**
 * Number of bytes that are encoded at a time. The number is a multiple of 3, so that only the last piece is padded. It
 * is small, because the bytes become arguments of a call.
 */
const PIECE = 3 * 4096

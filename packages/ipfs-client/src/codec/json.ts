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
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import { now, sorted, STEP, type Steps } from "../work/steps.ts"
import * as Base64 from "./base64.ts"
import { Exceeded, type Flaw, MAX_KEYS, MAX_LINKS, MAX_NESTING, MAX_VALUES } from "./bounds.ts"
import * as Links from "./links.ts"
import * as Names from "./names.ts"
import * as Value from "./value.ts"

/** Options for reading texts. */
export interface Options {
  /** True for plain JSON, in which nothing is a link or bytes. */
  readonly isPlain?: boolean | undefined
}

/**
 * Reads the value of a text, in steps; `value.ts` has its types. Fails with a sentence, or beyond a bound. A text beyond a bound
 * is refused before any of its values is made.
 */
export const decodeSteps = (bytes: Uint8Array, options: Options = {}): Steps<Result.Result<unknown, Flaw>> =>
  read(bytes, options)

/** Reads a text as `decodeSteps` does. With `links`, it keeps the links there in their order, and makes no values. */
function* read(bytes: Uint8Array, options: Options, links?: Array<Cid.Cid>): Steps<Result.Result<unknown, Flaw>> {
  const exceeded = yield* measured(bytes)
  if (exceeded !== undefined) return Result.fail(exceeded)
  const text = Names.strict(bytes)
  const flaw = options.isPlain === true ? "not json" : "not dag-json"
  if (text === undefined) return Result.fail(flaw)
  const reader = new Reader(text, options, links)
  try {
    const value = yield* reader.value()
    return reader.isAtEnd() ? Result.succeed(value) : Result.fail(flaw)
  } catch (error) {
    if (error === malformed) return Result.fail(flaw)
    if (error instanceof Exceeded) return Result.fail(error)
    throw error
  }
}

/** Finds the links of a text, in steps. Accepts keys that occur twice. Keeps no value, and no map of the text. */
export function* links(bytes: Uint8Array): Steps<Result.Result<Links.Links, Flaw>> {
  const found: Array<Cid.Cid> = []
  return Result.map(yield* read(bytes, {}, found), () => Links.ofCids(found))
}

/**
 * Returns the bound that a text exceeds. It looks only at quotes, brackets and commas, so it counts at least as many
 * values as the text has.
 */
function* measured(bytes: Uint8Array): Steps<Exceeded | undefined> {
  let nesting = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    if (at % MEASURED_AT_ONCE === MEASURED_AT_ONCE - 1) yield
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at)
        break
      case OPENING_BRACKET:
      case OPENING_BRACE:
        values++
        if (++nesting > MAX_NESTING) return new Exceeded("maxNesting")
        break
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        nesting--
        break
      case COMMA:
        values++
        break
    }
    if (values > MAX_VALUES) return new Exceeded("maxValues")
  }
  return undefined
}

/** Number of bytes of a text that one step passes. */
const MEASURED_AT_ONCE = 128 * STEP

/** Returns the index of the quote that ends a string. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  for (let at = start; ;) {
    at = bytes.indexOf(QUOTE, at + 1)
    if (at === -1) return bytes.length
    let backslashes = 0
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
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
  #values = 0
  #links = 0
  readonly #text: string
  readonly #options: Options
  /** The links so far, if only these are wanted. */
  readonly #found: Array<Cid.Cid> | undefined

  constructor(text: string, options: Options, found: Array<Cid.Cid> | undefined) {
    this.#text = text
    this.#options = options
    this.#found = found
  }

  isAtEnd(): boolean {
    this.#blank()
    return this.#at === this.#text.length
  }

  /** Reads a value and everything in it. */
  *value(): Steps<unknown> {
    this.#blank()
    return this.#isNested() ? yield* this.#nested(0) : this.#leaf()
  }

  #isNested(): boolean {
    const next = this.#text.charCodeAt(this.#at)
    return next === OPENING_BRACE || next === OPENING_BRACKET
  }

  *#nested(depth: number): Steps<unknown> {
    if (depth >= Value.MAX_DEPTH) throw malformed
    const isList = this.#text.charCodeAt(this.#at++) === OPENING_BRACKET
    const list: Array<unknown> | undefined = isList ? [] : undefined
    const map: Record<string, unknown> = {}
    const end = isList ? "]" : "}"
    let keys = 0
    let isSlash = false
    if (this.#takes(end)) return list ?? map
    do {
      if (++this.#values >= STEP) {
        this.#values = 0
        yield
      }
      const key = isList ? "" : this.#key(map, keys++)
      isSlash = key === "/"
      this.#blank()
      const value = this.#isNested() ? yield* this.#nested(depth + 1) : this.#leaf()
      // Two members are enough to tell whether a map is a link or bytes.
      const isKept = this.#found === undefined || (list === undefined && keys <= 2)
      if (isKept) {
        if (list === undefined) Value.set(map, key, value)
        else list.push(value)
      }
    } while (this.#takes(","))
    if (!this.#takes(end)) throw malformed
    if (list !== undefined) return list
    return this.#options.isPlain !== true && keys === 1 && isSlash ? yield* this.#special(map) : map
  }

  /**
   * Reads a key and the colon after it. The key must be new in the map, which has `count` keys, unless only links are
   * wanted.
   */
  #key(map: Readonly<Record<string, unknown>>, count: number): string {
    this.#blank()
    if (this.#text.charCodeAt(this.#at) !== QUOTE) throw malformed
    if (count >= MAX_KEYS && this.#found === undefined) throw new Exceeded("maxKeys")
    let key = this.#string()
    if (Object.hasOwn(map, key)) {
      if (this.#found === undefined) throw malformed
      key = `${count} `
    }
    if (!this.#takes(":")) throw malformed
    return key
  }

  /**
   * Reads a map with the single key `/`. The map is a link if the value is text, it is bytes if the value is `{"bytes":
   * text}`, and otherwise it is an ordinary map.
   */
  *#special(map: Readonly<Record<string, unknown>>): Steps<unknown> {
    const inner = map["/"]
    if (typeof inner === "string") {
      if (++this.#links > MAX_LINKS) throw new Exceeded("maxLinks")
      // A link takes as long as many other values, because its text is decoded.
      this.#values += LINK_VALUES
      const cid = Cid.fromText(inner)
      if (Result.isFailure(cid)) throw malformed
      this.#found?.push(cid.success)
      return cid.success
    }
    if (Value.isMap(inner) && Object.keys(inner).length === 1 && typeof inner["bytes"] === "string") {
      const bytes = yield* Base64.decodeSteps(inner["bytes"])
      if (bytes === undefined) throw malformed
      return bytes
    }
    return map
  }

  #leaf(): unknown {
    switch (this.#text[this.#at]) {
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
}

/** Number of other values that take as long as a link. */
const LINK_VALUES = 15

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

const unescaped = (text: string): string => {
  try {
    return (JSON.parse(text) as string).toWellFormed()
  } catch {
    throw malformed
  }
}

/** Options for writing texts. */
export interface EncodeOptions {
  /** True to escape strings as `JSON.stringify` does. Default: false, to escape them as Kubo does. */
  readonly isJavaScript?: boolean | undefined
}

/** Writes a value, in steps. Fails with a sentence if the codec cannot represent it. */
export function* encodeSteps(
  value: unknown,
  { isJavaScript = false }: EncodeOptions = {}
): Steps<Result.Result<Uint8Array, string>> {
  const writer: Writer = { chunks: [], parts: [], work: 0, quoted: isJavaScript ? JSON.stringify : quoted }
  const problem = isLong(value) ? yield* writeLong(value, writer, 0) : writeLeaf(value, writer)
  if (problem !== undefined) return Result.fail(problem)
  flush(writer)
  return Result.succeed(Bytes.join(writer.chunks))
}

const encoder = /* @__PURE__ */ new TextEncoder()

interface Writer {
  /** The text before `parts`. Joining all parts at the end would be one long step. */
  readonly chunks: Array<Uint8Array>
  readonly parts: Array<string>
  readonly quoted: (text: string) => string
  /** The work since the last step, in values. */
  work: number
}

const flush = (writer: Writer): void => {
  writer.chunks.push(encoder.encode(writer.parts.join("")))
  writer.parts.length = 0
  writer.work = 0
}

/** Number of characters of a string that take as long as a value. */
const VALUE_LENGTH = 64

/** Number of bytes of a string that is not UTF-8 that take as long as a value. */
const VALUE_SHOWN = 4

/** Number of characters or bytes of a string that are written in one step. */
const PIECE = 16 * STEP

/** True for a value that is written in steps of its own. */
const isLong = (value: unknown): value is object | string => {
  if (typeof value === "string") return value.length > PIECE
  if (value instanceof Uint8Array) return value.length > PIECE
  return value instanceof Value.Text ? value.bytes.length > PIECE : Value.isNested(value)
}

/** Writes a value in steps. Returns a sentence if it cannot be written. */
function* writeLong(value: object | string, writer: Writer, depth: number): Steps<string | undefined> {
  if (typeof value === "string") {
    if (!value.isWellFormed()) return NOT_UTF8
    const isSplit = (at: number) => isSurrogate(value.charCodeAt(at)) && isSurrogate(value.charCodeAt(at - 1))
    yield* writePieces(value.length, isSplit, (from, to) => writer.quoted(value.slice(from, to)), writer)
  } else if (value instanceof Value.Text) {
    const { bytes } = value
    const isSplit = (at: number) => (bytes[at]! & 0xc0) === 0x80
    yield* writePieces(bytes.length, isSplit, (from, to) => shown(bytes.subarray(from, to)), writer)
  } else if (value instanceof Uint8Array) {
    writer.parts.push(bytesText(value, yield* Base64.encodeSteps(value)))
    flush(writer)
    yield
  } else return yield* writeNested(value, writer, depth)
  return undefined
}

/** Writes a string of some length in pieces. A character that `isSplit` finds at the end of a piece stays whole. */
function* writePieces(
  length: number,
  isSplit: (at: number) => boolean,
  quotedPiece: (from: number, to: number) => string,
  writer: Writer
): Steps<void> {
  const { parts } = writer
  parts.push('"')
  for (let from = 0, to = 0; from < length; from = to) {
    to = Math.min(from + PIECE, length)
    for (let more = 0; more < MAX_MORE && to < length && isSplit(to); more++) to++
    parts.push(quotedPiece(from, to).slice(1, -1))
    flush(writer)
    yield
  }
  parts.push('"')
}

/** Maximum number of bytes of a character after its first. */
const MAX_MORE = 3

/** Writes a list or a map. Returns a sentence if it cannot be written. */
function* writeNested(value: object, writer: Writer, depth: number): Steps<string | undefined> {
  if (depth >= Value.MAX_DEPTH) return "a value that is nested too deep"
  const { parts } = writer
  const list: ReadonlyArray<unknown> | undefined = Array.isArray(value) ? value : undefined
  const entries = list === undefined ? yield* sorted(yield* Value.entriesOf(value), byKey) : []
  const count = list?.length ?? entries.length
  parts.push(list === undefined ? "{" : "[")
  for (let i = 0; i < count; i++) {
    if (++writer.work >= STEP) {
      flush(writer)
      yield
    }
    if (i > 0) parts.push(",")
    if (list === undefined) {
      const [key] = entries[i]!
      if (!key.isWellFormed()) return "a key that is not UTF-8"
      if (isLong(key)) yield* writeLong(key, writer, depth)
      else writeLeaf(key, writer)
      parts.push(":")
    }
    const inner = list === undefined ? entries[i]![1] : list[i]
    const problem = isLong(inner) ? yield* writeLong(inner, writer, depth + 1) : writeLeaf(inner, writer)
    if (problem !== undefined) return problem
  }
  parts.push(list === undefined ? "}" : "]")
  return undefined
}

const writeLeaf = (value: unknown, writer: Writer): string | undefined => {
  const { parts } = writer
  switch (typeof value) {
    case "boolean":
    case "bigint":
      parts.push(String(value))
      return undefined
    case "string":
      if (!value.isWellFormed()) return NOT_UTF8
      writer.work += value.length / VALUE_LENGTH
      parts.push(writer.quoted(value))
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
  else if (value instanceof Value.Text) {
    writer.work += value.bytes.length / VALUE_SHOWN
    parts.push(shown(value.bytes))
  } else if (value instanceof Uint8Array) {
    writer.work += value.length / VALUE_LENGTH
    parts.push(bytesText(value, now(Base64.encodeSteps(value))))
  } else {
    const cid = Cid.asCid(value)
    if (cid === undefined) return "a value that the data model does not have"
    parts.push(`{"/":"${Cid.toText(cid)}"}`)
  }
  return undefined
}

const NOT_UTF8 = "a string that is not UTF-8"

/** Returns the map that stands for bytes, from their base64 without its padding. */
const bytesText = ({ length }: Uint8Array, base64: string): string =>
  `{"/":{"bytes":"${base64.slice(0, Math.ceil((length * 4) / 3))}"}}`

const writeNumber = (value: number, parts: Array<string>): string | undefined => {
  if (!Number.isFinite(value)) return "a float that is not a number"
  parts.push(Object.is(value, -0) ? "-0" : String(value))
  return undefined
}

/** Compares keys by their UTF-8, which is the order of code points. A surrogate stands for one beyond U+FFFF. */
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (left === right) continue
    return Number(isSurrogate(left)) - Number(isSurrogate(right)) || left - right
  }
  return a.length - b.length
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000

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

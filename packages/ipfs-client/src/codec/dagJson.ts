/**
 * Reads dag-json with distinct integers and floats; `dagJsonWriter.ts` writes it.
 *
 * A number with a point or an exponent is a float; any other number is an integer. The tests compare both modules with
 * `@ipld/dag-json`, which does not distinguish floats from integers, and escapes other characters. So its blocks have
 * other CIDs.
 *
 * Source: the specification of dag-json; go-ipld-prime and refmt for the forms of links and bytes, for escapes, and for
 * half a surrogate pair, which is read as U+FFFD.
 */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as Base64 from "./base64.ts"
import { Exceeded, type Flaw, MAX_KEYS, MAX_LINKS, MAX_NESTING, MAX_VALUES } from "./blockBounds.ts"
import * as BlockLinks from "./blockLinks.ts"
import * as EntryNames from "./entryNames.ts"
import * as IpldValue from "./ipldValue.ts"

/** Options for reading texts. */
export interface DagJsonOptions {
  /** True for plain JSON, in which nothing is a link or bytes. */
  readonly isPlain?: boolean | undefined
}

/**
 * Reads the value of a text, in steps; `ipldValue.ts` has its types. Fails with a sentence, or beyond a bound. A text beyond a bound
 * is refused before any of its values is made.
 */
export const decodeSteps = (bytes: Uint8Array, options: DagJsonOptions = {}): Steps<Result.Result<unknown, Flaw>> =>
  read(bytes, options)

/** Reads a text as `decodeSteps` does. With `links`, it keeps the links there in their order, and makes no values. */
function* read(
  bytes: Uint8Array,
  options: DagJsonOptions,
  links?: Array<Cid.Cid>
): Steps<Result.Result<unknown, Flaw>> {
  const exceeded = yield* measured(bytes)
  if (exceeded !== undefined) return Result.fail(exceeded)
  const text = EntryNames.strict(bytes)
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
export function* links(bytes: Uint8Array): Steps<Result.Result<BlockLinks.BlockLinks, Flaw>> {
  const found: Array<Cid.Cid> = []
  return Result.map(yield* read(bytes, {}, found), () => BlockLinks.ofCids(found))
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
  readonly #options: DagJsonOptions
  /** The links so far, if only these are wanted. */
  readonly #found: Array<Cid.Cid> | undefined

  constructor(text: string, options: DagJsonOptions, found: Array<Cid.Cid> | undefined) {
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
    if (depth >= IpldValue.MAX_DEPTH) throw malformed
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
        if (list === undefined) IpldValue.set(map, key, value)
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
    if (IpldValue.isMap(inner) && Object.keys(inner).length === 1 && typeof inner["bytes"] === "string") {
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

  #number(): number | bigint | IpldValue.Float {
    NUMBER.lastIndex = this.#at
    const [text, point, exponent] = NUMBER.exec(this.#text) ?? []
    if (text === undefined) throw malformed
    this.#at += text.length
    if (point !== undefined || exponent !== undefined) {
      const value = Number(text)
      if (!Number.isFinite(value)) throw malformed
      return IpldValue.float(value)
    }
    if (text.length > MAX_DIGITS) throw malformed
    const integer = BigInt(text)
    if (integer >= LIMIT || integer < -LIMIT) throw malformed
    return IpldValue.integer(integer)
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

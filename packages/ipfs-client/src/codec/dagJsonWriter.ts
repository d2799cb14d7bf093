/**
 * Writes dag-json as Kubo does. Whole floats are written without a point, as Kubo does.
 *
 * Source: the specification of dag-json; go-ipld-prime and refmt for the forms of links and bytes, and for escapes.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import { now, sorted, STEP, type Steps } from "../work/steps.ts"
import * as Base64 from "./base64.ts"
import * as EntryNames from "./entryNames.ts"
import * as IpldValue from "./ipldValue.ts"

/** Options for writing texts. */
export interface DagJsonEncodeOptions {
  /** True to escape strings as `JSON.stringify` does. Default: false, to escape them as Kubo does. */
  readonly isJavaScript?: boolean | undefined
}

/** Writes a value, in steps. Fails with a sentence if the codec cannot represent it. */
export function* encodeSteps(
  value: unknown,
  { isJavaScript = false }: DagJsonEncodeOptions = {}
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
  return value instanceof IpldValue.Text ? value.bytes.length > PIECE : IpldValue.isNested(value)
}

/** Writes a value in steps. Returns a sentence if it cannot be written. */
function* writeLong(value: object | string, writer: Writer, depth: number): Steps<string | undefined> {
  if (typeof value === "string") {
    if (!value.isWellFormed()) return NOT_UTF8
    const isSplit = (at: number) => isSurrogate(value.charCodeAt(at)) && isSurrogate(value.charCodeAt(at - 1))
    yield* writePieces(value.length, isSplit, (from, to) => writer.quoted(value.slice(from, to)), writer)
  } else if (value instanceof IpldValue.Text) {
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
  if (depth >= IpldValue.MAX_DEPTH) return "a value that is nested too deep"
  const { parts } = writer
  const list: ReadonlyArray<unknown> | undefined = Array.isArray(value) ? value : undefined
  const entries = list === undefined ? yield* sorted(yield* IpldValue.entriesOf(value), byKey) : []
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
  else if (value instanceof IpldValue.Float) return writeNumber(value.value, parts)
  else if (value instanceof IpldValue.Text) {
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
  `"${EntryNames.characters(bytes)
    .map((character) => (character === undefined ? "\\ufffd" : quoted(character).slice(1, -1)))
    .join("")}"`

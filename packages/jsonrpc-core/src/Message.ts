/**
 * JSON-RPC 2.0 messages as they are on the wire: reading requests, writing responses, finding the parts of a response.
 *
 * Ids stay the JSON text that the client sent, so that `1.0`, `12345678901234567890` and `"\u0061"` come back byte for
 * byte. Results are bytes that nobody re-encodes.
 *
 * Source: JSON-RPC 2.0, https://www.jsonrpc.org/specification; geth's wording of the errors.
 */
import type * as Brand from "effect/Brand"

import * as ErrorCode from "./ErrorCode.ts"
import * as ErrorObject from "./ErrorObject.ts"
import * as ByteScan from "./internal/byteScan.ts"
import * as TextScan from "./internal/textScan.ts"

/** A request's id: the raw JSON text of a string, a number or `null`. */
export type Id = string & Brand.Brand<"Id">

/** Parameters: by position, by name, or none. */
export type Params = ReadonlyArray<unknown> | Readonly<Record<string, unknown>> | undefined

/**
 * One message of a packet, read.
 *
 * `Invalid` is to be answered with its error. `Response` is the answer to something: no method, but a result or an error.
 * It is no request, yet where both ends may send, whoever answers it may be answered for ever.
 */
export type Entry =
  | { readonly _tag: "Request"; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: Params }
  | { readonly _tag: "Invalid"; readonly id: Id; readonly error: ErrorObject.ErrorObject }
  | { readonly _tag: "Response"; readonly id: Id }

/** What one body or frame holds. `Refused` is to be answered with one error for all of it. */
export type Packet =
  | { readonly _tag: "Single"; readonly entry: Entry }
  | { readonly _tag: "Batch"; readonly entries: ReadonlyArray<Entry> }
  | { readonly _tag: "Refused"; readonly id: Id; readonly error: ErrorObject.ErrorObject }

/** Bounds of a packet. */
export interface Limits {
  /** Bytes of UTF-8. */
  readonly maxBytes: number
  /** Messages in a batch. */
  readonly maxBatch: number
  /** Arrays and objects inside each other, counted over the whole text: a batch of calls with a list has four. */
  readonly maxDepth: number
}

/** 5 MiB and 1000 messages as geth has them, and 64 levels. */
export const defaultLimits: Limits = { maxBytes: 5 * 1024 * 1024, maxBatch: 1000, maxDepth: 64 }

/** The longest name of a method, in UTF-16 code units: geth's. */
export const MAX_METHOD_LENGTH = 2048

/** The answers to a packet, one for each of its messages, in their order. `undefined`: nothing is to be sent. */
export type Answers = ReadonlyArray<Uint8Array | undefined>

/** Bytes `start` up to, not including, `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Where the members of a response are. Exactly one of `result` and `error` is there. */
export interface Located {
  readonly jsonrpc: Range | undefined
  readonly id: Range | undefined
  readonly result: Range | undefined
  readonly error: Range | undefined
}

/**
 * The id of a value: its JSON text.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * Message.makeId(7) // => "7"
 * Message.makeId("a") // => "\"a\""
 * Message.makeId(null) // => "null"
 * ```
 */
export const makeId = (value: string | number | bigint | null): Id =>
  (typeof value === "bigint" ? value.toString() : JSON.stringify(value)) as Id

/** The id of an answer to something whose id could not be read. */
export const NULL_ID: Id = /* @__PURE__ */ makeId(null)

/**
 * Reads a packet. Never throws.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * const packet = Message.parse('{"jsonrpc":"2.0","id":1.0,"method":"eth_chainId"}')
 * packet // => { _tag: "Single", entry: { _tag: "Request", id: "1.0", method: "eth_chainId", params: undefined } }
 * Message.parse("[]") // => { _tag: "Refused", id: "null", error: { code: -32600, message: "empty batch" } }
 * ```
 */
export const parse = (input: Uint8Array | string, limits: Limits = defaultLimits): Packet => {
  if (isLargerThan(input, limits.maxBytes)) {
    return refused(ErrorObject.invalidRequest("request too large"))
  }
  const text = typeof input === "string" ? input : decodeUtf8(input)
  if (text === undefined || !text.isWellFormed()) {
    return refused(ErrorObject.parseError())
  }
  if (TextScan.isDeeperThan(text, limits.maxDepth)) {
    return refused(ErrorObject.invalidRequest("request nested too deeply"))
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refused(ErrorObject.parseError())
  }
  const ids = TextScan.rawIds(text)
  if (!Array.isArray(value)) {
    return { _tag: "Single", entry: toEntry(value, ids[0]) }
  }
  if (value.length === 0) {
    return refused(ErrorObject.invalidRequest("empty batch"))
  }
  if (value.length > limits.maxBatch) {
    const first = value.findIndex((element: unknown, index) => toEntry(element, ids[index])._tag === "Request")
    return { _tag: "Batch", entries: [invalid(ids[first] as Id | undefined, "batch too large")] }
  }
  return { _tag: "Batch", entries: value.map((element: unknown, index) => toEntry(element, ids[index])) }
}

/**
 * A response with a result: the bytes of the result stay what they are.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * const bytes = Message.successBytes(Message.makeId(1), new TextEncoder().encode('"0x1"'))
 * new TextDecoder().decode(bytes) // => '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
 * ```
 */
export const successBytes = (id: Id, resultJson: Uint8Array): Uint8Array => {
  const head = encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":`)
  const out = new Uint8Array(head.length + resultJson.length + 1)
  out.set(head)
  out.set(resultJson, head.length)
  out[out.length - 1] = CLOSE_BRACE
  return out
}

/** A response with an error. `data` that is not JSON (a bigint, a cycle) is left out, the rest is kept. */
export const failureBytes = (id: Id, error: ErrorObject.ErrorObject): Uint8Array =>
  encoder.encode(`{"jsonrpc":"2.0","id":${id},"error":${errorText(error)}}`)

/** The responses of a batch as one array. */
export const batchBytes = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length + 1, parts.length === 0 ? 2 : 1))
  let at = 0
  for (const part of parts) {
    out[at] = at === 0 ? OPEN_BRACKET : COMMA
    out.set(part, at + 1)
    at += part.length + 1
  }
  out[0] = OPEN_BRACKET
  out[out.length - 1] = CLOSE_BRACKET
  return out
}

/**
 * The answers to a packet as what is to be sent: one response, or an array of them. `undefined` if there is nothing to send.
 *
 * ```ts import.meta.vitest
 * import { ErrorObject, Message } from "@plumbline/jsonrpc-core"
 *
 * const packet = Message.parse('[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]')
 * const answers = Message.refuse(packet, ErrorObject.make(-32005, "not now"))
 * const text = new TextDecoder().decode(Message.join(packet, answers))
 * text // => '[{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"not now"}}]'
 * ```
 */
export const join = (packet: Packet, answers: Answers): Uint8Array | undefined => {
  if (packet._tag !== "Batch") {
    return answers[0]
  }
  const parts = answers.filter((answer) => answer !== undefined)
  return parts.length === 0 ? undefined : batchBytes(parts)
}

/** The same error for each message of a packet that wants an answer: all but notifications. */
export const refuse = (packet: Packet, error: ErrorObject.ErrorObject): Answers => {
  if (packet._tag === "Refused") {
    return [failureBytes(packet.id, error)]
  }
  const entries = packet._tag === "Single" ? [packet.entry] : packet.entries
  return entries.map((entry) => (entry._tag === "Notification" ? undefined : failureBytes(entry.id, error)))
}

/**
 * Where the messages of a batch are in its bytes, in their order: what each of them was long; at most the first `most` of
 * them. The bytes must be those of a JSON array; for others the ranges mean nothing.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * Message.ranges(new TextEncoder().encode('[{"id":1}, {}]')) // => [{ start: 1, end: 9 }, { start: 11, end: 13 }]
 * ```
 */
export const ranges = (bytes: Uint8Array, most = Infinity): ReadonlyArray<Range> => ByteScan.elements(bytes, most)

/**
 * Finds the members of one response without parsing their values, so that they can be passed on as bytes.
 *
 * `undefined` unless the bytes are one JSON object, whole and with nothing behind it, with exactly one of `result` and
 * `error`. Of several members of one name the last one counts, as for `JSON.parse`; other members are passed over.
 *
 * It looks at structure only. Inside values it does not check commas, colons, numbers, literals, escapes, control
 * characters or UTF-8, and it compares neither version nor id with what is expected: that is for the caller. Nesting
 * beyond 10,000 levels is refused. A well-formed response is always located, and none that was cut before its closing brace ever is.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":7,"result":{"number":"0x1"}}')
 * const located = Message.locate(bytes)
 * located?.result // => { start: 33, end: 49 }
 * Message.locate(bytes.subarray(0, -1)) // => undefined
 * ```
 */
export const locate = (bytes: Uint8Array): Located | undefined => ByteScan.locate(bytes)

const OPEN_BRACKET = 0x5b
const COMMA = 0x2c
const CLOSE_BRACKET = 0x5d
const CLOSE_BRACE = 0x7d

const encoder = /* @__PURE__ */ new TextEncoder()

/** A byte order mark is kept, so that `JSON.parse` refuses it as it does in a string. */
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** A UTF-16 code unit takes at most three bytes of UTF-8, so most texts need not be measured. */
const isLargerThan = (input: Uint8Array | string, max: number): boolean =>
  input.length > max || (typeof input === "string" && input.length * 3 > max && encoder.encode(input).length > max)

const refused = (error: ErrorObject.ErrorObject): Packet => ({ _tag: "Refused", id: NULL_ID, error })

const invalid = (id: Id | undefined, message?: string): Entry => ({
  _tag: "Invalid",
  id: id ?? NULL_ID,
  error: ErrorObject.invalidRequest(message)
})

const toEntry = (value: unknown, rawId: string | undefined): Entry => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid(undefined)
  }
  // Own members only: whatever was done to Object.prototype, it sends no requests.
  const id = member(value, "id")
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") {
    return invalid(undefined)
  }
  const method = member(value, "method")
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return { _tag: "Response", id: (rawId as Id | undefined) ?? NULL_ID }
  }
  const params = member(value, "params")
  if (member(value, "jsonrpc") !== "2.0" || typeof method !== "string" || !isParams(params)) {
    return invalid(rawId as Id | undefined)
  }
  if (method.length > MAX_METHOD_LENGTH) {
    return invalid(rawId as Id | undefined, "method name too long")
  }
  return rawId === undefined
    ? { _tag: "Notification", method, params: params ?? undefined }
    : { _tag: "Request", id: rawId as Id, method, params: params ?? undefined }
}

const member = (value: object, name: "id" | "jsonrpc" | "method" | "params"): unknown =>
  Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const isParams = (params: unknown): params is Params | null => params === undefined || typeof params === "object"

const errorText = (error: ErrorObject.ErrorObject): string => {
  const code = Number.isSafeInteger(error.code) ? error.code : ErrorCode.INTERNAL_ERROR
  const data = jsonText(error.data)
  return `{"code":${code},"message":${JSON.stringify(error.message)}${data === undefined ? "" : `,"data":${data}`}}`
}

const jsonText = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

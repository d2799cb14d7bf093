/**
 * JSON-RPC 2.0 messages on the wire: reads requests, writes responses, and finds the parts of a response.
 *
 * Ids stay the JSON text that the client sent, so `1.0`, `12345678901234567890` and `"\u0061"` come back byte for byte.
 * Results are bytes and are never re-encoded.
 *
 * Source: JSON-RPC 2.0, https://www.jsonrpc.org/specification; geth's wording of the errors.
 */
import * as ErrorCode from "../error/ErrorCode.ts"
import type * as ErrorObject from "../error/ErrorObject.ts"
import * as ByteScan from "../scan/byteScan.ts"
import type { LocatedMembers } from "../scan/byteScan.ts"
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "../scan/punctuation.ts"
import * as Packets from "./packet.ts"
import type { Id, PacketLimits, Packet, PacketSteps } from "./packet.ts"
import * as PacketReader from "./packetReader.ts"

export type { LocatedMembers, ByteRange } from "../scan/byteScan.ts"
export type { PacketEntry, Id, PacketLimits, Packet, Params, PacketSteps } from "./packet.ts"

/** The limits of geth, 5 MiB and 1000 messages, and limits of our own: 64 levels, and 131,072 values in a message. */
export const defaults: PacketLimits = {
  maxBytes: 5 * 1024 * 1024,
  maxBatch: 1000,
  maxDepth: 64,
  maxValues: 131_072
}

/** The longest name of a method, in UTF-16 code units: geth's limit. */
export const MAX_METHOD_LENGTH: number = Packets.MAX_METHOD_LENGTH

/** The answers to a packet, one for each message, in order. `undefined` means that nothing is sent for that message. */
export type Answers = ReadonlyArray<Uint8Array | undefined>

/**
 * Returns the id of a value: its JSON text.
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

/** The id of the answer when the id of the message could not be read. */
export const NULL_ID: Id = Packets.NULL_ID

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
export const parse = (input: Uint8Array | string, limits: PacketLimits = defaults): Packet => {
  const { step } = reader(input, limits)
  let packet = step()
  while (packet === undefined) packet = step()
  return packet
}

/**
 * Begins to read a packet: `parse` in steps.
 *
 * First the structure is scanned: messages, depth, and the values of each message are counted. The scan stops at the
 * message beyond `maxBatch` and at the bracket beyond `maxDepth`. Then the messages are parsed one by one. A message
 * with more than `maxValues` is never parsed: it is `Invalid`, with its id if it has one. So no step takes longer than
 * one message within the limits.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * const reader = Message.reader(`[${"{},".repeat(1_000_000)}{}]`)
 * while (reader.step() === undefined);
 * reader.scanned() // => 3001
 * ```
 */
export const reader = (input: Uint8Array | string, limits: PacketLimits = defaults): PacketSteps =>
  new PacketReader.PacketReader(input, limits)

/**
 * Returns a response with a result. The bytes of the result stay the same.
 *
 * ```ts import.meta.vitest
 * import { Message } from "@plumbline/jsonrpc-core"
 *
 * const bytes = Message.successBytes(Message.makeId(1), new TextEncoder().encode('"0x1"'))
 * new TextDecoder().decode(bytes) // => '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
 * ```
 */
export const successBytes = (id: Id, resultJson: Uint8Array): Uint8Array => {
  const text = `{"jsonrpc":"2.0","id":${id},"result":`
  const out = new Uint8Array(text.length + resultJson.length + 1)
  // Nearly all ids are ASCII, and their text is written in place. A second array for it would double the cost.
  const { read, written } = encoder.encodeInto(text, out)
  if (read !== text.length || written !== text.length) return joined(encoder.encode(text), resultJson)
  out.set(resultJson, text.length)
  out[out.length - 1] = CLOSE_BRACE
  return out
}

const joined = (head: Uint8Array, resultJson: Uint8Array): Uint8Array => {
  const out = new Uint8Array(head.length + resultJson.length + 1)
  out.set(head)
  out.set(resultJson, head.length)
  out[out.length - 1] = CLOSE_BRACE
  return out
}

/**
 * Returns a response with an error. `data` that is not JSON (a bigint, a cycle) is omitted; code and message are kept.
 */
export const failureBytes = (id: Id, error: ErrorObject.ErrorObject): Uint8Array =>
  encoder.encode(`{"jsonrpc":"2.0","id":${id},"error":${errorText(error)}}`)

/** Returns the responses of a batch as one array. */
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
 * Joins the answers to a packet into the bytes to send: one response, or an array of them. Returns `undefined` if there
 * is nothing to send.
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

/** Returns the same error for each message of a packet that needs an answer: all except notifications. */
export const refuse = (packet: Packet, error: ErrorObject.ErrorObject): Answers => {
  if (packet._tag === "Refused") {
    return [failureBytes(packet.id, error)]
  }
  const entries = packet._tag === "Single" ? [packet.entry] : packet.entries
  return entries.map((entry) => (entry._tag === "Notification" ? undefined : failureBytes(entry.id, error)))
}

/**
 * Finds the members of one response without parsing their values, so that they can be passed on as bytes.
 *
 * Returns `undefined` unless the bytes are exactly one complete JSON object with exactly one of `result` and `error`.
 * If a name occurs several times, the last member counts, as with `JSON.parse`. Other members are ignored.
 *
 * The scan checks only the structure. Inside values it does not check commas, colons, numbers, literals, escapes,
 * control characters and UTF-8. The caller must compare version and id with the expected ones. Nesting beyond 10,000
 * levels is refused. A well-formed response is always located. A response that was cut before its closing brace is
 * always refused.
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
export const locate = (bytes: Uint8Array): LocatedMembers | undefined => ByteScan.locate(bytes)

const encoder = /* @__PURE__ */ new TextEncoder()

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

/** Reads a body. It counts the bytes while they arrive, so that memory never holds more than the limit. */
import { Buffer } from "node:buffer"
import type { IncomingMessage } from "node:http"

import type { CallHeaders } from "./callDoor.ts"
import type { HttpExchange } from "./httpExchange.ts"
import * as HttpRefusal from "./HttpRefusal.ts"
import type { MemoryBudget } from "./memoryBudget.ts"

/** Returns the refusal of a request if its head requires one; undefined if the body can be read. */
export const inspect = ({ headers, method }: IncomingMessage, limit: number): HttpRefusal.HttpRefusal | undefined => {
  if (method !== "POST") return HttpRefusal.methodNotAllowed("POST")
  const flaw = flawOf(headers)
  if (flaw !== undefined) return flaw
  const length = Number(headers["content-length"] ?? 0)
  return length > limit ? HttpRefusal.tooLarge(limit, length) : undefined
}

/** Returns the refusal of a body that is not JSON, or is compressed, according to the head. */
export const flawOf = (headers: CallHeaders): HttpRefusal.HttpRefusal | undefined => {
  const { "content-encoding": encoding, "content-type": type } = headers
  if (!isJson(type === undefined ? undefined : String(type))) return HttpRefusal.notJson
  return encoding !== undefined && String(encoding).trim().toLowerCase() !== "identity"
    ? HttpRefusal.encoded
    : undefined
}

/**
 * Reads the whole body, and calls `onBody` or `onRefusal` once. It calls neither if the caller disconnects before the
 * end. The function uses callbacks, because they are faster than effects and every call runs them.
 *
 * Bytes are taken from the budget as they arrive. `exchange.held` is the number of bytes to give back.
 */
export const read = (
  exchange: HttpExchange,
  limit: number,
  budget: MemoryBudget,
  onBody: (body: Uint8Array) => void,
  onRefusal: (refusal: HttpRefusal.HttpRefusal) => void
): void => {
  const { request } = exchange
  const chunks: Array<Uint8Array> = []
  const refuse = (refusal: HttpRefusal.HttpRefusal) => {
    request.off("data", onData)
    request.off("end", onEnd)
    onRefusal(refusal)
  }
  const onData = (chunk: Uint8Array) => {
    if (exchange.held + chunk.length > limit) {
      refuse(HttpRefusal.tooLarge(limit))
    } else if (budget.take(chunk.length)) {
      exchange.held += chunk.length
      chunks.push(chunk)
    } else {
      refuse(HttpRefusal.busy)
    }
  }
  const onEnd = () => {
    exchange.bytesIn = exchange.held
    onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, exchange.held))
  }
  request.on("data", onData)
  request.on("end", onEnd)
  exchange.continue()
}

/**
 * True if there is no content type, or if it is `application/json`, `application/json-rpc`, `application/jsonrequest`,
 * `application/...+json`, or the type of a form, which `curl -d` sends. A form is harmless, because the key is in the
 * path and not in a cookie: a page that can post a form here already knows the key.
 */
const isJson = (type: string | undefined): boolean => {
  if (type === undefined || type === "application/json") return true
  const end = type.indexOf(";")
  const media = (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
  return /^application\/(?:json|json-rpc|jsonrequest|x-www-form-urlencoded|[\w.!#$&^-]+\+json)$/u.test(media)
}

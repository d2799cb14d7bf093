/** Reads the errors of nodes behind HTTP and WebSockets, and removes secrets from them. */
import { Buffer } from "node:buffer"

import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as RetryAfter from "@plumbline/jsonrpc-core/transport/RetryAfter"
import * as FreeText from "@plumbline/redaction/FreeText"
import * as HeaderSecrets from "@plumbline/redaction/HeaderSecrets"
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

import { GatewayError } from "../errors/GatewayError.ts"
import { UpstreamError } from "./UpstreamError.ts"

/** The outcome of a call. */
export type NodeAnswer = Exit.Exit<Uint8Array, ErrorObject | UpstreamError>

/**
 * Parses the error object of a node. Callers read it, so the operator's secrets are removed if the node repeats them.
 */
export const readError = (text: string | undefined, redact: (text: string) => string): NodeAnswer => {
  let error: unknown
  try {
    error = JSON.parse(text!)
    // The redaction works on serialised text, because a node can escape any letter in its JSON.
    const written = JSON.stringify(error)
    const redacted = redact(written)
    if (redacted !== written) error = JSON.parse(redacted)
  } catch {
    return fault({ _tag: "BadAnswer", problem: "bad error object" })
  }
  if (
    !Predicate.hasProperty(error, "code") ||
    !Number.isSafeInteger(error.code) ||
    !Predicate.hasProperty(error, "message") ||
    !Predicate.isString(error.message)
  ) {
    return fault({ _tag: "BadAnswer", problem: "bad error object" })
  }
  const { code, message } = error
  return Exit.fail(
    Predicate.hasProperty(error, "data")
      ? { code: code as number, message, data: error.data }
      : { code: code as number, message }
  )
}

export const textOf = (bytes: Uint8Array, range: Message.ByteRange | undefined): string | undefined =>
  range === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset).toString("utf8", range.start, range.end)

export const fault = (reason: UpstreamError["reason"]): NodeAnswer => Exit.fail(new UpstreamError({ reason }))

/** True for statuses that concern this service (its key, its quota) and not the caller. */
export const isAboutUs = (status: number): boolean =>
  status === 401 || status === 402 || status === 403 || status === 407 || status === 429

/** Returns the reason for a failing status. It includes the wait that the node asks for in its header, if any. */
export const badStatus = (status: number, header: unknown): Extract<UpstreamError["reason"], { _tag: "BadStatus" }> => {
  const wait = typeof header === "string" ? RetryAfter.parse(header, Date.now()) : undefined
  return wait === undefined
    ? { _tag: "BadStatus", status }
    : { _tag: "BadStatus", status, retryAfter: Duration.toMillis(wait) }
}

/** Returns the error code of the system or of undici. Any other text could come from the node, and is not shown. */
export const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/u.test(error.code)
    ? error.code
    : "UNKNOWN"

/** Returns a function that removes the secrets of a node's URL and headers from a text of the node. */
export const redactorOf = (node: {
  readonly url: string | Redacted.Redacted
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
}): ((text: string) => string) => {
  const headers = Object.entries(node.headers ?? {}).map(([name, value]) => [name, reveal(value)] as const)
  return FreeText.redactor([...UrlSecrets.of(reveal(node.url)), ...HeaderSecrets.of(headers)])
}

export const reveal = (text: string | Redacted.Redacted): string =>
  typeof text === "string" ? text : Redacted.value(text)

/** Returns the Authorization header for the user and password in a URL. */
export const basicOf = ({ password, username }: URL): string | undefined =>
  username === "" && password === ""
    ? undefined
    : `Basic ${Buffer.from(`${bytesOf(username)}:${bytesOf(password)}`, "latin1").toString("base64")}`

/**
 * Decodes a part of a URL to bytes. Each character of the result is one byte. A percent sign without a valid code is
 * kept, as in the URL standard.
 */
const bytesOf = (part: string): string =>
  part.replaceAll(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

export const badOption = (option: string, problem: string): GatewayError =>
  new GatewayError({ reason: { _tag: "BadOption", option, problem } })

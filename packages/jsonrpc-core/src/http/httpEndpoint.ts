/** The endpoint of a transport over HTTP: its URL, its headers, and the bounds of its requests. */
import * as FreeText from "@plumbline/redaction/FreeText"
import * as HeaderSecrets from "@plumbline/redaction/HeaderSecrets"
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import { TransportError } from "../error/JsonRpcError.ts"
import type * as Envelope from "../transport/envelope.ts"

/** An endpoint as given in the options. */
export interface HttpEndpoint {
  /**
   * The URL of the node, which may contain an API key. A name and password in the URL are sent as Basic authentication.
   */
  readonly url: string | Redacted.Redacted
  /** Maximum time from the call to the last byte of the answer. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Maximum size of an answer, in bytes after decompression. Default: 32 MiB. */
  readonly maxBytes?: number | undefined
}

/** The default limits of an answer: 30 seconds and 32 MiB. `timeout` is in milliseconds. */
export const defaults: { readonly timeout: number; readonly maxBytes: number } = {
  timeout: 30_000,
  maxBytes: 32 * 1024 * 1024
}

/** An endpoint, ready for requests. */
export interface ResolvedHttpEndpoint {
  /** The URL without name, password and fragment. It can be relative only in browsers, which resolve it. */
  readonly url: string
  /** The parts of the URL, if it is absolute. */
  readonly parts: URL | undefined
  /** The headers, with lower-case names. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly timeout: Duration.Duration
  readonly maxBytes: number
  readonly redact: Envelope.RedactText
}

/** Returns the target of an endpoint, or the reason why the endpoint is invalid. */
export const make = (endpoint: HttpEndpoint): Result.Result<ResolvedHttpEndpoint, TransportError> => {
  const given = plain(endpoint.url)
  const parts = URL.canParse(given) ? new URL(given) : undefined
  if (parts !== undefined) {
    parts.hash = ""
  }
  const headers = new Headers({ "content-type": "application/json", accept: "application/json" })
  if (parts !== undefined && (parts.username !== "" || parts.password !== "")) {
    const credentials = basicCredentials(parts)
    if (credentials === undefined) {
      return Result.fail(invalidUrl())
    }
    headers.set("authorization", `Basic ${credentials}`)
    // `fetch` refuses a URL that holds a name or password.
    parts.username = ""
    parts.password = ""
  }
  try {
    for (const [name, value] of Object.entries(endpoint.headers ?? {})) {
      headers.set(name, plain(value))
    }
  } catch {
    // The platform's error is not passed on, because its text shows the value.
    return Result.fail(unusable("invalid headers"))
  }
  return Result.succeed({
    url: parts?.href ?? given,
    parts,
    headers: [...headers],
    timeout: Duration.fromInputUnsafe(endpoint.timeout ?? defaults.timeout),
    maxBytes: endpoint.maxBytes ?? defaults.maxBytes,
    redact: FreeText.redactor([...UrlSecrets.of(given), ...HeaderSecrets.of(headers)])
  })
}

/** Returns the error of an invalid URL. */
export const invalidUrl = (): TransportError => unusable("invalid URL")

const unusable = (detail: string): TransportError => new TransportError({ detail, retryable: false, withheld: true })

const plain = (value: string | Redacted.Redacted): string => (typeof value === "string" ? value : Redacted.value(value))

/** Returns the name and password of a URL in base64, or `undefined` if their percent-encoding is broken. */
const basicCredentials = (url: URL): string | undefined => {
  try {
    const text = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  } catch {
    return undefined
  }
}

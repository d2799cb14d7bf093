/** Where the requests of a transport over HTTP go, and within which bounds. */
import * as FreeText from "@plumbline/redaction/FreeText"
import * as HeaderSecrets from "@plumbline/redaction/HeaderSecrets"
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import { TransportError } from "../error/JsonRpcError.ts"
import type * as Envelope from "../transport/envelope.ts"

/** Where to, and within which bounds. */
export interface Endpoint {
  /** May hold an API key. A name and password in it are sent as Basic authentication. */
  readonly url: string | Redacted.Redacted
  /** From the call to the last byte of the answer. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** The largest answer to read, in bytes after decompression. Default: 32 MiB. */
  readonly maxBytes?: number | undefined
}

/** How long an answer may take where nothing else is said: 30 seconds. */
export const DEFAULT_TIMEOUT: Duration.Duration = /* @__PURE__ */ Duration.seconds(30)

/** How large an answer may be where nothing else is said: 32 MiB. */
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024

/** An endpoint, ready for requests. */
export interface Target {
  /** Without name, password and fragment. Relative only where the platform may resolve it: in browsers. */
  readonly url: string
  /** The same in parts, where it is absolute. */
  readonly parts: URL | undefined
  /** With lower-case names. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly timeout: Duration.Duration
  readonly maxBytes: number
  readonly redact: Envelope.Redact
}

/** What an endpoint means, or what is wrong with it. */
export const make = (endpoint: Endpoint): Result.Result<Target, TransportError> => {
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
    // `fetch` refuses a URL that holds them.
    parts.username = ""
    parts.password = ""
  }
  try {
    for (const [name, value] of Object.entries(endpoint.headers ?? {})) {
      headers.set(name, plain(value))
    }
  } catch {
    // The platform's text shows the value.
    return Result.fail(unusable("invalid headers"))
  }
  return Result.succeed({
    url: parts?.href ?? given,
    parts,
    headers: [...headers],
    timeout: Duration.fromInputUnsafe(endpoint.timeout ?? DEFAULT_TIMEOUT),
    maxBytes: endpoint.maxBytes ?? DEFAULT_MAX_BYTES,
    redact: FreeText.redactor([...UrlSecrets.of(given), ...HeaderSecrets.of(headers)])
  })
}

/** The error of a URL that leads nowhere. */
export const invalidUrl = (): TransportError => unusable("invalid URL")

const unusable = (detail: string): TransportError => new TransportError({ detail, retryable: false, withheld: true })

const plain = (value: string | Redacted.Redacted): string => (typeof value === "string" ? value : Redacted.value(value))

/** The name and password of a URL in base64, or `undefined` when their percent-encoding is broken. */
const basicCredentials = (url: URL): string | undefined => {
  try {
    const text = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  } catch {
    return undefined
  }
}

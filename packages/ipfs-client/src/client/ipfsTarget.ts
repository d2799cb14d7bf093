/** The target of a client's requests: URL, headers and limits. */
import * as FreeText from "@plumbline/redaction/FreeText"
import * as HeaderSecrets from "@plumbline/redaction/HeaderSecrets"
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import { EncodeError, type IpfsError } from "./IpfsError.ts"

/** The service that a client calls, and the limits of its calls. */
export interface IpfsEndpoint {
  /** The URL of the service, without `/api/v0`. A name and a password in the URL are used as the key and the secret. */
  readonly url: string | Redacted.Redacted
  /** The API key, sent with its secret as Basic authentication. */
  readonly apiKey?: string | Redacted.Redacted | undefined
  /** The secret of the API key. */
  readonly apiKeySecret?: string | Redacted.Redacted | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Maximum time between two bytes that are sent or received. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /**
   * Maximum number of bytes that are held in memory, for an answer that is read whole or for one line of a stream.
   * Default: 32 MiB.
   */
  readonly maxBytes?: number | undefined
  /**
   * Maximum number of tries after the first one, for a command that is safe to repeat. Default: 2.
   *
   * Further tries begin within `timeout` of the first one. A call that timed out is not tried again.
   */
  readonly retries?: number | undefined
  /** Runs before each wait for another try, and receives the reason, for example to log it. */
  readonly onWait?: ((wait: RetryWait) => Effect.Effect<void>) | undefined
}

/** A wait before another try. */
export interface RetryWait {
  readonly error: IpfsError
  /** The number of failed tries. */
  readonly tried: number
  /** The number of tries that may follow. */
  readonly left: number
  readonly duration: Duration.Duration
}

/** The default bounds of an endpoint: 30 seconds without a byte, 32 MiB in memory, two tries after the first. */
export const defaults: { readonly timeout: Duration.Duration; readonly maxBytes: number; readonly retries: number } = {
  timeout: /* @__PURE__ */ Duration.seconds(30),
  maxBytes: 32 * 1024 * 1024,
  retries: 2
}

/** An endpoint, prepared for requests. */
export interface IpfsTarget {
  /** Returns the URL of a command from its name and query. */
  readonly url: (command: string, query: string) => string
  readonly headers: Readonly<Record<string, string>>
  readonly timeout: Duration.Duration
  readonly maxBytes: number
  readonly retries: number
  readonly onWait: (wait: RetryWait) => Effect.Effect<void>
  readonly redact: (text: string) => string
}

/** Returns the target that an endpoint describes, or the fault of the endpoint. */
export const make = (endpoint: IpfsEndpoint): Result.Result<IpfsTarget, EncodeError> => {
  const given = plain(endpoint.url)
  if (!URL.canParse(given)) {
    return fail("url", "is not a URL")
  }
  const url = new URL(given)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return fail("url", "must begin with http or https")
  }
  const credentials = credentialsOf(endpoint, url)
  if (credentials === undefined) {
    return fail("apiKey", "must be a key without a colon, and stand beside its secret")
  }
  url.username = ""
  url.password = ""
  url.hash = ""
  const headers = new Headers()
  if (credentials.length > 0) {
    const basic = btoa(String.fromCharCode(...new TextEncoder().encode(credentials.join(":"))))
    headers.set("authorization", `Basic ${basic}`)
  }
  try {
    for (const [name, value] of Object.entries(endpoint.headers ?? {})) {
      headers.set(name, plain(value))
    }
  } catch {
    // The platform's message contains the value, so it is not used.
    return fail("headers", "holds a name or a value that no header may have")
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/api\/v0$/, "")
  const own = url.search.slice(1)
  // `/api/v0` is not a secret, and Kubo's sentences contain it.
  const base = new URL(given)
  base.pathname = path
  const secrets = [...credentials, ...HeaderSecrets.of(headers), ...UrlSecrets.of(base.href)]
  return Result.succeed({
    url: (command, query) => {
      const search = [query, own].filter((part) => part !== "").join("&")
      return `${url.origin}${path}/api/v0/${command}${search === "" ? "" : `?${search}`}`
    },
    headers: Object.fromEntries(headers),
    timeout: Duration.fromInputUnsafe(endpoint.timeout ?? defaults.timeout),
    maxBytes: endpoint.maxBytes ?? defaults.maxBytes,
    retries: endpoint.retries ?? defaults.retries,
    onWait: endpoint.onWait ?? (() => Effect.void),
    redact: shortened(FreeText.redactor(secrets))
  })
}

/** Returns the key and the secret: an empty list if there are none, `undefined` if they are invalid. */
const credentialsOf = (endpoint: IpfsEndpoint, url: URL): ReadonlyArray<string> | undefined => {
  const { apiKey, apiKeySecret } = endpoint
  if (apiKey === undefined && apiKeySecret === undefined) {
    if (url.username === "" && url.password === "") {
      return []
    }
    try {
      return [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    } catch {
      return undefined
    }
  }
  return apiKey === undefined || apiKeySecret === undefined || plain(apiKey).includes(":")
    ? undefined
    : [plain(apiKey), plain(apiKeySecret)]
}

/**
 * Redacts a text, then shortens it if it is too long for an error. Redaction runs first, because it would not find a
 * secret that is cut in two.
 */
const shortened =
  (redact: (text: string) => string) =>
  (text: string): string => {
    const redacted = redact(text)
    return redacted.length > MAX_TEXT ? `${redacted.slice(0, MAX_TEXT)}...` : redacted
  }

/** Maximum number of characters that are kept of a server's text. */
const MAX_TEXT = 2000

const plain = (value: string | Redacted.Redacted): string => (typeof value === "string" ? value : Redacted.value(value))

const fail = (name: string, detail: string): Result.Result<never, EncodeError> =>
  Result.fail(new EncodeError({ name, detail }))

/** The endpoint of a beacon node: its URL, its name and the bounds of its answers. */
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Duration from "effect/Duration"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import { EndpointError } from "./BeaconApiError.ts"

/** A beacon node to ask. */
export interface BeaconEndpoint {
  /** The URL before `/eth/v1`. A name and password in it are sent as Basic authentication. It may hold an API key. */
  readonly url: string | Redacted.Redacted
  /** The name of the node in errors and evidence. Default: the scheme and host of the URL, without keys. */
  readonly name?: string | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Maximum time from a request to the last byte of its answer. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/** The defaults of an endpoint: 30 seconds for an answer. */
export const defaults: { readonly timeout: Duration.Duration } = { timeout: /* @__PURE__ */ Duration.seconds(30) }

/** An endpoint, ready for requests. */
export interface BeaconTarget {
  readonly name: string
  readonly timeout: Duration.Duration
  /** Returns the request of a path below `/eth/v1/`. */
  readonly request: (path: string) => HttpClientRequest.HttpClientRequest
}

/** SSZ is preferred because it is half as long. Some nodes ignore this header. */
const ACCEPT = "application/octet-stream;q=1, application/json;q=0.9"

/** Returns the target of an endpoint, or the fault of the endpoint. */
export const target = (endpoint: BeaconEndpoint): Result.Result<BeaconTarget, EndpointError> => {
  const given = plain(endpoint.url)
  if (!URL.canParse(given)) return fault("url", "is not a URL")
  const url = new URL(given)
  if (url.protocol !== "http:" && url.protocol !== "https:") return fault("url", "must begin with http or https")
  const headers = new Headers({ accept: ACCEPT })
  try {
    for (const [name, value] of Object.entries(endpoint.headers ?? {})) headers.set(name, plain(value))
  } catch {
    // the platform's error text would show the value
    return fault("headers", "hold a name or a value that no header may have")
  }
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === undefined || password === undefined) return fault("url", "has a broken name or password")
  const path = url.pathname.replace(/\/+$/, "")
  return Result.succeed({
    name: endpoint.name ?? UrlSecrets.shownOrigin(given),
    timeout: Duration.fromInputUnsafe(endpoint.timeout ?? defaults.timeout),
    request: (call) => {
      const [below, query] = call.split("?")
      const search = [query, url.search.slice(1)].filter((part) => part !== undefined && part !== "").join("&")
      const base = `${url.origin}${path}/eth/v1/${below}`
      const request = HttpClientRequest.get(search === "" ? base : `${base}?${search}`, {
        headers: Object.fromEntries(headers)
      })
      return username === "" && password === "" ? request : HttpClientRequest.basicAuth(request, username, password)
    }
  })
}

const plain = (value: string | Redacted.Redacted): string => (typeof value === "string" ? value : Redacted.value(value))

const fault = (field: EndpointError["field"], detail: string): Result.Result<never, EndpointError> =>
  Result.fail(new EndpointError({ field, detail }))

/** Returns a name or password without percent-encoding, or undefined if its encoding is broken. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

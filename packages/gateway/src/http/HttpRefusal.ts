/**
 * Refusals of whole requests: a status and one line of text, or an error object if clients expect one.
 *
 * Clients of similar services know these texts. No refusal repeats a part of the request.
 */
import { Buffer } from "node:buffer"

import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"

import * as Allowlist from "../accounts/Allowlist.ts"

/**
 * A refusal. If it has the JSON-RPC error `error`, its body is that error with id null, and `text` is the error's
 * message. Otherwise its body is `text`. `headers` is a flat list: name, value, name, value.
 */
export interface HttpRefusal {
  readonly _tag: "Refusal"
  readonly status: number
  readonly text: string
  readonly headers: ReadonlyArray<string>
  readonly error?: ErrorObject | undefined
}

/**
 * Returns a refusal with a status and a line of text.
 */
export const make = (status: number, text: string, headers: ReadonlyArray<string> = []): HttpRefusal => ({
  _tag: "Refusal",
  status,
  text,
  headers
})

/**
 * Returns a refusal with an error object.
 */
export const withError = (status: number, error: ErrorObject, headers: ReadonlyArray<string> = []): HttpRefusal => ({
  _tag: "Refusal",
  status,
  text: error.message,
  headers,
  error
})

/**
 * Returns the body of a refusal: its error object, or its text with a line break.
 *
 * ```ts import.meta.vitest
 * import { HttpRefusal } from "@plumbline/gateway"
 *
 * new TextDecoder().decode(HttpRefusal.body(HttpRefusal.notFound)) // => "not found\n"
 * ```
 */
export const body = ({ error, text }: HttpRefusal): Uint8Array =>
  error === undefined ? Buffer.from(`${text}\n`) : Message.failureBytes(Message.NULL_ID, error)

/**
 * 400: the request is not valid HTTP.
 */
export const badRequest: HttpRefusal = make(400, "bad request")

const unauthorized = (text: string): HttpRefusal =>
  make(401, text, ["www-authenticate", `Basic realm="Auth failure, ${text}"`])

/**
 * 401: the path has no key.
 */
export const missingKey: HttpRefusal = unauthorized("project id required in the url")

/**
 * 401: no project has this key.
 */
export const unknownKey: HttpRefusal = unauthorized("invalid project id")

/**
 * 401: the secret is wrong, or is required and missing.
 */
export const wrongSecret: HttpRefusal = unauthorized("invalid project id or project secret")

const bearer = (challenge: string): HttpRefusal =>
  make(401, "invalid JWT", ["www-authenticate", `Bearer realm="plumbline"${challenge}`])

/**
 * 401: the project requires a user's token, and the call has none.
 */
export const missingToken: HttpRefusal = bearer("")

/**
 * 401: the token of a user is not valid. `why` is a sentence that says why, and contains no part of the token.
 */
export const invalidToken = (why: string): HttpRefusal => bearer(`, error="invalid_token", error_description="${why}"`)

/**
 * 401: the IPFS command has no credentials. Clients look for this text, which is Infura's.
 */
export const missingCredentials: HttpRefusal = unauthorized("project id required")

/**
 * 401: the key and the secret of the IPFS command belong to no project. The text is Infura's.
 */
export const wrongCredentials: HttpRefusal = unauthorized("basic auth failure: invalid project id or project secret")

/**
 * 403: the product requires a billing card, and the account of the project has none.
 */
export const cardRequired: HttpRefusal = make(403, "a billing card is required: add one to your account")

/**
 * 403: the project is suspended.
 */
export const suspended: HttpRefusal = make(403, "project is suspended")

/**
 * 403: an allowlist of the project does not list the caller's origin or user agent, or the network.
 */
export const notAllowed: HttpRefusal = withError(Allowlist.rejected.status, Allowlist.rejected.error)

/**
 * 404: the gateway does not have this path.
 */
export const notFound: HttpRefusal = make(404, "not found")

/**
 * Refuses a GET of `/`, which serves nothing: names the paths of calls and of the page, and sends a browser to the page.
 */
export const root = (home: string | undefined, takesPage: boolean): HttpRefusal =>
  home !== undefined && takesPage
    ? make(302, `the page is at ${home}`, ["location", home])
    : make(404, `not found: calls are made with POST to /v3/<key> or /<network>/v3/<key>${pageAt(home)}`)

const pageAt = (home: string | undefined): string => (home === undefined ? "" : `; the console is at ${home}`)

/**
 * 405: the path does not support this HTTP method. `allow` lists the allowed methods.
 */
export const methodNotAllowed = (allow: string): HttpRefusal => make(405, "method not allowed", ["allow", allow])

/**
 * 408: the request did not arrive in time.
 */
export const tooSlow: HttpRefusal = make(408, "request timeout")

/**
 * 413: the body is larger than `limit` bytes. `length` is the request's Content-Length, if there is one.
 */
export const tooLarge = (limit: number, length?: number): HttpRefusal =>
  make(413, `content length too large (${length ?? ""}>${limit})`)

/**
 * 415: the content type is not JSON, or the body is compressed.
 */
export const notJson: HttpRefusal = make(415, "invalid content type, only application/json is supported")

/**
 * 415: the body is compressed.
 */
export const encoded: HttpRefusal = make(415, "content encoding is not supported", ["accept-encoding", "identity"])

/**
 * 426: the path is for WebSockets.
 */
export const upgradeRequired: HttpRefusal = make(426, "websocket upgrade required", ["upgrade", "websocket"])

/**
 * 429: the project has its maximum number of WebSockets.
 */
export const tooManySockets: HttpRefusal = make(429, "too many websockets")

/**
 * 431: the headers are larger than Node's limit of 16 KiB.
 */
export const headersTooLarge: HttpRefusal = make(431, "request header fields too large")

/**
 * 500: an error in the gateway. The reason is in the gateway's log.
 */
export const failed: HttpRefusal = make(500, "internal error")

/**
 * 503: the gateway has its maximum amount of work. The same request may succeed in a moment.
 */
export const busy: HttpRefusal = make(503, "service busy", ["retry-after", "1"])

/**
 * 503: the gateway is shutting down, or cannot look up the caller.
 */
export const unavailable: HttpRefusal = make(503, "service unavailable", ["retry-after", "1"])

/**
 * Reads the errors of the platform: of `fetch`, undici, Node and HTTP clients. Their texts hold URLs with keys and parts
 * of answers, so only a code such as `ECONNREFUSED` may be shown.
 *
 * Sources of the codes: Node's `errors` and `tls`, libuv, undici `lib/core/errors.js`.
 */

/** The members of a platform's error that are read. Each may have any value. */
export interface PlatformCause {
  readonly code?: unknown
  readonly name?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

/** Returns an error and its causes, at most four. `fetch` and HTTP clients wrap the original error once or twice. */
export const causes = (error: unknown): ReadonlyArray<PlatformCause> => {
  const found: Array<PlatformCause> = []
  let at = error
  while (typeof at === "object" && at !== null && found.length < MAX_CAUSES) {
    const cause: PlatformCause = at
    found.push(cause)
    at = cause.cause
  }
  return found
}

const MAX_CAUSES = 4

/**
 * Returns the code of an error or of its causes, or `undefined` if none of them has one. A code is safe to show.
 *
 * ```ts import.meta.vitest
 * import { PlatformError } from "@plumbline/redaction"
 *
 * const refused = Object.assign(new Error("connect ECONNREFUSED node.example/v3/key"), { code: "ECONNREFUSED" })
 * PlatformError.codeOf(new TypeError("fetch failed", { cause: refused })) // => "ECONNREFUSED"
 * ```
 */
export const codeOf = (error: unknown): string | undefined =>
  causes(error)
    .map(({ code }) => code)
    .find(isCode)

/** True for a text that has the form of a code. */
export const isCode = (code: unknown): code is string => typeof code === "string" && /^[A-Z][A-Z0-9_]{2,47}$/.test(code)

/**
 * True if the server closed or reset the connection of a request.
 *
 * A server may close a kept connection at the moment at which a client reuses it. If no part of an answer has arrived, a
 * request that is safe to repeat may then be sent once more (RFC 9112, section 9.3.1).
 */
export const isClosed = (error: unknown): boolean => CLOSED.has(codeOf(error))

const CLOSED: ReadonlySet<string | undefined> = /* @__PURE__ */ new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

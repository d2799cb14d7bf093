/**
 * Finds the sentence in the body of a failing HTTP status that is not JSON-RPC: `invalid project id`,
 * `no healthy upstream`.
 */
import * as FreeText from "@plumbline/redaction/FreeText"

/** Removes the transport's secrets from a text of the server. */
export type RedactText = (text: string) => string

/**
 * Maximum length of a body that is searched, in UTF-16 code units. A longer body is a page, not a sentence, and is
 * dropped. Cutting it could leave half a secret, which no redaction finds.
 */
const MAX_BODY = 4096

/** Maximum length of a sentence, in UTF-16 code units. */
const MAX_SENTENCE = 200

/** Returns the server's sentence in one line, without secrets and without control characters, or `undefined`. */
export const sentence = (body: string, redact: RedactText): string | undefined => {
  if (body.length > MAX_BODY) {
    return undefined
  }
  const words = wordsIn(body.trim())
  if (words === undefined) {
    return undefined
  }
  // Redacted twice, because a removed character may have been inside a secret. URLs are removed too, because URLs of
  // other services may contain keys.
  const printable = redact(words).replace(UNPRINTABLE, "")
  const line = redact(FreeText.withoutUrls(printable, "<url>").replace(/\s+/g, " ").trim())
  const shown = line.length > MAX_SENTENCE ? `${line.slice(0, MAX_SENTENCE).replace(LONE, "")}...` : line
  return shown === "" ? undefined : shown
}

/** Returns plain text unchanged, or the server's sentence in a member of JSON. Returns undefined for an HTML page. */
const wordsIn = (text: string): string | undefined => {
  if (text === "" || text.startsWith("<")) {
    return undefined
  }
  if (!/^[[{"]/.test(text)) {
    return text
  }
  try {
    return said(JSON.parse(text), 0)
  } catch {
    return undefined
  }
}

/**
 * Returns the sentence in `{ "error": "limit" }`, `{ "message": "no such key" }`, `{ "error": { "message": "..." } }`,
 * or a plain JSON text.
 */
const said = (value: unknown, depth: number): string | undefined => {
  if (typeof value === "string") {
    return value
  }
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) {
    return undefined
  }
  const {
    error,
    message,
    detail
  }: { readonly error?: unknown; readonly message?: unknown; readonly detail?: unknown } = value
  return said(message, depth + 1) ?? said(error, depth + 1) ?? said(detail, depth + 1)
}

const MAX_DEPTH = 2

/** Control characters (but not blanks), marks that change the direction of writing, and halves of characters. */
const UNPRINTABLE = /[\p{Cf}\p{Cs}]|(?!\s)\p{Cc}/gu

/** The first half of a character that was cut in two. */
const LONE = /[\ud800-\udbff]$/

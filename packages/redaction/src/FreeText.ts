/**
 * Removes secrets from text that a server, a platform or a person wrote.
 *
 * **When to use**
 *
 * - `redactor`, if the secrets are known: a client that repeats its server's messages.
 * - `withoutUrls` and `withoutKeys`, if the secrets are not known: the message of an exception, an argument in the
 *   wrong place.
 */
import { REDACTED } from "./Placeholder.ts"

/**
 * Returns a function that replaces the given secrets everywhere in a text.
 *
 * Each secret is found unchanged, percent-encoded (once or twice, as a component or as a form), with the escapes of
 * JSON (once or twice), and within base64 and base64url. Secrets shorter than 4 characters are ignored, because they
 * would match parts of words. In base64, only secrets of 5 bytes or more are found. A secret that is hashed, encrypted
 * or cut in two is not found.
 *
 * The forms are computed for the first text, so a client without errors does not compute them.
 *
 * ```ts import.meta.vitest
 * import { FreeText, UrlSecrets } from "@plumbline/redaction"
 *
 * const redact = FreeText.redactor(UrlSecrets.of("https://node.example/v3/0123abcd?token=to%2Fken"))
 * redact("no project 0123abcd") // => "no project <redacted>"
 * redact("no token to/ken or to%2fken") // => "no token <redacted> or <redacted>"
 * redact(`no pair ${btoa("0123abcd")}`).includes(btoa("0123abcd")) // => false
 * ```
 */
export const redactor = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  let longestFirst: ReadonlyArray<string> | undefined
  return (text) => {
    longestFirst ??= [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
    return longestFirst.reduce((rest, form) => rest.replaceAll(form, REDACTED), text)
  }
}

/**
 * Returns the text without its URLs, including percent-encoded ones.
 *
 * A URL ends at white space; quotes and angle brackets at its end stay.
 *
 * ```ts import.meta.vitest
 * import { FreeText } from "@plumbline/redaction"
 *
 * FreeText.withoutUrls('no "https://node.example/v3/abc" here') // => 'no "<redacted>" here'
 * FreeText.withoutUrls("see https://node.example/pricing", "<url>") // => "see <url>"
 * ```
 */
export const withoutUrls = (text: string, placeholder: string = REDACTED): string =>
  // The bound limits the time. Otherwise a text without a URL would take time quadratic in its length.
  text.replaceAll(/[a-z0-9+.-]{0,32}(?::\/\/|%3a%2f%2f)\S*[^\s"'<>`]/gi, () => placeholder)

/**
 * Returns the text without the keys that can be recognised by their position. The rest of a URL stays readable.
 *
 * | removed | from |
 * | --- | --- |
 * | the segment after `/v3/` | `/v3/<key>` |
 * | the userinfo of a URL | `https://<key>@node.example` |
 * | the value of a query parameter that is named like a secret | `?api_key=<key>` |
 * | Basic and Bearer credentials | `Authorization: Basic <key>` |
 *
 * Each is found percent-encoded too. A key without such a context is not found; if the program knows the key, use
 * `redactor`.
 *
 * ```ts import.meta.vitest
 * import { FreeText } from "@plumbline/redaction"
 *
 * FreeText.withoutKeys("https://user:hunter2@node.example/v3/abc") // => "https://<redacted>@node.example/v3/<redacted>"
 * FreeText.withoutKeys("GET /rpc?x=1&api_key=abc", "<key>") // => "GET /rpc?x=1&api_key=<key>"
 * ```
 */
export const withoutKeys = (text: string, placeholder: string = REDACTED): string =>
  KEYS.reduce((rest, key) => rest.replaceAll(key, (_, before, after) => before + placeholder + after), text)

/**
 * Patterns of the text before a key, the key, and the text after it. The bounds limit the time, as in `withoutUrls`.
 */
const KEYS = [
  /((?:\/|%2f)v3(?:\/|%2f))(?:[^\s"'<>`/?#]|'(?=\w))+()/gi,
  /(:\/\/)[^\s"<>`/?#]*(@)/g,
  /(%3a%2f%2f)[^\s"<>`/?#]{0,1024}(%40)/gi,
  /((?:[?&]|%3f|%26)[\w-]{0,32}(?:auth|key|password|secret|token)[\w-]{0,32}(?:=|%3d))(?:[^\s"'<>`&#]|'(?=\w))+()/gi,
  /(authorization\W{1,8}(?:basic|bearer)(?: |%20|\+))[^\s"'<>`,;]+()/gi
]

/** Minimum length of a secret, in characters. Shorter texts would match parts of words. */
const MIN_SECRET = 4

/** Minimum number of characters of a piece of base64 that is matched. Ordinary text can contain shorter pieces. */
const MIN_BASE64 = 6

const formsOf = (secret: string): ReadonlyArray<string> => {
  const plain = decode(secret)
  return [secret, plain, ...base64Of(secret), ...base64Of(plain)]
    .filter((form) => form.length >= MIN_SECRET)
    .flatMap(escapedOf)
}

/**
 * Returns the characters of the text in base64 and base64url, for zero, one and two bytes before the text. Characters
 * that also depend on the bytes around the text are left out.
 */
const base64Of = (text: string): ReadonlyArray<string> => {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text))
  return ["", "\0", "\0\0"].flatMap((before) => {
    const start = Math.ceil((before.length * 4) / 3)
    const own = btoa(before + bytes).slice(start, ((before + bytes).length * 4) / 3)
    return own.length < MIN_BASE64 ? [] : [own, own.replaceAll("+", "-").replaceAll("/", "_")]
  })
}

/** Returns the text as it is escaped in URLs, in HTML forms and in JSON. */
const escapedOf = (text: string): ReadonlyArray<string> => {
  const form = new URLSearchParams({ "": text }).toString().slice(1)
  // Half a character has no percent-encoded form.
  const once = encodeURIComponent(text.toWellFormed())
  return [text, form, once, encodeURIComponent(once)].flatMap((each) => {
    const json = jsonOf(each)
    return [
      each,
      each.replaceAll(/%../g, (byte) => byte.toLowerCase()),
      json,
      json.replaceAll("/", "\\/"),
      jsonOf(json)
    ]
  })
}

/** Escapes a text as the content of a JSON string. Applied twice, it gives the form of the text in JSON within JSON. */
const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1)

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Takes the secrets of a URL and of headers out of texts that a server wrote. */

const REPLACEMENT = "<redacted>"

/** Shorter texts would be found in words; and the value of a header whose name promises no secret may be one itself. */
const MIN_SECRET = 4
const MIN_HEADER = 12

/** Names of headers that hold secrets. */
const SECRET_HEADER = /auth|cookie|key|secret|token/i

/** Headers that hold no secret, and whose values a server may well name. */
const OPEN_HEADERS = /* @__PURE__ */ new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-type",
  "user-agent"
])

/** Other parts of a path are names, such as `v3` or `mainnet`. */
const isPathSecret = (segment: string): boolean =>
  segment.length >= 12 || (segment.length >= 6 && /[0-9]/.test(segment))

/** A function that replaces whatever in the URL or the headers may be a secret: as text, percent-encoded or within JSON. */
export const make = (
  url: string,
  headers: Iterable<readonly [name: string, value: string]>
): ((text: string) => string) => {
  const secrets = new Set<string>()
  const add = (text: string, min: number): void => {
    for (const form of [text, decode(text), encodeURIComponent(decode(text))]) {
      if (form.length >= min) {
        secrets.add(form)
        secrets.add(JSON.stringify(form).slice(1, -1))
      }
    }
  }
  add(url, MIN_SECRET)
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined) {
    add(parsed.href, MIN_SECRET)
    add(parsed.username, MIN_SECRET)
    add(parsed.password, MIN_SECRET)
    const segments = parsed.pathname.split("/").filter((segment) => segment !== "")
    if (segments.length > 1) {
      add(parsed.pathname, MIN_SECRET)
      add(parsed.pathname + parsed.search, MIN_SECRET)
    }
    segments.filter(isPathSecret).forEach((segment) => add(segment, MIN_SECRET))
    for (const value of parsed.searchParams.values()) {
      add(value, MIN_SECRET)
    }
  }
  for (const [name, value] of headers) {
    if (!OPEN_HEADERS.has(name.toLowerCase())) {
      const min = SECRET_HEADER.test(name) ? MIN_SECRET : MIN_HEADER
      add(value, min)
      add(value.slice(value.indexOf(" ") + 1), min)
    }
  }
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, REPLACEMENT), text)
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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

/** Other parts of a path, and of a query without values, are names, such as `v3` or `mainnet`. */
const isPathSecret = (segment: string): boolean =>
  segment.length >= 12 || (segment.length >= 6 && /[0-9]/.test(segment))

/** Other labels of a host are names, such as `eth-mainnet` or `node-1`. */
const isHostSecret = (label: string): boolean => label.length >= 16 && /[0-9]/.test(label)

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
  // A relative one has no more than a path and a query.
  const base = "relative:/"
  if (URL.canParse(url, base)) {
    const parsed = new URL(url, base)
    add(parsed.href, MIN_SECRET)
    add(parsed.username, MIN_SECRET)
    add(parsed.password, MIN_SECRET)
    parsed.hostname
      .split(".")
      .filter(isHostSecret)
      .forEach((label) => add(label, MIN_SECRET))
    const segments = parsed.pathname.split("/").filter((segment) => segment !== "")
    if (segments.length > 1) {
      add(parsed.pathname, MIN_SECRET)
      add(parsed.pathname + parsed.search, MIN_SECRET)
    }
    segments.filter(isPathSecret).forEach((segment) => add(segment, MIN_SECRET))
    for (const [name, value] of parsed.searchParams) {
      add(value, MIN_SECRET)
      if (value === "" && isPathSecret(name)) {
        add(name, MIN_SECRET)
      }
    }
  }
  for (const [name, value] of headers) {
    if (!OPEN_HEADERS.has(name.toLowerCase())) {
      const min = SECRET_HEADER.test(name) ? MIN_SECRET : MIN_HEADER
      add(value, min)
      const credentials = value.slice(value.indexOf(" ") + 1)
      add(credentials, min)
      if (/^basic /i.test(value)) {
        passwordIn(credentials).forEach((part) => add(part, min))
      }
    }
  }
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, REPLACEMENT), text)
}

/** The name and the password in Basic credentials. */
const passwordIn = (credentials: string): ReadonlyArray<string> => {
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(credentials), (char) => char.charCodeAt(0)))
    const colon = text.indexOf(":")
    return [text, text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)]
  } catch {
    return []
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

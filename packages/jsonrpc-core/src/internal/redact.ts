/** Takes the secrets of a URL and of headers out of texts that a server wrote. */

const REPLACEMENT = "<redacted>"

/** Shorter texts would be found in words. */
const MIN_SECRET = 4
const MIN_HEADER_SECRET = 12

/** Other parts of a path are names, such as `v3` or `mainnet`. */
const isPathSecret = (segment: string): boolean =>
  segment.length >= 12 || (segment.length >= 6 && /[0-9]/.test(segment))

/** A function that replaces whatever in the URL or the headers may be a secret, as text or percent-encoded. */
export const make = (
  url: string,
  headers: Iterable<readonly [name: string, value: string]>
): ((text: string) => string) => {
  const secrets = new Set<string>()
  const add = (text: string, min: number): void => {
    for (const form of [text, decode(text), encodeURIComponent(decode(text))]) {
      if (form.length >= min) {
        secrets.add(form)
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
    }
    segments.filter(isPathSecret).forEach((segment) => add(segment, MIN_SECRET))
    for (const value of parsed.searchParams.values()) {
      add(value, MIN_SECRET)
    }
  }
  for (const [, value] of headers) {
    add(value, MIN_HEADER_SECRET)
    add(value.slice(value.indexOf(" ") + 1), MIN_HEADER_SECRET)
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

/** Takes the secrets of a URL and of credentials out of texts that a server wrote. */

const REPLACEMENT = "<redacted>"

/** Shorter texts would be found in words. */
const MIN_SECRET = 4

/** The longest text of a server that is kept, in characters. */
const MAX_TEXT = 2000

/** Other parts of a path, and of a query without values, are names, such as `api`, `v0` or `mainnet`. */
const isPathSecret = (segment: string): boolean =>
  segment.length >= 12 || (segment.length >= 6 && /[0-9]/.test(segment))

/** Other labels of a host are names, such as `ipfs` or `node-1`. */
const isHostSecret = (label: string): boolean => label.length >= 16 && /[0-9]/.test(label)

/**
 * A function that replaces the URL and what in it or beside it may be a secret, in each form in which a server could repeat
 * it: as text, percent-encoded or within JSON. It also shortens what is longer than an error should be.
 */
export const make = (url: URL, secrets: Iterable<string>): ((text: string) => string) => {
  const found = new Set<string>()
  const add = (text: string): void => {
    for (const form of [text, decode(text), encodeURIComponent(decode(text))]) {
      if (form.length >= MIN_SECRET) {
        found.add(form)
        found.add(JSON.stringify(form).slice(1, -1))
      }
    }
  }
  add(url.href)
  add(url.origin)
  add(url.host)
  url.pathname.split("/").filter(isPathSecret).forEach(add)
  url.hostname.split(".").filter(isHostSecret).forEach(add)
  for (const [name, value] of url.searchParams) {
    add(value)
    if (value === "" && isPathSecret(name)) {
      add(name)
    }
  }
  for (const secret of secrets) {
    add(secret)
  }
  const longestFirst = [...found].sort((a, b) => b.length - a.length)
  return (text) => {
    // A secret that is cut in two by the shortening is replaced before.
    const redacted = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REPLACEMENT), text)
    return redacted.length > MAX_TEXT ? `${redacted.slice(0, MAX_TEXT)}...` : redacted
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

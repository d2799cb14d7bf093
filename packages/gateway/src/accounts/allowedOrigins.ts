/** Checks the form of an allowlist's origins, and compares the Origin of a request with them. */

/** True for `scheme://`, `host` or `scheme://host`. A host can have `*.` before it and a port after it. */
export const isEntry = (entry: string): boolean => entry.length <= MAX_LENGTH && ENTRY.test(entry)

const MAX_LENGTH = 300
const SCHEME = String.raw`[a-z][a-z0-9+.-]*:\/\/`
const LABEL = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
const HOST = String.raw`(?:(?:\*\.)?${LABEL}(?:\.${LABEL})*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?`
// No browser sends a path, a query, a user or a blank in an Origin (RFC 6454, section 6.2). Programs may leave the
// scheme out.
const ORIGIN = new RegExp(
  String.raw`^(?:null|(?:${SCHEME})?(?:${LABEL}(?:\.${LABEL})*|\[[0-9a-f:.]+\])?(?::[0-9]{1,5})?)$`,
  "iu"
)
const ENTRY = new RegExp(`^(?:${SCHEME}|(?:${SCHEME})?${HOST})$`, "iu")

/**
 * Returns a function that is true if an Origin matches one of the entries. Entries and Origins are compared in lower
 * case, because schemes and hosts are case-insensitive and browsers send them in lower case. Browsers send the Origin
 * `null` for pages without an origin; it is compared like a host, and matches only an entry `null`.
 */
export const compile = (entries: ReadonlyArray<string>): ((origin: string) => boolean) => {
  const exact = new Set<string>()
  // Entries with `*.`, stored without the star: `.example.com`, or `https://.example.com` if the entry has a scheme.
  const below = new Set<string>()
  for (const text of entries) {
    const entry = text.toLowerCase()
    const host = hostStart(entry)
    if (entry.startsWith("*.", host)) below.add(entry.slice(0, host) + entry.slice(host + 1))
    else exact.add(entry)
  }
  return (text) => {
    // No browser sends an Origin of this length, or of another form.
    if (text.length > MAX_LENGTH || !ORIGIN.test(text)) return false
    const origin = text.toLowerCase()
    if (exact.has(origin)) return true
    const host = hostStart(origin)
    const scheme = origin.slice(0, host)
    if (host > 0 && (exact.has(scheme) || exact.has(origin.slice(host)))) return true
    if (below.size === 0) return false
    // The search starts after the first character of the host, so that a label comes before the dot.
    for (let dot = origin.indexOf(".", host + 1); dot !== -1; dot = origin.indexOf(".", dot + 1)) {
      const end = origin.slice(dot)
      if (below.has(end) || (host > 0 && below.has(scheme + end))) return true
    }
    return false
  }
}

const hostStart = (origin: string): number => {
  const colon = origin.indexOf("://")
  return colon === -1 ? 0 : colon + 3
}

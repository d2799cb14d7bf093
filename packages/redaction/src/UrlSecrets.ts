/**
 * Finds the secrets of a URL: the URL itself, its userinfo, and the keys in its host, path and query.
 */
import { REDACTED } from "./Placeholder.ts"

/**
 * Returns the secret texts of a URL, for `FreeText.redactor`.
 *
 * They include the whole URL, its host, and a path of two or more segments, because a server may repeat these together
 * with the key. A segment of the path counts as a secret if it has 12 characters, or 6 with a digit, so `v3` and
 * `mainnet` stay. A label of the host counts if it has 16 characters with a digit. Every value of the query is a
 * secret.
 *
 * A relative URL has a path and a query. A text that is not a URL is one secret.
 *
 * ```ts import.meta.vitest
 * import { UrlSecrets } from "@plumbline/redaction"
 *
 * const secrets = UrlSecrets.of("https://user:hunter2@node.example/v3/0123abcd?token=t0ken")
 * secrets.includes("0123abcd") // => true
 * secrets.includes("user") // => true
 * secrets.includes("t0ken") // => true
 * secrets.includes("v3") // => false
 * ```
 */
export const of = (url: string): ReadonlyArray<string> => {
  if (!URL.canParse(url, RELATIVE)) {
    return [url]
  }
  const { host, hostname, href, password, pathname, search, username } = new URL(url, RELATIVE)
  const segments = pathname.split("/").filter((segment) => segment !== "")
  return [
    url,
    href,
    host,
    username,
    password,
    ...hostname.split(".").filter(isHostSecret),
    ...(segments.length > 1 ? [pathname, pathname + search] : []),
    ...segments.filter(isSecret),
    // The query in its encoded form, which a server repeats; `searchParams` decodes it.
    ...search
      .slice(1)
      .split("&")
      .flatMap((pair) => {
        const [name = "", value] = pair.split(/=(.*)/)
        return value ? [value, value.replaceAll("+", " ")] : isSecret(name) ? name : []
      })
  ]
}

/**
 * Returns the scheme and the host of an absolute URL, safe to show to a person.
 *
 * The userinfo, the path and the query are left out. Labels of the host that count as secrets are replaced.
 *
 * ```ts import.meta.vitest
 * import { UrlSecrets } from "@plumbline/redaction"
 *
 * UrlSecrets.shownOrigin("postgres://user:hunter2@db.example:5432/name") // => "postgres://db.example:5432"
 * UrlSecrets.shownOrigin("https://0123456789abcdef.node.example/") // => "https://<redacted>.node.example"
 * ```
 */
export const shownOrigin = (url: string): string => {
  const { hostname, port, protocol } = new URL(url)
  const labels = hostname.split(".").map((label) => (isHostSecret(label) ? REDACTED : label))
  return `${protocol}//${labels.join(".")}${port === "" ? "" : `:${port}`}`
}

/**
 * True if a word looks like a key: 12 characters, or 6 with a digit. Shorter words are names, such as `v3` or `mainnet`.
 *
 * ```ts import.meta.vitest
 * import { UrlSecrets } from "@plumbline/redaction"
 *
 * UrlSecrets.isSecret("abc123") // => true
 * UrlSecrets.isSecret("mainnet") // => false
 * ```
 */
export const isSecret = (word: string): boolean => word.length >= 12 || (word.length >= 6 && /[0-9]/.test(word))

/** True if a label looks like a key. Other labels are names, such as `eth-mainnet` or `node-1`. */
const isHostSecret = (label: string): boolean => label.length >= 16 && /[0-9]/.test(label)

/** A base URL without a host, so that a relative URL gets no host. */
const RELATIVE = "relative:/"

/**
 * Finds the secrets in the headers of a request.
 */
import { isSecret } from "./UrlSecrets.ts"

/**
 * Returns the secret texts of headers, for `FreeText.redactor`.
 *
 * The value of a header whose name contains `auth`, `cookie`, `key`, `secret` or `token` is a secret. The part after
 * its first space is a secret too. Basic credentials are decoded: the name and the password are secrets too. The value
 * of any other header is a secret if it looks like a key (`UrlSecrets.isSecret`), except those of `accept`,
 * `accept-encoding`, `accept-language`, `content-type` and `user-agent`.
 *
 * ```ts import.meta.vitest
 * import { HeaderSecrets } from "@plumbline/redaction"
 *
 * HeaderSecrets.of([["authorization", "Bearer abcd"]]) // => ["Bearer abcd", "abcd"]
 * HeaderSecrets.of([["authorization", `Basic ${btoa("user:hunter2")}`]]).includes("hunter2") // => true
 * HeaderSecrets.of([["user-agent", "plumbline-tests/1"], ["x-network", "mainnet"]]) // => []
 * ```
 */
export const of = (headers: Iterable<readonly [name: string, value: string]>): ReadonlyArray<string> => {
  const secrets: Array<string> = []
  for (const [name, value] of headers) {
    if (!OPEN.test(name)) {
      const credentials = value.slice(value.indexOf(" ") + 1)
      const found = [value, credentials]
      secrets.push(
        ...(SECRET.test(name) ? found : found.filter(isSecret)),
        ...(/^basic /i.test(value) ? partsOf(credentials) : [])
      )
    }
  }
  return secrets
}

/** Matches the names of headers with secrets. */
const SECRET = /auth|cookie|key|secret|token/i

/** Headers whose values a server may repeat. */
const OPEN = /^(?:accept(?:-encoding|-language)?|content-type|user-agent)$/i

/**
 * Decodes Basic credentials. Returns the text `name:password`, the name and the password, each read as Latin-1 and as
 * UTF-8.
 */
const partsOf = (credentials: string): ReadonlyArray<string> => {
  try {
    const latin1 = atob(credentials)
    const utf8 = new TextDecoder().decode(Uint8Array.from(latin1, (char) => char.charCodeAt(0)))
    // Only the first colon separates the name from the password.
    return [latin1, utf8].flatMap((pair) => [pair, ...pair.split(/:(.*)/s)])
  } catch {
    // Credentials that are not base64 have no parts. The whole value is still a secret.
    return []
  }
}

/** Reads keys that were pasted, before anything is sent: a private key must not leave the page. */
import type { Json } from "effect/Schema"

/** Members of a JWK that only its owner may know (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1). */
const PRIVATE: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "oth", "k"])

/** Returns the keys as JSON, or a sentence for the reader. */
export const keysIn = (text: string): { readonly keys: Json } | { readonly wrong: string } => {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/u.test(text)) return { wrong: SECRET }
  let keys: Json
  try {
    keys = JSON.parse(text) as Json
  } catch {
    return text.startsWith("-----BEGIN")
      ? { wrong: "This is a key in PEM. Paste it as a JWK: the program below prints one." }
      : { wrong: "This is not JSON. Paste a JWK, which begins with a brace, as the program below prints it." }
  }
  return isSecret(keys) ? { wrong: SECRET } : { keys }
}

const SECRET = "This is a private key. It was not sent. Paste the public one, and keep the private one on your server."

const isSecret = (value: Json): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Array.isArray(value)
    ? value.some(isSecret)
    : Object.entries(value).some(([name, member]) => PRIVATE.has(name) || isSecret(member)))

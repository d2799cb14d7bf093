/**
 * Checks a token of a project's user in the page, step by step, as the service does. The page does not send or store
 * any part of the token.
 *
 * The sentence of a failed step is the sentence that the service sends in `WWW-Authenticate`.
 */
import * as Allowlist from "@plumbline/gateway/accounts/Allowlist"
import type { PublicKey, TokenRules } from "@plumbline/gateway/accounts/TokenRules"
import * as Result from "effect/Result"

/** One condition that a token must meet. */
export interface JwtStep {
  readonly name: string
  /** False if the condition is not met; undefined if it cannot be checked here, or was not reached. */
  readonly isMet: boolean | undefined
  /** The result of the check, as a sentence without its full stop. */
  readonly found: string
}

/** The outcome: all steps, the reason of the first step that fails, and the claims of the token. */
export interface CheckedJwt {
  readonly steps: ReadonlyArray<JwtStep>
  /** The reason why the service refuses the token; undefined if the service accepts it. */
  readonly refused: string | undefined
  /** False if the browser cannot check the signature, so that the check is incomplete. */
  readonly isWhole: boolean
  readonly claims: JwtClaims | undefined
}

/** The members of a token, unchanged. */
export type JwtClaims = Readonly<Record<string, unknown>>

/** Maximum number of characters of a token. */
const MAX_LENGTH = 8192

/** The claims that narrow the allowlist of the project, with the kinds of entries that they hold. */
export const NARROWING = [
  ["networks", "networks"],
  ["methods", "methods"],
  ["addresses", "addresses"],
  ["origins", "origins"],
  ["user_agents", "userAgents"]
] as const

/** Checks a token at a time, in milliseconds since 1970 UTC. */
export const checkJwt = async (token: string, rules: TokenRules, now: number): Promise<CheckedJwt> => {
  const steps: Array<JwtStep> = []
  let refused: string | undefined
  let claims: JwtClaims | undefined
  const met = (name: string, found: string): void => void steps.push({ name, isMet: true, found })
  const fails = (name: string, why: string): CheckedJwt => {
    steps.push({ name, isMet: false, found: why })
    refused = why
    return { steps, refused, isWhole: true, claims }
  }

  if (token.length > MAX_LENGTH) return fails("Form", "it is too long")
  const [, head, body, tail] = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/u.exec(token) ?? []
  const isForm = [head, body, tail].every((part) => part !== undefined && isCanonical(part))
  const header = isForm ? objectOf(head!) : undefined
  if (header === undefined) return fails("Form", "it is not a JSON Web Token")
  claims = objectOf(body!)
  met("Form", "three parts, and the first one is a header")

  const { alg, crit, kid, typ } = header
  if (typeof kid !== "string") return fails("Key", "its header has no kid")
  const key = rules.keys.find((one) => one.kid === kid)
  if (key === undefined) return fails("Key", "its kid is not one of the project")
  met("Key", `the project has a key ${kid}`)
  if (alg !== key.alg) return fails("Algorithm", "its alg is not the one of the key")
  if (crit !== undefined) return fails("Algorithm", "its header has critical members")
  if (typ !== undefined && !(typeof typ === "string" && typ.toUpperCase() === "JWT")) {
    return fails("Algorithm", "its typ is not JWT")
  }
  met("Algorithm", key.alg)

  const signature = bytesOf(tail!)
  if (signature === undefined) return fails("Signature", "it is not a valid JSON Web Token")
  const isSigned = await verified(key, `${head}.${body}`, signature)
  if (isSigned === undefined) {
    const found = isSecureContext
      ? `this browser has no ${key.alg}: nothing is known of the signature`
      : "a page without TLS from another machine has no cryptography: nothing is known of the signature"
    steps.push({ name: "Signature", isMet: undefined, found })
    return { steps, refused: undefined, isWhole: false, claims }
  }
  if (!isSigned) return fails("Signature", "its signature does not match")
  met("Signature", `made with the private key of ${kid}`)
  if (claims === undefined) return fails("Claims", "it is not a valid JSON Web Token")

  const seconds = Math.floor(now / 1000)
  const { aud, exp, iat, nbf, sub } = claims
  if (aud === undefined) return fails("Audience", "it is for another audience")
  if (exp === undefined) return fails("Time", "it has no valid exp")
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (!audiences.includes(rules.audience)) return fails("Audience", "it is for another audience")
  met("Audience", rules.audience)
  if (iat !== undefined && typeof iat !== "number") return fails("Time", "it has no valid exp")
  if (nbf !== undefined) {
    if (typeof nbf !== "number" || nbf > seconds + rules.toleranceSeconds) {
      return fails("Time", "it is not valid yet")
    }
  }
  if (typeof exp !== "number") return fails("Time", "it has no valid exp")
  if (exp <= seconds - rules.toleranceSeconds) return fails("Time", "it has expired")
  met("Time", `until ${timeOf(exp)}`)

  if (sub !== undefined && (typeof sub !== "string" || sub === "" || sub.length > 256)) {
    return fails("User", "its sub must be 1 to 256 characters")
  }
  if (sub === undefined && Object.keys(rules.userLimits).length > 0) return fails("User", "it must have a sub")
  met("User", typeof sub === "string" ? sub : "none: it stands for no single user")
  if (!isNarrowing(claims)) return fails("Claims", "its claims must be lists of valid entries, and none of them empty")
  met("Claims", "each list narrows what the project may do")
  return { steps, refused, isWhole: true, claims }
}

/** Returns the entries of a narrowing claim, if the token has it. */
export const entriesOf = (
  claims: JwtClaims,
  claim: (typeof NARROWING)[number][0]
): ReadonlyArray<string> | undefined => {
  const entries = claims[claim]
  return Array.isArray(entries) ? entries.map(String) : undefined
}

const isNarrowing = (claims: JwtClaims): boolean => {
  const given: Record<string, unknown> = {}
  for (const [claim, kind] of NARROWING) {
    const entries = claims[claim]
    if (entries === undefined) continue
    if (!Array.isArray(entries) || entries.length === 0) return false
    given[kind] = entries
  }
  return Result.isSuccess(Allowlist.parse(given))
}

const timeOf = (seconds: number): string =>
  Math.abs(seconds) <= 8.64e12
    ? `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`
    : "a time after every calendar"

const bytesOf = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.codePointAt(0)!)
  } catch {
    return undefined
  }
}

/** True if the text is the only spelling of its bytes in base64url without padding. */
const isCanonical = (text: string): boolean => {
  const bytes = bytesOf(text)
  if (bytes === undefined) return false
  const again = btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
  return again.replace(/=+$/u, "") === text
}

const objectOf = (part: string): JwtClaims | undefined => {
  const bytes = bytesOf(part)
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JwtClaims) : undefined
  } catch {
    return undefined
  }
}

const WAYS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
} as const

/** Checks the signature. Returns undefined if this browser cannot check it. */
const verified = async (
  key: PublicKey,
  text: string,
  signature: Uint8Array<ArrayBuffer>
): Promise<boolean | undefined> => {
  // `crypto.subtle` is missing in a page without TLS
  const subtle = (globalThis.crypto as Partial<Crypto>).subtle
  if (subtle === undefined) return undefined
  const way = WAYS[key.alg]
  try {
    const { alg: _, ...jwk } = key
    const imported = await subtle.importKey("jwk", { ...jwk, ext: true }, way, false, ["verify"])
    return await subtle.verify(way, imported, signature, new TextEncoder().encode(text))
  } catch {
    return undefined
  }
}

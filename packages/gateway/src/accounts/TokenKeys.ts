/**
 * Reads the public keys of a project. They verify the tokens of the project's users.
 */
import { createPublicKey } from "node:crypto"

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { SettingError } from "../errors/SettingError.ts"
import * as KeyLimits from "../limits/KeyLimits.ts"
import { defaults, type TokenRulesInput, MAX_KEYS, PublicKey, TokenRules } from "./TokenRules.ts"

/**
 * Parses public keys: a JWK, a list of JWKs, or a JWK set (`{ "keys": [...] }`). A private key is refused.
 *
 * ```ts import.meta.vitest
 * import { TokenKeys } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" // of RFC 8037
 * const [key] = Result.getOrThrow(TokenKeys.parse({ kty: "OKP", crv: "Ed25519", x, kid: "2026" }))
 * key // => { kid: "2026", alg: "EdDSA", kty: "OKP", crv: "Ed25519", x }
 * const secret = TokenKeys.parse({ kty: "OKP", crv: "Ed25519", x, d: x, kid: "2026" })
 * Result.isFailure(secret) && secret.failure.problem // => "must be public: it has the private member d"
 * ```
 */
export const parse = (input: unknown): Result.Result<ReadonlyArray<PublicKey>, SettingError> =>
  Result.gen(function* () {
    const list =
      isObject(input) && Array.isArray(input["keys"]) ? input["keys"] : Array.isArray(input) ? input : [input]
    if (list.length === 0 || list.length > MAX_KEYS) {
      return yield* wrong("keys", `must be 1 to ${MAX_KEYS} public keys`)
    }
    const keys: Array<PublicKey> = []
    for (const [index, jwk] of list.entries()) {
      const key = yield* keyOf(`keys[${index}]`, jwk)
      if (keys.some((other) => other.kid === key.kid)) return yield* wrong(`keys[${index}]`, "has the kid of another")
      keys.push(key)
    }
    return keys
  })

/**
 * Parses the rules of a project, with its keys.
 */
export const parseRules = (project: string, input: TokenRulesInput): Result.Result<TokenRules, SettingError> =>
  Result.gen(function* () {
    const { audience = project, required = defaults.required, toleranceSeconds = defaults.toleranceSeconds } = input
    if (!isAudience(audience)) return yield* wrong("audience", "must be 1 to 256 characters, none of them NUL")
    if (!(Number.isInteger(toleranceSeconds) && toleranceSeconds >= 0 && toleranceSeconds <= 300)) {
      return yield* wrong("toleranceSeconds", "must be a whole number from 0 to 300")
    }
    const userLimits = yield* KeyLimits.parse(input.userLimits ?? defaults.userLimits)
    return { required, audience, keys: yield* parse(input.keys), userLimits, toleranceSeconds }
  })

// Private: keys.

const isAudience = Schema.is(TokenRules.fields.audience)

const isKey = Schema.is(PublicKey)

const keyOf = (setting: string, jwk: unknown): Result.Result<PublicKey, SettingError> => {
  if (!isObject(jwk)) return wrong(setting, "must be a JWK: a JSON object")
  const secret = PRIVATE.find((name) => name in jwk)
  if (secret !== undefined) return wrong(setting, `must be public: it has the private member ${secret}`)
  const { alg, e, key_ops: operations, kid, kty, n, use, x, y } = jwk
  const kind = KINDS.find((known) => known.kty === kty && (known.crv === undefined || known.crv === jwk["crv"]))
  if (kind === undefined) return wrong(setting, "must be a key of P-256, Ed25519 or RSA")
  if (alg !== undefined && alg !== kind.alg) return wrong(setting, `must have the alg ${kind.alg}`)
  if (use !== undefined && use !== "sig") return wrong(setting, "must be for signatures")
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) {
    return wrong(setting, "must be for the verification of signatures")
  }
  const { crv, ...rest } = kind
  const members = rest.kty === "RSA" ? { n, e } : rest.kty === "EC" ? { crv, x, y } : { crv, x }
  const key = { kid, ...rest, ...members }
  if (!isKey(key)) {
    return typeof kid === "string" && kid !== ""
      ? wrong(setting, "must have the members of its kind, as base64url")
      : wrong(setting, "must have a kid")
  }
  return isSound(key) ? Result.succeed(key) : wrong(setting, "must be a valid key; RSA has 2048 to 4096 bits")
}

const KINDS = [
  { alg: "ES256", kty: "EC", crv: "P-256" },
  { alg: "EdDSA", kty: "OKP", crv: "Ed25519" },
  { alg: "RS256", kty: "RSA", crv: undefined }
] as const

const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] as const

/** The point of a key must lie on its curve. A short RSA key is weak, and a long one makes verification slow. */
const isSound = (key: PublicKey): boolean => {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: "jwk" })
    const bits = asymmetricKeyDetails?.modulusLength
    const exponent = asymmetricKeyDetails?.publicExponent
    if (key.kty !== "RSA") return true
    return bits !== undefined && bits >= 2048 && bits <= 4096 && exponent !== undefined && isExponent(exponent)
  } catch {
    return false
  }
}

/** A larger exponent makes every verification slower. */
const isExponent = (exponent: bigint): boolean => exponent >= 3n && exponent <= 0xffff_ffffn && exponent % 2n === 1n

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wrong = (setting: string, problem: string): Result.Result<never, SettingError> =>
  Result.fail(new SettingError({ setting, problem }))

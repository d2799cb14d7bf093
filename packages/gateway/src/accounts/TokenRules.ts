/**
 * The rules by which a project admits its own users, who present tokens that the project has signed.
 *
 * A token is a JSON Web Token (RFC 7519). The project keeps its private key and registers the public key with the
 * service. `TokenKeys` parses the public keys. The service never fetches keys from a URL, so a project cannot make the
 * service send requests.
 */
import * as Schema from "effect/Schema"

import * as KeyLimits from "../limits/KeyLimits.ts"
import { named } from "./accountNames.ts"

/** Maximum number of public keys of a project. */
export const MAX_KEYS = 10

const kid = named("Names the key in the header of tokens")

const base64url = (description: string, length: number) =>
  Schema.String.annotate({ description }).check(Schema.isPattern(new RegExp(`^[A-Za-z0-9_-]{1,${length}}$`, "u")))

const literal = <const L extends string>(value: L, description: string) =>
  Schema.Literal(value).annotate({ description })

/**
 * A public key as a JWK (RFC 7517): ES256 (P-256), EdDSA (Ed25519), or RS256 with 2048 to 4096 bits.
 */
export const PublicKey = Schema.Union([
  Schema.Struct({
    kid,
    alg: literal("ES256", "The algorithm of its signatures"),
    kty: literal("EC", "The type of the key"),
    crv: literal("P-256", "The curve"),
    x: base64url("The first coordinate of the point", 43),
    y: base64url("The second coordinate of the point", 43)
  }),
  Schema.Struct({
    kid,
    alg: literal("EdDSA", "The algorithm of its signatures"),
    kty: literal("OKP", "The type of the key"),
    crv: literal("Ed25519", "The curve"),
    x: base64url("The public key", 43)
  }),
  Schema.Struct({
    kid,
    alg: literal("RS256", "The algorithm of its signatures"),
    kty: literal("RSA", "The type of the key"),
    n: base64url("The modulus", 683),
    e: base64url("The exponent", 8)
  })
]).annotate({ identifier: "PublicKey" })

export type PublicKey = typeof PublicKey.Type

/**
 * The rules of a project.
 *
 * - `required`: true if every call of JSON-RPC must carry a token. Otherwise calls without a token are permitted too.
 * - `audience`: the `aud` that a token must name. By default it is the id of the project.
 * - `keys`: the public keys, each with a different `kid`. Removing a key ends all tokens that it verifies.
 * - `userLimits`: the limits of each user, identified by the `sub` of the user's tokens. If one of these limits is set,
 *   every token must have a `sub`.
 * - `toleranceSeconds`: seconds by which the clocks of the project and the service may differ: 0 to 300.
 */
export const TokenRules = Schema.Struct({
  required: Schema.Boolean.annotate({ description: "True if every call of JSON-RPC must carry a token" }),
  audience: named("The aud that a token must name"),
  keys: Schema.Array(PublicKey)
    .annotate({ description: `1 to ${MAX_KEYS} public keys` })
    .check(Schema.isMinLength(1), Schema.isMaxLength(MAX_KEYS)),
  userLimits: KeyLimits.KeyLimits,
  toleranceSeconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 })).annotate({
    description: "Seconds by which clocks may differ"
  })
}).annotate({ identifier: "TokenRules" })

export type TokenRules = typeof TokenRules.Type

/**
 * The default rules.
 */
export const defaults: Pick<TokenRules, "required" | "toleranceSeconds" | "userLimits"> = {
  required: false,
  toleranceSeconds: 30,
  userLimits: {}
}

/**
 * Rules as an operator gives them. An absent setting takes its value from `defaults`; an absent audience is the
 * project's id.
 */
export interface TokenRulesInput {
  readonly required?: boolean | undefined
  readonly audience?: string | undefined
  /** A JWK, a list of JWKs, or a JWK set. */
  readonly keys: unknown
  readonly userLimits?: KeyLimits.KeyLimits | undefined
  readonly toleranceSeconds?: number | undefined
}

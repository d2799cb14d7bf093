/**
 * Verifies the tokens of a project's users.
 *
 * A verified token is remembered by its digest until it expires, so that each later call costs only one SHA-256. A
 * failed token is remembered too, so that it is not verified again. Only the digest, the times and the claims of a
 * token are kept. No part of it appears in a log, an error, a span or a metric.
 */
import { hash } from "node:crypto"

import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { importJWK } from "jose"

import type { KeyHolder, ProjectUser } from "../accounts/Account.ts"
import * as Allowlist from "../accounts/Allowlist.ts"
import type { PublicKey, TokenRules } from "../accounts/TokenRules.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import * as KeyLimits from "../limits/KeyLimits.ts"

export interface JwtVerifier {
  /** Returns the holder together with the token's user, or a refusal. */
  readonly verify: (
    holder: KeyHolder,
    rules: TokenRules,
    token: string
  ) => Effect.Effect<KeyHolder, HttpRefusal.HttpRefusal>
}

/** Maximum number of characters of a token. */
export const MAX_LENGTH = 8192

/** Maximum number of remembered valid tokens, and of remembered failed tokens. */
const CAPACITY = 10_000

/** Maximum number of simultaneous verifications. Each uses a thread for up to a fifth of a millisecond. */
const MAX_UNDER_WAY = 64

interface KnownToken {
  /** The rules with which the token was verified. If the rules have not changed, they are the same object. */
  readonly rules: TokenRules
  readonly user: ProjectUser
  /** The holder with the user of the token. It is made again when the holder has changed. */
  holder: KeyHolder
  base: KeyHolder
}

interface RefusedToken {
  readonly rules: TokenRules
  readonly refusal: HttpRefusal.HttpRefusal
}

export const make = (): JwtVerifier => {
  const known = new BoundedMap<string, KnownToken>(CAPACITY)
  const refused = new BoundedMap<string, RefusedToken>(CAPACITY)
  let underWay = 0

  const recall = (digest: string, holder: KeyHolder, rules: TokenRules, now: number): KnownToken | undefined => {
    const found = known.get(digest)
    if (found === undefined) return undefined
    if (found.rules !== rules || found.user.until <= now) {
      known.delete(digest)
      return undefined
    }
    if (found.base !== holder) {
      found.base = holder
      found.holder = { ...holder, user: found.user }
    }
    return found
  }

  return {
    verify: (holder, rules, token) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<KeyHolder, HttpRefusal.HttpRefusal> => {
        if (token.length > MAX_LENGTH) return Exit.fail(HttpRefusal.invalidToken("it is too long"))
        const digest = hash("sha256", `${holder.project.id}\0${token}`, "hex")
        const found = recall(digest, holder, rules, now)
        if (found !== undefined) return Exit.succeed(found.holder)
        const again = refused.get(digest)
        if (again?.rules === rules) return Exit.fail(again.refusal)
        if (underWay >= MAX_UNDER_WAY) return Exit.fail(HttpRefusal.busy)
        underWay++
        return Effect.promise(() => verify(token, rules, now)).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              underWay--
            })
          ),
          Effect.flatMap((verified) => {
            if ("refusal" in verified) {
              if (verified.isFinal) refused.set(digest, { rules, refusal: verified.refusal })
              return Exit.fail(verified.refusal)
            }
            const own = { ...holder, user: verified }
            known.set(digest, { rules, user: verified, base: holder, holder: own })
            return Exit.succeed(own)
          })
        )
      })
  }
}

interface Failed {
  readonly refusal: HttpRefusal.HttpRefusal
  /** False if the same token may become valid later. */
  readonly isFinal: boolean
}

const failed = (why: string, isFinal = true): Failed => ({ refusal: HttpRefusal.invalidToken(why), isFinal })

/**
 * Verifies a token. The header is read first: its `kid` selects the key, and the key alone defines the algorithm.
 */
const verify = async (token: string, rules: TokenRules, now: number): Promise<ProjectUser | Failed> => {
  const header = headerOf(token)
  if (header === undefined) return failed("it is not a JSON Web Token")
  const { alg, crit, kid, typ } = header
  if (typeof kid !== "string") return failed("its header has no kid")
  const key = rules.keys.find((one) => one.kid === kid)
  if (key === undefined) return failed("its kid is not one of the project")
  if (alg !== key.alg) return failed("its alg is not the one of the key")
  if (crit !== undefined) return failed("its header has critical members")
  if (typ !== undefined && !(typeof typ === "string" && typ.toUpperCase() === "JWT")) {
    return failed("its typ is not JWT")
  }
  const { errors, jwtVerify } = await import("jose")
  try {
    const { payload } = await jwtVerify(token, await imported(key), {
      algorithms: [key.alg],
      audience: rules.audience,
      clockTolerance: rules.toleranceSeconds,
      currentDate: new Date(now),
      requiredClaims: ["exp"]
    })
    return userOf(payload, rules)
  } catch (error) {
    if (error instanceof errors.JWTExpired) return failed("it has expired")
    if (error instanceof errors.JWTClaimValidationFailed) {
      if (error.claim === "nbf") return failed("it is not valid yet", false)
      return failed(error.claim === "aud" ? "it is for another audience" : "it has no valid exp")
    }
    if (error instanceof errors.JWSSignatureVerificationFailed) return failed("its signature does not match")
    return failed("it is not a valid JSON Web Token")
  }
}

const headerOf = (token: string): Readonly<Record<string, unknown>> | undefined => {
  const parts = token.split(".")
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined
  try {
    const header: unknown = JSON.parse(Buffer.from(parts[0]!, "base64url").toString("utf8"))
    return typeof header === "object" && header !== null && !Array.isArray(header)
      ? (header as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * True if a part of a token is written in the one way that base64url has for its bytes. The last character can hold bits
 * that belong to no byte; with other bits there, the same token would have several spellings (RFC 4648, section 3.5).
 */
const isCanonical = (part: string): boolean =>
  /^[A-Za-z0-9_-]+$/u.test(part) && Buffer.from(part, "base64url").toString("base64url") === part

type Imported = Awaited<ReturnType<typeof importJWK>>

/** Imported keys, cached as long as the rules that contain them. */
const importedKeys = new WeakMap<PublicKey, Promise<Imported>>()

const imported = (key: PublicKey): Promise<Imported> => {
  let ready = importedKeys.get(key)
  if (ready === undefined) {
    ready = import("jose").then(({ importJWK }) => importJWK({ ...key }, key.alg))
    importedKeys.set(key, ready)
  }
  return ready
}

type TokenClaims = Readonly<Record<string, unknown>>

const userOf = (claims: TokenClaims, { toleranceSeconds, userLimits }: TokenRules): ProjectUser | Failed => {
  const { exp, sub } = claims
  if (sub !== undefined && (typeof sub !== "string" || sub === "" || sub.length > 256)) {
    return failed("its sub must be 1 to 256 characters")
  }
  if (sub === undefined && !KeyLimits.isNone(userLimits)) return failed("it must have a sub")
  const rules = rulesOf(claims)
  if (rules === false) return failed("its claims must be lists of valid entries, and none of them empty")
  return {
    id: sub === undefined ? undefined : hash("sha256", sub, "hex").slice(0, 32),
    limits: userLimits,
    rules,
    until: ((exp as number) + toleranceSeconds) * 1000
  }
}

/** The claims that narrow the project's allowlist, with the kind of entry that each holds. */
const NARROWING = [
  ["networks", "networks"],
  ["methods", "methods"],
  ["addresses", "addresses"],
  ["origins", "origins"],
  ["user_agents", "userAgents"]
] as const

/**
 * Returns the allowlist of a token: undefined if it has none, false if it is invalid. An empty list is invalid. In a
 * project's allowlist an empty list allows everything, and the author of a token may expect the opposite.
 */
const rulesOf = (claims: TokenClaims): Allowlist.CompiledAllowlist | undefined | false => {
  const given: Record<string, unknown> = {}
  for (const [claim, kind] of NARROWING) {
    const entries = claims[claim]
    if (entries === undefined) continue
    if (!Array.isArray(entries) || entries.length === 0) return false
    given[kind] = entries
  }
  if (Object.keys(given).length === 0) return undefined
  const parsed = Allowlist.parse(given)
  return parsed._tag === "Success" && Allowlist.compile(parsed.success)
}

/**
 * Verifies the tokens of a project's users.
 *
 * A token that was verified is remembered by its digest until it expires, so that a call costs one SHA-256. A token
 * that failed is remembered too, so that the same one costs no second verification. Nothing of a token is kept but its
 * digest, its times and its claims, and nothing of it is in a log, an error, a span or a metric.
 */
import { hash } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { importJWK } from "jose"

import type { Holder, User } from "../accounts/Account.ts"
import * as Allowlist from "../accounts/Allowlist.ts"
import type { PublicKey, TokenRules } from "../accounts/TokenRules.ts"
import * as Refusal from "../http/Refusal.ts"
import * as KeyLimits from "../limits/KeyLimits.ts"

export interface UserTokens {
  /** Returns the holder together with the user of the token, or a refusal. */
  readonly verify: (holder: Holder, rules: TokenRules, token: string) => Effect.Effect<Holder, Refusal.Refusal>
}

/** Maximum number of characters of a token. */
export const MAX_LENGTH = 8192

/** Maximum number of remembered tokens of each kind. */
const CAPACITY = 10_000

/** Maximum number of verifications at a time. Each takes up to a fifth of a millisecond of a thread. */
const MAX_UNDER_WAY = 64

interface Known {
  /** The rules by which the token was verified. Unchanged rules are the same object. */
  readonly rules: TokenRules
  readonly user: User
  /** The holder with this user. It is made again when the holder has changed. */
  holder: Holder
  base: Holder
}

interface Refused {
  readonly rules: TokenRules
  readonly refusal: Refusal.Refusal
}

export const make = (): UserTokens => {
  const known = new Map<string, Known>()
  const refused = new Map<string, Refused>()
  let underWay = 0

  const remember = <A>(all: Map<string, A>, digest: string, value: A): void => {
    all.delete(digest)
    for (const oldest of all.size >= CAPACITY ? all.keys() : []) {
      all.delete(oldest)
      break
    }
    all.set(digest, value)
  }

  const recall = (digest: string, holder: Holder, rules: TokenRules, now: number): Known | undefined => {
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
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Holder, Refusal.Refusal> => {
        if (token.length > MAX_LENGTH) return Exit.fail(Refusal.invalidToken("it is too long"))
        const digest = hash("sha256", `${holder.project.id}\0${token}`, "hex")
        const found = recall(digest, holder, rules, now)
        if (found !== undefined) return Exit.succeed(found.holder)
        const again = refused.get(digest)
        if (again?.rules === rules) return Exit.fail(again.refusal)
        if (underWay >= MAX_UNDER_WAY) return Exit.fail(Refusal.busy)
        underWay++
        return Effect.promise(() => verify(token, rules, now)).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              underWay--
            })
          ),
          Effect.flatMap((verified) => {
            if ("refusal" in verified) {
              if (verified.isFinal) remember(refused, digest, { rules, refusal: verified.refusal })
              return Exit.fail(verified.refusal)
            }
            const own = { ...holder, user: verified }
            remember(known, digest, { rules, user: verified, base: holder, holder: own })
            return Exit.succeed(own)
          })
        )
      })
  }
}

interface Failed {
  readonly refusal: Refusal.Refusal
  /** True unless the same token may be good later. */
  readonly isFinal: boolean
}

const failed = (why: string, isFinal = true): Failed => ({ refusal: Refusal.invalidToken(why), isFinal })

/**
 * Reads the header first: the key is chosen by its `kid`, and the algorithm is the one of that key, never the token's.
 */
const verify = async (token: string, rules: TokenRules, now: number): Promise<User | Failed> => {
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
  const parts = TOKEN.exec(token)
  if (parts === null) return undefined
  try {
    const header: unknown = JSON.parse(Buffer.from(parts[1]!, "base64url").toString("utf8"))
    return typeof header === "object" && header !== null && !Array.isArray(header)
      ? (header as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

const TOKEN = /^([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/u

type Imported = Awaited<ReturnType<typeof importJWK>>

/** Keys in the form that verifies, kept as long as their rules. */
const importedKeys = new WeakMap<PublicKey, Promise<Imported>>()

const imported = (key: PublicKey): Promise<Imported> => {
  let ready = importedKeys.get(key)
  if (ready === undefined) {
    ready = import("jose").then(({ importJWK }) => importJWK({ ...key }, key.alg))
    importedKeys.set(key, ready)
  }
  return ready
}

type Claims = Readonly<Record<string, unknown>>

const userOf = (claims: Claims, { toleranceSeconds, userLimits }: TokenRules): User | Failed => {
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

/** The claims that narrow the allowlist of the project, with the kinds of entries that they hold. */
const NARROWING = [
  ["networks", "networks"],
  ["methods", "methods"],
  ["addresses", "addresses"],
  ["origins", "origins"],
  ["user_agents", "userAgents"]
] as const

/**
 * Returns the allowlist of a token, undefined if it has none, and false if it is invalid. An empty list is invalid: in
 * a project's allowlist it allows everything, and a reader of a token may expect the opposite.
 */
const rulesOf = (claims: Claims): Allowlist.Compiled | undefined | false => {
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

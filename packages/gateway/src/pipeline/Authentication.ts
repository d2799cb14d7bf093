/**
 * Finds the project of a key, and checks its secret or the token of one of its users.
 */
import { Buffer } from "node:buffer"
import { timingSafeEqual } from "node:crypto"

import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { KeyHolder } from "../accounts/Account.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import * as ApiKey from "../accounts/ApiKey.ts"
import * as Exits from "../http/exits.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { StateError } from "../state/StateError.ts"
import type { JwtVerifier } from "./jwtVerifier.ts"

export type { JwtVerifier } from "./jwtVerifier.ts"

/**
 * The credentials of a caller: the key in the path (empty if there is none) and the Authorization header.
 */
export interface Credentials {
  readonly key: string
  readonly authorization: string | undefined
}

/**
 * Returns the holder of the credentials, or a refusal.
 *
 * The key alone is enough, unless the project requires its secret. The secret is sent as Basic authentication, with an
 * empty user or the key as user. An Authorization header must be right even if none is required. Otherwise a caller
 * with a wrong secret would not notice it.
 *
 * If the project has registered keys for the tokens of its users, a token is sent as Bearer authentication. The
 * returned holder then names the user. A valid token replaces the secret. If a project requires tokens, the secret does
 * not replace them. Without `tokens` no token is valid.
 *
 * If the store cannot be reached, this is logged and answered with 503, never with 401.
 */
export const authenticate = (
  accounts: Accounts["Service"],
  credentials: Credentials,
  tokens?: JwtVerifier
): Effect.Effect<KeyHolder, HttpRefusal.HttpRefusal> => {
  const { key } = credentials
  if (key === "") return missingKey
  if (key.length > MAX_KEY_LENGTH) return unknownKey
  const found = accounts.lookup(key)
  const known = Exits.exitOf(found)
  if (known !== undefined && known._tag === "Success") return decide(known.value, credentials, tokens)
  return Effect.flatMap(unlessUnavailable(found), (holder) => decide(holder, credentials, tokens))
}

/**
 * Returns the holder of an IPFS command, or a refusal. Basic authentication is required, with the key as user and the
 * secret as password.
 *
 * An unknown key and a wrong secret take the same steps and get the same answer, so a caller cannot test which keys
 * exist. If the store cannot be reached, this is logged and answered with 503, never with 401.
 */
export const authenticateBasic = (
  accounts: Accounts["Service"],
  authorization: string | undefined
): Effect.Effect<KeyHolder, HttpRefusal.HttpRefusal> => {
  if (authorization === undefined) return missingCredentials
  const pair = pairOf(authorization)
  if (pair === undefined || pair.user === "" || pair.user.length > MAX_KEY_LENGTH) return wrongCredentials
  return Effect.flatMap(unlessUnavailable(accounts.lookup(pair.user)), (holder) =>
    equals(ApiKey.digest(pair.password), holder?.secretHash ?? NOBODY) && holder !== undefined
      ? Exit.succeed(holder)
      : wrongCredentials
  )
}

/** The digest to compare with if the key is unknown. No known secret has this digest. */
const NOBODY = "0".repeat(64)

const unlessUnavailable = <A>(found: Effect.Effect<A, StateError>): Effect.Effect<A, HttpRefusal.HttpRefusal> =>
  Effect.catch(found, (error) =>
    Effect.andThen(Effect.logError("projects cannot be looked up", error.message), Effect.fail(HttpRefusal.unavailable))
  )

// Real keys have 32 characters. Longer keys are not hashed.
const MAX_KEY_LENGTH = 128

const missingKey = Exit.fail(HttpRefusal.missingKey)
const unknownKey = Exit.fail(HttpRefusal.unknownKey)
const wrongSecret = Exit.fail(HttpRefusal.wrongSecret)
const missingCredentials = Exit.fail(HttpRefusal.missingCredentials)
const wrongCredentials = Exit.fail(HttpRefusal.wrongCredentials)
const missingToken = Exit.fail(HttpRefusal.missingToken)

const BEARER = /^bearer +([^ ]+)$/iu

const decide = (
  holder: KeyHolder | undefined,
  { authorization, key }: Credentials,
  tokens: JwtVerifier | undefined
): Effect.Effect<KeyHolder, HttpRefusal.HttpRefusal> => {
  if (holder === undefined) return unknownKey
  const rules = holder.tokens
  if (rules !== undefined) {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
    if (token !== undefined) return tokens?.verify(holder, rules, token) ?? missingToken
    if (rules.required) return missingToken
  }
  if (authorization === undefined) return holder.project.secretRequired ? wrongSecret : Exit.succeed(holder)
  const secret = secretOf(authorization, key)
  return secret !== undefined && equals(ApiKey.digest(secret), holder.secretHash) ? Exit.succeed(holder) : wrongSecret
}

const secretOf = (authorization: string, key: string): string | undefined => {
  const pair = pairOf(authorization)
  return pair !== undefined && (pair.user === "" || pair.user === key) ? pair.password : undefined
}

const pairOf = (authorization: string): { readonly user: string; readonly password: string } | undefined => {
  const basic = /^basic +([A-Za-z0-9+/_=-]+)$/iu.exec(authorization)
  if (basic === null) return undefined
  const pair = Buffer.from(basic[1]!, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  return colon === -1 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) }
}

const equals = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"))

/**
 * From a key, and perhaps a secret, to a project.
 *
 * @since 0.1.0
 */
import { Buffer } from "node:buffer"
import { timingSafeEqual } from "node:crypto"

import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { ApiKeys } from "./ApiKeys.ts"
import type { ApiKeysError } from "./ApiKeysError.ts"
import * as Settled from "./internal/settled.ts"
import * as Project from "./Project.ts"
import * as Refusal from "./Refusal.ts"

/**
 * What a caller shows: the key of the path (empty if the path has none) and the Authorization header.
 *
 * @since 0.1.0
 */
export interface Credentials {
  readonly key: string
  readonly authorization: string | undefined
}

/**
 * Finds the project of the credentials, or refuses.
 *
 * The key alone is enough, unless the project requires its secret. A secret comes as Basic authentication, with the
 * user empty or the key again. A header that is there must be right, also where none is required: whoever sends a wrong
 * secret is better told.
 *
 * A store that cannot be asked is logged and answered with 503, never with 401.
 *
 * @since 0.1.0
 */
export const authenticate = (
  keys: ApiKeys["Service"],
  credentials: Credentials
): Effect.Effect<Project.Project, Refusal.Refusal> => {
  const { key } = credentials
  if (key === "") return missingKey
  if (key.length > MAX_KEY_LENGTH) return unknownKey
  const found = keys.lookup(key)
  const known = Settled.exitOf(found)
  if (known !== undefined && known._tag === "Success") return decide(known.value, credentials)
  return Effect.flatMap(unlessUnavailable(found), (project) => decide(project, credentials))
}

/**
 * Finds the project of an IPFS command, or refuses: Basic authentication with the key as user and the secret as password,
 * always both.
 *
 * An unknown key and a wrong secret are one answer, and take the same steps, so that keys cannot be told apart from
 * outside. A store that cannot be asked is logged and answered with 503, never with 401.
 *
 * @since 0.1.0
 */
export const authenticateBasic = (
  keys: ApiKeys["Service"],
  authorization: string | undefined
): Effect.Effect<Project.Project, Refusal.Refusal> => {
  if (authorization === undefined) return missingCredentials
  const pair = pairOf(authorization)
  if (pair === undefined || pair.user === "" || pair.user.length > MAX_KEY_LENGTH) return wrongCredentials
  return Effect.flatMap(unlessUnavailable(keys.lookup(pair.user)), (project) =>
    equals(Project.digest(pair.password), project?.secretHash ?? NOBODY) && project !== undefined
      ? Exit.succeed(project)
      : wrongCredentials
  )
}

/** Compared with where there is no project. Nothing is known to have this digest. */
const NOBODY = "0".repeat(64)

const unlessUnavailable = <A>(found: Effect.Effect<A, ApiKeysError>): Effect.Effect<A, Refusal.Refusal> =>
  Effect.catch(found, (error) =>
    Effect.andThen(Effect.logError("projects cannot be looked up", error.message), Effect.fail(Refusal.unavailable))
  )

// Ours have 32 characters. What is longer is not worth hashing.
const MAX_KEY_LENGTH = 128

const missingKey = Exit.fail(Refusal.missingKey)
const unknownKey = Exit.fail(Refusal.unknownKey)
const wrongSecret = Exit.fail(Refusal.wrongSecret)
const missingCredentials = Exit.fail(Refusal.missingCredentials)
const wrongCredentials = Exit.fail(Refusal.wrongCredentials)

const decide = (
  project: Project.Project | undefined,
  { authorization, key }: Credentials
): Exit.Exit<Project.Project, Refusal.Refusal> => {
  if (project === undefined) return unknownKey
  if (authorization === undefined) return project.secretRequired ? wrongSecret : Exit.succeed(project)
  const secret = secretOf(authorization, key)
  return secret !== undefined && equals(Project.digest(secret), project.secretHash)
    ? Exit.succeed(project)
    : wrongSecret
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

/**
 * Accounts, their projects, and the keys of the projects.
 */
import * as Schema from "effect/Schema"

import * as KeyLimits from "../limits/KeyLimits.ts"
import * as ProjectLimits from "../limits/ProjectLimits.ts"
import { named } from "./accountNames.ts"
import * as Allowlist from "./Allowlist.ts"
import type { TokenRules } from "./TokenRules.ts"

export { named } from "./accountNames.ts"

/**
 * A name that an owner gives to an account or a project: 1 to 256 UTF-16 units, no NUL, no unpaired surrogate.
 */
export const Name = named("Name")

/**
 * An account: the party that pays.
 */
export const Account = Schema.Struct({
  /** The permanent id of the account. It is not a secret. */
  id: Schema.NonEmptyString.annotate({ description: "The permanent id of the account; not a secret" }),
  name: Name,
  /** True if an operator or `BillingCards` says that the account has a billing card. */
  card: Schema.Boolean.annotate({ description: "True if there is a billing card" }),
  /** The limits of all projects of the account together; absent if it has none. */
  limits: Schema.optionalKey(KeyLimits.KeyLimits)
}).annotate({ identifier: "Account" })

export type Account = typeof Account.Type

/**
 * The settings of a project that its owner may change.
 */
export const ProjectSettings = Schema.Struct({
  name: Name,
  /** True while calls of the project are refused. */
  suspended: Schema.Boolean.annotate({ description: "True while calls of the project are refused" }),
  /** True if JSON-RPC calls must carry the secret beside the key. IPFS commands must always carry both. */
  secretRequired: Schema.Boolean.annotate({
    description: "True if JSON-RPC calls must carry the secret beside the key; IPFS commands always must"
  }),
  allowlist: Allowlist.Allowlist,
  limits: ProjectLimits.ProjectLimits
})

export type ProjectSettings = typeof ProjectSettings.Type

/**
 * A project of an account. Calls are admitted, limited and counted per project.
 */
export const Project = Schema.Struct({
  /** The permanent id of the project. It is not a secret. */
  id: Schema.NonEmptyString.annotate({ description: "The permanent id of the project; not a secret" }),
  /** The id of the account that owns the project. */
  account: Schema.NonEmptyString.annotate({ description: "The id of the project's account" }),
  ...ProjectSettings.fields
}).annotate({ identifier: "Project" })

export type Project = typeof Project.Type

/**
 * The settings of a key that its owner may change.
 */
export const KeySettings = Schema.Struct({
  /** A label for people; null if the key has none. */
  label: Schema.NullOr(Name).annotate({ description: "A label for people; null if there is none" }),
  /** Time from which the key is refused, in milliseconds since 1970 UTC. Null if the key does not expire. */
  expiresAt: Schema.NullOr(Schema.Int),
  limits: KeyLimits.KeyLimits
})

export type KeySettings = typeof KeySettings.Type

/**
 * The part of an API key that may be shown. Only the owner knows the key and its secret.
 */
export const Key = Schema.Struct({
  /** The permanent id of the key. It is not a secret, and it is not the API key. */
  id: Schema.NonEmptyString.annotate({
    description: "The permanent id of the key; not a secret, and not the key itself"
  }),
  /** The id of the project that the key belongs to. */
  project: Schema.NonEmptyString.annotate({ description: "The id of the key's project" }),
  /** First four characters of the API key, so that its owner can tell which key this is. */
  start: Schema.String.annotate({ description: "First four characters of the API key" }),
  /** Time of creation, in milliseconds since 1970 UTC. */
  createdAt: Schema.Int,
  /**
   * Time from which a rotated key is refused, in milliseconds since 1970 UTC. Null if the key was not rotated.
   */
  endsAt: Schema.NullOr(Schema.Int),
  ...KeySettings.fields
})

export type Key = typeof Key.Type

/**
 * Returns the time from which a key is refused, because of its expiry or a rotation, in milliseconds since 1970 UTC.
 * Returns undefined if the key does not end.
 */
export const endOf = ({ endsAt, expiresAt }: Pick<Key, "endsAt" | "expiresAt">): number | undefined =>
  endsAt === null ? (expiresAt ?? undefined) : Math.min(endsAt, expiresAt ?? Infinity)

/**
 * A key with its project, its account and the user whose token came with the call.
 */
export interface KeyHolder {
  readonly account: Account
  readonly project: Project
  readonly key: Key
  /** SHA-256 of the API key secret, as 64 lower-case hex digits. Compare it in constant time. */
  readonly secretHash: string
  /** The rules for tokens of the project's users; absent if the project has none. */
  readonly tokens?: TokenRules | undefined
  /** The user whose token came with the call; absent if the call had no token. */
  readonly user?: ProjectUser | undefined
}

/** A user of a project, as named by the user's verified token. */
export interface ProjectUser {
  /** A digest of the token's `sub`; undefined if the token has no `sub`. */
  readonly id: string | undefined
  readonly limits: KeyLimits.KeyLimits
  /** The token's allowlist, applied in addition to the project's allowlist; undefined if the token has none. */
  readonly rules: Allowlist.CompiledAllowlist | undefined
  /** Time from which the token is refused, in milliseconds since 1970 UTC. */
  readonly until: number
}

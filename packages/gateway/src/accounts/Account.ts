/**
 * Accounts, their projects, and the keys of the projects.
 */
import * as Schema from "effect/Schema"

import * as Limits from "../limits/Limits.ts"
import * as Allowlist from "./Allowlist.ts"
import { named } from "./names.ts"

/**
 * A name that an owner gives to an account or a project: 1 to 256 UTF-16 units, no NUL, no unpaired surrogate.
 */
export const Name = named("Name")

/**
 * An account: the party that pays.
 */
export const Account = Schema.Struct({
  /** Names the account permanently. Not a secret. */
  id: Schema.NonEmptyString.annotate({ description: "Names the account for ever; not a secret" }),
  name: Name,
  /** True if the account has a billing card, according to an operator or to `BillingCards`. */
  card: Schema.Boolean.annotate({ description: "True if there is a billing card" })
}).annotate({ identifier: "Account" })

export type Account = typeof Account.Type

/**
 * The settings of a project that its owner may change.
 */
export const Settings = Schema.Struct({
  name: Name,
  /** True while calls of the project are refused. */
  suspended: Schema.Boolean.annotate({ description: "True while its calls are refused" }),
  /** True if JSON-RPC calls must carry the secret beside the key. IPFS commands always must. */
  secretRequired: Schema.Boolean.annotate({
    description: "True if JSON-RPC calls must carry the secret beside the key; IPFS commands always must"
  }),
  allowlist: Allowlist.Allowlist,
  limits: Limits.Limits
})

export type Settings = typeof Settings.Type

/**
 * A project of an account. Calls are admitted, limited and counted per project.
 */
export const Project = Schema.Struct({
  /** Names the project permanently. Not a secret. */
  id: Schema.NonEmptyString.annotate({ description: "Names the project for ever; not a secret" }),
  /** The id of its account. */
  account: Schema.NonEmptyString.annotate({ description: "The id of its account" }),
  ...Settings.fields
}).annotate({ identifier: "Project" })

export type Project = typeof Project.Type

/**
 * The part of an API key that may be shown. Only the owner knows the key and its secret.
 */
export const Key = Schema.Struct({
  /** Names the key permanently. Not a secret, and different from the key. */
  id: Schema.NonEmptyString.annotate({ description: "Names the key for ever; not a secret, and not the key" }),
  /** The id of its project. */
  project: Schema.NonEmptyString.annotate({ description: "The id of its project" }),
  /** First four characters of the API key, so that its owner can tell which key this is. */
  start: Schema.String.annotate({ description: "First four characters of the API key" }),
  /** Time of creation, in milliseconds since 1970 UTC. */
  createdAt: Schema.Int,
  /**
   * Time from which the key is refused, in milliseconds since 1970 UTC: set by a rotation. Null if the key has no end.
   */
  endsAt: Schema.NullOr(Schema.Int)
})

export type Key = typeof Key.Type

/**
 * Everything that a call needs to know about the key that it carries.
 */
export interface Holder {
  readonly account: Account
  readonly project: Project
  readonly key: Key
  /** SHA-256 of the API key secret, as 64 lower-case hex digits. Compare it in constant time. */
  readonly secretHash: string
}

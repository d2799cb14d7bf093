/**
 * Whose calls they are: accounts, their projects, and the keys of those.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

import * as Limits from "../limits/Limits.ts"
import * as Allowlist from "./Allowlist.ts"
import { named } from "./names.ts"

/**
 * What an owner calls an account or a project: 1 to 256 UTF-16 units, no NUL, and no half of a surrogate pair.
 *
 * @since 0.1.0
 */
export const Name = named("What it is called")

/**
 * Who pays.
 *
 * @since 0.1.0
 */
export const Account = Schema.Struct({
  /** Names the account for ever; not a secret. */
  id: Schema.NonEmptyString.annotate({ description: "Names the account for ever; not a secret" }),
  name: Name,
  /** Whether there is a billing card: an operator says so, or `BillingCards` knows of one. */
  card: Schema.Boolean.annotate({ description: "Whether there is a billing card" })
}).annotate({ identifier: "Account" })

/**
 * @since 0.1.0
 */
export type Account = typeof Account.Type

/**
 * What the owner of a project may set.
 *
 * @since 0.1.0
 */
export const Settings = Schema.Struct({
  name: Name,
  /** Whether its calls are refused for the time being. */
  suspended: Schema.Boolean.annotate({ description: "Whether its calls are refused for the time being" }),
  /** Whether JSON-RPC calls must carry the secret beside the key; IPFS commands always must. */
  secretRequired: Schema.Boolean.annotate({
    description: "Whether JSON-RPC calls must carry the secret beside the key; IPFS commands always must"
  }),
  allowlist: Allowlist.Allowlist,
  limits: Limits.Limits
})

/**
 * @since 0.1.0
 */
export type Settings = typeof Settings.Type

/**
 * A project of an account: what calls are admitted, limited and counted by.
 *
 * @since 0.1.0
 */
export const Project = Schema.Struct({
  /** Names the project for ever; not a secret. */
  id: Schema.NonEmptyString.annotate({ description: "Names the project for ever; not a secret" }),
  /** The id of its account. */
  account: Schema.NonEmptyString.annotate({ description: "The id of its account" }),
  ...Settings.fields
}).annotate({ identifier: "Project" })

/**
 * @since 0.1.0
 */
export type Project = typeof Project.Type

/**
 * An API key, as far as it may be shown. The key and its secret are known to the one they were made for, and to nobody
 * else.
 *
 * @since 0.1.0
 */
export const Key = Schema.Struct({
  /** Names the key for ever; not a secret, and not the key. */
  id: Schema.NonEmptyString.annotate({ description: "Names the key for ever; not a secret, and not the key" }),
  /** The id of its project. */
  project: Schema.NonEmptyString.annotate({ description: "The id of its project" }),
  /** First four characters of the API key, so that its owner can tell which key this is. */
  start: Schema.String.annotate({ description: "First four characters of the API key" }),
  /** When it was made, in milliseconds since 1970 UTC. */
  createdAt: Schema.Int,
  /** From when on it is not accepted any more, in milliseconds since 1970 UTC: after a rotation. Null if for ever. */
  endsAt: Schema.NullOr(Schema.Int)
})

/**
 * @since 0.1.0
 */
export type Key = typeof Key.Type

/**
 * All that a call needs to know of the key that it carries.
 *
 * @since 0.1.0
 */
export interface Holder {
  readonly account: Account
  readonly project: Project
  readonly key: Key
  /** SHA-256 of the API key secret, as 64 lower-case hex digits: to be compared in constant time. */
  readonly secretHash: string
}

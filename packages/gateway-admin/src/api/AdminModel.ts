/**
 * The requests and answers of the admin API. `Account` defines accounts and projects.
 *
 * Times are ISO 8601 on the wire and milliseconds since 1970 UTC in programs. Counts are decimal strings on the wire
 * and bigints in programs, because `JSON.parse` in JavaScript silently rounds numbers above 2^53.
 */
import * as Account from "@plumbline/gateway/accounts/Account"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Schema from "effect/Schema"

import { count, id, later, next, orNull, Time, time } from "./adminFields.ts"

export { count, DIGITS, id, next, Page, Time, time, whole } from "./adminFields.ts"
export { type NodeStatus, Status } from "./statusModel.ts"

export const Accounts = Schema.Struct({ accounts: Schema.Array(Account.Account), next })

export const Projects = Schema.Struct({ projects: Schema.Array(Account.Project), next })

/**
 * An `Account.Key`, with times in ISO 8601 on the wire.
 */
export const Key = Schema.Struct({
  ...Account.Key.fields,
  createdAt: time("When it was made"),
  endsAt: Schema.NullOr(Time).annotate({
    description: "The time at which a rotated key ends; null if the key was not rotated"
  }),
  expiresAt: Schema.NullOr(Time).annotate({
    description: "The time at which the key expires; null if it does not expire"
  })
}).annotate({ identifier: "Key" })

/**
 * All keys of a project that have not ended.
 */
export const Keys = Schema.Struct({ keys: Schema.Array(Key) })

const secret = (description: string) => Schema.RedactedFromValue(Schema.String.annotate({ description }))

/**
 * A new key. The API key and its secret are shown only in this answer.
 */
export const Issued = Schema.Struct({
  key: Key,
  apiKey: secret("The API key: 32 hex digits, shown only in this answer"),
  apiKeySecret: secret("Its secret: 32 hex digits, shown only in this answer")
}).annotate({ identifier: "Issued" })

/**
 * A new project with its first key.
 */
export const Created = Schema.Struct({ project: Account.Project, ...Issued.fields }).annotate({ identifier: "Created" })

const card = Schema.Boolean.annotate({ description: "True if an operator says that there is a billing card" })

/**
 * A new account. By default it has no card.
 */
export const NewAccount = Schema.Struct({
  name: Account.Name,
  card: Schema.optionalKey(card),
  limits: Account.Account.fields.limits
}).annotate({
  identifier: "NewAccount",
  examples: [{ name: "Ada", card: true }]
})

/**
 * Changes of an account. New limits replace all previous limits of the account.
 */
export const AccountChanges = Schema.Struct({
  name: Schema.optionalKey(Account.Name),
  card: Schema.optionalKey(card),
  limits: Account.Account.fields.limits
}).annotate({ identifier: "AccountChanges", examples: [{ name: "Ada Lovelace" }] })

const { name, ...settings } = Account.ProjectSettings.fields

/**
 * A new project. It belongs to the given account, or to a new account with the project's name. `card` says if the new
 * account has a card. By default other settings are off or empty, and the limits are the default limits.
 */
export const NewProject = Schema.Struct({
  name,
  account: Schema.optionalKey(id("The id of the account; if it is absent, a new account with the project's name")),
  card: Schema.optionalKey(Schema.Boolean.annotate({ description: "True if the new account has a billing card" })),
  suspended: Schema.optionalKey(settings.suspended),
  secretRequired: Schema.optionalKey(settings.secretRequired),
  allowlist: Schema.optionalKey(settings.allowlist),
  limits: Schema.optionalKey(settings.limits)
}).annotate({
  identifier: "NewProject",
  examples: [{ name: "wallet", card: true, limits: { ...ProjectLimits.defaults, creditsPerDay: 100_000 } }]
})

/**
 * Changes of a project. A new allowlist replaces the whole previous allowlist. New limits replace all previous limits.
 */
export const ProjectChanges = Schema.Struct({
  name: Schema.optionalKey(name),
  suspended: Schema.optionalKey(settings.suspended),
  secretRequired: Schema.optionalKey(settings.secretRequired),
  allowlist: Schema.optionalKey(settings.allowlist),
  limits: Schema.optionalKey(settings.limits)
}).annotate({ identifier: "ProjectChanges", examples: [{ suspended: true }] })

/**
 * The options of a key's rotation. `overlapSeconds` is the time for which the old key is still accepted: at most 365
 * days (default: 0).
 */
export const Rotation = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 365 * 24 * 60 * 60 })).annotate({
      description: "Time for which the old key is still accepted, by default 0"
    })
  )
}).annotate({ identifier: "Rotation", examples: [{ overlapSeconds: 3600 }] })

/**
 * The billing card of an account: its source, and the few details of the card that the gateway stores.
 */
export const Card = Schema.Struct({
  card: Schema.Boolean.annotate({ description: "True if there is a card" }),
  source: Schema.Literals(["none", "manual", "provider"]).annotate({
    description: "The source: an operator (manual) or the payment provider"
  }),
  provider: orNull(Schema.String, "The name of the provider, if the provider is the source"),
  brand: orNull(Schema.String, "The brand, such as visa"),
  last4: orNull(Schema.String, "The last four digits of the card's number"),
  expiry: orNull(
    Schema.Struct({
      month: Schema.Int.annotate({ description: "The month, 1 to 12" }),
      year: Schema.Int.annotate({ description: "The year, with four digits" })
    }),
    "The last month in which the card is valid"
  ),
  customer: orNull(Schema.String, "The customer of the payment provider that the account is linked to")
}).annotate({ identifier: "Card" })

/**
 * An operator's statement about an account: whether the account has a card, and the id of the account's customer at the
 * payment provider (null: no customer).
 */
export const CardChanges = Schema.Struct({
  card: Schema.optionalKey(card),
  customer: Schema.optionalKey(
    orNull(Schema.NonEmptyString, "The id of the account's customer at the provider, such as cus_1; or null")
  )
}).annotate({ identifier: "CardChanges", examples: [{ card: true }] })

const values = Schema.Record(Schema.String, Schema.Unknown)

/**
 * An entry of the audit log: the author, the target and the time of one change through the admin API.
 */
export const AuditEntry = Schema.Struct({
  /** The number of the entry. It is larger than the number of every earlier entry. */
  id: Schema.Int.annotate({ description: "The number of the entry, larger than the number of every earlier entry" }),
  at: time("When it was made"),
  /** The label of the admin token that authorized the change. */
  by: Schema.String.annotate({ description: "The label of the admin token that authorized the change" }),
  /** The address of the request. */
  from: later(Schema.String, "The address of the request; null for entries of an earlier version"),
  /** The action, such as `project.update`. */
  action: Schema.String.annotate({ description: "The action, such as project.update" }),
  /** The id of the changed thing; empty if it has no id. */
  target: Schema.String.annotate({ description: "The id of the changed thing; empty if it has no id" }),
  /** The names of the members in the request, without their values. */
  changed: Schema.Array(Schema.String).annotate({
    description: "The names of the members in the request, without their values"
  }),
  /** The members that the change made different, before it. */
  before: later(values, "The members that the change made different, before it; null if nothing existed or is known"),
  /** The same members after the change. */
  after: later(values, "The same members after the change; null if nothing exists or is known")
}).annotate({ identifier: "AuditEntry" })

export type AuditEntry = typeof AuditEntry.Type

/**
 * A page of the audit log, newest first. `next` is the value of `before` for the next page; null on the last page.
 */
export const Audit = Schema.Struct({
  entries: Schema.Array(AuditEntry),
  next: orNull(Schema.Int, "The value of before for the next page; null on the last page")
})

/**
 * A project's current use of its limits, as the limiter counts it. A limit that the project does not have is null.
 */
export const Standing = Schema.Struct({
  project: Schema.String.annotate({ description: "The id of the project" }),
  name: Account.Name,
  suspended: Account.ProjectSettings.fields.suspended,
  counted: Schema.Boolean.annotate({ description: "False while the store of limits is not available" }),
  day: orNull(
    Schema.Struct({
      used: Schema.Int.annotate({ description: "Credits taken today; calls under way count at their maximum cost" }),
      allowed: Schema.Int.annotate({ description: "The credits of a day" }),
      endsAt: time("When the next day begins")
    }),
    "The credits of the day"
  ),
  rate: orNull(
    Schema.Struct({
      current: Schema.Finite.annotate({ description: "Credits requested in the last second, including refused calls" }),
      allowed: Schema.Int.annotate({ description: "Credits per second" }),
      available: Schema.Int.annotate({ description: "Credits that can be taken at once" }),
      burst: Schema.Int.annotate({ description: "Maximum number of credits at once" })
    }),
    "The credits per second"
  ),
  underWay: orNull(
    Schema.Struct({
      current: Schema.Int.annotate({ description: "Number of calls under way; a batch counts as one call" }),
      allowed: Schema.Int.annotate({ description: "Maximum number of calls under way" })
    }),
    "The calls under way"
  )
}).annotate({ identifier: "Standing" })

/**
 * The current use of an account's limits, by all its projects together. A limit that the account does not have is null.
 */
export const AccountStanding = Schema.Struct({
  account: Schema.String.annotate({ description: "The id of the account" }),
  name: Account.Name,
  counted: Standing.fields.counted,
  day: Standing.fields.day,
  rate: orNull(
    Schema.Struct({
      current: Schema.Finite.annotate({ description: "Requests of the last second, including refused ones" }),
      allowed: Schema.Int.annotate({ description: "Requests per second" }),
      available: Schema.Int.annotate({ description: "Requests that can be made at once" }),
      burst: Schema.Int.annotate({ description: "Maximum number of requests at once" })
    }),
    "The requests per second"
  )
}).annotate({ identifier: "AccountStanding" })

/**
 * The current use of a project's limits, and of the limits of its keys in use, for one project.
 */
export const ProjectStanding = Schema.Struct({
  ...Standing.fields,
  keys: later(
    Schema.Array(
      Schema.Struct({
        key: Schema.String.annotate({ description: "The id of a key" }),
        day: Standing.fields.day,
        rate: AccountStanding.fields.rate
      })
    ),
    "The keys with limits; a key counts against the limits of the project too"
  )
}).annotate({ identifier: "ProjectStanding" })

export const Standings = Schema.Struct({ standings: Schema.Array(Standing), next })

/**
 * Answers of nodes that were proven wrong, to callers and to the service itself, newest first: at most 1000
 * combinations of network, node, method and check, and 200 more of drills.
 */
export const Lies = Schema.Struct({
  lies: Schema.Array(
    Schema.Struct({
      network: Schema.String.annotate({ description: "The name of the network" }),
      node: Schema.String.annotate({ description: "The node's name in the configuration" }),
      method: Schema.String.annotate({ description: "The method that was called" }),
      check: Schema.String.annotate({ description: "The check that failed" }),
      count: count("Number of lies that all processes found, also in answers to the service's own questions"),
      firstAt: later(Time, "Time of the first lie; null if an earlier version of the service recorded it"),
      lastAt: time("Time of the last lie"),
      expected: later(
        Schema.String,
        "The value that the check required of the last lie, cut after 200 characters; null if it is not known"
      ),
      got: later(
        Schema.String,
        "The value that the node gave in the last lie, cut after 200 characters; null if it is not known"
      ),
      params: later(
        Schema.String,
        "The parameters of the last call as JSON, cut after 200 characters; null if they are not known, or if the caller does not have all projects"
      ),
      block: later(
        Schema.Struct({
          number: count("Its number"),
          hash: orNull(Schema.String, "Its hash, as the answer names it; null if it names none")
        }),
        "The block of the last answer; null if the answer names none"
      ),
      drill: later(
        Schema.Struct({
          by: orNull(Schema.String, "The operator who gave the order; null if the caller does not have all projects"),
          at: time("The beginning of the ordered time"),
          until: time("Its end")
        }),
        "The order by which the node told these lies, to see that they are refused; null if no operator ordered them"
      )
    })
  ).annotate({ description: "One entry for each network, node, method and check, and for each drill" })
})

/**
 * A node that was told to lie.
 */
export const Lying = Schema.Struct({
  leftMillis: Schema.Int.annotate({ description: "The time for which it still lies, in milliseconds" })
}).annotate({ identifier: "Lying" })

/**
 * The version of the service's data, and the parts that have changed since another version.
 */
export const Changes = Schema.Struct({
  version: Schema.String.annotate({ description: "The value of since for the next request" }),
  changed: Schema.Array(Schema.Literals(["accounts", "audit", "networks", "stores", "lies"])).annotate({
    description: "The parts that differ from the version in since; all parts without since"
  })
})

/**
 * The result of reloading the configuration. `changed` names the settings that have changed, and `restart` those whose
 * change takes effect only after a restart.
 */
export const Reloaded = Schema.Struct({
  changed: Schema.Array(Schema.String).annotate({ description: "Settings that have changed" }),
  restart: Schema.Array(Schema.String).annotate({ description: "Settings that take effect only after a restart" })
})

/**
 * The garbage collection of the IPFS node: `running` is true while a collection is under way, and `last` is the result
 * of the last one since the service started. `removed` is a number of blocks; null if the node failed.
 */
export const Collection = Schema.Struct({
  running: Schema.Boolean.annotate({ description: "True while a collection runs" }),
  last: orNull(
    Schema.Struct({
      endedAt: time("Time of the end"),
      removed: orNull(Schema.Int, "Number of removed blocks; null if the node failed")
    }),
    "The last collection since the service started; null if there was none"
  )
}).annotate({ identifier: "Collection" })

export type Collection = typeof Collection.Type

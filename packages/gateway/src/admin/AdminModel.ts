/**
 * What the admin API takes and says, beside accounts, projects and keys themselves.
 *
 * Times are ISO 8601 on the wire and milliseconds since 1970 UTC in programs. Counts are decimal strings on the wire and
 * bigints in programs: JSON's numerals would be exact too, but `JSON.parse` of JavaScript, of which most clients are,
 * rounds those beyond 2^53 and says nothing.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Account from "../accounts/Account.ts"
import { named } from "../accounts/names.ts"
import * as Limits from "../limits/Limits.ts"

/**
 * A moment: `2026-11-21T20:45:00.000Z`, with any offset, or `2026-11-21` for the beginning of that day in UTC. The
 * description, here and below, is what the OpenAPI document says of it.
 *
 * @since 0.1.0
 */
export const time = (description: string) =>
  Schema.String.annotate({ description: `${description}: an ISO 8601 time` })
    .check(Schema.makeFilter((text) => (isTime(text) ? undefined : "must be a time such as 2026-11-21T20:45:00Z")))
    .pipe(
      Schema.decodeTo(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })),
        SchemaTransformation.transform({
          decode: (text) => Date.parse(text),
          encode: (millis) => new Date(millis).toISOString()
        })
      )
    )

/**
 * A moment of which nothing more is to be said.
 *
 * @since 0.1.0
 */
export const Time = time("When")

const isTime = (text: string): boolean => {
  const [, day] = ISO.exec(text) ?? []
  // What is no day of its month, as the 31st of February, JavaScript takes for one of the next.
  return (
    day !== undefined && !Number.isNaN(Date.parse(text)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  )
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/u

/**
 * A sum, 0 to 2^63 - 1.
 *
 * @since 0.1.0
 */
export const count = (description: string) =>
  Schema.String.check(Schema.isPattern(/^\d{1,19}$/u))
    .annotate({ description: `${description}, as decimal digits` })
    .pipe(Schema.decodeTo(Schema.BigInt, SchemaTransformation.transform({ decode: BigInt, encode: String })))

/**
 * How a whole number in a query is written.
 *
 * @since 0.1.0
 */
export const DIGITS = /^\d{1,15}$/u

/**
 * A whole number in a query, by its decimal digits.
 *
 * @since 0.1.0
 */
export const whole = (minimum: number, maximum: number, description: string) =>
  Schema.String.check(Schema.isPattern(DIGITS))
    .annotate({ description: `${description}: a whole number from ${minimum} to ${maximum}` })
    .pipe(
      Schema.decodeTo(
        Schema.Int.check(Schema.isBetween({ minimum, maximum })),
        SchemaTransformation.transform({ decode: Number, encode: String })
      )
    )

/**
 * The id of something: as it was given by the service.
 *
 * @since 0.1.0
 */
export const id: (description: string) => typeof Account.Name = named

/**
 * Which page of a list, in the order of ids: those after an id, and how many at most (100 if not said).
 *
 * @since 0.1.0
 */
export const Page = {
  after: Schema.optionalKey(id("The id that stands before the first of them: next of the page before")),
  limit: Schema.optionalKey(whole(1, 1000, "How many at most, 100 if not said"))
}

/** What `after` is for the next page; null if this is the last one. */
const next = Schema.NullOr(Schema.String).annotate({
  description: "What after is for the next page; null if this is the last one"
})

/**
 * @since 0.1.0
 */
export const Accounts = Schema.Struct({ accounts: Schema.Array(Account.Account), next })

/**
 * @since 0.1.0
 */
export const Projects = Schema.Struct({ projects: Schema.Array(Account.Project), next })

/**
 * An `Account.Key`, with its times as they are on the wire.
 *
 * @since 0.1.0
 */
export const Key = Schema.Struct({
  ...Account.Key.fields,
  createdAt: time("When it was made"),
  endsAt: Schema.NullOr(Time).annotate({
    description: "From when on it is not accepted any more, after a rotation; null if for ever"
  })
}).annotate({ identifier: "Key" })

/**
 * All keys of a project that have not ended.
 *
 * @since 0.1.0
 */
export const Keys = Schema.Struct({ keys: Schema.Array(Key) })

const secret = (description: string) => Schema.RedactedFromValue(Schema.String.annotate({ description }))

/**
 * A new key. Nobody is told the API key and its secret again.
 *
 * @since 0.1.0
 */
export const Issued = Schema.Struct({
  key: Key,
  apiKey: secret("The API key: 32 hex digits, which nobody is told again"),
  apiKeySecret: secret("Its secret: 32 hex digits, which nobody is told again")
}).annotate({ identifier: "Issued" })

/**
 * A new project with its first key.
 *
 * @since 0.1.0
 */
export const Created = Schema.Struct({ project: Account.Project, ...Issued.fields }).annotate({ identifier: "Created" })

const optional = Schema.optionalKey

const card = Schema.Boolean.annotate({ description: "Whether an operator says that there is a billing card" })

/**
 * A new account. It has no card if nothing is said.
 *
 * @since 0.1.0
 */
export const NewAccount = Schema.Struct({ name: Account.Name, card: optional(card) }).annotate({
  identifier: "NewAccount",
  examples: [{ name: "Ada", card: true }]
})

/**
 * What is to be changed of an account.
 *
 * @since 0.1.0
 */
export const AccountChanges = Schema.Struct({
  name: optional(Account.Name),
  card: optional(card)
}).annotate({ identifier: "AccountChanges", examples: [{ name: "Ada Lovelace" }] })

const { name, ...settings } = Account.Settings.fields

/**
 * A new project: of the given account, or of a new one that has its name and, if `card` says so, a card. What else is not
 * given is off, empty, or the default limits.
 *
 * @since 0.1.0
 */
export const NewProject = Schema.Struct({
  name,
  account: optional(id("The id of its account; a new one of the same name if not given")),
  card: optional(Schema.Boolean.annotate({ description: "Whether its new account has a billing card" })),
  suspended: optional(settings.suspended),
  secretRequired: optional(settings.secretRequired),
  allowlist: optional(settings.allowlist),
  limits: optional(settings.limits)
}).annotate({
  identifier: "NewProject",
  examples: [{ name: "wallet", card: true, limits: { ...Limits.defaults, creditsPerDay: 100_000 } }]
})

/**
 * What is to be changed of a project. An allowlist, or limits, take the place of all those before.
 *
 * @since 0.1.0
 */
export const ProjectChanges = Schema.Struct({
  name: optional(name),
  suspended: optional(settings.suspended),
  secretRequired: optional(settings.secretRequired),
  allowlist: optional(settings.allowlist),
  limits: optional(settings.limits)
}).annotate({ identifier: "ProjectChanges", examples: [{ suspended: true }] })

/**
 * How a key is replaced: the old one is accepted for so many seconds more, at most a year; 0 if nothing is said.
 *
 * @since 0.1.0
 */
export const Rotation = Schema.Struct({
  overlapSeconds: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 365 * 24 * 60 * 60 })).annotate({
      description: "How long the old key is accepted still; 0 if not said"
    })
  )
}).annotate({ identifier: "Rotation", examples: [{ overlapSeconds: 3600 }] })

const orNull = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

/**
 * The billing card of an account: whether it has one, who says so, and the little that may be known of it.
 *
 * @since 0.1.0
 */
export const Card = Schema.Struct({
  card: Schema.Boolean.annotate({ description: "Whether there is a card" }),
  source: Schema.Literals(["none", "manual", "provider"]).annotate({
    description: "Who says so: an operator by hand, or the payment provider"
  }),
  provider: orNull(Schema.String, "Its name, if it is the provider who says so"),
  brand: orNull(Schema.String, "Such as visa"),
  last4: orNull(Schema.String, "The last four digits of its number"),
  expiry: orNull(
    Schema.Struct({
      month: Schema.Int.annotate({ description: "1 to 12" }),
      year: Schema.Int.annotate({ description: "With four digits" })
    }),
    "The last month in which it is good"
  )
}).annotate({ identifier: "Card" })

/**
 * What an operator says of an account's card: that there is one, and which of the payment provider's customers the account
 * is (null: none).
 *
 * @since 0.1.0
 */
export const CardChanges = Schema.Struct({
  card: optional(card),
  customer: optional(
    orNull(Schema.NonEmptyString, "The provider's customer that the account is, such as cus_1; or null")
  )
}).annotate({ identifier: "CardChanges", examples: [{ card: true }] })

/**
 * Who has changed what, and when: one change of the admin API.
 *
 * @since 0.1.0
 */
export const AuditEntry = Schema.Struct({
  /** Larger than that of every change before. */
  id: Schema.Int.annotate({ description: "Larger than that of every change before" }),
  at: time("When it was made"),
  /** The label of the admin token. */
  by: Schema.String.annotate({ description: "The label of the admin token" }),
  /** Such as `project.update`. */
  action: Schema.String.annotate({ description: "Such as project.update" }),
  /** The id of what was changed; empty for what has none. */
  target: Schema.String.annotate({ description: "The id of what was changed; empty for what has none" }),
  /** The names of the members that were given, without their values. */
  changed: Schema.Array(Schema.String).annotate({
    description: "The names of the members that were given, without their values"
  })
}).annotate({ identifier: "AuditEntry" })

/**
 * @since 0.1.0
 */
export type AuditEntry = typeof AuditEntry.Type

/**
 * Changes, the newest first. `next` is what `before` is for the next page; null if this is the last one.
 *
 * @since 0.1.0
 */
export const Audit = Schema.Struct({
  entries: Schema.Array(AuditEntry),
  next: orNull(Schema.Int, "What before is for the next page; null if this is the last one")
})

const upstreamState = Schema.Literals(["untried", "up", "down", "wrong"]).annotate({
  description: "What its last call says; wrong is a node of another chain, which gets no calls"
})

/**
 * How the service is: a `Gateway.Status`. There are no networks in a process that has none of its own.
 *
 * @since 0.1.0
 */
export const Status = Schema.Struct({
  networks: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "As allowlists and usage call it" }),
      chainId: Schema.Union([Schema.Int, Schema.String]).annotate({ description: "A number, or a text as 0x534e..." }),
      /** The state of the network's node, as the last call has shown it. */
      upstream: upstreamState,
      /** The state of each node, where there are several. */
      upstreams: Schema.Array(
        Schema.Struct({
          name: Schema.String.annotate({ description: "As the configuration calls it" }),
          state: upstreamState,
          /** Blocks behind the first of the others, if somebody looks. */
          behind: orNull(Schema.Int, "Blocks behind the first of the others, if somebody looks")
        })
      ).annotate({ description: "The nodes behind it, where there are several" })
    })
  ).annotate({ description: "None in a process that has none of its own" }),
  /** What `Limiter.State` says. */
  limiter: Schema.Struct({
    store: Schema.Literals(["untried", "up", "down"]).annotate({ description: "How the store of limits is" }),
    whenDown: Schema.Literals(["open", "closed"]).annotate({ description: "Whether calls are let through without it" })
  }).annotate({ description: "How limits are kept" }),
  /** What `Metering.Status` says. */
  metering: Schema.Struct({
    store: Schema.Literals(["up", "down"]).annotate({ description: "How the store of usage is" }),
    waiting: Schema.Int.annotate({ description: "Calls that are to be recorded still" }),
    rows: Schema.Int.annotate({ description: "Rows that they come to" })
  }).annotate({ description: "How usage is recorded" })
}).annotate({ identifier: "Status" })

/**
 * @since 0.1.0
 */
export type Status = typeof Status.Type

/**
 * What became of reading the configuration again. `restart` names the settings that change with the next start only.
 *
 * @since 0.1.0
 */
export const Reloaded = Schema.Struct({
  restart: Schema.Array(Schema.String).annotate({ description: "Settings that change with the next start only" })
})

/**
 * The collection of garbage on the IPFS node: whether it is under way, and how the last one since the service began has
 * ended. `removed` counts blocks; null if the node failed.
 *
 * @since 0.1.0
 */
export const Collection = Schema.Struct({
  running: Schema.Boolean.annotate({ description: "Whether it is under way" }),
  last: orNull(
    Schema.Struct({ endedAt: time("When it ended"), removed: orNull(Schema.Int, "Blocks; null if the node failed") }),
    "The last one since the service began"
  )
}).annotate({ identifier: "Collection" })

/**
 * @since 0.1.0
 */
export type Collection = typeof Collection.Type

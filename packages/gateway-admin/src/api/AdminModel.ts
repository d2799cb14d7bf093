/**
 * The requests and answers of the admin API. `Account` defines accounts and projects.
 *
 * Times are ISO 8601 on the wire and milliseconds since 1970 UTC in programs. Counts are decimal strings on the wire
 * and bigints in programs, because `JSON.parse` in JavaScript silently rounds numbers above 2^53.
 */
import * as Account from "@plumbline/gateway/accounts/Account"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * Returns the schema of a time: `2026-11-21T20:45:00.000Z`, with any offset, or `2026-11-21` for the beginning of that
 * day in UTC. In this module, `description` is the text in the OpenAPI document.
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

/** A time, described only as "When". */
export const Time = time("When")

const isTime = (text: string): boolean => {
  const [, day] = ISO.exec(text) ?? []
  // JavaScript parses a day that does not exist, such as February 31, as a day of the next month.
  return (
    day !== undefined && !Number.isNaN(Date.parse(text)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  )
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/u

/**
 * Returns the schema of a count, 0 to 2^63 - 1.
 */
export const count = (description: string) =>
  Schema.String.check(Schema.isPattern(/^\d{1,19}$/u))
    .annotate({ description: `${description}, as decimal digits` })
    .pipe(Schema.decodeTo(Schema.BigInt, SchemaTransformation.transform({ decode: BigInt, encode: String })))

/**
 * The form of a whole number in a query.
 */
export const DIGITS = /^\d{1,15}$/u

/**
 * Returns a schema of a whole number in a query, in decimal digits.
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
 * Returns a schema of an id that the service has given.
 */
export const id: (description: string) => typeof Account.Name = Account.named

/**
 * Selects a page of a list that is sorted by id: the rows after an id, and their maximum number (default: 100).
 */
export const Page = {
  after: Schema.optionalKey(id("The id after which the page begins: next of the previous page")),
  limit: Schema.optionalKey(whole(1, 1000, "Maximum number, by default 100"))
}

/**
 * The value of `after` for the next page; null on the last page.
 */
export const next = Schema.NullOr(Schema.String).annotate({
  description: "The value of after for the next page; null on the last page"
})

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

const optional = Schema.optionalKey

const card = Schema.Boolean.annotate({ description: "True if an operator says that there is a billing card" })

/**
 * A new account. By default it has no card.
 */
export const NewAccount = Schema.Struct({ name: Account.Name, card: optional(card) }).annotate({
  identifier: "NewAccount",
  examples: [{ name: "Ada", card: true }]
})

/**
 * Changes of an account.
 */
export const AccountChanges = Schema.Struct({
  name: optional(Account.Name),
  card: optional(card)
}).annotate({ identifier: "AccountChanges", examples: [{ name: "Ada Lovelace" }] })

const { name, ...settings } = Account.ProjectSettings.fields

/**
 * A new project. It belongs to the given account, or to a new account with the project's name. `card` says if the new
 * account has a card. By default other settings are off or empty, and the limits are the default limits.
 */
export const NewProject = Schema.Struct({
  name,
  account: optional(id("The id of the account; if it is absent, a new account with the project's name")),
  card: optional(Schema.Boolean.annotate({ description: "True if the new account has a billing card" })),
  suspended: optional(settings.suspended),
  secretRequired: optional(settings.secretRequired),
  allowlist: optional(settings.allowlist),
  limits: optional(settings.limits)
}).annotate({
  identifier: "NewProject",
  examples: [{ name: "wallet", card: true, limits: { ...ProjectLimits.defaults, creditsPerDay: 100_000 } }]
})

/**
 * Changes of a project. A new allowlist replaces the whole previous allowlist. New limits replace all previous limits.
 */
export const ProjectChanges = Schema.Struct({
  name: optional(name),
  suspended: optional(settings.suspended),
  secretRequired: optional(settings.secretRequired),
  allowlist: optional(settings.allowlist),
  limits: optional(settings.limits)
}).annotate({ identifier: "ProjectChanges", examples: [{ suspended: true }] })

/**
 * The options of a key's rotation. `overlapSeconds` is the time for which the old key is still accepted: at most 365
 * days (default: 0).
 */
export const Rotation = Schema.Struct({
  overlapSeconds: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 365 * 24 * 60 * 60 })).annotate({
      description: "Time for which the old key is still accepted, by default 0"
    })
  )
}).annotate({ identifier: "Rotation", examples: [{ overlapSeconds: 3600 }] })

const orNull = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

/** An optional field: services of an earlier version do not send it. */
const later = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(orNull(schema, description))

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
  card: optional(card),
  customer: optional(
    orNull(Schema.NonEmptyString, "The id of the account's customer at the provider, such as cus_1; or null")
  )
}).annotate({ identifier: "CardChanges", examples: [{ card: true }] })

/**
 * An entry of the audit log: the author, the target and the time of one change through the admin API.
 */
export const AuditEntry = Schema.Struct({
  /** The number of the entry. It is larger than the number of every earlier entry. */
  id: Schema.Int.annotate({ description: "The number of the entry, larger than the number of every earlier entry" }),
  at: time("When it was made"),
  /** The label of the admin token that authorized the change. */
  by: Schema.String.annotate({ description: "The label of the admin token that authorized the change" }),
  /** The action, such as `project.update`. */
  action: Schema.String.annotate({ description: "The action, such as project.update" }),
  /** The id of the changed thing; empty if it has no id. */
  target: Schema.String.annotate({ description: "The id of the changed thing; empty if it has no id" }),
  /** The names of the members in the request, without their values. */
  changed: Schema.Array(Schema.String).annotate({
    description: "The names of the members in the request, without their values"
  })
}).annotate({ identifier: "AuditEntry" })

export type AuditEntry = typeof AuditEntry.Type

/**
 * A page of the audit log, newest first. `next` is the value of `before` for the next page; null on the last page.
 */
export const Audit = Schema.Struct({
  entries: Schema.Array(AuditEntry),
  next: orNull(Schema.Int, "The value of before for the next page; null on the last page")
})

const upstreamState = Schema.Literals(["untried", "up", "down", "wrong"]).annotate({
  description: "The state after the last call; wrong means that the node has another chain and gets no calls"
})

/** A node's state. A member is null if the service does not know its value. */
const node = Schema.Struct({
  name: Schema.String.annotate({
    description: "The node's name in the configuration; the network's name if the only node has none"
  }),
  state: upstreamState,
  behind: orNull(Schema.Int, "Number of blocks behind the highest of the other nodes"),
  problem: orNull(Schema.String, "The reason why the node gets no calls, such as another chain"),
  head: orNull(
    Schema.Struct({
      number: count("The number of the block"),
      hash: orNull(Schema.String, "Its hash"),
      time: orNull(Time, "The block's own time")
    }),
    "The latest block that it has named"
  ),
  lagMillis: orNull(Schema.Finite, "Milliseconds from the time of the latest block to the moment at which it was read"),
  responseMillis: orNull(Schema.Finite, "The node's usual time for an answer, in milliseconds"),
  lastError: orNull(
    Schema.Struct({
      kind: Schema.String.annotate({ description: "The kind, such as Unreachable or TimedOut" }),
      since: time("The first error of an unbroken series of this kind"),
      at: orNull(Time, "The last error of the series")
    }),
    "Its last error; it stays after the node has recovered"
  ),
  nextAttemptAt: orNull(Time, "The time at which a node that gets no calls is tried again"),
  calls: orNull(Schema.Int, "Calls sent to the node, including probes, since the pool started"),
  faults: orNull(Schema.Int, "Calls that the node did not answer"),
  faultsBy: Schema.Record(Schema.String, Schema.Int).annotate({ description: "Number of these calls for each reason" }),
  refusals: orNull(Schema.Int, "Errors that mean that the node cannot answer now, such as a limit"),
  hedges: orNull(Schema.Int, "Calls sent to the node because another node was slow"),
  disagreements: orNull(Schema.Int, "Answers that differed from the answers of other nodes"),
  leftToday: orNull(Schema.Finite, "Calls left of the node's budget for today (UTC)"),
  lacks: Schema.Array(Schema.String).annotate({ description: "Methods that the node recently reported as missing" }),
  lies: orNull(
    Schema.Struct({
      count: Schema.Int.annotate({ description: "Number of lies since the service started" }),
      last: Schema.Struct({
        method: Schema.String.annotate({ description: "The method that was called" }),
        check: Schema.String.annotate({ description: "The check that failed" }),
        at: time("When")
      }).annotate({ description: "The last lie" })
    }),
    "Answers that were proven wrong, if there are any"
  )
}).annotate({ identifier: "Node" })

export type NodeStatus = typeof node.Type

/**
 * The status of the service: a `Gateway.ServiceStatus` with more details for operators. A process that serves no networks
 * reports none.
 */
export const Status = Schema.Struct({
  at: time("The service's clock"),
  networks: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "The network's name in allowlists and usage" }),
      chainId: Schema.Union([Schema.Int, Schema.String]).annotate({ description: "A number, or a text as 0x534e..." }),
      /** The state of the network's node after its last call. */
      upstream: upstreamState,
      /** The state of each node, if there are several. */
      upstreams: Schema.Array(
        Schema.Struct({
          name: Schema.String.annotate({ description: "The node's name in the configuration" }),
          state: upstreamState,
          /**
           * Number of blocks that the node is behind the highest of the other nodes; null if heights are not checked.
           */
          behind: orNull(
            Schema.Int,
            "Number of blocks behind the highest of the other nodes; null if heights are not compared"
          )
        })
      ).annotate({ description: "The nodes of the network, if there are several" }),
      hosts: Schema.Array(Schema.String).annotate({ description: "Host names that lead to the network" }),
      checked: Schema.Boolean.annotate({
        description: "True if the answers of the network's nodes are checked or proven"
      }),
      /** The latest block according to the network's nodes. It is not proven. */
      head: orNull(
        Schema.Struct({
          number: count("The number of the block"),
          hash: Schema.String.annotate({ description: "Its hash" }),
          time: time("The block's own time")
        }),
        "The latest block that a node has named; null if none has"
      ),
      /** The network's finalized block, from its source of trust. */
      anchor: later(
        Schema.Struct({
          hash: orNull(Schema.String, "Its hash"),
          number: orNull(
            count("The number of the block"),
            "The number of the block; null if no node has answered with the block"
          ),
          time: orNull(Time, "The block's own time"),
          ageMillis: orNull(Schema.Int, "Milliseconds from the block's own time to the moment at which it was read"),
          by: orNull(Schema.String, "The source of trust, such as a pinned hash or a light client"),
          finality: orNull(Schema.String, "The support of a light client's block, such as finalized"),
          problem: orNull(Schema.String, "The reason why there is no block; null if there is one")
        }),
        "The block that proofs of the network's answers end at; null if nothing is proven"
      ),
      warnings: later(
        Schema.Array(Schema.String),
        "Reasons why the network's light client proves less than it could, or soon will"
      ),
      /** Every node of the network, even if it is the only one. */
      nodes: Schema.Array(node).annotate({ description: "Every node of the network" })
    })
  ).annotate({ description: "The networks; empty in a process that serves none" }),
  /** `accounts` of a `Gateway.ServiceStatus`. */
  accounts: later(
    Schema.Struct({
      store: Schema.Literals(["up", "down"]).annotate({
        description: "The state of the store of accounts, projects and keys; while it is down, calls are refused"
      })
    }),
    "The state of projects"
  ),
  /** A `Limiter.LimiterState`. */
  limiter: Schema.Struct({
    store: Schema.Literals(["untried", "up", "down"]).annotate({ description: "The state of the store of limits" }),
    whenDown: Schema.Literals(["open", "closed"]).annotate({
      description: "open admits calls while the store is down, closed refuses them"
    })
  }).annotate({ description: "The state of limits" }),
  /** A `Metering.MeteringStatus`. */
  metering: Schema.Struct({
    store: Schema.Literals(["up", "down"]).annotate({ description: "The state of the store of usage" }),
    waiting: Schema.Int.annotate({ description: "Number of calls that are not recorded yet" }),
    rows: Schema.Int.annotate({ description: "Number of rows for these calls" })
  }).annotate({ description: "The state of metering" }),
  /** A `VerifiedCache.VerifiedCacheStats`. */
  cache: later(
    Schema.Struct({
      hits: Schema.Int.annotate({ description: "Answers from memory" }),
      stored: Schema.Int.annotate({ description: "Answers from the store" }),
      joined: Schema.Int.annotate({ description: "Calls that shared the answer of an identical call under way" }),
      asked: Schema.Int.annotate({ description: "Calls that nodes answered, and whose answers may be cached" }),
      entries: Schema.Int.annotate({ description: "Answers in memory" }),
      bytes: Schema.Int.annotate({ description: "Bytes of the answers in memory" }),
      corrupt: Schema.Int.annotate({ description: "Stored answers that were damaged and therefore not used" }),
      dropped: Schema.Int.annotate({
        description: "Answers not stored, because they were too large or too many waited"
      })
    }),
    "The cache of proven answers, since the process began; null if there is none"
  )
}).annotate({ identifier: "Status" })

export type Status = typeof Status.Type

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

export const Standings = Schema.Struct({ standings: Schema.Array(Standing), next })

/**
 * Answers of nodes that were proven wrong, newest first: at most 1000 combinations of network, node, method and check.
 */
export const Lies = Schema.Struct({
  lies: Schema.Array(
    Schema.Struct({
      network: Schema.String.annotate({ description: "The name of the network" }),
      node: Schema.String.annotate({ description: "The node's name in the configuration" }),
      method: Schema.String.annotate({ description: "The method that was called" }),
      check: Schema.String.annotate({ description: "The check that failed" }),
      count: count("Number of lies that all processes found"),
      lastAt: time("Time of the last lie, to within ten seconds")
    })
  ).annotate({ description: "One entry for each network, node, method and check" })
})

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

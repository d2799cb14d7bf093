/**
 * The answers of the admin API about the history of a project's keys, and about the networks that the project may use.
 */
import * as Schema from "effect/Schema"

import { orNull } from "./adminFields.ts"
import * as AdminModel from "./AdminModel.ts"

/**
 * A key that has ended, or was rotated and ends later.
 */
export const EndedKey = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the key" }),
  start: Schema.String.annotate({ description: "First four characters of the API key" }),
  createdAt: AdminModel.time("Time of creation"),
  endedAt: AdminModel.time("Time of the end"),
  reason: Schema.Literals(["rotated", "revoked", "expired"]).annotate({
    description: "rotated: replaced by a new key; revoked: ended by an operator; expired: ended at its set time"
  }),
  successor: orNull(Schema.String, "The id of the new key if this key was rotated; null otherwise")
}).annotate({ identifier: "EndedKey" })

/**
 * The keys of a project that have ended, and the time of last use of each key. The key that ended last comes first. The
 * time is precise to the minute while usage is stored by the minute. Later it is precise to the hour, and then to the
 * day.
 */
export const KeyHistory = Schema.Struct({
  ended: Schema.Array(EndedKey).annotate({ description: "At most 100 keys, last ended first" }),
  lastUses: Schema.Array(
    Schema.Struct({
      key: Schema.String.annotate({ description: "The id of a key" }),
      at: AdminModel.time("The start of the minute, hour or day in which the key was last used"),
      within: Schema.Literals(["minute", "hour", "day"]).annotate({ description: "The precision of the time" })
    })
  ).annotate({ description: "One entry for each key that was used" })
}).annotate({ identifier: "KeyHistory" })

/** The rule that refuses all calls of a project to a network or to IPFS; null if no rule does. */
const refused = orNull(
  Schema.Literals(["suspended", "card", "networks"]),
  "The rule that refuses all calls: the suspension, the billing card, or the allowlist of networks; null if none does"
)

/**
 * The access of a project to each network and to IPFS, with the rule that refuses the access, if one does.
 */
export const Access = Schema.Struct({
  card: Schema.Boolean.annotate({ description: "True if the project's account has a billing card" }),
  suspended: orNull(
    Schema.Struct({
      by: orNull(
        Schema.String,
        "The operator; null for the project itself, or if the audit log no longer has the entry"
      ),
      at: orNull(AdminModel.Time, "The time; null if the audit log no longer has the entry")
    }),
    "The suspension; null if the project is not suspended"
  ),
  tokens: orNull(
    Schema.Struct({
      required: Schema.Boolean.annotate({ description: "True if every call of JSON-RPC must carry a token" }),
      keys: Schema.Int.annotate({ description: "The number of public keys" })
    }),
    "The rules for tokens of users; null if there are none"
  ),
  places: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "The name of a network, or ipfs" }),
      product: Schema.Literals(["rpc", "ipfs"]).annotate({ description: "JSON-RPC, or IPFS" }),
      chainId: orNull(Schema.Union([Schema.Int, Schema.String]), "The id of the network's chain"),
      hosts: Schema.Array(Schema.String).annotate({ description: "Host names that lead to the network" }),
      refused
    })
  ).annotate({ description: "Every network of the service, and IPFS if the service has it" }),
  unknownNetworks: Schema.Array(Schema.String).annotate({
    description: "Entries of the allowlist of networks that name no network of this service"
  }),
  notices: Schema.Array(Schema.String).annotate({
    description: "Rules that work against each other, as sentences: such as a card for IPFS that the allowlist refuses"
  })
}).annotate({ identifier: "Access" })

export type Access = typeof Access.Type

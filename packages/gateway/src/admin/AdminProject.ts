/**
 * The parts of the admin API about a project that are not settings: the history of its keys, and the networks that it
 * may use.
 */
import * as Schema from "effect/Schema"

import * as AdminModel from "./AdminModel.ts"

const orNull = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

/**
 * A key that has ended, or will at its time after a rotation.
 */
export const EndedKey = Schema.Struct({
  id: Schema.String.annotate({ description: "The id that it had" }),
  start: Schema.String.annotate({ description: "First four characters of the API key" }),
  createdAt: AdminModel.time("When it was made"),
  endedAt: AdminModel.time("When it ended, or ends"),
  reason: Schema.Literals(["rotated", "revoked", "expired"]).annotate({
    description: "rotated: replaced by a new key; revoked: ended by an operator; expired: ended at its set time"
  }),
  successor: orNull(Schema.String, "The id of the key in its place, if it was rotated")
}).annotate({ identifier: "EndedKey" })

/**
 * The keys of a project that have ended, the last ones first, and the last use of each key. A use is known to the minute
 * for as long as usage is kept by the minute, later to the hour, then to the day.
 */
export const KeyHistory = Schema.Struct({
  ended: Schema.Array(EndedKey).annotate({ description: "At most 100, the last ones first" }),
  lastUses: Schema.Array(
    Schema.Struct({
      key: Schema.String.annotate({ description: "The id of a key" }),
      at: AdminModel.time("The start of the minute, hour or day in which it was last used"),
      within: Schema.Literals(["minute", "hour", "day"]).annotate({ description: "The precision of the time" })
    })
  ).annotate({ description: "One for each key that was ever used" })
}).annotate({ identifier: "KeyHistory" })

/** The reason why nothing of a network, or of IPFS, is open to a project. */
const refused = orNull(
  Schema.Literals(["suspended", "card", "networks"]),
  "The rule that refuses all of its calls: the suspension, the billing card, or the allowlist of networks; or null"
)

/**
 * The access of a project: its networks and IPFS, each with the rule that refuses it, if one does.
 */
export const Access = Schema.Struct({
  card: Schema.Boolean.annotate({ description: "True if its account has a billing card" }),
  suspended: orNull(
    Schema.Struct({
      by: orNull(Schema.String, "The label of the admin token; null if the audit log does not know it any more"),
      at: orNull(AdminModel.Time, "When; null if the audit log does not know it any more")
    }),
    "The suspension; null if the project is not suspended"
  ),
  tokens: orNull(
    Schema.Struct({
      required: Schema.Boolean.annotate({ description: "True if every call of JSON-RPC must carry a token" }),
      keys: Schema.Int.annotate({ description: "The number of public keys" })
    }),
    "The rules for tokens of its users; null without rules"
  ),
  places: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "The name of a network, or ipfs" }),
      product: Schema.Literals(["rpc", "ipfs"]).annotate({ description: "JSON-RPC, or IPFS" }),
      chainId: orNull(Schema.Union([Schema.Int, Schema.String]), "The id of the network's chain"),
      hosts: Schema.Array(Schema.String).annotate({ description: "Host names that lead to the network" }),
      refused
    })
  ).annotate({ description: "Every network of the service, and IPFS if it has it" }),
  unknownNetworks: Schema.Array(Schema.String).annotate({
    description: "Entries of the allowlist of networks that name no network of this service"
  }),
  notices: Schema.Array(Schema.String).annotate({
    description: "Rules that work against each other, as sentences: such as a card for IPFS that the allowlist refuses"
  })
}).annotate({ identifier: "Access" })

export type Access = typeof Access.Type

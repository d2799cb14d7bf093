/**
 * The settings of keys, as the admin API takes them.
 */
import * as Schema from "effect/Schema"

import * as Account from "../accounts/Account.ts"
import * as AdminModel from "./AdminModel.ts"

const optional = Schema.optionalKey

const { label, limits } = Account.KeySettings.fields

const expiresAt = Schema.NullOr(AdminModel.Time).annotate({
  description: "The time from which the key is refused, in the future; null if it does not expire"
})

/**
 * Changes of a key's settings. Given limits replace the previous ones as a whole.
 */
export const KeyChanges = Schema.Struct({
  label: optional(label),
  expiresAt: optional(expiresAt),
  limits: optional(limits)
}).annotate({
  identifier: "KeyChanges",
  examples: [{ label: "web page", limits: { requestsPerSecond: 10, creditsPerDay: 100_000 } }]
})

/**
 * Settings of a new key. An empty body, or null, is a key without any.
 */
export const NewKey = Schema.NullOr(
  Schema.Struct({ label: optional(label), expiresAt: optional(expiresAt), limits: optional(limits) })
).annotate({ identifier: "NewKey", examples: [{ label: "web page", limits: { requestsPerSecond: 10 } }] })

/**
 * The settings of keys in requests to the admin API.
 */
import * as Account from "@plumbline/gateway/accounts/Account"
import * as Schema from "effect/Schema"

import * as AdminModel from "./AdminModel.ts"

const optional = Schema.optionalKey

const { label, limits } = Account.KeySettings.fields

const expiresAt = Schema.NullOr(AdminModel.Time).annotate({
  description: "The time from which the key is refused, in the future; null if it does not expire"
})

/**
 * Changes of a key's settings. New limits replace all previous limits of the key.
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
 * Settings of a new key. With an empty body or null, the key has no label, no expiry and no limits.
 */
export const NewKey = Schema.NullOr(
  Schema.Struct({ label: optional(label), expiresAt: optional(expiresAt), limits: optional(limits) })
).annotate({ identifier: "NewKey", examples: [{ label: "web page", limits: { requestsPerSecond: 10 } }] })

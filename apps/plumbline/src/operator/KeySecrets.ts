/** A new key with its secret, which are shown once. */
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import * as Redacted from "effect/Redacted"

import type { NamedFact } from "./ResultView.ts"

/** A key and its secret, in plain text. */
export interface KeySecrets {
  readonly apiKey: string
  readonly apiKeySecret: string
}

export const of = ({ apiKey, apiKeySecret }: Pick<typeof AdminModel.Issued.Type, keyof KeySecrets>): KeySecrets => ({
  apiKey: Redacted.value(apiKey),
  apiKeySecret: Redacted.value(apiKeySecret)
})

export const facts = ({ apiKey, apiKeySecret }: KeySecrets): ReadonlyArray<NamedFact> => [
  ["API key", apiKey],
  ["API key secret", apiKeySecret]
]

export const ONCE = "Keep the key and its secret now: they are not shown again."

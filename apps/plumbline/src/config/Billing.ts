/**
 * `billing`: billing cards, from the events of a payment provider.
 */
import type * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { group, may, text, word } = Kinds

const PROVIDER = "stripe"

/** The section of the file. */
export const section = group(
  {
    provider: may(word([PROVIDER], { description: "The payment provider of the events.", default: PROVIDER })),
    webhookSecret: may(
      text({
        description:
          "The secret with which the provider signs events. Without it, there is no webhook. It is never shown."
      })
    )
  },
  "Billing cards, from the events of a provider at POST /billing/events."
)

/** The section, if the file has it. */
export type Section = typeof section.Type

/** The settings of the service. */
export interface Settings {
  readonly provider: typeof PROVIDER
  readonly webhookSecret: Redacted.Redacted | undefined
}

/** Returns the section as settings. */
export const settings = ({ provider = PROVIDER, webhookSecret }: Section = {}): Settings => ({
  provider,
  webhookSecret: Sections.secret(webhookSecret)
})

/** Returns the settings in the form of the file. */
export const view = ({ provider, webhookSecret }: Settings): Sections.Shown => ({
  provider,
  ...Sections.given({ webhookSecret: webhookSecret && Sections.SECRET })
})

/** `billing`: billing cards, from the events of a payment provider. */
import * as Setting from "@plumbline/gateway/schema/Setting"

/** The section of the file. */
export const section = Setting.group(
  {
    provider: Setting.defaulted(
      Setting.literal(["stripe"], { description: "The payment provider of the events.", default: "stripe" })
    ),
    webhookSecret: Setting.optional(
      Setting.secret(
        Setting.text({
          description:
            "The secret with which the provider signs events. Without it, there is no webhook. It is never shown."
        })
      )
    )
  },
  "Billing cards, from the events of a provider at POST /billing/events."
)

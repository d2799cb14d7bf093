/** `webhooks`: the receivers that events of usage are sent to. */
import * as UsageWebhooks from "@plumbline/gateway-admin/webhooks/UsageWebhooks"
import * as Setting from "@plumbline/gateway/schema/Setting"

import type * as ConfigMistake from "./ConfigMistake.ts"

export const section = Setting.record(Setting.struct(UsageWebhooks.fields, "A receiver of events."), {
  description: "Receivers by name. Each gets every event of usage as a signed POST request."
})

export type WebhooksSection = typeof section.Type

/** Returns the receivers as options of the webhooks. */
export const receivers = (section: WebhooksSection = {}): ReadonlyArray<UsageWebhooks.Webhook> =>
  Object.entries(section).map(([name, receiver]) => ({ name, ...receiver }))

export const mistakes = (section: WebhooksSection | undefined): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const found: Array<ConfigMistake.SettingMistake> = []
  const all = receivers(section)
  if (all.length > UsageWebhooks.MAX_WEBHOOKS) {
    found.push({ path: ["webhooks"], problem: `must be at most ${UsageWebhooks.MAX_WEBHOOKS}` })
  }
  for (const receiver of all) {
    const flaw = UsageWebhooks.problemOf(receiver)
    if (flaw === undefined) continue
    const { problem, setting } = flaw
    found.push({ path: ["webhooks", receiver.name, ...(setting === "name" ? [] : [setting])], problem })
  }
  return found
}

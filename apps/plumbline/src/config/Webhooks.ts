/** `webhooks`: the receivers that events of usage are sent to. */
import * as UsageWebhooks from "@plumbline/gateway/webhooks/UsageWebhooks"
import * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import type * as Mistake from "./Mistake.ts"
import * as Sections from "./Sections.ts"

const { entries, group, listOf, may, text, url, word } = Kinds

/** The section `webhooks` of the file. */
export const section = entries(
  group(
    {
      url: url(["http", "https"], {
        description: "The address of the receiver. It may contain a key, so it is never shown."
      }),
      secret: text({
        description: "The secret that signs events: whsec_ and 24 to 64 bytes in Base64. It is never shown."
      }),
      events: may(
        listOf(word(UsageWebhooks.types as ["usage.threshold", "usage.day"], { description: "A type of events." }), {
          description: "The types of events that are sent. Left out: all."
        })
      )
    },
    "A receiver of events."
  ),
  { description: "Receivers by name. Each gets every event of usage as a signed POST request." }
)

/** The section `webhooks`, if the file has it. */
export type Section = typeof section.Type

/** The webhooks of a service, from its settings. */
export type Settings = ReadonlyArray<UsageWebhooks.Webhook & { readonly url: Redacted.Redacted }>

/** Returns the section as settings. */
export const settings = (section: Section = {}): Settings =>
  Object.entries(section).map(([name, { events, secret, url }]) => ({
    name,
    url: Redacted.make(url),
    secret: Redacted.make(secret),
    events
  }))

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (section: Section = {}): Sections.Found => {
  const found: Array<Mistake.Mistake> = []
  const receivers = settings(section)
  if (receivers.length > UsageWebhooks.MAX_WEBHOOKS) {
    found.push({ path: ["webhooks"], problem: `must be at most ${UsageWebhooks.MAX_WEBHOOKS}` })
  }
  for (const receiver of receivers) {
    const flaw = UsageWebhooks.problemOf(receiver)
    if (flaw === undefined) continue
    const { problem, setting } = flaw
    found.push({ path: ["webhooks", receiver.name, ...(setting === "name" ? [] : [setting])], problem })
  }
  return found
}

/** Returns the settings in the form of the file. */
export const view = (settings: Settings): Sections.Shown =>
  Object.fromEntries(
    settings.map(({ events, name, url }) => [
      name,
      { url: Sections.hostOf(url), secret: Sections.SECRET, ...Sections.given({ events }) }
    ])
  )

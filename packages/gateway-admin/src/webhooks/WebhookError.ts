/**
 * The error of a change to webhook receivers.
 */
import * as Schema from "effect/Schema"

/**
 * The change or the try was refused. Nothing was changed, and nothing was sent:
 *
 * - `Absent`: there is no receiver of this name.
 * - `Taken`: there is already a receiver of this name.
 * - `TooMany`: operators have already created the maximum number of receivers.
 * - `Configured`: the receiver is in the configuration, and can be changed only there.
 * - `NoEvent`: the event was never recorded, or was deleted because of its age.
 */
export class WebhookError extends Schema.TaggedError<WebhookError>()("WebhookError", {
  reason: Schema.Union([
    Schema.TaggedStruct("Absent", { name: Schema.String }),
    Schema.TaggedStruct("Taken", { name: Schema.String }),
    Schema.TaggedStruct("TooMany", { limit: Schema.Int }),
    Schema.TaggedStruct("Configured", { name: Schema.String }),
    Schema.TaggedStruct("NoEvent", { event: Schema.Int })
  ])
}) {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "Absent":
        return `there is no webhook ${reason.name}`
      case "Taken":
        return `there is already a webhook ${reason.name}; choose another name, or remove that webhook first`
      case "TooMany":
        return `this service already has the maximum of ${reason.limit} webhooks; remove one first`
      case "Configured":
        return `the webhook ${reason.name} is defined in the configuration; change it there`
      case "NoEvent":
        return `there is no event ${reason.event} any more; the newest ones are in /exports/events`
    }
  }
}

/**
 * The error of a change to receivers of events that cannot be made.
 */
import * as Schema from "effect/Schema"

/**
 * Nothing was changed, and nothing was sent:
 *
 * - `Absent`: there is no receiver of this name.
 * - `Taken`: there is a receiver of this name already.
 * - `TooMany`: the service has as many receivers of operators as it may have.
 * - `Configured`: the receiver stands in the configuration, which is the only place to change it.
 * - `NoEvent`: the event was never recorded, or is too old to be kept.
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
        return `there is a webhook ${reason.name} already; choose another name, or end that one first`
      case "TooMany":
        return `this service has ${reason.limit} webhooks, and may not have more; end one first`
      case "Configured":
        return `the webhook ${reason.name} stands in the configuration; change it there`
      case "NoEvent":
        return `there is no event ${reason.event} any more; the newest ones are in /exports/events`
    }
  }
}

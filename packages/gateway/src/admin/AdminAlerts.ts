/**
 * Alerts and events of usage, as the admin API has them.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import * as AlertRules from "../alerts/AlertRules.ts"
import * as AdminError from "./AdminError.ts"
import * as AdminModel from "./AdminModel.ts"

/**
 * A `UsageAlerts.Event`.
 */
export const UsageEvent = Schema.Struct({
  id: Schema.Int.annotate({ description: "A number larger than that of every earlier event: read on after it" }),
  name: Schema.String.annotate({ description: "The idempotency key: the same for the same thing" }),
  at: AdminModel.time("When it was told"),
  type: Schema.Literals(["usage.threshold", "usage.day"]).annotate({
    description: "Credits have passed a threshold; or a day is over"
  }),
  project: Schema.String.annotate({ description: "The id of the project" }),
  day: AdminModel.time("The beginning of the day"),
  threshold: Schema.NullOr(Schema.String).annotate({ description: "Such as 75% or 1000; null for the end of a day" }),
  calls: Schema.NullOr(AdminModel.count("Calls of the day")).annotate({ description: "Null for a threshold" }),
  credits: AdminModel.count("Credits of the day; for a threshold those so far")
}).annotate({ identifier: "UsageEvent" })

/**
 * The state of a `UsageWebhooks` receiver. It holds neither the URL nor the secret.
 */
export const Webhook = Schema.Struct({
  name: Schema.String.annotate({ description: "The name in the configuration" }),
  waiting: Schema.Int.annotate({ description: "Events that are not delivered yet" }),
  delivered: Schema.Int.annotate({ description: "Events that were delivered" }),
  deliveredAt: Schema.NullOr(AdminModel.Time).annotate({ description: "The last delivery; null before the first" }),
  lost: Schema.Int.annotate({ description: "Events that were too old to be kept until their delivery" }),
  failures: Schema.Int.annotate({ description: "Tries that failed since the last delivery" }),
  failedAt: Schema.NullOr(AdminModel.Time).annotate({ description: "The last failure; null if there was none" }),
  problem: Schema.NullOr(Schema.String).annotate({ description: "The reason of it; null after a delivery" }),
  nextAt: Schema.NullOr(AdminModel.Time).annotate({ description: "The next try, at the earliest; null if none waits" })
}).annotate({ identifier: "Webhook" })

const params = { id: AdminModel.id("As the service has given it") }

const described = (description: string) => OpenApi.annotations({ summary: description })

/**
 * The endpoints.
 */
export class AlertsGroup extends HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.get("get", "/projects/:id/alerts", {
      params,
      success: AlertRules.AlertRules,
      error: AdminError.NotFound
    }).annotateMerge(described("The thresholds at which a project's usage is told")),
    HttpApiEndpoint.put("set", "/projects/:id/alerts", {
      params,
      payload: AlertRules.AlertRules.annotate({
        identifier: "AlertRules",
        examples: [{ percentOfDay: [75, 100], creditsOfDay: [] }]
      }),
      success: AlertRules.AlertRules,
      error: [AdminError.NotFound, AdminError.TooLarge, AdminError.UnsupportedMediaType]
    }).annotateMerge(described("Sets the thresholds, in place of those before")),
    HttpApiEndpoint.delete("remove", "/projects/:id/alerts", { params, error: AdminError.NotFound }).annotateMerge(
      described("Removes the thresholds")
    ),
    HttpApiEndpoint.get("events", "/exports/events", {
      query: {
        after: Schema.optionalKey(
          AdminModel.whole(0, 999_999_999_999_999, "The id of the last event that was processed; by default 0")
        ),
        limit: AdminModel.Page.limit
      },
      success: Schema.Struct({
        events: Schema.Array(UsageEvent),
        next: Schema.Int.annotate({ description: "The value of after for the next request" })
      }),
      error: AdminError.NotFound
    }).annotateMerge(described("Events after the last one that was processed, oldest first")),
    HttpApiEndpoint.get("webhooks", "/webhooks", {
      success: Schema.Struct({ webhooks: Schema.Array(Webhook) })
    }).annotateMerge(described("The receivers that events are sent to, and the outcome of the last tries"))
  )
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Each threshold is told once a day, and each day once after its end. Ask for the events after the last one that you have processed, and skip a name that you know. The configuration can also name receivers that events are sent to."
    })
  ) {}

/**
 * The endpoints of the admin API for alerts and events of usage.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import * as AlertRules from "../alerts/AlertRules.ts"
import { EVENT_TYPES, ToldLie } from "../alerts/alertsService.ts"
import { described, ofBody } from "./adminEndpoints.ts"
import * as AdminError from "./AdminError.ts"
import { later } from "./adminFields.ts"
import * as AdminModel from "./AdminModel.ts"

/**
 * A `UsageAlerts.UsageEvent`.
 */
export const UsageEvent = Schema.Struct({
  id: Schema.Int.annotate({
    description: "A number larger than the id of every earlier event. Pass it as after to read on"
  }),
  name: Schema.String.annotate({ description: "The idempotency key: a repeated event has the same name" }),
  at: AdminModel.time("When the event was created"),
  type: Schema.Literals(EVENT_TYPES).annotate({
    description:
      "usage.threshold: credits have passed a threshold; usage.day: a day is over; node.lie: a check refuted a node's answer"
  }),
  project: Schema.String.annotate({ description: "The id of the project; empty for a lie" }),
  day: AdminModel.time("The beginning of the day"),
  threshold: Schema.NullOr(Schema.String).annotate({
    description: "The threshold, such as 75% or 1000; null for the end of a day"
  }),
  calls: Schema.NullOr(AdminModel.count("Calls of the day")).annotate({ description: "Null for a threshold" }),
  credits: AdminModel.count("Credits of the day; for a threshold, the credits up to this time"),
  lie: later(ToldLie, "The lie of a node; null for an event of usage")
}).annotate({ identifier: "UsageEvent" })

/**
 * A threshold of a project, with its last event.
 */
export const Fired = Schema.Struct({
  threshold: Schema.String.annotate({ description: "The threshold, such as 75% or 1000" }),
  at: AdminModel.time("Time of the last event"),
  credits: AdminModel.count("Credits of that day up to this time")
}).annotate({ identifier: "Fired" })

/**
 * The thresholds of a project, and the last event of each. Events that were deleted are missing.
 */
export const ProjectAlerts = Schema.Struct({
  project: Schema.String.annotate({ description: "The id of the project" }),
  name: Schema.String.annotate({ description: "The name of the project" }),
  rules: AlertRules.AlertRules,
  fired: Schema.Array(Fired).annotate({
    description: "The last event of each threshold, newest first, including removed thresholds"
  })
}).annotate({ identifier: "ProjectAlerts" })

const params = { id: AdminModel.id("The id, as the service returned it") }

/**
 * The endpoints for alerts and events.
 */
export class AlertsGroup extends HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.get("get", "/projects/:id/alerts", {
      params,
      success: AlertRules.AlertRules,
      error: AdminError.NotFound
    }).annotateMerge(described("The thresholds at which a project's usage raises an event")),
    HttpApiEndpoint.put("set", "/projects/:id/alerts", {
      params,
      payload: AlertRules.AlertRules.annotate({
        identifier: "AlertRules",
        examples: [{ percentOfDay: [75, 100], creditsOfDay: [] }]
      }),
      success: AlertRules.AlertRules,
      error: [AdminError.NotFound, ...ofBody]
    }).annotateMerge(described("Replaces the thresholds")),
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
        next: Schema.Int.annotate({
          description:
            "The value of after for the next request; events of types that this version does not know are passed over"
        })
      }),
      error: AdminError.NotFound
    }).annotateMerge(described("Events after the last one that was processed, oldest first")),
    HttpApiEndpoint.get("list", "/alerts", {
      query: AdminModel.Page,
      success: Schema.Struct({ alerts: Schema.Array(ProjectAlerts), next: AdminModel.next }),
      error: AdminError.NotFound
    }).annotateMerge(described("The thresholds of all projects that have some, in the order of ids")),
    HttpApiEndpoint.get("fired", "/projects/:id/alerts/fired", {
      params,
      success: Schema.Struct({
        rules: Schema.NullOr(AlertRules.AlertRules).annotate({ description: "The thresholds; null without any" }),
        fired: Schema.Array(Fired).annotate({ description: "The last event of each threshold, newest first" })
      }),
      error: AdminError.NotFound
    }).annotateMerge(described("The thresholds of a project, and the last event of each"))
  )
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Each threshold raises one event a day, and each day raises one event after its end. Ask for the events after the last one that you have processed, and skip a name that you know; or let webhooks send them."
    })
  ) {}

/**
 * The endpoints of the admin API for webhooks: the receivers to which events of usage are sent.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import { EVENT_TYPES } from "../alerts/alertsService.ts"
import { described, ofBody } from "./adminEndpoints.ts"
import * as AdminError from "./AdminError.ts"
import { orNull } from "./adminFields.ts"
import * as AdminModel from "./AdminModel.ts"

const types = Schema.Array(Schema.Literals(EVENT_TYPES))

const format = Schema.Literals(["json", "cloudevents"])

/**
 * The state of a receiver of `UsageWebhooks`, without its URL and its secret.
 */
export const Webhook = Schema.Struct({
  name: Schema.String.annotate({ description: "Its name" }),
  source: Schema.Literals(["configuration", "operator"]).annotate({
    description: "configuration for one of the configuration, operator for one that was made here"
  }),
  host: Schema.String.annotate({ description: "The host of its URL, with the port" }),
  events: types.annotate({ description: "The types of events that are sent" }),
  format: format.annotate({ description: "The form of the messages" }),
  waiting: Schema.Int.annotate({ description: "Events that are not delivered yet" }),
  delivered: Schema.Int.annotate({ description: "Events that were delivered" }),
  deliveredAt: orNull(AdminModel.Time, "The last delivery; null before the first"),
  lost: Schema.Int.annotate({ description: "Events that were too old to be kept until their delivery" }),
  failures: Schema.Int.annotate({ description: "Tries that failed since the last delivery" }),
  failedAt: orNull(AdminModel.Time, "The last failure; null if there was none"),
  problem: orNull(Schema.String, "The reason of it; null after a delivery"),
  nextAt: orNull(AdminModel.Time, "The next try, at the earliest; null if none waits")
}).annotate({ identifier: "Webhook" })

/**
 * An attempt to send a message to a receiver, and its outcome.
 */
export const Try = Schema.Struct({
  id: Schema.Int.annotate({ description: "A number larger than that of every earlier try" }),
  message: Schema.String.annotate({ description: "The value of the header webhook-id" }),
  event: orNull(Schema.Int, "The number of the event; null for a test"),
  at: AdminModel.time("When it was sent"),
  millis: Schema.Int.annotate({ description: "Milliseconds until the answer, or until the try ended without one" }),
  status: orNull(Schema.Int, "The HTTP status of the answer; null without one"),
  problem: orNull(Schema.String, "The reason of the failure; null if the receiver took the message")
}).annotate({ identifier: "WebhookTry" })

/**
 * A receiver to create.
 */
export const NewWebhook = Schema.Struct({
  name: Schema.String.annotate({ description: "1 to 64 letters, digits, dots, dashes or underscores" }),
  url: Schema.String.annotate({
    description: "An http or https URL without a user. It may hold a key, and is never shown"
  }),
  events: Schema.optionalKey(types.annotate({ description: "The types of events that are sent, by default all" })),
  format: Schema.optionalKey(
    format.annotate({ description: "The form of the messages: json (default), or batches of CloudEvents 1.0" })
  )
}).annotate({
  identifier: "NewWebhook",
  examples: [{ name: "pager", url: "https://hooks.example/plumbline", events: ["usage.threshold"] }]
})

/**
 * The name and the secret of a new receiver. The secret is shown only in this answer.
 */
export const CreatedWebhook = Schema.Struct({
  name: Schema.String.annotate({ description: "Its name" }),
  secret: Schema.RedactedFromValue(
    Schema.String.annotate({ description: "The secret that signs events: whsec_ and 32 bytes in Base64" })
  )
}).annotate({ identifier: "CreatedWebhook" })

/**
 * A message to send now.
 */
export const Attempt = Schema.Struct({
  event: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
      description: "The number of an event that is sent once more; by default a test is sent"
    })
  )
}).annotate({ identifier: "Attempt", examples: [{ event: 7 }] })

const params = { id: AdminModel.id("The name of the receiver") }

/**
 * The endpoints for webhooks.
 */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/", {
      success: Schema.Struct({ webhooks: Schema.Array(Webhook) })
    }).annotateMerge(described("The receivers that events are sent to, and what became of the events")),
    HttpApiEndpoint.post("create", "/", {
      payload: NewWebhook,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: [AdminError.NotFound, AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("Makes a receiver; its secret is in this answer alone")),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      error: [AdminError.NotFound, AdminError.Conflict]
    }).annotateMerge(described("Ends a receiver that was made here")),
    HttpApiEndpoint.get("tries", "/:id/tries", {
      params,
      success: Schema.Struct({ tries: Schema.Array(Try) }),
      error: AdminError.NotFound
    }).annotateMerge(described("The last 20 tries of a receiver, the newest first")),
    HttpApiEndpoint.post("attempt", "/:id/tries", {
      params,
      payload: Attempt,
      success: Try.pipe(HttpApiSchema.status(201)),
      error: [AdminError.NotFound, ...ofBody]
    }).annotateMerge(described("Sends a test, or an event once more, and waits for the outcome"))
  )
  .prefix("/webhooks")
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Each event is sent as a signed POST request to every receiver, in order, until its answer has a status from 200 to 299. Receivers stand in the configuration, or are made here. A receiver can get an event twice, and knows it by webhook-id."
    })
  ) {}

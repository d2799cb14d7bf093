/** The reads of webhooks. */
import type * as AdminWebhooks from "@plumbline/gateway-admin/api/AdminWebhooks"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as AdminService from "../admin/AdminService.ts"

/** A receiver of events, as the admin API shows it. */
export type Webhook = typeof AdminWebhooks.Webhook.Type

/** An attempt to deliver an event, as the admin API shows it. */
export type DeliveryAttempt = typeof AdminWebhooks.Try.Type

/** All receivers. */
export const all = Atom.keepAlive(AdminService.read((client) => client.webhooks.list()))

/** One receiver with its last delivery attempts; undefined if no receiver has this name. */
export const one = Atom.family((name: string) =>
  AdminService.read((client) =>
    Effect.gen(function* () {
      const { webhooks } = yield* client.webhooks.list()
      const webhook = webhooks.find((one) => one.name === name)
      if (webhook === undefined) return undefined
      // the receiver may have ended between the two reads
      const tries = yield* client.webhooks
        .tries({ params: { id: name } })
        .pipe(Effect.catch((error) => (error._tag === "NotFound" ? Effect.succeed(undefined) : Effect.fail(error))))
      return tries === undefined ? undefined : { webhook, tries: tries.tries }
    })
  )
)

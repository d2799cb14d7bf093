/** The handlers of the admin API for receivers of events. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Redacted from "effect/Redacted"

import type { UsageWebhooks } from "../webhooks/UsageWebhooks.ts"
import { noService } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import type { AuditedChanges } from "./auditedChanges.ts"
import { found, toAdminError } from "./storeFailures.ts"

export const webhooksGroup = ({
  changes,
  webhooks
}: {
  readonly webhooks?: UsageWebhooks["Service"] | undefined
  readonly changes: AuditedChanges
}) =>
  HttpApiBuilder.group(AdminApi.Api, "webhooks", (handlers) => {
    const service = Effect.suspend(() =>
      webhooks === undefined ? Effect.fail(noService("webhooks")) : Effect.succeed(webhooks)
    )
    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        return { webhooks: webhooks === undefined ? [] : yield* toAdminError(webhooks.states) }
      }),
      create: Effect.fnUntraced(function* ({ payload }) {
        const { create } = yield* service
        const { name, url } = payload
        const work = create({ ...payload, url: Redacted.make(url) })
        const secret = yield* toAdminError(
          changes.make({ action: "webhook.create", work, target: name, given: payload })
        )
        return { name, secret }
      }),
      remove: Effect.fnUntraced(function* ({ params: { id } }) {
        const { remove } = yield* service
        yield* toAdminError(changes.make({ action: "webhook.remove", work: remove(id), target: id }))
      }),
      tries: Effect.fnUntraced(function* ({ params: { id } }) {
        return { tries: yield* found((yield* service).tries(id)) }
      }),
      /**
       * Writes the entry in the audit log first, and then sends the message. A transaction that waits for the receiver
       * would block all other changes.
       */
      attempt: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        const { attempt, tries } = yield* service
        yield* found(changes.make({ action: "webhook.try", work: tries(id), target: id, given: payload }))
        return yield* found(attempt(id, payload.event))
      })
    })
  })

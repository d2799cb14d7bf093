/** The handlers of the admin API for alerts and events of usage. */
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import { isKnownEvent } from "../alerts/alertsService.ts"
import type { AlertsService } from "../alerts/UsageAlerts.ts"
import { noService } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { visible } from "./adminIdentity.ts"
import type { AuditedChanges } from "./auditedChanges.ts"
import { found, toAdminError } from "./storeFailures.ts"

export const alertsGroup = ({
  alerts,
  changes
}: {
  readonly alerts?: AlertsService | undefined
  readonly changes: AuditedChanges
}) =>
  HttpApiBuilder.group(AdminApi.Api, "alerts", (handlers) => {
    const service = Effect.suspend(() =>
      alerts === undefined ? Effect.fail(noService("alerts of usage")) : Effect.succeed(alerts)
    )
    return handlers.handleAll({
      get: Effect.fnUntraced(function* ({ params: { id } }) {
        const rules = yield* toAdminError((yield* service).rules(id))
        if (rules !== undefined) return rules
        const message = "this project has no alerts"
        return yield* new AdminError.NotFound({ kind: "project", id: Redaction.id(id), message })
      }),
      set: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        const { rules, setRules } = yield* service
        const work = setRules(id, payload)
        return yield* found(changes.make({ action: "project.alerts", work, target: id, given: payload, state: rules }))
      }),
      remove: Effect.fnUntraced(function* ({ params: { id } }) {
        const { removeRules, rules } = yield* service
        const work = removeRules(id)
        yield* found(changes.make({ action: "project.alerts.remove", work, target: id, state: rules }))
      }),
      events: Effect.fnUntraced(function* ({ query: { after = 0, limit = 100 } }) {
        const events = yield* toAdminError((yield* service).events(after, limit))
        // during an upgrade, a later version records events that this one cannot describe
        return { events: events.filter(isKnownEvent), next: events.at(-1)?.id ?? after }
      }),
      list: Effect.fnUntraced(function* ({ query: { after, limit = 100 } }) {
        const alerts = yield* toAdminError((yield* service).all({ after, limit, only: yield* visible }))
        return { alerts, next: alerts.length === limit ? (alerts.at(-1)?.project ?? null) : null }
      }),
      fired: Effect.fnUntraced(function* ({ params: { id } }) {
        const { fired, rules } = yield* service
        return { fired: yield* found(fired(id)), rules: (yield* toAdminError(rules(id))) ?? null }
      })
    })
  })

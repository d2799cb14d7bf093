/**
 * Records an event when a project's usage of the day reaches a threshold. After each day it records an event with the
 * usage of each project.
 */
import * as Migrations from "@plumbline/gateway/state/Migrations"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

import type { AlertsService } from "./alertsService.ts"
import * as AlertsStore from "./alertsStore.ts"
import { migrations } from "./alertsTables.ts"

export type { UsageEvent, FiredThreshold, ProjectAlerts, AlertsService, ToldLie } from "./alertsService.ts"

/**
 * The service.
 */
export class UsageAlerts extends Context.Service<UsageAlerts, AlertsService>()(
  "@plumbline/gateway-admin/UsageAlerts"
) {}

/**
 * Number of events that are kept. Older events are deleted.
 */
export const MAX_EVENTS: number = AlertsStore.MAX_EVENTS

/**
 * The service over the state's database, whose tables of accounts and usage must exist. Any number of processes may run
 * the service over the same database: each event is recorded once.
 *
 * The event of a threshold is recorded within 10 seconds after the usage is on the disk. The event of a day is recorded
 * ten minutes after the day ends; it leaves out usage that is recorded later.
 */
export const layer = (): Layer.Layer<UsageAlerts, StateError, SqlClient.SqlClient> => shared

/** One value, so that all layers of a program share one service. */
const shared: Layer.Layer<UsageAlerts, StateError, SqlClient.SqlClient> = Layer.effect(
  UsageAlerts,
  Effect.gen(function* () {
    yield* Migrations.run(migrations)
    const service = AlertsStore.make(yield* SqlClient.SqlClient)
    let isDown = false
    const watch = Effect.matchEffect(service.look, {
      onSuccess: () =>
        Effect.sync(() => {
          isDown = false
        }),
      onFailure: (error) => {
        if (isDown) return Effect.void
        isDown = true
        return Effect.logError("usage cannot be watched for alerts", error.message)
      }
    })
    yield* watch.pipe(Effect.delay("10 seconds"), Effect.forever, Effect.forkScoped)
    return service
  })
)

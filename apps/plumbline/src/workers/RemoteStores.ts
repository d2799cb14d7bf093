/**
 * The stores of limits and of usage that the supervisor has, for a worker. Every decision is made by the supervisor's one
 * store, so the limits of several workers are exactly those of one process.
 */
import type { LimiterError } from "@plumbline/gateway/limits/LimiterError"
import { LimiterStore } from "@plumbline/gateway/limits/LimiterStore"
import { MeteringStore } from "@plumbline/gateway/metering/MeteringStore"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import type { SupervisorClient } from "./SupervisorClient.ts"

/** The store of limits. A reservation that comes after its call was given up is settled at once, without a charge. */
export const limits = (supervisor: SupervisorClient): Layer.Layer<LimiterStore> =>
  Layer.succeed(LimiterStore, {
    local: undefined,
    take: (kind, id, limits, credits, members) =>
      Effect.flatMap(
        supervisor.ask<"take", LimiterError>("take", { kind, id, limits, credits, members }, (taken) => {
          if (taken._tag === "Reservation") supervisor.tell({ _tag: "Settled", reservation: taken, charged: 0 })
        }),
        (taken) => (taken._tag === "Reservation" ? Effect.succeed(taken) : Effect.fail(taken))
      ),
    settle: (reservation, charged) => Effect.sync(() => supervisor.tell({ _tag: "Settled", reservation, charged })),
    look: (kind, id, limits) => supervisor.ask<"look", LimiterError>("look", { kind, id, limits })
  })

/**
 * The store of usage. A batch is acknowledged when the supervisor's store has it, so usage that was acknowledged survives
 * the end of the worker. A batch of unknown outcome is sent again, and added once.
 */
export const usage = (supervisor: SupervisorClient): Layer.Layer<MeteringStore> =>
  Layer.succeed(MeteringStore, {
    commit: (batch, durability) => Effect.asVoid(supervisor.ask<"commit", StateError>("commit", { batch, durability })),
    addLatencies: (minute, rows) =>
      Effect.asVoid(supervisor.ask<"addLatencies", StateError>("addLatencies", { minute, rows })),
    ping: Effect.asVoid(supervisor.ask<"pingUsage", StateError>("pingUsage", undefined)),
    // the supervisor deletes what has expired
    forget: () => Effect.void
  })

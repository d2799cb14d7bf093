/**
 * The state of the service: in the data folder, or in servers that several processes share.
 */
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as Limiter from "@plumbline/gateway/limits/Limiter"
import type * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as ServiceState from "@plumbline/gateway/ServiceState"
import { StateError } from "@plumbline/gateway/state/StateError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"

import type { ServiceSettings } from "../config/ServiceSettings.ts"
import { DataError } from "../files/DataError.ts"

/** Opens the state, until the scope closes. New projects get the limits of the settings. */
export const open = Effect.fnUntraced(function* (
  { limits: limiter, metering, state }: ServiceSettings,
  folder: string,
  limitsOf: () => ProjectLimits.ProjectLimits,
  stores: Pick<ServiceState.ServiceStateOptions, "limits" | "usage"> = {}
) {
  const path = yield* Path.Path
  const file = path.join(folder, "state.sqlite")
  const context = yield* state._tag === "Shared"
    ? shared(state, { limiter, metering, ...stores })
    : Effect.mapError(Layer.build(ServiceState.layerSqlite({ file, limiter, metering, ...stores })), (error) =>
        error._tag === "StateError"
          ? new DataError({
              path: file,
              problem: problems[error.problem],
              detail: error.problem === "Newer" ? error.message : error.detail
            })
          : error
      )
  const accounts = Context.get(context, Accounts.Accounts)
  return Context.add(context, Accounts.Accounts, {
    ...accounts,
    createProject: (project) => accounts.createProject({ ...project, limits: project.limits ?? limitsOf() })
  })
})

const shared = Effect.fnUntraced(function* (
  { connections, postgres, redis }: Extract<ServiceSettings["state"], { readonly _tag: "Shared" }>,
  options: ServiceState.ServiceStateOptions
) {
  const layer = ServiceState.layerPostgres({ url: postgres, connections, redis, ...options })
  const context = yield* Effect.mapError(Layer.build(layer), (error) =>
    error._tag === "StateError"
      ? new StateError({ problem: error.problem, detail: `${error.detail}: look at state.postgres` })
      : error
  )
  // The service can start while Redis is unreachable, but the log and /health must report that before the first call.
  // So the service asks for an admission that costs nothing.
  const { admit, settle } = Context.get(context, Limiter.Limiter)
  const asked = admit("up", { concurrency: Number.MAX_SAFE_INTEGER }, 0)
  yield* Effect.ignore(
    Effect.acquireUseRelease(
      asked,
      () => Effect.void,
      (admission) => settle(admission, 0)
    )
  )
  return context
})

const problems = { Damaged: "Damaged", InUse: "InUse", Newer: "Unreadable", Unavailable: "Unreadable" } as const

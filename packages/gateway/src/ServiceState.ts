/**
 * The state of a service in one layer: its database, with everything that the service stores and counts.
 */
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"

import * as Accounts from "./accounts/Accounts.ts"
import type { SettingError } from "./errors/SettingError.ts"
import * as Limiter from "./limits/Limiter.ts"
import * as LimiterStore from "./limits/LimiterStore.ts"
import * as RedisLimiterStore from "./limits/redis/RedisLimiterStore.ts"
import * as Metering from "./metering/Metering.ts"
import * as MeteringStore from "./metering/MeteringStore.ts"
import * as UsageFigures from "./metering/usage/UsageFigures.ts"
import * as Postgres from "./state/Postgres.ts"
import * as Sqlite from "./state/Sqlite.ts"
import type { StateError } from "./state/StateError.ts"

/**
 * The services from which a gateway reads its callers, their limits and their usage.
 */
export type ServiceState =
  | Accounts.Accounts
  | Limiter.Limiter
  | LimiterStore.LimiterStore
  | Metering.Metering
  | MeteringStore.MeteringStore
  | SqlClient.SqlClient
  | UsageFigures.UsageFigures

/**
 * Options of limits and usage, the same for both kinds of state.
 */
export interface ServiceStateOptions {
  readonly limiter?: Limiter.LimiterOptions | undefined
  readonly metering?: Metering.MeteringOptions | undefined
  /** The store of limits, in place of the usual one: the store of another process. */
  readonly limits?: Layer.Layer<LimiterStore.LimiterStore, SettingError> | undefined
  /** The store of usage, in place of the database: the store of another process. */
  readonly usage?: Layer.Layer<MeteringStore.MeteringStore, StateError, SqlClient.SqlClient> | undefined
}

/**
 * The state of a single process: a SQLite file in an existing folder, and limits counted in memory. With `:memory:` the
 * database is deleted when the scope closes.
 *
 * ```ts import.meta.vitest
 * import { Accounts, Metering, ServiceState } from "@plumbline/gateway"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const accounts = yield* Accounts.Accounts
 *   const { id } = yield* accounts.createAccount({ name: "Ada" })
 *   const { project } = yield* accounts.createProject({ account: id, name: "wallet" })
 *   const { status } = yield* Metering.Metering
 *   return { name: project.name, store: (yield* status).store }
 * })
 * const state = ServiceState.layerSqlite({ file: ":memory:" })
 * await Effect.runPromise(Effect.provide(program, state)) // => { name: "wallet", store: "up" }
 * ```
 */
export const layerSqlite = (
  options: ServiceStateOptions & { readonly file: string }
): Layer.Layer<ServiceState, SettingError | StateError> =>
  over(Sqlite.layer({ file: options.file }), LimiterStore.layerMemory(), options)

/** The defaults of the options: those of `Postgres`. */
export const defaults: { readonly connections: number } = Postgres.defaults

/**
 * The state that any number of processes share: a Postgres database, and limits counted in Redis. Without `redis` each
 * process counts limits separately, which is exact only for a single process.
 */
export const layerPostgres = (
  options: ServiceStateOptions & {
    readonly url: Redacted.Redacted
    readonly redis?: Redacted.Redacted | undefined
    /** The maximum number of connections to the database (default: 10). */
    readonly connections?: number | undefined
  }
): Layer.Layer<ServiceState, SettingError | StateError> =>
  over(
    Postgres.layer({ url: options.url, connections: options.connections }),
    options.redis === undefined ? LimiterStore.layerMemory() : RedisLimiterStore.layer({ url: options.redis }),
    options
  )

const over = (
  database: Layer.Layer<SqlClient.SqlClient, StateError>,
  limits: Layer.Layer<LimiterStore.LimiterStore, SettingError>,
  { limiter, limits: otherLimits = limits, metering, usage = MeteringStore.layer() }: ServiceStateOptions
): Layer.Layer<ServiceState, SettingError | StateError> =>
  Layer.mergeAll(Accounts.layer(), UsageFigures.layer(), Metering.layer(metering), Limiter.layer(limiter)).pipe(
    Layer.provideMerge(Layer.mergeAll(usage, otherLimits)),
    Layer.provideMerge(database)
  )

/** A service with its admin API on a free port, over any database. */
import {
  Accounts,
  Gateway,
  type GatewayError,
  Limiter,
  LimiterStore,
  Metering,
  MeteringStore,
  type SettingError,
  type StateError,
  UsageFigures
} from "@plumbline/gateway"
import { AdminClient, AdminServer, AdminToken } from "@plumbline/gateway-admin"
import { network } from "@plumbline/gateway/support/service"
import { Effect, Layer, Logger, Redacted, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import type { SqlClient } from "effect/sql"

export const TOKEN = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
/** The token of another operator. */
export const OTHER_TOKEN = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

export const tokens = [
  Result.getOrThrow(AdminToken.make("ops", Redacted.make(TOKEN))),
  Result.getOrThrow(AdminToken.make("billing", Redacted.make(OTHER_TOKEN)))
]

export type Services =
  | Accounts.Accounts
  | AdminServer.AdminServer
  | Gateway.Gateway
  | Metering.Metering
  | SqlClient.SqlClient
  | UsageFigures.UsageFigures

export type Failure = GatewayError.GatewayError | SettingError.SettingError | StateError.StateError

/** Starts a service. Metering does not gather calls (`gather` is off), and logs go only to `loggers`. */
export const service = (
  database: Layer.Layer<SqlClient.SqlClient, StateError.StateError>,
  options: Partial<AdminServer.AdminServerOptions> = {},
  loggers: ReadonlyArray<Logger.Logger<unknown, unknown>> = [],
  more?: Layer.Layer<never, StateError.StateError, Accounts.Accounts | SqlClient.SqlClient>
): Layer.Layer<Services, Failure> => {
  const state = Layer.mergeAll(
    Accounts.layer(),
    Layer.merge(Metering.layer({ gather: 0 }), UsageFigures.layer()).pipe(Layer.provide(MeteringStore.layer())),
    Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory()))
  ).pipe(Layer.provideMerge(database))
  const admin = AdminServer.layer({ tokens, ...options })
  const gateway = Layer.unwrap(
    Effect.map(AdminServer.AdminServer, ({ mount }) =>
      Gateway.layer({
        networks: [network({ call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) })],
        mounts: [mount]
      })
    )
  )
  return gateway.pipe(
    Layer.provideMerge(more === undefined ? admin : admin.pipe(Layer.provide(more))),
    Layer.provideMerge(state),
    Layer.provide(Layer.succeed(Logger.CurrentLoggers, new Set(loggers)))
  )
}

/** Returns a client of the service in the context. */
export const client = (token: string = TOKEN) =>
  Effect.gen(function* () {
    const { url } = yield* Gateway.Gateway
    return yield* AdminClient.make({ url, token: Redacted.make(token) })
  }).pipe(Effect.provide(FetchHttpClient.layer))

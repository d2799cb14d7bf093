/**
 * The server of the admin API. The gateway's listener serves it below `/admin`.
 */
import { Accounts } from "@plumbline/gateway/accounts/Accounts"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { Mount } from "@plumbline/gateway/http/Mount"
import { Limiter } from "@plumbline/gateway/limits/Limiter"
import { Metering } from "@plumbline/gateway/metering/Metering"
import { UsageFigures } from "@plumbline/gateway/metering/usage/UsageFigures"
import { AccessPolicy } from "@plumbline/gateway/pipeline/AccessPolicy"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

import * as AlertsTables from "../alerts/alertsTables.ts"
import { UsageAlerts } from "../alerts/UsageAlerts.ts"
import { BillingCards } from "../cards/BillingCards.ts"
import * as BillingCardsTables from "../cards/billingCardsTables.ts"
import { UsageWebhooks } from "../webhooks/UsageWebhooks.ts"
import * as WebhookTables from "../webhooks/webhookTables.ts"
import * as AdminAuthentication from "./adminAuthentication.ts"
import * as AdminMount from "./adminMount.ts"
import * as AdminSettings from "./AdminSettings.ts"
import * as AdminTables from "./adminTables.ts"
import type * as AdminToken from "./AdminToken.ts"
import { AdminTokenCheck } from "./adminTokenCheck.ts"
import * as AdminApp from "./app.ts"
import * as AuditedChanges from "./auditedChanges.ts"
import * as EndedKeys from "./endedKeys.ts"
import * as NodeLies from "./nodeLies.ts"
import * as OpenIdSignIn from "./openIdSignIn.ts"
import * as OperatorTokens from "./operatorTokens.ts"
import type { Operations } from "./serviceHandlers.ts"
import * as Sessions from "./sessions.ts"
import * as SignInKey from "./signInKey.ts"

const settings = Schema.Struct(AdminSettings.fields)

/**
 * The options of the server: the accepted tokens, the allowed origins, the length of a session, and sign-on.
 */
export interface AdminServerOptions extends Setting.OptionsOf<typeof settings.Type> {
  /** The accepted tokens of owners: at least one, each with a different label. */
  readonly tokens: ReadonlyArray<AdminToken.AdminToken>
}

/** The migrations of everything that operators keep: audit log, sessions, cards, alerts and webhooks. */
export const migrations: ReadonlyArray<Migrations.Migrations> = [
  AdminTables.migrations,
  BillingCardsTables.migrations,
  AlertsTables.migrations,
  WebhookTables.migrations
]

export type { NodeLieCount } from "./nodeLies.ts"
export type { Liar, Operations } from "./serviceHandlers.ts"

/**
 * The admin API, ready to be mounted in a gateway.
 *
 * Build it before the gateway, and pass `mount` to the gateway. Then call `attach({ status: gateway.status })`, so that
 * the API can show the gateway's status.
 */
export class AdminServer extends Context.Service<
  AdminServer,
  {
    /** The handler for `/admin`, to pass in `GatewayOptions.mounts`. */
    readonly mount: Mount
    /** Replaces the given operations. The other operations stay as they are. */
    readonly attach: (operations: Operations) => Effect.Effect<void>
  }
>()("@plumbline/gateway-admin/AdminServer") {}

/**
 * The admin API over the state of the service. The audit log is in the same database.
 *
 * - `/admin/v1/...`: the API, for requests with a token or a session. An address that has sent ten wrong tokens within
 *   a minute gets 429 for further wrong ones. The right token always passes.
 * - `/admin/openapi.json` and `/admin/docs`: the OpenAPI document and a documentation page. They need no token. Both
 *   are the same for every installation, and reveal nothing about this one.
 *
 * A body has at most 64 KiB, and a request takes at most 30 seconds. At most 64 requests are handled at a time; further
 * requests get 503.
 *
 * If `BillingCards` is provided, the API shows cards, and links accounts to customers of the payment provider.
 *
 * ```ts import.meta.vitest
 * import { Gateway, ServiceState } from "@plumbline/gateway"
 * import { AdminClient, AdminServer, AdminToken } from "@plumbline/gateway-admin"
 * import { EthMethods } from "@plumbline/eth-methods"
 * import { Effect, Layer, Result } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const token = AdminToken.generate()
 * const tokens = [Result.getOrThrow(AdminToken.make("ops", token))]
 * const live = {
 *   name: "live",
 *   hosts: ["127.0.0.1"],
 *   chainId: 1,
 *   methods: EthMethods.group,
 *   upstream: { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }
 * }
 * const gateway = Layer.unwrap(
 *   Effect.map(AdminServer.AdminServer, ({ mount }) => Gateway.layer({ networks: [live], mounts: [mount] }))
 * )
 * const layer = gateway.pipe(
 *   Layer.provideMerge(AdminServer.layer({ tokens })),
 *   Layer.provideMerge(ServiceState.layerSqlite({ file: ":memory:" })),
 *   Layer.provideMerge(FetchHttpClient.layer)
 * )
 * const program = Effect.gen(function* () {
 *   const { url } = yield* Gateway.Gateway
 *   const admin = yield* AdminClient.make({ url, token })
 *   const { project } = yield* admin.projects.create({ headers: {}, payload: { name: "wallet" } })
 *   const { entries } = yield* admin.service.audit({ query: {} })
 *   return [project.name, entries[0]?.by, entries[0]?.action]
 * })
 * await Effect.runPromise(Effect.provide(program, layer)) // => ["wallet", "ops", "project.create"]
 * ```
 */
export const layer = (
  options: AdminServerOptions
): Layer.Layer<
  AdminServer,
  SettingError | StateError,
  Accounts | Limiter | Metering | SqlClient.SqlClient | UsageFigures
> =>
  Layer.effect(
    AdminServer,
    Effect.gen(function* () {
      const { allowedOrigins, lifetime, oidc, tokens: configured } = yield* Effect.fromResult(check(options))
      yield* Migrations.run(AdminTables.migrations)
      const cards = yield* Effect.serviceOption(BillingCards)
      const alerts = yield* Effect.serviceOption(UsageAlerts)
      const webhooks = yield* Effect.serviceOption(UsageWebhooks)
      let operations: Operations = {}
      const sql = yield* SqlClient.SqlClient
      const accounts = EndedKeys.around(sql, yield* Accounts)
      const changes = AuditedChanges.make(sql)
      const tokens = yield* OperatorTokens.make(sql, configured)
      const members = oidc && OpenIdSignIn.members(oidc)
      const sessions = Sessions.make({ accounts, lifetime, members, sql, tokens })
      const lies = NodeLies.make(
        sql,
        () => operations.lies?.() ?? [],
        yield* Effect.scope,
        Option.getOrUndefined(alerts)?.lied
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("10 seconds"), Effect.ignore(lies.write))))
      const app = yield* AdminApp.make({
        accounts,
        alerts: alerts._tag === "Some" ? alerts.value : undefined,
        webhooks: webhooks._tag === "Some" ? webhooks.value : undefined,
        sessions,
        tokens,
        lifetime,
        sql,
        lies,
        policy: yield* AccessPolicy,
        cards: cards._tag === "Some" ? cards.value : undefined,
        changes,
        figures: yield* UsageFigures,
        limiter: yield* Limiter,
        metering: yield* Metering,
        operations: () => operations,
        scope: yield* Effect.scope
      })
      const clock = yield* Clock.Clock
      const handle = yield* AdminMount.make({
        app,
        allowedOrigins,
        signIn:
          oidc &&
          (yield* OpenIdSignIn.make({
            changes,
            key: yield* SignInKey.read(sql),
            lifetime,
            sessions,
            settings: oidc
          })),
        entryOf: (run) =>
          AdminAuthentication.make({
            accounts,
            checks: new AdminTokenCheck(configured),
            clock,
            run,
            sessions,
            tokens
          })
      })
      return {
        mount: { path: "/admin", handle },
        attach: (more) =>
          Effect.sync(() => {
            operations = { ...operations, ...more }
          })
      }
    })
  )

// Private.

interface Checked {
  readonly tokens: ReadonlyArray<AdminToken.AdminToken>
  readonly allowedOrigins: ReadonlyArray<string>
  /** The length of a session, in milliseconds. */
  readonly lifetime: number
  readonly oidc: OpenIdSignIn.OpenIdSettings | undefined
}

const check = ({ tokens, ...options }: AdminServerOptions): Result.Result<Checked, SettingError> => {
  const wrong = (setting: string, problem: string) => Result.fail(new SettingError({ setting, problem }))
  if (tokens.length === 0) return wrong("tokens", "must have at least one")
  if (new Set(tokens.map(({ label }) => label)).size < tokens.length) {
    return wrong("tokens", "must have a label of their own each")
  }
  const other = tokens.findIndex(({ digest }) => !/^[0-9a-f]{64}$/u.test(digest))
  if (other !== -1) return wrong(`tokens[${other}].digest`, "must be 64 lower-case hex digits")
  const checked = Result.mapError(Setting.checkOptions(settings, options), Setting.settingError)
  return Result.flatMap(checked, ({ allowedOrigins, oidc, sessionLifetime }) => {
    const flaw = oidc && AdminSettings.flawOfGroups(oidc.groups)
    return flaw === undefined
      ? Result.succeed({ tokens, allowedOrigins, oidc, lifetime: sessionLifetime })
      : wrong(`oidc.groups.${flaw.group}.projects`, flaw.problem)
  })
}

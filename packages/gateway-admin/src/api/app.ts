/** The admin API as one function, which takes an authorized request and returns its answer. */
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import type { Limiter } from "@plumbline/gateway/limits/Limiter"
import type { Metering } from "@plumbline/gateway/metering/Metering"
import type { UsageFigures } from "@plumbline/gateway/metering/usage/UsageFigures"
import type { Policy } from "@plumbline/gateway/pipeline/AccessPolicy"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type { unhandled } from "effect/Types"

import type { UsageAlerts } from "../alerts/UsageAlerts.ts"
import type { UsageWebhooks } from "../webhooks/UsageWebhooks.ts"
import * as AccountHandlers from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { type AdminAnswer, noPath, refuse } from "./adminExchange.ts"
import { Caller, type AdminIdentity } from "./adminIdentity.ts"
import * as AdminRules from "./AdminRules.ts"
import * as AlertHandlers from "./alertHandlers.ts"
import { Actor } from "./auditedChanges.ts"
import * as ExportHandlers from "./exportHandlers.ts"
import { badRequest } from "./flaw.ts"
import * as JsonRpcHandlers from "./jsonRpcHandlers.ts"
import * as LimitsHandlers from "./limitsHandlers.ts"
import type { NodeLies } from "./nodeLies.ts"
import * as OperatorHandlers from "./operatorHandlers.ts"
import type { OperatorTokens } from "./operatorTokens.ts"
import * as ProjectHandlers from "./projectHandlers.ts"
import * as ServiceHandlers from "./serviceHandlers.ts"
import * as SessionHandlers from "./sessionHandlers.ts"
import type { AdminSessions } from "./sessions.ts"
import { toAdminError } from "./storeFailures.ts"
import * as TokenHandlers from "./tokenHandlers.ts"
import * as UsageHandlers from "./usageHandlers.ts"
import * as WebhookHandlers from "./webhookHandlers.ts"

/** The services that the handlers of the API use. */
export interface AdminDependencies extends AccountHandlers.AccountDependencies {
  readonly figures: UsageFigures["Service"]
  /** The alerts of usage; absent if the service has none. */
  readonly alerts?: UsageAlerts["Service"] | undefined
  /** The webhooks; absent if the service sends no events. */
  readonly webhooks?: UsageWebhooks["Service"] | undefined
  readonly limiter: Limiter["Service"]
  readonly metering: Metering["Service"]
  readonly operations: () => ServiceHandlers.Operations
  readonly scope: Scope.Scope
  readonly sessions: AdminSessions
  readonly tokens: OperatorTokens
  readonly policy: Policy
  readonly lies: NodeLies
  readonly sql: SqlClient.SqlClient
  /** The length of a session in milliseconds. */
  readonly lifetime: number
}

/** `address` is the caller's. */
export type AdminApp = (request: Request, caller: AdminIdentity, address: string) => Effect.Effect<AdminAnswer>

export const make = (behind: AdminDependencies): Effect.Effect<AdminApp, never, Scope.Scope> =>
  Effect.map(HttpRouter.toHttpEffect(routes(behind)), (http) => (request, caller, address) => {
    const answered = Effect.flatMap(http, (response) => Effect.promise(() => answerOf(response)))
    return answered.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
      Effect.provideService(Caller, caller),
      Effect.provideService(Actor, caller?._tag === "Operator" ? { label: caller.label, address } : undefined),
      Effect.scoped,
      // Only a path without an endpoint fails here: errors of endpoints are already answers.
      Effect.catch(() => Effect.succeed(nowhere(request))),
      Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.succeed(late) }),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logError("admin request died", Redaction.text(Cause.pretty(cause))), died)
      )
    )
  })

const routes = (behind: AdminDependencies) =>
  HttpApiBuilder.layer(AdminApi.Api).pipe(
    Layer.provide([
      SessionHandlers.sessionGroup(behind),
      AccountHandlers.accountsGroup(behind),
      AccountHandlers.projectsGroup(behind),
      LimitsHandlers.limitsGroup(behind),
      ProjectHandlers.standingGroup(behind),
      AccountHandlers.keysGroup(behind),
      TokenHandlers.tokensGroup(behind),
      JsonRpcHandlers.jsonRpcGroup(behind),
      UsageHandlers.usageGroup(behind.figures),
      ExportHandlers.exportsGroup(behind),
      AlertHandlers.alertsGroup(behind),
      WebhookHandlers.webhooksGroup(behind),
      OperatorHandlers.operatorsGroup(behind),
      ServiceHandlers.serviceGroup(behind)
    ]),
    Layer.provide([authorization(behind), requests]),
    Layer.provide(HttpServer.layerServices)
  )

/**
 * Refuses a request that the caller's role and projects do not permit. Every handler of the API runs behind this check.
 * The entry has already found the caller, before the body was read.
 */
const authorization = ({ accounts }: AdminDependencies) => {
  const projectOfKey = (id: string) => Effect.map(toAdminError(accounts.key(id)), (key) => key?.project)
  const permit = Effect.fnUntraced(function* (
    handled: Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled>,
    { endpoint, group }: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }
  ) {
    const caller = yield* Caller
    if (caller === undefined) return yield* new AdminError.Unauthorized({ message: "an admin token is needed" })
    const { params } = yield* HttpRouter.RouteContext
    const { searchParams } = new URL((yield* HttpServerRequest.HttpServerRequest).originalUrl)
    const refused = yield* AdminRules.refusal(
      caller,
      {
        group: group.identifier,
        endpoint: endpoint.identifier,
        id: params["id"],
        projects: searchParams.getAll("project")
      },
      projectOfKey
    )
    if (refused === undefined) return yield* handled
    return yield* forbidden(refused)
  })
  return Layer.succeed(AdminApi.Authorization, { adminToken: permit, session: permit })
}

const forbidden = (refused: AdminRules.Refusal): AdminError.Forbidden => {
  if (refused._tag === "NotYours") {
    return new AdminError.Forbidden({
      reason: "NotYours",
      needs: null,
      message: "this caller may use its own projects only, and must name one"
    })
  }
  const { needs = null } = refused
  return new AdminError.Forbidden({
    reason: "Role",
    needs,
    message: `the role of this caller does not permit this${needs === null ? "" : `: it needs the role ${needs}`}`
  })
}

const requests = HttpApiMiddleware.layerSchemaErrorTransform(AdminApi.Requests, (error) =>
  SLOTS[error.kind] === undefined ? Effect.die(error.cause) : Effect.fail(badRequest(SLOTS[error.kind]!, error.cause))
)

/**
 * The parts of a request. The answer is not in this list: if an answer does not fit its schema, the service is at
 * fault.
 */
const SLOTS: { readonly [Kind in HttpApiSchemaError["kind"]]?: string } = {
  Params: "path",
  Headers: "headers",
  Query: "query",
  Payload: "payload"
}

const answerOf = async (response: HttpServerResponse.HttpServerResponse): Promise<AdminAnswer> => {
  const web = HttpServerResponse.toWeb(response)
  return {
    status: web.status,
    headers: Object.fromEntries(web.headers),
    body: new Uint8Array(await web.arrayBuffer())
  }
}

const endpoints: ReadonlyArray<{ readonly method: string; readonly path: RegExp }> = (() => {
  const found: Array<{ readonly method: string; readonly path: RegExp }> = []
  HttpApi.reflect(AdminApi.Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => {
      found.push({ method, path: new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}/?$`, "u") })
    }
  })
  return found
})()

/**
 * Returns the error for a request without an endpoint: 405 if its path exists for other methods, otherwise 404. A path
 * with an id that is too long also gets 404.
 */
const nowhere = ({ method, url }: Request): AdminAnswer => {
  const { pathname } = new URL(url)
  const methods = endpoints.filter(({ path }) => path.test(pathname)).map((endpoint) => endpoint.method)
  return methods.length === 0 || methods.includes(method)
    ? refuse(noPath)
    : refuse(new AdminError.MethodNotAllowed({ message: `this path has ${methods.join(", ")}` }), {
        allow: methods.join(", ")
      })
}

const late = refuse(new AdminError.Unavailable({ message: "this takes too long; a change may have been made or not" }))

const died = refuse(new AdminError.Failed({ message: "an error in the service" }))

/**
 * The definition of the admin API: every path with its input, its answer and its errors.
 *
 * The server (`AdminServer`), the typed client (`AdminClient`), the OpenAPI document and the documentation page are
 * made from this definition. This module also runs in a browser.
 */
import * as Account from "@plumbline/gateway/accounts/Account"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import * as AdminAlerts from "./AdminAlerts.ts"
import { described, ofBody } from "./adminEndpoints.ts"
import * as AdminError from "./AdminError.ts"
import * as AdminExports from "./AdminExports.ts"
import * as AdminJsonRpc from "./AdminJsonRpc.ts"
import * as AdminKeys from "./AdminKeys.ts"
import * as AdminModel from "./AdminModel.ts"
import * as AdminOperators from "./AdminOperators.ts"
import * as AdminProject from "./AdminProject.ts"
import * as AdminSession from "./AdminSession.ts"
import * as AdminTokens from "./AdminTokens.ts"
import * as AdminUsage from "./AdminUsage.ts"
import * as AdminWebhooks from "./AdminWebhooks.ts"
import { forReaders } from "./openApiDocument.ts"

/**
 * Admits requests with an admin token, `Authorization: Bearer <token>`, or with a session (`AdminSession`).
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@plumbline/gateway/AdminApi/Authorization",
  {
    security: {
      adminToken: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "The admin token of the service")
      ),
      session: HttpApiSecurity.apiKey({ in: "cookie", key: "__Host-plumbline" }).pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "The session of a page, with its csrfToken in the header x-csrf-token; without TLS the cookie is plumbline"
        )
      )
    },
    error: [AdminError.Unauthorized, AdminError.Forbidden, AdminError.TooManyAttempts, AdminError.Unavailable]
  }
) {}

/**
 * Errors that every endpoint can return: the request is invalid or arrived too slowly, or the service cannot answer.
 */
export class Requests extends HttpApiMiddleware.Service<Requests>()("@plumbline/gateway/AdminApi/Requests", {
  error: [AdminError.BadRequest, AdminError.TooSlow, AdminError.Failed, AdminError.Unavailable]
}) {}

const about = (description: string) => OpenApi.annotations({ description })

const created = HttpApiSchema.status(201)

/** Errors of a request with a body: the body is too large, or its content type is not JSON. */
const id = { id: AdminModel.id("The id, as the service returned it") }

/**
 * An idempotency key, for requests that create something. A second request with the same key creates nothing. Its
 * answer is 409 with the id that the first request created. The service keeps the keys for a day, separately for each
 * admin token.
 */
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,128}$/u, { message: "must be 1 to 128 printable characters" })
).annotate({ description: "A second request with the same key within a day does not repeat the work" })

const once = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("create", "/", { success: AdminSession.Session.pipe(created) }).annotateMerge(
      described("Begins a session: with the admin token, or with a project's key and secret as Basic authentication")
    ),
    HttpApiEndpoint.get("get", "/", { success: AdminSession.Session, error: AdminError.NotFound }).annotateMerge(
      described("The session of the request's cookie; needs no x-csrf-token")
    ),
    HttpApiEndpoint.delete("remove", "/", { error: AdminError.NotFound }).annotateMerge(
      described("Ends the session of the request's cookie, in every process")
    )
  )
  .prefix("/session")
  .annotateMerge(
    about(
      "For pages: the admin token is sent once, and exchanged for a cookie that no script can read. A project's own session reads its settings, keys, limits, alerts, rules for tokens and usage, and nothing else."
    )
  ) {}

export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", "/", { query: AdminModel.Page, success: AdminModel.Accounts }).annotateMerge(
      described("Accounts, in the order of ids")
    ),
    HttpApiEndpoint.post("create", "/", {
      headers: once,
      payload: AdminModel.NewAccount,
      success: Account.Account.pipe(created),
      error: [AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("Makes an account")),
    HttpApiEndpoint.get("get", "/:id", {
      params: id,
      success: Account.Account,
      error: AdminError.NotFound
    }).annotateMerge(described("An account")),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: AdminModel.AccountChanges,
      success: Account.Account,
      error: [AdminError.NotFound, ...ofBody]
    }).annotateMerge(described("Changes the name of an account, its limits, or if it has a card")),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: id,
      error: [AdminError.NotFound, AdminError.Conflict]
    }).annotateMerge(described("Removes an account without projects")),
    HttpApiEndpoint.get("card", "/:id/card", {
      params: id,
      success: AdminModel.Card,
      error: AdminError.NotFound
    }).annotateMerge(described("The billing card of an account")),
    HttpApiEndpoint.put("setCard", "/:id/card", {
      params: id,
      payload: AdminModel.CardChanges,
      success: AdminModel.Card,
      error: [AdminError.NotFound, AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("States if an account has a billing card, or sets the id of its customer"))
  )
  .prefix("/accounts")
  .annotateMerge(about("An account pays for its projects. A new account has no card unless the request says so.")) {}

export class ProjectsGroup extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: { ...AdminModel.Page, account: Schema.optionalKey(AdminModel.id("Only projects of this account")) },
      success: AdminModel.Projects
    }).annotateMerge(described("Projects of one account or of all accounts, sorted by id")),
    HttpApiEndpoint.post("create", "/", {
      headers: once,
      payload: AdminModel.NewProject,
      success: AdminModel.Created.pipe(created),
      error: [AdminError.NotFound, AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("Creates a project and its first key, and an account if none is given")),
    HttpApiEndpoint.get("get", "/:id", {
      params: id,
      success: Account.Project,
      error: AdminError.NotFound
    }).annotateMerge(described("A project")),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: AdminModel.ProjectChanges,
      success: Account.Project,
      error: [AdminError.NotFound, ...ofBody]
    }).annotateMerge(described("Changes a project; a new allowlist, or new limits, replace the previous ones")),
    HttpApiEndpoint.delete("remove", "/:id", { params: id, error: AdminError.NotFound }).annotateMerge(
      described("Removes a project with its keys; its pins are removed within a minute, and its usage stays recorded")
    )
  )
  .prefix("/projects")
  .annotateMerge(
    about(
      "Calls are admitted, limited and counted by project. Settings that a new project does not give are off, empty, or the default limits. A change of the allowlist or of the limits replaces the whole list."
    )
  ) {}

export class LimitsGroup extends HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.get("get", "/projects/:id/limits", {
      params: id,
      success: AdminModel.ProjectStanding,
      error: AdminError.NotFound
    }).annotateMerge(
      described("A project's current use of its limits: credits, rate and calls under way, and that of its keys")
    ),
    HttpApiEndpoint.get("account", "/accounts/:id/limits", {
      params: id,
      success: AdminModel.AccountStanding,
      error: AdminError.NotFound
    }).annotateMerge(described("The current use of an account's limits, by all its projects together")),
    HttpApiEndpoint.get("list", "/limits", {
      query: AdminModel.Page,
      success: AdminModel.Standings
    }).annotateMerge(described("The current use of limits of every project, sorted by id"))
  )
  .annotateMerge(
    about("The current use of limits, as the limiter counts it: credits of the day, rate, and calls under way.")
  ) {}

export class StandingGroup extends HttpApiGroup.make("standing")
  .add(
    HttpApiEndpoint.get("access", "/projects/:id/access", {
      params: id,
      success: AdminProject.Access,
      error: AdminError.NotFound
    }).annotateMerge(described("The networks and products that a project may use, and the rules that refuse others")),
    HttpApiEndpoint.get("keyHistory", "/projects/:id/keys/history", {
      params: id,
      success: AdminProject.KeyHistory,
      error: AdminError.NotFound
    }).annotateMerge(described("The keys of a project that have ended, and the last use of each key"))
  )
  .annotateMerge(about("The access of a project, and the history of its keys.")) {}

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/projects/:id/keys", {
      params: id,
      success: AdminModel.Keys,
      error: AdminError.NotFound
    }).annotateMerge(described("The keys of a project that have not ended, oldest first")),
    HttpApiEndpoint.post("issue", "/projects/:id/keys", {
      params: id,
      headers: once,
      payload: AdminKeys.NewKey,
      success: AdminModel.Issued.pipe(created),
      error: [AdminError.NotFound, AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("Issues another key for a project")),
    HttpApiEndpoint.get("get", "/keys/:id", {
      params: id,
      success: AdminModel.Key,
      error: AdminError.NotFound
    }).annotateMerge(described("A key that has not ended")),
    HttpApiEndpoint.patch("update", "/keys/:id", {
      params: id,
      payload: AdminKeys.KeyChanges,
      success: AdminModel.Key,
      error: [AdminError.NotFound, ...ofBody]
    }).annotateMerge(described("Changes the label, the expiry or the limits of a key")),
    HttpApiEndpoint.post("rotate", "/keys/:id/rotate", {
      params: id,
      payload: AdminModel.Rotation,
      success: AdminModel.Issued.pipe(created),
      error: [AdminError.NotFound, AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("Rotates a key: a new key replaces it, and the old one is still accepted for a while")),
    HttpApiEndpoint.delete("revoke", "/keys/:id", { params: id, error: AdminError.NotFound }).annotateMerge(
      described("The key is revoked: calls with it are refused")
    )
  )
  .annotateMerge(
    about("A key and its secret are shown only in the answer that issues them. A project has at most ten keys.")
  ) {}

export class NetworksGroup extends HttpApiGroup.make("networks")
  .add(
    HttpApiEndpoint.post("call", "/networks/:id/rpc", {
      params: { id: AdminModel.id("The name of the network") },
      payload: AdminJsonRpc.Request,
      success: AdminJsonRpc.Response,
      error: [AdminError.NotFound, AdminError.TooManyCalls, ...ofBody]
    }).annotateMerge(described("Calls methods of a network that change nothing, on behalf of no project")),
    HttpApiEndpoint.post("lie", "/networks/:id/lie", {
      params: { id: AdminModel.id("The name of the network") },
      success: AdminModel.Lying,
      error: AdminError.NotFound
    }).annotateMerge(
      described(
        "Lets the only node of a network, which the service embeds, lie for a minute, to show that its lies are refused"
      )
    )
  )
  .annotateMerge(about("Operators can read a chain. No project pays for it, and the usage is not recorded.")) {}

export class UsageGroup extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("report", "/", {
      query: { ...AdminUsage.Range, project: Schema.optionalKey(AdminModel.id("Only the usage of this project")) },
      success: AdminUsage.ReportAnswer
    }).annotateMerge(described("All rows of usage, as for an invoice")),
    HttpApiEndpoint.get("totals", "/totals", {
      query: AdminUsage.Selection,
      success: AdminUsage.TotalsAnswer
    }).annotateMerge(described("The sum of all selected usage, in one row")),
    HttpApiEndpoint.get("by", "/by", { query: AdminUsage.By, success: AdminUsage.ByAnswer }).annotateMerge(
      described("One row for each network, method, status and so on, or only the rows with the highest figures")
    ),
    HttpApiEndpoint.get("series", "/series", {
      query: AdminUsage.Series,
      success: AdminUsage.SeriesAnswer
    }).annotateMerge(described("Usage over time")),
    HttpApiEndpoint.get("latency", "/latency", {
      query: AdminUsage.Latencies,
      success: AdminUsage.LatenciesAnswer
    }).annotateMerge(described("The time that calls took at the nodes, of all projects together")),
    HttpApiEndpoint.get("stored", "/stored", {
      query: AdminUsage.Stored,
      success: AdminUsage.StoredAnswer
    }).annotateMerge(described("Bytes that a project had stored on IPFS"))
  )
  .prefix("/usage")
  .annotateMerge(
    about(
      "The usage: calls, credits, bytes. The range of time is a window that ends with the current minute (default: 24h), or `from` and up to, not including, `to`. Repeat `by` to divide by several dimensions: by=network&by=method. With `top`, the answer has only the rows with the highest `order` (default: credits). The answer names the range that it covers: it is widened to the minutes, hours or days that are still kept."
    )
  ) {}

export class ServiceGroup extends HttpApiGroup.make("service")
  .add(
    HttpApiEndpoint.get("status", "/status", { success: AdminModel.Status }).annotateMerge(
      described("The state of networks, limits and metering")
    ),
    HttpApiEndpoint.get("lies", "/lies", { success: AdminModel.Lies }).annotateMerge(
      described("Answers of nodes that were proven wrong, by node, method and check")
    ),
    HttpApiEndpoint.get("changes", "/changes", {
      query: {
        since: Schema.optionalKey(AdminModel.id("The version of an earlier answer")),
        waitSeconds: Schema.optionalKey(AdminModel.whole(0, 25, "Seconds to wait for a change, by default 0"))
      },
      success: AdminModel.Changes
    }).annotateMerge(described("The parts that have changed since a version; if none has, waits for a change")),
    HttpApiEndpoint.post("reload", "/reload", {
      success: AdminModel.Reloaded,
      error: [AdminError.NotFound, AdminError.Conflict]
    }).annotateMerge(described("Reads the configuration again; connections stay")),
    HttpApiEndpoint.get("collection", "/ipfs/collect", {
      success: AdminModel.Collection,
      error: AdminError.NotFound
    }).annotateMerge(described("The state of the garbage collection on the IPFS node")),
    HttpApiEndpoint.post("collect", "/ipfs/collect", {
      success: AdminModel.Collection.pipe(HttpApiSchema.status(202)),
      error: AdminError.NotFound
    }).annotateMerge(
      described("Starts to remove unpinned content from the IPFS node, unless a collection is under way")
    ),
    HttpApiEndpoint.get("audit", "/audit", {
      query: {
        before: Schema.optionalKey(
          AdminModel.whole(
            0,
            Number.MAX_SAFE_INTEGER,
            "Only entries with an id below this one: `next` of the previous page"
          )
        ),
        limit: AdminModel.Page.limit
      },
      success: AdminModel.Audit
    }).annotateMerge(described("Changes with their author and time, newest first"))
  )
  .annotateMerge(about("The state of the service, and the log of changes.")) {}

/**
 * The admin API.
 *
 * ```ts import.meta.vitest
 * import { AdminApi } from "@plumbline/gateway-admin"
 * import { HttpApiClient } from "effect/http-api"
 *
 * const urls = HttpApiClient.urlBuilder(AdminApi.Api, { baseUrl: "http://127.0.0.1:8545" })
 * urls.keys.rotate({ params: { id: "k1" } }) // => "http://127.0.0.1:8545/admin/v1/keys/k1/rotate"
 * ```
 */
export class Api extends HttpApi.make("plumbline-admin")
  .add(
    SessionGroup,
    AccountsGroup,
    ProjectsGroup,
    LimitsGroup,
    StandingGroup,
    KeysGroup,
    AdminTokens.TokensGroup,
    NetworksGroup,
    UsageGroup,
    AdminExports.ExportsGroup,
    AdminAlerts.AlertsGroup,
    AdminWebhooks.WebhooksGroup,
    AdminOperators.OperatorsGroup,
    ServiceGroup
  )
  .prefix("/admin/v1")
  .middleware(Requests)
  .middleware(Authorization)
  // Without this option a misspelt member would be ignored.
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      transform: forReaders,
      title: "Plumbline admin API",
      version: "1",
      description:
        "Accounts, projects, keys, usage and the state of a Plumbline service. Counts are decimal strings, because many readers round large JSON numbers; times are ISO 8601."
    })
  ) {}

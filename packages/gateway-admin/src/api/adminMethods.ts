/** The methods of the typed client of the admin API. A test compares each sentence with the API's own. */
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"

import type * as AdminApi from "./AdminApi.ts"
import type { BadRequest, NoAnswer } from "./AdminError.ts"

/**
 * A method of the client. It takes the parts of a request and returns the answer.
 *
 * The method fails with the errors of its endpoint, and with `NoAnswer`. It does not send an invalid request, and fails
 * with `BadRequest`.
 */
export type AdminMethod<E extends HttpApiEndpoint.ConstraintRequest> = (
  request: HttpApiEndpoint.ClientRequest<E["~Params"], E["~Query"], E["~Payload"], E["~Headers"], "decoded-only">
) => Effect.Effect<
  E["~Success"]["Type"],
  BadRequest | E["~Error"]["Type"] | HttpApiMiddleware.Error<E["~Middleware"]> | NoAnswer
>

type Groups = (typeof AdminApi.Api)["groups"]
type Endpoints<G extends keyof Groups> = Groups[G]["endpoints"]

/** The client: an object with a member for each group, such as `projects`. A group has methods, such as `create`. */
export interface AdminClient {
  /** The methods for sessions of the console. */
  readonly session: AdminSessionClient
  /** The methods for accounts and their billing cards. */
  readonly accounts: AdminAccountsClient
  /** The methods for projects. */
  readonly projects: AdminProjectsClient
  /** The methods for the use of limits. */
  readonly limits: AdminLimitsClient
  /** The methods for the access and the former keys of a project. */
  readonly standing: AdminStandingClient
  /** The methods for the keys of projects. */
  readonly keys: AdminKeysClient
  /** The methods for the rules for tokens of a project's users. */
  readonly tokens: AdminTokensClient
  /** The methods for calls to networks. */
  readonly networks: AdminNetworksClient
  /** The methods for usage. */
  readonly usage: AdminUsageClient
  /** The methods for exports of usage. */
  readonly exports: AdminExportsClient
  /** The methods for alerts about usage. */
  readonly alerts: AdminAlertsClient
  /** The methods for receivers of events. */
  readonly webhooks: AdminWebhooksClient
  /** The methods for admin tokens and open sessions. */
  readonly operators: AdminOperatorsClient
  /** The methods for the state of the service. */
  readonly service: AdminServiceClient
}

/** The methods for sessions of the console. */
export interface AdminSessionClient {
  /** Begins a session: with the admin token, or with a project's key and secret as Basic authentication. */
  readonly create: AdminMethod<Endpoints<"session">["create"]>
  /** The session of the request's cookie; needs no x-csrf-token. */
  readonly get: AdminMethod<Endpoints<"session">["get"]>
  /** Ends the session of the request's cookie, in every process. */
  readonly remove: AdminMethod<Endpoints<"session">["remove"]>
}

/** The methods for accounts and their billing cards. */
export interface AdminAccountsClient {
  /** Accounts, in the order of ids. */
  readonly list: AdminMethod<Endpoints<"accounts">["list"]>
  /** Makes an account. */
  readonly create: AdminMethod<Endpoints<"accounts">["create"]>
  /** An account. */
  readonly get: AdminMethod<Endpoints<"accounts">["get"]>
  /** Changes the name of an account, its limits, or if it has a card. */
  readonly update: AdminMethod<Endpoints<"accounts">["update"]>
  /** Removes an account without projects. */
  readonly remove: AdminMethod<Endpoints<"accounts">["remove"]>
  /** The billing card of an account. */
  readonly card: AdminMethod<Endpoints<"accounts">["card"]>
  /** States if an account has a billing card, or sets the id of its customer. */
  readonly setCard: AdminMethod<Endpoints<"accounts">["setCard"]>
}

/** The methods for projects. */
export interface AdminProjectsClient {
  /** Projects of one account or of all accounts, sorted by id. */
  readonly list: AdminMethod<Endpoints<"projects">["list"]>
  /** Creates a project and its first key, and an account if none is given. */
  readonly create: AdminMethod<Endpoints<"projects">["create"]>
  /** A project. */
  readonly get: AdminMethod<Endpoints<"projects">["get"]>
  /** Changes a project; a new allowlist, or new limits, replace the previous ones. */
  readonly update: AdminMethod<Endpoints<"projects">["update"]>
  /** Removes a project with its keys; its pins are removed within a minute, and its usage stays recorded. */
  readonly remove: AdminMethod<Endpoints<"projects">["remove"]>
}

/** The methods for the use of limits. */
export interface AdminLimitsClient {
  /** A project's current use of its limits: credits, rate and calls under way, and that of its keys. */
  readonly get: AdminMethod<Endpoints<"limits">["get"]>
  /** The current use of an account's limits, by all its projects together. */
  readonly account: AdminMethod<Endpoints<"limits">["account"]>
  /** The current use of limits of every project, sorted by id. */
  readonly list: AdminMethod<Endpoints<"limits">["list"]>
}

/** The methods for the access and the former keys of a project. */
export interface AdminStandingClient {
  /** The networks and products that a project may use, and the rules that refuse others. */
  readonly access: AdminMethod<Endpoints<"standing">["access"]>
  /** The keys of a project that have ended, and the last use of each key. */
  readonly keyHistory: AdminMethod<Endpoints<"standing">["keyHistory"]>
}

/** The methods for the keys of projects. */
export interface AdminKeysClient {
  /** The keys of a project that have not ended, oldest first. */
  readonly list: AdminMethod<Endpoints<"keys">["list"]>
  /** Issues another key for a project. */
  readonly issue: AdminMethod<Endpoints<"keys">["issue"]>
  /** A key that has not ended. */
  readonly get: AdminMethod<Endpoints<"keys">["get"]>
  /** Changes the label, the expiry or the limits of a key. */
  readonly update: AdminMethod<Endpoints<"keys">["update"]>
  /** Rotates a key: a new key replaces it, and the old one is still accepted for a while. */
  readonly rotate: AdminMethod<Endpoints<"keys">["rotate"]>
  /** The key is revoked: calls with it are refused. */
  readonly revoke: AdminMethod<Endpoints<"keys">["revoke"]>
}

/** The methods for the rules for tokens of a project's users. */
export interface AdminTokensClient {
  /** The rules for tokens of a project's users. */
  readonly get: AdminMethod<Endpoints<"tokens">["get"]>
  /** Replaces the rules for tokens of a project's users. */
  readonly set: AdminMethod<Endpoints<"tokens">["set"]>
  /** Removes the rules: no token is valid, and none is required. */
  readonly remove: AdminMethod<Endpoints<"tokens">["remove"]>
}

/** The methods for calls to networks. */
export interface AdminNetworksClient {
  /** Calls methods of a network that change nothing, on behalf of no project. */
  readonly call: AdminMethod<Endpoints<"networks">["call"]>
  /** Lets the only node of a network, which the service embeds, lie for a minute, to show that its lies are refused. */
  readonly lie: AdminMethod<Endpoints<"networks">["lie"]>
}

/** The methods for usage. */
export interface AdminUsageClient {
  /** All rows of usage, as for an invoice. */
  readonly report: AdminMethod<Endpoints<"usage">["report"]>
  /** The sum of all selected usage, in one row. */
  readonly totals: AdminMethod<Endpoints<"usage">["totals"]>
  /** One row for each network, method, status and so on, or only the rows with the highest figures. */
  readonly by: AdminMethod<Endpoints<"usage">["by"]>
  /** Usage over time. */
  readonly series: AdminMethod<Endpoints<"usage">["series"]>
  /** The time that calls took at the nodes, of all projects together. */
  readonly latency: AdminMethod<Endpoints<"usage">["latency"]>
  /** Bytes that a project had stored on IPFS. */
  readonly stored: AdminMethod<Endpoints<"usage">["stored"]>
}

/** The methods for exports of usage. */
export interface AdminExportsClient {
  /** The report of usage as CSV, for a spreadsheet. */
  readonly usage: AdminMethod<Endpoints<"exports">["usage"]>
  /** The audit log as CSV, newest first. */
  readonly auditCsv: AdminMethod<Endpoints<"exports">["auditCsv"]>
  /** The audit log as lines of JSON, newest first. */
  readonly auditNdjson: AdminMethod<Endpoints<"exports">["auditNdjson"]>
}

/** The methods for alerts about usage. */
export interface AdminAlertsClient {
  /** The thresholds at which a project's usage raises an event. */
  readonly get: AdminMethod<Endpoints<"alerts">["get"]>
  /** Replaces the thresholds. */
  readonly set: AdminMethod<Endpoints<"alerts">["set"]>
  /** Removes the thresholds. */
  readonly remove: AdminMethod<Endpoints<"alerts">["remove"]>
  /** Events after the last one that was processed, oldest first. */
  readonly events: AdminMethod<Endpoints<"alerts">["events"]>
  /** The thresholds of all projects that have some, in the order of ids. */
  readonly list: AdminMethod<Endpoints<"alerts">["list"]>
  /** The thresholds of a project, and the last event of each. */
  readonly fired: AdminMethod<Endpoints<"alerts">["fired"]>
}

/** The methods for receivers of events. */
export interface AdminWebhooksClient {
  /** The receivers that events are sent to, and what became of the events. */
  readonly list: AdminMethod<Endpoints<"webhooks">["list"]>
  /** Makes a receiver; its secret is in this answer alone. */
  readonly create: AdminMethod<Endpoints<"webhooks">["create"]>
  /** Ends a receiver that was made here. */
  readonly remove: AdminMethod<Endpoints<"webhooks">["remove"]>
  /** The last 20 tries of a receiver, the newest first. */
  readonly tries: AdminMethod<Endpoints<"webhooks">["tries"]>
  /** Sends a test, or an event once more, and waits for the outcome. */
  readonly attempt: AdminMethod<Endpoints<"webhooks">["attempt"]>
}

/** The methods for admin tokens and open sessions. */
export interface AdminOperatorsClient {
  /** The admin tokens, those of the configuration first. */
  readonly tokens: AdminMethod<Endpoints<"operators">["tokens"]>
  /** Creates an admin token with a role. */
  readonly create: AdminMethod<Endpoints<"operators">["create"]>
  /** Revokes an admin token, and ends its sessions. */
  readonly revoke: AdminMethod<Endpoints<"operators">["revoke"]>
  /** The open sessions, newest first, at most 1000. */
  readonly sessions: AdminMethod<Endpoints<"operators">["sessions"]>
  /** Ends a session, in every process. */
  readonly end: AdminMethod<Endpoints<"operators">["end"]>
}

/** The methods for the state of the service. */
export interface AdminServiceClient {
  /** The state of networks, limits and metering. */
  readonly status: AdminMethod<Endpoints<"service">["status"]>
  /** Answers of nodes that were proven wrong, by node, method and check. */
  readonly lies: AdminMethod<Endpoints<"service">["lies"]>
  /** The parts that have changed since a version; if none has, waits for a change. */
  readonly changes: AdminMethod<Endpoints<"service">["changes"]>
  /** Reads the configuration again; connections stay. */
  readonly reload: AdminMethod<Endpoints<"service">["reload"]>
  /** The state of the garbage collection on the IPFS node. */
  readonly collection: AdminMethod<Endpoints<"service">["collection"]>
  /** Starts to remove unpinned content from the IPFS node, unless a collection is under way. */
  readonly collect: AdminMethod<Endpoints<"service">["collect"]>
  /** Changes with their author and time, newest first. */
  readonly audit: AdminMethod<Endpoints<"service">["audit"]>
}

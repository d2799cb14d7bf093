/**
 * The endpoints of the admin API for operators: the admin tokens, and the open sessions.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import { described, ofBody } from "./adminEndpoints.ts"
import * as AdminError from "./AdminError.ts"
import { id, orNull, Time, time } from "./adminFields.ts"
import * as AdminRole from "./AdminRole.ts"

const label = Schema.String.check(
  Schema.isPattern(/^(?!oidc:)[\x20-\x7e]{1,64}$/u, {
    message: "must have 1 to 64 printable characters, and not begin with oidc:"
  })
).annotate({ description: "The holder's name in the audit log" })

const expiresAt = orNull(Time, "The time from which the token is refused; null if it does not expire")

/**
 * An admin token, without the token itself. A token of the configuration has no id and cannot be revoked here.
 */
export const OperatorToken = Schema.Struct({
  id: orNull(Schema.String, "The id; null for a token of the configuration"),
  label,
  role: AdminRole.Role,
  projects: AdminRole.Projects,
  createdAt: orNull(Time, "The time of creation; null for a token of the configuration"),
  createdBy: orNull(Schema.String, "The label of its author; null for a token of the configuration"),
  expiresAt
}).annotate({ identifier: "OperatorToken" })

export type OperatorToken = typeof OperatorToken.Type

/**
 * A new admin token. By default it covers all projects and does not expire.
 */
export const NewOperatorToken = Schema.Struct({
  label,
  role: AdminRole.Role,
  projects: Schema.optionalKey(AdminRole.Projects),
  expiresAt: Schema.optionalKey(expiresAt)
}).annotate({ identifier: "NewOperatorToken", examples: [{ label: "support of team a", role: "support" }] })

/**
 * A new admin token with its text, which is shown only in this answer.
 */
export const CreatedToken = Schema.Struct({
  token: OperatorToken,
  secret: Schema.RedactedFromValue(
    Schema.String.annotate({ description: "The admin token: 64 hex digits, shown only in this answer" })
  )
}).annotate({ identifier: "CreatedToken" })

/**
 * An open session of the console.
 */
export const OpenSession = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the session, which is not its secret" }),
  label: orNull(Schema.String, "The operator; null for a project's session"),
  project: orNull(Schema.String, "The id of the project; null for an operator's session"),
  address: orNull(Schema.String, "The address from which it began"),
  begunAt: time("When it began"),
  endsAt: time("When it ends")
}).annotate({ identifier: "OpenSession" })

export type OpenSession = typeof OpenSession.Type

const params = { id: id("The id, as the service returned it") }

/**
 * The endpoints for operators.
 */
export class OperatorsGroup extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("tokens", "/tokens", {
      success: Schema.Struct({ tokens: Schema.Array(OperatorToken) })
    }).annotateMerge(described("The admin tokens, those of the configuration first")),
    HttpApiEndpoint.post("create", "/tokens", {
      payload: NewOperatorToken,
      success: CreatedToken.pipe(HttpApiSchema.status(201)),
      error: [AdminError.Conflict, ...ofBody]
    }).annotateMerge(described("Creates an admin token with a role")),
    HttpApiEndpoint.delete("revoke", "/tokens/:id", { params, error: AdminError.NotFound }).annotateMerge(
      described("Revokes an admin token, and ends its sessions")
    ),
    HttpApiEndpoint.get("sessions", "/sessions", {
      success: Schema.Struct({ sessions: Schema.Array(OpenSession) })
    }).annotateMerge(described("The open sessions, newest first, at most 1000")),
    HttpApiEndpoint.delete("end", "/sessions/:id", { params, error: AdminError.NotFound }).annotateMerge(
      described("Ends a session, in every process")
    )
  )
  .prefix("/operators")
  .annotateMerge(
    OpenApi.annotations({
      description: "The admin tokens and sessions of operators. Only the role owner may use these paths."
    })
  ) {}

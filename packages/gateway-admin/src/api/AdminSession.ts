/**
 * A session lets a web page use the admin API without keeping the admin token.
 *
 * The page sends the token once, to `POST /admin/v1/session`, and gets a cookie that its scripts cannot read. The
 * browser sends the cookie with each further request. Each request must also carry `csrfToken` in the header
 * `x-csrf-token`. After a reload the page gets the same `csrfToken` from `GET /admin/v1/session`, which needs no such
 * header.
 *
 * The holder of a project's key and secret can begin a session too, with both as Basic authentication. That session can
 * read only the project's own data. A person can begin one by signing in at an identity provider.
 */
import * as Schema from "effect/Schema"

import * as AdminModel from "./AdminModel.ts"
import * as AdminRole from "./AdminRole.ts"

/**
 * The name of the header that carries `csrfToken`.
 */
export const CSRF_HEADER = "x-csrf-token"

/**
 * A session, as the API shows it to the page.
 */
export const Session = Schema.Struct({
  kind: Schema.Literals(["operator", "project"]).annotate({
    description: "operator has a role; project reads what concerns one project"
  }),
  label: Schema.NullOr(Schema.String).annotate({
    description: "The label of the admin token, or the name of the person; null for a project's session"
  }),
  project: Schema.NullOr(Schema.String).annotate({
    description: "The id of the project; null for an operator's session"
  }),
  role: Schema.NullOr(AdminRole.Role).annotate({ description: "The role; null for a project's session" }),
  projects: AdminRole.Projects,
  grants: Schema.Array(AdminRole.Grant).annotate({
    description: "The roles, each with its projects; empty for a project's session. role and projects sum them up"
  }),
  signOutUrl: Schema.NullOr(Schema.String).annotate({
    description: "The page that ends the session at the identity provider; null without one"
  }),
  csrfToken: Schema.String.annotate({ description: "The text that requests repeat in the header x-csrf-token" }),
  endsAt: AdminModel.time("When the session ends; sign in again before")
}).annotate({ identifier: "Session" })

export type Session = typeof Session.Type

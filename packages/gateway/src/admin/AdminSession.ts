/**
 * A session of a page: the admin API without the admin token, which no script of the page can read.
 *
 * A page sends the token once, to `POST /admin/v1/session`, and gets a cookie that its scripts cannot read. From then on
 * its requests carry the cookie by themselves, and must repeat `csrfToken` in the header `x-csrf-token`. After a reload
 * the page gets the same `csrfToken` from `GET /admin/v1/session`, the only request of a session that needs no such header.
 *
 * The holder of a project's key and secret gets a session in the same way, with both as Basic authentication. It reads
 * what concerns that project, and nothing else.
 */
import * as Schema from "effect/Schema"

import * as AdminModel from "./AdminModel.ts"

/**
 * The name of the header that repeats `csrfToken`.
 */
export const CSRF_HEADER = "x-csrf-token"

/**
 * The defaults of sessions: the length of one in milliseconds, 12 hours.
 */
export const defaults: { readonly lifetime: number } = { lifetime: 12 * 60 * 60_000 }

/**
 * True if a session may have this length in milliseconds: from a minute to 30 days.
 */
export const isLifetime = (millis: number): boolean => millis >= 60_000 && millis <= 30 * 24 * 60 * 60_000

/**
 * A session, as its page sees it.
 */
export const Session = Schema.Struct({
  kind: Schema.Literals(["operator", "project"]).annotate({
    description: "operator may do everything; project reads what concerns one project"
  }),
  label: Schema.NullOr(Schema.String).annotate({
    description: "The label of the admin token; null for a project's session"
  }),
  project: Schema.NullOr(Schema.String).annotate({
    description: "The id of the project; null for an operator's session"
  }),
  csrfToken: Schema.String.annotate({ description: "The text that requests repeat in the header x-csrf-token" }),
  endsAt: AdminModel.time("When the session ends; sign in again before")
}).annotate({ identifier: "Session" })

export type Session = typeof Session.Type

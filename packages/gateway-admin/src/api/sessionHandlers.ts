/** The handlers of the admin API for sessions of pages. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"

import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { CookieHeaders } from "./adminExchange.ts"
import { Caller, type AdminIdentity, type PageSession } from "./adminIdentity.ts"
import * as AdminRole from "./AdminRole.ts"
import * as AdminSession from "./AdminSession.ts"
import { Actor, type AuditedChanges } from "./auditedChanges.ts"
import { SIGN_OUT } from "./openIdSignIn.ts"
import type { AdminSessions } from "./sessions.ts"
import { toAdminError } from "./storeFailures.ts"

export const sessionGroup = ({
  changes,
  lifetime,
  sessions
}: {
  readonly changes: AuditedChanges
  /** The length of a session, in milliseconds. */
  readonly lifetime: number
  readonly sessions: AdminSessions
}) =>
  HttpApiBuilder.group(AdminApi.Api, "session", (handlers) =>
    handlers.handleAll({
      create: Effect.fnUntraced(function* () {
        const identity = yield* known
        // A session cannot begin another session, because it could then renew itself for ever.
        if (identity.session !== undefined) return yield* unproven
        const actor = yield* Actor
        const begun = sessions.begin(identity, actor?.address ?? null)
        // Sessions of projects get no entry: a caller with a key could push the entries of operators out of the log.
        const { secret, session } = yield* toAdminError(
          identity._tag === "Operator"
            ? changes.make({ action: "session.create", work: begun, target: "" })
            : changes.alone(begun)
        )
        const { set } = yield* CookieHeaders
        const body = yield* Effect.orDie(encode(shown(identity, session)))
        return HttpServerResponse.text(JSON.stringify(body), {
          status: 201,
          contentType: "application/json",
          headers: { "set-cookie": set(secret, lifetime / 1000) }
        })
      }),
      get: Effect.fnUntraced(function* () {
        const identity = yield* known
        return shown(identity, identity.session ?? (yield* none))
      }),
      remove: Effect.fnUntraced(function* () {
        const { _tag, session } = yield* known
        const end = sessions.end(session ?? (yield* none))
        yield* toAdminError(
          _tag === "Operator" ? changes.make({ action: "session.remove", work: end, target: "" }) : changes.alone(end)
        )
        const { clear } = yield* CookieHeaders
        return HttpServerResponse.empty({ status: 204, headers: { "set-cookie": clear } })
      })
    })
  )

const known: Effect.Effect<AdminIdentity, AdminError.Unauthorized> = Effect.flatMap(Caller, (identity) =>
  identity === undefined
    ? Effect.fail(new AdminError.Unauthorized({ message: "an admin token is needed" }))
    : Effect.succeed(identity)
)

const none = Effect.fail(
  new AdminError.NotFound({ kind: "session", id: null, message: "this request carries no session" })
)

const unproven = Effect.fail(
  new AdminError.Unauthorized({ message: "a session cannot begin another: send the admin token, or key and secret" })
)

const encode = Schema.encodeEffect(AdminSession.Session)

const shown = (identity: AdminIdentity, { csrf, endsAt }: PageSession): typeof AdminSession.Session.Type => ({
  ...(identity._tag === "Operator"
    ? {
        kind: "operator",
        label: identity.label,
        project: null,
        ...AdminRole.summary(identity.grants),
        grants: identity.grants.map(({ projects = null, role }) => ({ role, projects }))
      }
    : {
        kind: "project",
        label: null,
        project: identity.project,
        role: null,
        projects: [identity.project],
        grants: []
      }),
  signOutUrl: identity._tag === "Operator" && identity.groups !== undefined ? SIGN_OUT : null,
  csrfToken: csrf,
  endsAt
})

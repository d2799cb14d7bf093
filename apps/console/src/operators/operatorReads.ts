/** The reads of the screens about operators: the audit log, the admin tokens, and the open sessions. */
import type { AuditEntry } from "@plumbline/gateway-admin/api/AdminModel"
import type * as AdminOperators from "@plumbline/gateway-admin/api/AdminOperators"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as AdminService from "../admin/AdminService.ts"

export type { AuditEntry }
export type OperatorToken = AdminOperators.OperatorToken
export type OpenSession = AdminOperators.OpenSession

/** The newest thousand entries of the audit log, newest first. */
export const audit = Atom.keepAlive(AdminService.read((client) => client.service.audit({ query: { limit: 1000 } })))

/** The admin tokens, the open sessions, and the first projects, to which a token can be limited. */
export const access = Atom.keepAlive(
  AdminService.read((client) =>
    Effect.all(
      {
        tokens: Effect.map(client.operators.tokens(), ({ tokens }) => tokens),
        sessions: Effect.map(client.operators.sessions(), ({ sessions }) => sessions),
        projects: Effect.map(client.projects.list({ query: { limit: 1000 } }), ({ projects }) => projects)
      },
      { concurrency: "unbounded" }
    )
  )
)

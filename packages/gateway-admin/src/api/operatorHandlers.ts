/** The handlers of the admin API for admin tokens and open sessions. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

import * as AdminApi from "./AdminApi.ts"
import { Caller } from "./adminIdentity.ts"
import type { AuditedChanges } from "./auditedChanges.ts"
import type { OperatorTokens } from "./operatorTokens.ts"
import type { AdminSessions } from "./sessions.ts"
import { toAdminError } from "./storeFailures.ts"

export const operatorsGroup = ({
  changes,
  sessions,
  tokens
}: {
  readonly changes: AuditedChanges
  readonly sessions: AdminSessions
  readonly tokens: OperatorTokens
}) =>
  HttpApiBuilder.group(AdminApi.Api, "operators", (handlers) =>
    handlers.handleAll({
      tokens: () => Effect.map(toAdminError(tokens.list), (list) => ({ tokens: list })),
      create: Effect.fnUntraced(function* ({ payload }) {
        const caller = yield* Caller
        const by = caller?._tag === "Operator" ? caller.label : ""
        return yield* toAdminError(
          changes.make({
            action: "token.create",
            work: tokens.create(payload, by),
            target: ({ token }) => token.id ?? "",
            given: payload,
            state: tokens.one
          })
        ).pipe(Effect.ensuring(tokens.refresh))
      }),
      revoke: ({ params: { id } }) =>
        toAdminError(
          changes.make({ action: "token.revoke", work: tokens.revoke(id), target: id, state: tokens.one })
        ).pipe(Effect.ensuring(tokens.refresh)),
      sessions: () => Effect.map(toAdminError(sessions.list), (list) => ({ sessions: list })),
      end: ({ params: { id } }) =>
        toAdminError(changes.make({ action: "session.end", work: sessions.endById(id), target: id }))
    })
  )

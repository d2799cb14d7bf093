/** Translates failures of the stores into errors of the admin API. */
import type { AccountsError } from "@plumbline/gateway/accounts/AccountsError"
import type { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { UsageQueryError } from "@plumbline/gateway/metering/usage/UsageQueryError"
import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import type { WebhookError } from "../webhooks/WebhookError.ts"
import * as AdminError from "./AdminError.ts"

type Known = AccountsError | SettingError | StateError | UsageQueryError | WebhookError

type AdminErrorOf<E> =
  | Exclude<E, Known>
  | (Extract<E, AccountsError | WebhookError> extends never ? never : AdminError.NotFound | AdminError.Conflict)
  | (Extract<E, SettingError | UsageQueryError> extends never ? never : AdminError.BadRequest)
  | (Extract<E, StateError> extends never ? never : AdminError.Unavailable)

/** Maps errors of SQL to `StateError`. */
export const stated = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, Exclude<E, SqlError> | StateError> =>
  Effect.mapError(work, (error) => (isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>)))

/** Maps the errors of the stores to errors of the API. */
export const toAdminError = <A, E, R>(asked: Effect.Effect<A, E, R>): Effect.Effect<A, AdminErrorOf<E>, R> =>
  Effect.mapError(asked, (error) => sentence(error) as AdminErrorOf<E>)

/** Maps the errors of a call that can fail with `Absent`, but with no other error of accounts or webhooks. */
export const found = <A, E, R>(
  asked: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<AdminErrorOf<E>, AdminError.Conflict>, R> =>
  Effect.catch(toAdminError(asked), (error) =>
    error instanceof AdminError.Conflict
      ? Effect.die(error)
      : Effect.fail(error as Exclude<AdminErrorOf<E>, AdminError.Conflict>)
  )

const sentence = (error: unknown): unknown => {
  switch ((error as Known)._tag) {
    case "AccountsError":
      return ofAccounts(error as AccountsError)
    case "WebhookError":
      return ofWebhooks(error as WebhookError)
    case "SettingError": {
      const { problem, setting } = error as SettingError
      return new AdminError.BadRequest({ at: setting, message: problem })
    }
    case "UsageQueryError":
      return new AdminError.BadRequest({ at: "query", message: (error as UsageQueryError).message })
    case "StateError":
      return new AdminError.Unavailable({ message: (error as StateError).message })
    default:
      return error
  }
}

const ofAccounts = ({ message, reason }: AccountsError): AdminError.NotFound | AdminError.Conflict => {
  switch (reason._tag) {
    case "Absent":
      return new AdminError.NotFound({ kind: reason.kind, id: reason.id, message })
    case "NotEmpty":
      return new AdminError.Conflict({ reason: "NotEmpty", id: reason.account, message })
    case "TooManyKeys":
      return new AdminError.Conflict({ reason: "TooManyKeys", id: reason.project, message })
    case "Ending":
      return new AdminError.Conflict({ reason: "Ending", id: reason.key, message })
    case "Taken":
      return new AdminError.Conflict({ reason: "Taken", id: reason.id, message })
  }
}

const ofWebhooks = ({ message, reason }: WebhookError): AdminError.NotFound | AdminError.Conflict => {
  switch (reason._tag) {
    case "Absent":
      return new AdminError.NotFound({ kind: "webhook", id: reason.name, message })
    case "NoEvent":
      return new AdminError.NotFound({ kind: "event", id: String(reason.event), message })
    case "Taken":
      return new AdminError.Conflict({ reason: "Taken", id: reason.name, message })
    case "Configured":
      return new AdminError.Conflict({ reason: "Configured", id: reason.name, message })
    case "TooMany":
      return new AdminError.Conflict({ reason: "TooManyWebhooks", id: "", message })
  }
}

/** Parts that the queries of accounts, projects and keys share. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import * as Running from "../clock/running.ts"
import * as Redaction from "../errors/Redaction.ts"
import { fromSql, StateError } from "../state/StateError.ts"
import * as Account from "./Account.ts"
import { AccountsError } from "./AccountsError.ts"

/** Replaces NUL in an id. No stored id contains NUL. In Postgres a query with NUL fails instead of finding nothing. */
export const plain = (id: string): string => id.replaceAll("\0", "\u{FFFD}")

export const absent = (kind: "account" | "project" | "key", id: string): Effect.Effect<never, AccountsError> =>
  Effect.fail(new AccountsError({ reason: { _tag: "Absent", kind, id: Redaction.id(id) } }))

/** True if a text can be a name or a label. */
export const isName = Schema.is(Account.Name)

/** Maps errors of SQL to `StateError`, and adds a timeout. */
export const guarded = <A, E>(
  work: Effect.Effect<A, E | SqlError>
): Effect.Effect<A, Exclude<E, SqlError> | StateError> =>
  work.pipe(
    Effect.mapError((error) => (isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>))),
    (work) => Running.timeoutOrElse(work, { duration: PATIENCE, orElse: () => Effect.fail(late) })
  )

/** Maximum time of a change or a query. Statements in Postgres and waiting for locks have shorter limits. */
const PATIENCE = Duration.seconds(40)

const late = new StateError({ problem: "Unavailable", detail: "no answer in time" })

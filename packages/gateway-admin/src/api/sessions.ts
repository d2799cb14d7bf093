/**
 * Sessions of pages. A cookie has a random secret, and the database has the secret's digest. So a session is valid in
 * every process, survives a restart, and ends in all processes at once.
 */
import { Buffer } from "node:buffer"
import { hash, randomBytes, timingSafeEqual } from "node:crypto"

import type * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as ApiKey from "@plumbline/gateway/accounts/ApiKey"
import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import type { SessionRow } from "./adminTables.ts"
import type { AdminToken } from "./AdminToken.ts"
import type { AdminIdentity, PageSession } from "./identity.ts"

/** A new session, with its secret. Only the cookie keeps the secret. */
export interface NewSession {
  readonly secret: string
  readonly session: PageSession
}

export interface AdminSessions {
  /**
   * Begins a session for an admitted caller. If an admin token or a project has too many sessions, its oldest sessions
   * end.
   */
  readonly begin: (identity: AdminIdentity) => Effect.Effect<NewSession, SqlError>
  /** Returns the caller of a session; undefined if the session, its admin token or its key has ended. */
  readonly find: (secret: string) => Effect.Effect<AdminIdentity | undefined, StateError>
  readonly end: (session: PageSession) => Effect.Effect<void, StateError>
}

/** Makes the service. The tables of `adminTables.ts` must exist. `lifetime` is in milliseconds. */
export const make = ({
  accounts,
  lifetime,
  sql,
  tokens
}: {
  readonly accounts: Accounts.AccountsService
  readonly lifetime: number
  readonly sql: SqlClient.SqlClient
  readonly tokens: ReadonlyArray<AdminToken>
}): AdminSessions => {
  const stated = <A, E>(work: Effect.Effect<A, E | SqlError>) =>
    Effect.mapError(work, (error): Exclude<E, SqlError> | StateError =>
      isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>)
    )

  /** Returns the caller; undefined if the admin token is no longer accepted, or the key has ended. */
  const present = Effect.fnUntraced(function* (
    row: SessionRow,
    session: PageSession
  ): Effect.fn.Return<AdminIdentity | undefined, StateError> {
    const { label, project, token } = row
    if (project === "") {
      const isAccepted = tokens.some((known) => known.label === label && proofOf(known) === token)
      return isAccepted ? { _tag: "Operator", label, session } : undefined
    }
    const keys = yield* accounts.keys(project)
    return keys.some(({ id }) => id === token) ? { _tag: "Owner", project, key: token, session } : undefined
  })

  return {
    begin: Effect.fnUntraced(function* (identity) {
      const now = yield* Clock.currentTimeMillis
      const secret = randomBytes(32).toString("base64url")
      const session = sessionOf(secret, now + lifetime)
      const owner =
        identity._tag === "Operator"
          ? {
              label: identity.label,
              project: "",
              token: proofOf(tokens.find(({ label }) => label === identity.label)!)
            }
          : { label: "", project: identity.project, token: identity.key }
      const row: SessionRow = { digest: session.digest, ...owner, begun_at: now, ends_at: session.endsAt }
      yield* sql`DELETE FROM admin_sessions WHERE ends_at <= ${now}`
      yield* sql`
        DELETE FROM admin_sessions WHERE digest IN (
          SELECT digest FROM admin_sessions WHERE label = ${owner.label} AND project = ${owner.project}
          ORDER BY begun_at DESC, digest LIMIT ${MAX_SESSIONS} OFFSET ${MAX_SESSIONS - 1}
        )`
      yield* sql`INSERT INTO admin_sessions ${sql.insert(row)}`
      return { secret, session }
    }),
    find: (secret) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* sql<SessionRow>`
          SELECT * FROM admin_sessions WHERE digest = ${digestOf(secret)} AND ends_at > ${now}`
        return row === undefined ? undefined : yield* present(row, sessionOf(secret, row.ends_at))
      }).pipe(stated),
    end: ({ digest }) => Effect.asVoid(stated(sql`DELETE FROM admin_sessions WHERE digest = ${digest}`))
  }
}

/** Maximum number of sessions of one token, or of one project. */
const MAX_SESSIONS = 50

/** The form of a secret: 256 random bits. */
const SECRET = /^[A-Za-z0-9_-]{43}$/u

export const isSecret = (text: string): boolean => SECRET.test(text)

/** True if `text` is the CSRF token of the session with this secret. The check needs no database query. */
export const isCsrf = (secret: string, text: string | undefined): boolean => {
  const expected = Buffer.from(csrfOf(secret))
  const given = Buffer.from(text ?? "")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const sessionOf = (secret: string, endsAt: number): PageSession => ({
  digest: digestOf(secret),
  csrf: csrfOf(secret),
  endsAt
})

const digestOf = (secret: string): string => hash("sha256", `session ${secret}`, "hex")

const csrfOf = (secret: string): string => hash("sha256", `csrf ${secret}`, "base64url")

/** Returns a text that distinguishes admin tokens with the same label. It is stored in place of the token's digest. */
const proofOf = ({ digest }: AdminToken): string => ApiKey.digest(`session ${digest}`)

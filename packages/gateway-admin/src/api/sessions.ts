/**
 * Sessions of pages. A cookie has a random secret, and the database has the secret's digest. So a session is valid in
 * every process, survives a restart, and ends in all processes at once.
 */
import { Buffer } from "node:buffer"
import { hash, randomBytes, timingSafeEqual } from "node:crypto"

import type * as Accounts from "@plumbline/gateway/accounts/Accounts"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import * as AdminError from "./AdminError.ts"
import type { AdminIdentity, PageSession } from "./adminIdentity.ts"
import type { OpenSession } from "./AdminOperators.ts"
import type { AdminGrant } from "./AdminRole.ts"
import type { SessionRow } from "./adminTables.ts"
import type { OperatorTokens } from "./operatorTokens.ts"
import { stated } from "./storeFailures.ts"

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
  readonly begin: (identity: AdminIdentity, address: string | null) => Effect.Effect<NewSession, SqlError>
  /** Returns the caller of a session; undefined if the session, its admin token or its key has ended. */
  readonly find: (secret: string) => Effect.Effect<AdminIdentity | undefined, StateError>
  readonly end: (session: PageSession) => Effect.Effect<void, StateError>
  /** Returns the open sessions, newest first, at most 1000. */
  readonly list: Effect.Effect<ReadonlyArray<OpenSession>, StateError>
  /** Ends the session with this id of `list`. */
  readonly endById: (id: string) => Effect.Effect<void, AdminError.NotFound | SqlError>
}

/** The grants of people who sign in at an identity provider. */
export interface MemberGrants {
  /** A digest of the provider and the client. With another one, all sessions of the provider end. */
  readonly credential: string
  /** Returns the grants of groups. */
  readonly of: (groups: ReadonlyArray<string>) => ReadonlyArray<AdminGrant>
}

/** Makes the service. The tables of `adminTables.ts` must exist. `lifetime` is in milliseconds. */
export const make = ({
  accounts,
  lifetime,
  members,
  sql,
  tokens
}: {
  readonly accounts: Accounts.AccountsService
  readonly lifetime: number
  /** Undefined without an identity provider. */
  readonly members: MemberGrants | undefined
  readonly sql: SqlClient.SqlClient
  readonly tokens: Pick<OperatorTokens, "ofSession">
}): AdminSessions => {
  /** Returns the caller; undefined if the token or the groups are no longer accepted, or the key has ended. */
  const present = Effect.fnUntraced(function* (
    row: SessionRow,
    session: PageSession
  ): Effect.fn.Return<AdminIdentity | undefined, StateError> {
    const { label, member_of, project, token: credential } = row
    if (project !== "") {
      const keys = yield* accounts.keys(project)
      return keys.some(({ id }) => id === credential)
        ? { _tag: "Project", project, key: credential, session }
        : undefined
    }
    if (member_of !== null) {
      const groups = JSON.parse(member_of) as ReadonlyArray<string>
      const grants = members?.credential === credential ? members.of(groups) : []
      return grants.length === 0 ? undefined : { _tag: "Operator", label, credential, grants, groups, session }
    }
    const token = yield* tokens.ofSession(label, credential)
    return token && { _tag: "Operator", label, credential, grants: [token.grant], session }
  })

  return {
    begin: Effect.fnUntraced(function* (identity, address) {
      const now = yield* Clock.currentTimeMillis
      const secret = randomBytes(32).toString("base64url")
      const session = sessionOf(secret, now + lifetime)
      const owner =
        identity._tag === "Operator"
          ? { label: identity.label, project: "", token: identity.credential, member_of: textOf(identity.groups) }
          : { label: "", project: identity.project, token: identity.key, member_of: null }
      const row: SessionRow = { digest: session.digest, ...owner, begun_at: now, ends_at: session.endsAt, address }
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
          SELECT digest, label, project, token, begun_at, ends_at, member_of, address FROM admin_sessions WHERE digest = ${digestOf(secret)} AND ends_at > ${now}`
        return row === undefined ? undefined : yield* present(row, sessionOf(secret, row.ends_at))
      }).pipe(stated),
    end: ({ digest }) => Effect.asVoid(stated(sql`DELETE FROM admin_sessions WHERE digest = ${digest}`)),
    list: stated(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          sql<SessionRow>`
            SELECT digest, label, project, token, begun_at, ends_at, member_of, address FROM admin_sessions WHERE ends_at > ${now} ORDER BY begun_at DESC, digest LIMIT ${MAX_LISTED}`,
          (rows) => rows.map(shown)
        )
      )
    ),
    endById: Effect.fnUntraced(function* (id) {
      const gone = /^[0-9a-f]{64}$/u.test(id)
        ? yield* sql`DELETE FROM admin_sessions WHERE digest = ${id} RETURNING digest`
        : []
      if (gone.length > 0) return
      return yield* new AdminError.NotFound({ kind: "session", id: null, message: "there is no session with this id" })
    })
  }
}

/** The digest is no secret: a cookie must hold the text that it was made of. */
const shown = (row: SessionRow): OpenSession => ({
  id: row.digest,
  label: row.project === "" ? row.label : null,
  project: row.project === "" ? null : row.project,
  address: row.address,
  begunAt: row.begun_at,
  endsAt: row.ends_at
})

const textOf = (groups: ReadonlyArray<string> | undefined): string | null =>
  groups === undefined ? null : JSON.stringify(groups)

const MAX_LISTED = 1000

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

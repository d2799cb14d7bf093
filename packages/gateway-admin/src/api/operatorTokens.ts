/** The admin tokens that owners create while the service runs. The database has their digests. */
import { randomUUID } from "node:crypto"

import * as ApiKey from "@plumbline/gateway/accounts/ApiKey"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import * as AdminError from "./AdminError.ts"
import type * as AdminOperators from "./AdminOperators.ts"
import * as AdminRole from "./AdminRole.ts"
import type { TokenRow } from "./adminTables.ts"
import type { AdminToken } from "./AdminToken.ts"
import * as Token from "./AdminToken.ts"
import { stated } from "./storeFailures.ts"

/** A token that is accepted now. */
export interface AcceptedToken {
  readonly label: string
  readonly grant: AdminRole.AdminGrant
  /** A text that distinguishes tokens with the same label. Sessions store it in place of the token's digest. */
  readonly credential: string
}

export interface OperatorTokens {
  /** Returns the accepted token with this digest, except those of the configuration. */
  readonly find: (digest: string) => Effect.Effect<AcceptedToken | undefined, StateError>
  /** Returns the accepted token of a session, those of the configuration included. */
  readonly ofSession: (label: string, credential: string) => Effect.Effect<AcceptedToken | undefined, StateError>
  readonly configured: (label: string) => AcceptedToken | undefined
  /** Returns all tokens that have not been revoked. */
  readonly list: Effect.Effect<ReadonlyArray<typeof AdminOperators.OperatorToken.Type>, StateError>
  readonly one: (id: string) => Effect.Effect<typeof AdminOperators.OperatorToken.Type | undefined, StateError>
  /** Creates a token. A label can be used once, so that the audit log names one token. */
  readonly create: (
    given: typeof AdminOperators.NewOperatorToken.Type,
    by: string
  ) => Effect.Effect<
    { readonly token: typeof AdminOperators.OperatorToken.Type; readonly secret: Redacted.Redacted },
    AdminError.BadRequest | AdminError.Conflict | SqlError
  >
  readonly revoke: (id: string) => Effect.Effect<void, AdminError.NotFound | SqlError>
  /** Makes changes of this process take effect at once. */
  readonly refresh: Effect.Effect<void>
}

/** Makes the service. The tables of `adminTables.ts` must exist. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  tokens: ReadonlyArray<AdminToken>
): Effect.fn.Return<OperatorTokens> {
  const [rows, refresh] = yield* Effect.cachedInvalidateWithTTL(
    stated(sql<TokenRow>`SELECT ${sql.literal(COLUMNS)} FROM admin_tokens ORDER BY created_at, label`),
    AGE
  )
  const accepted = Effect.zipWith(rows, Clock.currentTimeMillis, (all, now) =>
    all.filter(({ expires_at }) => expires_at === null || expires_at > now)
  )
  const found = (isWanted: (token: TokenRow) => boolean) =>
    Effect.map(accepted, (all) => {
      const row = all.find(isWanted)
      return row === undefined ? undefined : { label: row.label, grant: grantOf(row), credential: credentialOf(row) }
    })
  const ofConfiguration = (isWanted: (token: AdminToken) => boolean): AcceptedToken | undefined => {
    const token = tokens.find(isWanted)
    return token && { label: token.label, grant: AdminRole.owner, credential: credentialOf(token) }
  }
  return {
    find: (digest) => found((row) => row.digest === digest),
    ofSession: (label, credential) => {
      const isSame = (one: AdminToken) => one.label === label && credentialOf(one) === credential
      const known = ofConfiguration(isSame)
      return known === undefined ? found(isSame) : Effect.succeed(known)
    },
    configured: (label) => ofConfiguration((token) => token.label === label),
    list: Effect.map(rows, (all) => [...tokens.map(ofFile), ...all.map(shown)]),
    one: (id) =>
      Effect.map(stated(sql<TokenRow>`SELECT ${sql.literal(COLUMNS)} FROM admin_tokens WHERE id = ${id}`), ([row]) =>
        row === undefined ? undefined : shown(row)
      ),
    create: Effect.fnUntraced(function* ({ expiresAt = null, label, projects = null, role }, by) {
      const grant = { role, ...(projects === null ? {} : { projects }) }
      const problem = AdminRole.problemOf(grant)
      if (problem !== undefined) return yield* new AdminError.BadRequest({ at: "payload.projects", message: problem })
      const now = yield* Clock.currentTimeMillis
      if (expiresAt !== null && expiresAt <= now) {
        return yield* new AdminError.BadRequest({ at: "payload.expiresAt", message: "must be in the future" })
      }
      const secret = Token.generate()
      const row: TokenRow = {
        id: randomUUID(),
        label,
        digest: ApiKey.digest(Redacted.value(secret)),
        role,
        projects: projects === null ? null : JSON.stringify(projects),
        created_at: now,
        created_by: by,
        expires_at: expiresAt
      }
      const [{ count } = { count: 0 }] = yield* sql<{ readonly count: number | string }>`
        SELECT count(*) AS count FROM admin_tokens`
      if (Number(count) >= MAX_TOKENS) {
        const message = `there are ${MAX_TOKENS} tokens: revoke some`
        return yield* new AdminError.Conflict({ reason: "TooManyTokens", id: label, message })
      }
      const isTaken = tokens.some((token) => token.label === label)
      const made = isTaken
        ? []
        : yield* sql`INSERT INTO admin_tokens ${sql.insert(row)} ON CONFLICT (label) DO NOTHING RETURNING id`
      if (made.length > 0) return { token: shown(row), secret }
      return yield* new AdminError.Conflict({ reason: "Taken", id: label, message: "another token has this label" })
    }),
    revoke: Effect.fnUntraced(function* (id) {
      const gone = yield* sql`DELETE FROM admin_tokens WHERE id = ${id} RETURNING id`
      if (gone.length > 0) return
      return yield* new AdminError.NotFound({
        kind: "token",
        id: Redaction.id(id),
        message: "there is no admin token with this id"
      })
    }),
    refresh
  }
})

const COLUMNS = "id, label, digest, role, projects, created_at, created_by, expires_at"

/** Time for which a process uses the tokens that it read. A revoked token is refused in every process after it. */
const AGE = "1 second"

const MAX_TOKENS = 1000

const credentialOf = ({ digest }: Pick<AdminToken, "digest">): string => ApiKey.digest(`session ${digest}`)

const grantOf = ({ projects, role }: TokenRow): AdminRole.AdminGrant =>
  projects === null ? { role } : { role, projects: JSON.parse(projects) as ReadonlyArray<string> }

const ofFile = ({ label }: AdminToken): typeof AdminOperators.OperatorToken.Type => ({
  id: null,
  label,
  role: "owner",
  projects: null,
  createdAt: null,
  createdBy: null,
  expiresAt: null
})

const shown = (row: TokenRow): typeof AdminOperators.OperatorToken.Type => ({
  id: row.id,
  label: row.label,
  role: row.role,
  projects: grantOf(row).projects ?? null,
  createdAt: row.created_at,
  createdBy: row.created_by,
  expiresAt: row.expires_at
})

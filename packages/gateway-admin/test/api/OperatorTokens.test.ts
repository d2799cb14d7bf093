/** Admin tokens that owners create: their life, in every process, and what the audit log says of them. */
import { assert, describe, it } from "@effect/vitest"
import { Gateway } from "@plumbline/gateway"
import { AdminClient } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { Clock, Context, Effect, Exit, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Admin from "../support/admin.ts"

/** When a token of the tests expires, in milliseconds since 1970 UTC. */
const EXPIRES = 1_800_000_000_000

const fresh = (database: Databases.Database, loggers: ReadonlyArray<Logger.Logger<unknown, unknown>> = []) =>
  Layer.build(Layer.fresh(Admin.service(Layer.fresh(database.layer), {}, loggers)))

const clientOf = (context: Context.Context<Gateway.Gateway>, token: string | Redacted.Redacted = Admin.TOKEN) =>
  AdminClient.make({
    url: Context.get(context, Gateway.Gateway).url,
    token: typeof token === "string" ? Redacted.make(token) : token
  }).pipe(Effect.provide(FetchHttpClient.layer))

describe.each(Databases.kinds)("admin tokens over $name", (kind) => {
  it.effect.skipIf(kind.skipped)("end in the future, are listed as they were created, and are 1000 at most", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const first = yield* fresh(yield* kind.fresh)
      const { operators } = yield* clientOf(first)
      const past = operators.create({ payload: { label: "past", role: "support", expiresAt: 1_800_000_000_000 } })
      assert.deepInclude(yield* Effect.flip(past), { _tag: "BadRequest", at: "payload.expiresAt" })
      const sql = Context.get(first, SqlClient.SqlClient)
      yield* operators.create({ payload: { label: "z", role: "support" } })
      yield* TestClock.setTime(1_800_000_000_001)
      yield* operators.create({ payload: { label: "a", role: "support" } })
      const { tokens } = yield* operators.tokens()
      assert.deepStrictEqual(
        tokens.map(({ label }) => label),
        ["ops", "billing", "z", "a"]
      )
      const rows = Array.from({ length: 997 }, (_, at) => ({
        id: `id-${at}`,
        label: `label-${at}`,
        digest: `digest-${at}`,
        role: "support",
        created_at: 0,
        created_by: "ops"
      }))
      yield* sql`INSERT INTO admin_tokens ${sql.insert([rows[0]!, ...rows.slice(1)])}`
      yield* operators.create({ payload: { label: "last", role: "support" } })
      const more = operators.create({ payload: { label: "more", role: "support" } })
      assert.deepInclude(yield* Effect.flip(more), { _tag: "Conflict", reason: "TooManyTokens" })
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(kind.skipped)("are created, used in every process, expire and are revoked", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(EXPIRES - 60_000)
      // Time goes on by itself, in small steps: a long one would end the queries that are under way, and without any step
      // their next try would wait for ever.
      const pause = TestClock.withLive(Effect.sleep("10 millis"))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, TestClock.adjust("10 millis"))))
      const logged: Array<string> = []
      const logger = Logger.map(Logger.formatStructured, (entry) => void logged.push(JSON.stringify(entry)))
      const database = yield* kind.fresh
      const first = yield* fresh(database, [logger])
      const owner = yield* clientOf(first)
      const { secret, token } = yield* owner.operators.create({
        payload: { label: "support", role: "support", expiresAt: EXPIRES }
      })
      const kept = (yield* owner.operators.create({ payload: { label: "kept", role: "owner" } })).secret
      assert.match(Redacted.value(secret), /^[0-9a-f]{64}$/u)
      const { tokens } = yield* owner.operators.tokens()
      assert.sameDeepMembers(
        tokens.map(({ createdBy, expiresAt, id, label, role }) => [label, role, id === null, createdBy, expiresAt]),
        [
          ["ops", "owner", true, null, null],
          ["billing", "owner", true, null, null],
          ["kept", "owner", false, "ops", null],
          ["support", "support", false, "ops", EXPIRES]
        ]
      )
      // Labels are unique, also beside those of the configuration.
      for (const label of ["support", "ops"]) {
        const taken = yield* Effect.flip(owner.operators.create({ payload: { label, role: "support" } }))
        assert.deepInclude(taken, { _tag: "Conflict", reason: "Taken", id: label })
      }
      const support = yield* clientOf(first, secret)
      const second = yield* fresh(database)
      const elsewhere = yield* clientOf(second, secret)
      yield* support.projects.list({ query: {} })
      yield* elsewhere.projects.list({ query: {} })
      // The database has no token in plain text.
      const sql = Context.get(first, SqlClient.SqlClient)
      const rows = JSON.stringify([yield* sql`SELECT * FROM admin_tokens`, yield* sql`SELECT * FROM admin_audit`])
      for (const text of [Redacted.value(secret), Redacted.value(kept)]) {
        assert.notInclude(rows, text)
        assert.notInclude(logged.join("\n"), text)
      }
      // It expires in every process, whatever they remember.
      while ((yield* Clock.currentTimeMillis) < EXPIRES) yield* Effect.andThen(pause, TestClock.adjust("1 second"))
      assert.strictEqual((yield* Effect.flip(support.projects.list({ query: {} })))._tag, "Unauthorized")
      assert.strictEqual((yield* Effect.flip(elsewhere.projects.list({ query: {} })))._tag, "Unauthorized")
      // A revoked token is refused here at once, and in another process after a second.
      const other = yield* clientOf(first, kept)
      const there = yield* clientOf(second, kept)
      yield* there.operators.tokens()
      const id = tokens.find(({ label }) => label === "kept")!.id!
      yield* other.operators.revoke({ params: { id } })
      assert.strictEqual((yield* Effect.flip(other.operators.tokens()))._tag, "Unauthorized")
      const revokedAt = yield* Clock.currentTimeMillis
      while (Exit.isSuccess(yield* Effect.exit(there.operators.tokens()))) {
        assert.isBelow((yield* Clock.currentTimeMillis) - revokedAt, 5000)
        yield* pause
      }
      assert.strictEqual((yield* Effect.flip(there.operators.tokens()))._tag, "Unauthorized")
      assert.strictEqual((yield* Effect.flip(owner.operators.revoke({ params: { id } })))._tag, "NotFound")
      const { entries } = yield* owner.service.audit({ query: {} })
      assert.deepStrictEqual(
        entries.map(({ action, by, target }) => [action, by, target]),
        [
          ["token.revoke", "kept", id],
          ["token.create", "ops", id],
          ["token.create", "ops", token.id]
        ]
      )
      assert.deepInclude(entries[2]!.after, { label: "support", role: "support" })
      assert.isNull(entries[2]!.before)
      assert.deepInclude(entries[0]!.before, { label: "kept", role: "owner" })
      assert.isNull(entries[0]!.after)
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("end their sessions, and owners end single ones", () =>
    Effect.gen(function* () {
      const context = yield* fresh(yield* kind.fresh)
      const { url } = Context.get(context, Gateway.Gateway)
      const owner = yield* clientOf(context)
      const { secret, token } = yield* owner.operators.create({ payload: { label: "page", role: "read-only" } })
      const begin = Effect.promise(async () => {
        const authorization = `Bearer ${Redacted.value(secret)}`
        const answer = await fetch(`${url}/admin/v1/session`, { method: "POST", headers: { authorization } })
        return answer.headers.getSetCookie()[0]!.split(";")[0]!
      })
      const statusOf = (cookie: string) =>
        Effect.promise(async () => (await fetch(`${url}/admin/v1/session`, { headers: { cookie } })).status)
      const [one, other] = [yield* begin, yield* begin]
      const { sessions } = yield* owner.operators.sessions()
      assert.deepStrictEqual(
        sessions.map(({ address, label, project }) => [label, project, address]),
        [
          ["page", null, "127.0.0.1"],
          ["page", null, "127.0.0.1"]
        ]
      )
      for (const cookie of [one, other]) assert.notInclude(JSON.stringify(sessions), cookie.split("=")[1]!)
      yield* owner.operators.end({ params: { id: sessions[0]!.id } })
      const statuses = [yield* statusOf(one), yield* statusOf(other)]
      assert.sameMembers(statuses, [200, 401])
      const absent = yield* Effect.flip(owner.operators.end({ params: { id: "none" } }))
      assert.strictEqual(absent._tag, "NotFound")
      yield* owner.operators.revoke({ params: { id: token.id! } })
      assert.deepStrictEqual([yield* statusOf(one), yield* statusOf(other)], [401, 401])
    }).pipe(Effect.scoped)
  )
})

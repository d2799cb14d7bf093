/** Checks that after a change, a process queries only the keys that the change concerns. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, Allowlist, ApiKey, Migrations } from "@plumbline/gateway"
import { BillingCards } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { AccountsTables } from "@plumbline/gateway/support/internals"
import { Clock, Context, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Stripe from "../support/stripe.ts"

const NOW = 1_794_268_800

/** Makes another store, as in another process. It counts the keys that it queries from the database. */
const join = Effect.fnUntraced(function* (database: Databases.Database) {
  const asked = { count: 0 }
  const counted = Layer.effect(
    SqlClient.SqlClient,
    Effect.map(
      SqlClient.SqlClient,
      (sql) =>
        new Proxy(sql, {
          apply: (target, self, given: Array<unknown>) => {
            if (String(given[0]).includes("WHERE k.digest =")) asked.count += 1
            return Reflect.apply(target, self, given)
          }
        })
    )
  ).pipe(Layer.provide(database.layer))
  const layer = BillingCards.layer({ webhookSecret: Redacted.make(Stripe.SECRET) }).pipe(
    Layer.provideMerge(Accounts.layer()),
    Layer.provideMerge(counted)
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  return {
    accounts: Context.get(context, Accounts.Accounts),
    cards: Context.get(context, BillingCards.BillingCards),
    sql: Context.get(context, SqlClient.SqlClient),
    asked
  }
})

interface Made {
  readonly account: string
  readonly project: string
  readonly key: string
}

/** Creates 1,000 keys in 100 projects of ten accounts, in one transaction. */
const fill = Effect.fnUntraced(function* ({ accounts, sql }: Effect.Success<ReturnType<typeof join>>) {
  const made: Array<Made> = []
  yield* sql.withTransaction(
    Effect.gen(function* () {
      for (let a = 0; a < 10; a++) {
        const { id: account } = yield* accounts.createAccount({ name: `account ${a}` })
        for (let p = 0; p < 10; p++) {
          const { issued, project } = yield* accounts.createProject({ account, name: `project ${a} ${p}` })
          made.push({ account, project: project.id, key: Redacted.value(issued.apiKey) })
          for (let k = 1; k < 10; k++) {
            const { apiKey } = yield* accounts.issueKey(project.id)
            made.push({ account, project: project.id, key: Redacted.value(apiKey) })
          }
        }
      }
    })
  )
  return made
})

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`accounts over ${name}`, () => {
    it.effect("after a change each process asks again for the keys that it concerns, and for no others", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const database = yield* fresh
        const here = yield* join(database)
        const made = yield* fill(here)
        const there = yield* join(database)
        /** Looks up all keys, and returns the holders and the number of keys that needed a query. */
        const askedFor = Effect.fnUntraced(function* (process: typeof here) {
          const before = process.asked.count
          const found = yield* Effect.forEach(made, ({ key }) => process.accounts.lookup(key), { concurrency: 20 })
          return { count: process.asked.count - before, found }
        })
        const isRemembered = (key: string) => Exit.isExit(there.accounts.lookup(key))
        /** Waits until the other process has seen the changes. The clock advances by less than a second. */
        const seen = Effect.fnUntraced(function* (key: string) {
          assert.isTrue(isRemembered(key))
          yield* TestClock.adjust("400 millis")
          yield* Effect.repeat(turn, { until: () => !isRemembered(key) })
          for (let n = 0; n < 10; n++) yield* turn
        })
        const [one, other] = [made[0]!, made[555]!]
        assert.strictEqual((yield* askedFor(there)).count, 1000)
        assert.strictEqual((yield* askedFor(there)).count, 0)

        // After a change of a project, only the project's ten keys are queried again.
        yield* here.accounts.updateProject(one.project, { suspended: true })
        yield* seen(one.key)
        const after = yield* askedFor(there)
        assert.strictEqual(after.count, 10)
        for (const [n, holder] of after.found.entries()) {
          assert.strictEqual(holder?.project.suspended, made[n]!.project === one.project)
        }

        // Two changes between two polls: one key is revoked, another is rotated.
        const revoked = made[99]!
        const keyOf = Effect.fnUntraced(function* ({ key }: Made) {
          return (yield* here.accounts.lookup(key))!.key.id
        })
        yield* here.accounts.revokeKey(yield* keyOf(revoked))
        const rotated = yield* here.accounts.rotateKey(yield* keyOf(other), { overlap: 0 })
        yield* seen(revoked.key)
        const gone = yield* askedFor(there)
        assert.strictEqual(gone.count, 20)
        assert.deepStrictEqual(
          made.filter((_, n) => gone.found[n] === undefined),
          [revoked, other]
        )
        assert.isDefined(yield* there.accounts.lookup(Redacted.value(rotated.apiKey)))

        // The card of an account, changed by an operator and by the provider.
        const carded = made[300]!
        yield* here.accounts.updateAccount(carded.account, { card: true })
        yield* seen(carded.key)
        assert.strictEqual((yield* askedFor(there)).count, 100)
        yield* here.cards.link(carded.account, "cus_other")
        const stripe = new Stripe.Stripe(1, NOW)
        stripe.attach("cus_other", Stripe.VISA)
        const payload = Stripe.bytesOf(stripe.events[0])
        const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const signature = yield* Effect.promise(() => Stripe.sign(payload, seconds))
        assert.strictEqual(yield* here.cards.receive(payload, signature), "Changed")
        yield* seen(carded.key)
        assert.strictEqual((yield* askedFor(there)).count, 100)

        // This key is looked up before it is created. The cache knows no other key of its project.
        const pair = ApiKey.generate()
        const [adopted, unknown] = [Redacted.value(pair.key), "nobody's"]
        for (const key of [adopted, unknown]) assert.isUndefined(yield* there.accounts.lookup(key))
        yield* here.accounts.adopt(one.account, { id: "adopted", name: "adopted", ...ApiKey.digests(pair) })
        yield* seen(adopted)
        assert.strictEqual((yield* askedFor(there)).count, 0)
        assert.strictEqual((yield* there.accounts.lookup(adopted))?.project.id, "adopted")
        assert.isTrue(isRemembered(unknown))

        // After a rolled-back change, no key is queried again. A process sees its own changes at once.
        const failed = there.accounts.createProject({ account: "nobody", name: "x" })
        assert.strictEqual((yield* Effect.flip(failed))._tag, "AccountsError")
        assert.strictEqual((yield* askedFor(there)).count, 0)
        yield* there.accounts.updateProject(one.project, { suspended: false })
        const own = yield* askedFor(there)
        assert.strictEqual(own.count, 10)
        assert.isFalse(own.found[0]?.project.suspended)
        yield* seen(one.key)
        assert.strictEqual((yield* askedFor(there)).count, 10)

        // A process of an older version counts its change and does not log it.
        yield* here.sql.withTransaction(
          Effect.andThen(
            here.sql`UPDATE accounts_revision SET revision = revision + 1`,
            here.sql`UPDATE projects SET suspended = 1 WHERE id = ${other.project}`
          )
        )
        yield* seen(one.key)
        const beside = yield* askedFor(there)
        assert.strictEqual(beside.count, 1000)
        assert.isTrue(beside.found[550]?.project.suspended)

        // Between two polls there are more changes than the log keeps.
        yield* here.accounts.updateProject(one.project, { name: "before" })
        yield* seen(one.key)
        yield* askedFor(there)
        yield* here.sql.withTransaction(
          Effect.repeat(here.accounts.updateProject(one.project, { name: "after" }), { times: 1000 })
        )
        yield* seen(other.key)
        const pruned = yield* askedFor(there)
        assert.strictEqual(pruned.count, 1000)
        assert.strictEqual(pruned.found[0]?.project.name, "after")
        assert.strictEqual((yield* here.sql`SELECT revision FROM accounts_changes`).length, 1000)
        yield* here.accounts.updateProject(one.project, { name: "one more" })
        assert.strictEqual((yield* here.sql`SELECT revision FROM accounts_changes`).length, 1000)
        yield* seen(one.key)
        assert.strictEqual((yield* askedFor(there)).count, 10)
      }).pipe(Effect.scoped)
    )

    it.effect("a database of an older version gets the log of changes, and keeps what it has", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const { migrations } = AccountsTables
        const older = { ...migrations, steps: migrations.steps.slice(0, 3) }
        const pair = ApiKey.generate()
        const { keyHash, keyStart, secretHash } = ApiKey.digests(pair)
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* Migrations.run(older), 3)
          const sql = yield* SqlClient.SqlClient
          yield* sql`UPDATE accounts_revision SET revision = 7`
          yield* sql`INSERT INTO accounts ${sql.insert({ id: "a", name: "Ada", card: 0, card_until: null })}`
          yield* sql`INSERT INTO projects ${sql.insert({
            id: "p",
            account: "a",
            name: "wallet",
            suspended: 0,
            secret_required: 0,
            allowlist: JSON.stringify(Allowlist.none),
            limits: "{}"
          })}`
          yield* sql`INSERT INTO keys ${sql.insert({
            id: "k",
            project: "p",
            digest: keyHash,
            secret_hash: secretHash,
            start: keyStart,
            created_at: 1,
            ends_at: null
          })}`
        }).pipe(Effect.provide(database.layer))
        const { accounts, sql } = yield* join(database)
        const key = Redacted.value(pair.key)
        assert.strictEqual((yield* accounts.lookup(key))?.project.name, "wallet")
        assert.isTrue((yield* accounts.updateProject("p", { suspended: true })).suspended)
        assert.isTrue((yield* accounts.lookup(key))?.project.suspended)
        const rows = yield* sql`SELECT revision, project, account, digest FROM accounts_changes`
        assert.deepStrictEqual(rows.map(Object.entries), [
          Object.entries({ revision: 8, project: "p", account: null, digest: null })
        ])
        assert.deepStrictEqual(yield* sql`SELECT revision FROM accounts_revision`.values, [[8]])
      }).pipe(Effect.scoped)
    )
  })
}

/** The label, the expiry and the limits of a key, over both databases. */
import { assert, describe, it } from "@effect/vitest"
import { type Account, Accounts, Allowlist, ApiKey, Migrations } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as AccountsTables from "../../src/accounts/accountsTables.ts"
import * as Databases from "../support/databases.ts"

/** Makes another store, as in another process. */
const join = (database: Databases.Database) =>
  Effect.map(Layer.build(Layer.fresh(Accounts.layer().pipe(Layer.provide(database.layer)))), (context) =>
    Context.get(context, Accounts.Accounts)
  )

const NOW = 1_800_000_000_000

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`settings of keys over ${name}`, () => {
    const start = Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const database = yield* fresh
      const accounts = yield* join(database)
      const { id: account } = yield* accounts.createAccount({ name: "Ada" })
      const { issued, project } = yield* accounts.createProject({ account, name: "wallet" })
      return { database, accounts, project, first: issued }
    })

    it.effect("are stored as given, change one by one, and reach other processes within a second", () =>
      Effect.gen(function* () {
        const { accounts, database, project } = yield* start
        const there = yield* join(database)
        const settings = {
          label: "contractor 👷",
          expiresAt: NOW + 60_000,
          limits: { requestsPerSecond: 5, burst: 20, creditsPerDay: 1000 }
        }
        const { apiKey, key } = yield* accounts.issueKey(project.id, settings)
        assert.deepStrictEqual({ ...key, ...settings }, key)
        assert.deepStrictEqual((yield* there.lookup(Redacted.value(apiKey)))?.key, key)
        assert.deepStrictEqual(yield* accounts.key(key.id), key)
        const changed = yield* accounts.updateKey(key.id, { limits: { creditsPerDay: 7 } })
        assert.deepStrictEqual(changed, { ...key, limits: { creditsPerDay: 7 } })
        assert.deepStrictEqual((yield* accounts.lookup(Redacted.value(apiKey)))?.key, changed)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual((yield* there.lookup(Redacted.value(apiKey)))?.key, changed)
        const bare = yield* accounts.updateKey(key.id, { label: null, expiresAt: null, limits: {} })
        assert.deepStrictEqual(bare, { ...key, label: null, expiresAt: null, limits: {} })
        assert.deepInclude(yield* accounts.keys(project.id), bare)
      }).pipe(Effect.scoped)
    )

    it.effect("of an account are kept with it, replaced as a whole, and reach other processes within a second", () =>
      Effect.gen(function* () {
        const { accounts, database, first, project } = yield* start
        const there = yield* join(database)
        const apiKey = Redacted.value(first.apiKey)
        const limitsOf = (store: Accounts.AccountsService) =>
          Effect.map(store.lookup(apiKey), (holder) => holder?.account.limits)
        assert.isUndefined(yield* limitsOf(there))
        const limits = { requestsPerSecond: 5, burst: 20, creditsPerDay: 1000 }
        const changed = yield* accounts.updateAccount(project.account, { limits })
        assert.deepStrictEqual(changed, { id: project.account, name: "Ada", card: false, limits })
        assert.deepStrictEqual(yield* limitsOf(accounts), limits)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* limitsOf(there), limits)
        assert.deepStrictEqual((yield* accounts.updateAccount(project.account, { name: "Ada L." })).limits, limits)
        const less = yield* accounts.updateAccount(project.account, { limits: { creditsPerDay: 7 } })
        assert.deepStrictEqual([less.limits, yield* accounts.account(project.account)], [{ creditsPerDay: 7 }, less])
        const none = yield* accounts.updateAccount(project.account, { limits: {} })
        assert.notProperty(none, "limits")
        const wrong = yield* Effect.flip(accounts.updateAccount(project.account, { limits: { creditsPerDay: -1 } }))
        assert.strictEqual(wrong._tag, "SettingError")
        const made = yield* accounts.createAccount({ name: "Bob", limits })
        assert.deepStrictEqual(yield* accounts.account(made.id), { ...made, limits })
      }).pipe(Effect.scoped)
    )

    it.effect("end a key at its expiry, to the millisecond, in every process, without a change", () =>
      Effect.gen(function* () {
        const { accounts, database, first, project } = yield* start
        const there = yield* join(database)
        const { apiKey, key } = yield* accounts.issueKey(project.id, { expiresAt: NOW + 5000 })
        const found = (store: Accounts.AccountsService) =>
          Effect.map(store.lookup(Redacted.value(apiKey)), (one) => one?.key.id)
        yield* TestClock.setTime(NOW + 4999)
        assert.deepStrictEqual([yield* found(accounts), yield* found(there)], [key.id, key.id])
        yield* TestClock.setTime(NOW + 5000)
        assert.deepStrictEqual([yield* found(accounts), yield* found(there)], [undefined, undefined])
        assert.deepStrictEqual(yield* accounts.keys(project.id), [first.key])
        assert.isUndefined(yield* accounts.key(key.id))
        for (const refused of [
          accounts.updateKey(key.id, { expiresAt: null }),
          accounts.rotateKey(key.id, { overlap: "1 hour" })
        ]) {
          const error = yield* Effect.flip<unknown, { readonly _tag: string }, never>(refused)
          assert.strictEqual(error._tag, "AccountsError")
        }
        assert.isUndefined(yield* found(accounts), "it does not come back")
      }).pipe(Effect.scoped)
    )

    it.effect("of expired keys take none of the project's ten places", () =>
      Effect.gen(function* () {
        const { accounts, project } = yield* start
        for (let made = 1; made < Accounts.MAX_KEYS; made++) {
          yield* accounts.issueKey(project.id, { expiresAt: NOW + 1000 })
        }
        assert.strictEqual((yield* Effect.flip(accounts.issueKey(project.id)))._tag, "AccountsError")
        yield* TestClock.adjust("1 second")
        yield* accounts.issueKey(project.id)
        assert.lengthOf(yield* accounts.keys(project.id), 2)
      }).pipe(Effect.scoped)
    )

    it.effect("go over to the key that replaces another, and the old one ends at the earlier of its two times", () =>
      Effect.gen(function* () {
        const { accounts, project } = yield* start
        const settings = { label: "page", expiresAt: NOW + 10_000, limits: { requestsPerSecond: 2 } }
        const old = yield* accounts.issueKey(project.id, settings)
        const next = yield* accounts.rotateKey(old.key.id, { overlap: "1 hour" })
        assert.deepStrictEqual({ ...next.key, ...settings }, next.key)
        const later = yield* accounts.rotateKey(next.key.id, { overlap: "1 second", expiresAt: NOW + 20_000 })
        assert.deepStrictEqual({ ...later.key, ...settings, expiresAt: NOW + 20_000 }, later.key)
        const live = (issued: Accounts.IssuedKey) =>
          Effect.map(accounts.lookup(Redacted.value(issued.apiKey)), (holder) => holder !== undefined)
        const all = Effect.forEach([old, next, later], live)
        assert.deepStrictEqual(yield* all, [true, true, true])
        yield* TestClock.setTime(NOW + 1000)
        assert.deepStrictEqual(yield* all, [true, false, true])
        yield* TestClock.setTime(NOW + 10_000)
        assert.deepStrictEqual(yield* all, [false, false, true])
        yield* TestClock.setTime(NOW + 20_000)
        assert.deepStrictEqual(yield* all, [false, false, false])
      }).pipe(Effect.scoped)
    )

    it.effect("that make no sense are refused by their name, and change nothing", () =>
      Effect.gen(function* () {
        const { accounts, first, project } = yield* start
        const wrong: ReadonlyArray<readonly [string, Partial<Account.KeySettings>]> = [
          ["label", { label: "" }],
          ["label", { label: "a\0b" }],
          ["label", { label: "x".repeat(257) }],
          ["expiresAt", { expiresAt: NOW }],
          ["expiresAt", { expiresAt: NOW + 0.5 }],
          ["expiresAt", { expiresAt: 8.64e15 + 1 }],
          ["expiresAt", { expiresAt: Number.NaN }],
          ["requestsPerSecond", { limits: { requestsPerSecond: 0 } }],
          ["creditsPerDay", { limits: { creditsPerDay: -1 } }],
          ["limits", { limits: { concurrency: 1 } as object }]
        ]
        for (const [setting, changes] of wrong) {
          for (const refused of [
            accounts.updateKey(first.key.id, changes),
            accounts.issueKey(project.id, changes),
            accounts.rotateKey(first.key.id, { overlap: 0, ...changes })
          ]) {
            const error = yield* Effect.flip<unknown, { readonly _tag: string; readonly setting?: string }, never>(
              refused
            )
            assert.strictEqual(error.setting, setting)
          }
        }
        assert.deepStrictEqual(yield* accounts.keys(project.id), [first.key])
        const absent = yield* Effect.flip(accounts.updateKey("nobody", {}))
        assert.strictEqual(absent._tag === "AccountsError" && absent.reason._tag, "Absent")
      }).pipe(Effect.scoped)
    )

    it.effect("are absent for the keys of an older version", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const { migrations } = AccountsTables
        const pair = ApiKey.generate()
        const { keyHash, keyStart, secretHash } = ApiKey.digests(pair)
        yield* Effect.gen(function* () {
          yield* Migrations.run({ ...migrations, steps: migrations.steps.slice(0, 4) })
          const sql = yield* SqlClient.SqlClient
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
          const row = { id: "k", project: "p", start: keyStart, created_at: 1, ends_at: null }
          yield* sql`INSERT INTO keys ${sql.insert({ ...row, digest: keyHash, secret_hash: secretHash })}`
        }).pipe(Effect.provide(database.layer))
        const accounts = yield* join(database)
        assert.deepStrictEqual((yield* accounts.lookup(Redacted.value(pair.key)))?.key, {
          id: "k",
          project: "p",
          start: keyStart,
          createdAt: 1,
          endsAt: null,
          label: null,
          expiresAt: null,
          limits: {}
        })
      }).pipe(Effect.scoped)
    )
  })
}

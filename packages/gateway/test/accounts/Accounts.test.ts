import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { type Account, Accounts, Allowlist, ApiKey, ProjectLimits } from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Databases from "../support/databases.ts"

/** Makes another store with its own connection, as in another process. */
const join = (database: Databases.Database) =>
  Effect.map(Layer.build(Layer.fresh(Accounts.layer().pipe(Layer.provideMerge(database.layer)))), (context) => ({
    accounts: Context.get(context, Accounts.Accounts),
    sql: Context.get(context, SqlClient.SqlClient)
  }))

const reasonOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) =>
    "reason" in error ? (error.reason as { readonly _tag: string })._tag : error._tag
  )

const shown = ({ apiKey }: Accounts.IssuedKey): string => Redacted.value(apiKey)

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`accounts over ${name}`, () => {
    it.effect("a new project has one key, which finds it with its account and its settings", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_800_000_000_000)
        const { accounts } = yield* join(yield* fresh)
        const account = yield* accounts.createAccount({ name: "Ada" })
        assert.deepStrictEqual(account, { id: account.id, name: "Ada", card: false })
        const { issued, project } = yield* accounts.createProject({ account: account.id, name: "wallet 👛" })
        assert.deepStrictEqual(project, {
          id: project.id,
          account: account.id,
          name: "wallet 👛",
          suspended: false,
          secretRequired: false,
          allowlist: Allowlist.none,
          limits: ProjectLimits.defaults
        })
        assert.match(shown(issued), /^[0-9a-f]{32}$/u)
        assert.match(Redacted.value(issued.apiKeySecret), /^[0-9a-f]{32}$/u)
        assert.notStrictEqual(shown(issued), Redacted.value(issued.apiKeySecret))
        assert.deepStrictEqual(issued.key, {
          id: issued.key.id,
          project: project.id,
          start: shown(issued).slice(0, 4),
          createdAt: 1_800_000_000_000,
          endsAt: null,
          label: null,
          expiresAt: null,
          limits: {}
        })
        assert.deepStrictEqual(yield* accounts.lookup(shown(issued)), {
          account,
          project,
          key: issued.key,
          secretHash: ApiKey.digest(Redacted.value(issued.apiKeySecret))
        })
        assert.deepStrictEqual(yield* accounts.keys(project.id), [issued.key])
        for (const wrong of [
          "",
          shown(issued).toUpperCase(),
          shown(issued).slice(1),
          Redacted.value(issued.apiKeySecret),
          ApiKey.digest(shown(issued)),
          issued.key.id,
          `${shown(issued)}\0`
        ]) {
          assert.isUndefined(yield* accounts.lookup(wrong))
        }
      }).pipe(Effect.scoped)
    )

    it.live("neither key nor secret is stored, shown in an error, or printed", () =>
      Effect.gen(function* () {
        const { accounts, sql } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        const { issued, project } = yield* accounts.createProject({ account, name: "wallet" })
        const next = yield* accounts.rotateKey(issued.key.id, { overlap: "1 hour" })
        const tables = ["accounts", "projects", "keys", "accounts_revision", "accounts_changes", "plumbline_versions"]
        const stored = JSON.stringify(yield* Effect.forEach(tables, (table) => sql`SELECT * FROM ${sql(table)}`))
        const errors = [
          yield* Effect.flip(accounts.rotateKey(issued.key.id, { overlap: 0 })),
          yield* Effect.flip(
            accounts.adopt(account, {
              id: "p",
              name: "p",
              ...ApiKey.digests({ key: next.apiKey, secret: next.apiKeySecret })
            })
          )
        ]
        const all = `${stored} ${errors.join()} ${JSON.stringify(errors)} ${JSON.stringify([issued, next])} ${inspect(next)}`
        assert.include(all, project.id)
        for (const secret of [issued.apiKey, issued.apiKeySecret, next.apiKey, next.apiKeySecret]) {
          assert.notInclude(all, Redacted.value(secret))
        }
      }).pipe(Effect.scoped)
    )

    it.live("settings are kept as they were given, and wrong ones are refused by their name", () =>
      Effect.gen(function* () {
        const { accounts } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        const settings = {
          suspended: true,
          secretRequired: true,
          allowlist: {
            ...Allowlist.none,
            methods: ["eth_call"],
            origins: ["https://*.example.com"],
            userAgents: ["a'\"\\b"]
          },
          limits: { creditsPerDay: 0, concurrency: 3 }
        }
        const { issued, project } = yield* accounts.createProject({ account, name: "a", ...settings })
        assert.deepStrictEqual(project, { id: project.id, account, name: "a", ...settings })
        assert.deepStrictEqual((yield* accounts.lookup(shown(issued)))?.project, project)
        assert.deepStrictEqual(yield* accounts.project(project.id), project)

        const changed = yield* accounts.updateProject(project.id, { suspended: false, limits: ProjectLimits.none })
        assert.deepStrictEqual(changed, { ...project, suspended: false, limits: ProjectLimits.none })
        assert.deepStrictEqual((yield* accounts.lookup(shown(issued)))?.project, changed)

        const wrong: ReadonlyArray<readonly [string, Partial<Account.ProjectSettings>]> = [
          ["name", { name: "" }],
          ["name", { name: "x".repeat(257) }],
          ["name", { name: "a\0b" }],
          ["name", { name: "\ud83d" }],
          ["origins[0]", { allowlist: { ...Allowlist.none, origins: ["*"] } }],
          ["networks", { allowlist: { ...Allowlist.none, networks: Array.from({ length: 31 }, (_, n) => `n${n}`) } }],
          ["concurrency", { limits: { concurrency: 0 } }]
        ]
        for (const [setting, changes] of wrong) {
          for (const refused of [
            accounts.updateProject(project.id, changes),
            accounts.createProject({ account, name: "b", ...changes })
          ]) {
            const error = yield* Effect.flip<unknown, { readonly _tag: string; readonly setting?: string }, never>(
              refused
            )
            assert.strictEqual(error.setting, setting)
          }
        }
        assert.deepStrictEqual(yield* accounts.projects(), [changed])
        assert.strictEqual(yield* reasonOf(accounts.createAccount({ name: "" })), "SettingError")
        assert.strictEqual(yield* reasonOf(accounts.updateAccount(account, { name: "" })), "SettingError")
      }).pipe(Effect.scoped)
    )

    it.live("what is not there cannot be changed, and an account with projects cannot go", () =>
      Effect.gen(function* () {
        const { accounts } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada", card: true })
        const { issued, project } = yield* accounts.createProject({ account, name: "a" })
        const nowhere = ["x", "", "a\0b", project.id.toUpperCase()].flatMap((id) => [
          accounts.updateAccount(id, { card: true }),
          accounts.removeAccount(id),
          accounts.createProject({ account: id, name: "a" }),
          accounts.updateProject(id, {}),
          accounts.removeProject(id),
          accounts.issueKey(id),
          accounts.rotateKey(id, { overlap: 0 }),
          accounts.revokeKey(id)
        ])
        for (const change of nowhere) {
          assert.strictEqual(yield* reasonOf<unknown, { readonly _tag: string }>(change), "Absent")
        }
        assert.isUndefined(yield* accounts.account("x"))
        assert.isUndefined(yield* accounts.project("x"))
        assert.deepStrictEqual(yield* accounts.keys("x"), [])

        assert.strictEqual(yield* reasonOf(accounts.removeAccount(account)), "NotEmpty")
        assert.isDefined(yield* accounts.lookup(shown(issued)))
        assert.deepStrictEqual(yield* accounts.removedOf(["x", project.id, "a\0b"]), ["x", "a\0b"])
        yield* accounts.removeProject(project.id)
        assert.deepStrictEqual(yield* accounts.removedOf([project.id]), [project.id])
        assert.isUndefined(yield* accounts.lookup(shown(issued)))
        assert.strictEqual(yield* reasonOf(accounts.revokeKey(issued.key.id)), "Absent")
        yield* accounts.removeAccount(account)
        assert.deepStrictEqual(yield* accounts.accounts(), [])
      }).pipe(Effect.scoped)
    )

    it.effect("a rotated key goes on for the overlap and not longer, and is rotated once", () =>
      Effect.gen(function* () {
        const { accounts, sql } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        const { issued: first, project } = yield* accounts.createProject({ account, name: "a" })
        const second = yield* accounts.rotateKey(first.key.id, { overlap: "1 minute" })
        assert.strictEqual(yield* reasonOf(accounts.rotateKey(first.key.id, { overlap: "2 hours" })), "Ending")
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* accounts.lookup(shown(first)))?.key.endsAt, 60_000)
        yield* TestClock.adjust("29999 millis")
        assert.isDefined(yield* accounts.lookup(shown(first)))
        yield* TestClock.adjust("1 milli")
        assert.isUndefined(yield* accounts.lookup(shown(first)))
        assert.strictEqual((yield* accounts.lookup(shown(second)))?.project.id, project.id)
        assert.deepStrictEqual(yield* accounts.keys(project.id), [second.key])

        // Without an overlap, the old key is removed at once.
        const third = yield* accounts.rotateKey(second.key.id, { overlap: 0 })
        assert.isUndefined(yield* accounts.lookup(shown(second)))
        assert.isDefined(yield* accounts.lookup(shown(third)))
        assert.strictEqual((yield* sql`SELECT * FROM keys`).length, 1)
        for (const overlap of [Infinity, -1, "366 days"] as const) {
          assert.strictEqual(yield* reasonOf(accounts.rotateKey(third.key.id, { overlap })), "SettingError")
        }
        assert.isNull((yield* accounts.lookup(shown(third)))!.key.endsAt)
      }).pipe(Effect.scoped)
    )

    it.live("a project has at most ten keys, however many processes make them", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const [here, there] = [yield* join(database), yield* join(database)]
        const { id: account } = yield* here.accounts.createAccount({ name: "Ada" })
        const { issued, project } = yield* here.accounts.createProject({ account, name: "a" })
        const tries = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? here : there)),
          ({ accounts }) => Effect.result(accounts.issueKey(project.id)),
          { concurrency: "unbounded" }
        )
        const made = tries.flatMap((result) => (result._tag === "Success" ? [result.success] : []))
        const refused = tries.flatMap((result) => (result._tag === "Failure" ? [result.failure.message] : []))
        assert.strictEqual(made.length, 9)
        assert.deepStrictEqual(new Set(refused), new Set([`project ${project.id} has 10 keys, and may not have more`]))
        assert.strictEqual((yield* there.accounts.keys(project.id)).length, Accounts.MAX_KEYS)
        for (const key of made) assert.isDefined(yield* here.accounts.lookup(shown(key)))
        // A project with the maximum number of keys can rotate a key only without an overlap.
        assert.strictEqual(
          yield* reasonOf(here.accounts.rotateKey(issued.key.id, { overlap: "1 hour" })),
          "TooManyKeys"
        )
        assert.isNull((yield* here.accounts.lookup(shown(issued)))!.key.endsAt)
        yield* here.accounts.rotateKey(issued.key.id, { overlap: 0 })
      }).pipe(Effect.scoped)
    )

    it.live("of two who rotate one key at the same time, one does; of two who change a project, both do", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const [here, there] = [yield* join(database), yield* join(database)]
        const { id: account } = yield* here.accounts.createAccount({ name: "Ada" })
        for (let turn = 0; turn < 5; turn++) {
          const { issued, project } = yield* here.accounts.createProject({ account, name: "a" })
          const rotations = yield* Effect.forEach(
            [here, there],
            ({ accounts }) => Effect.result(accounts.rotateKey(issued.key.id, { overlap: "1 hour" })),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(rotations.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
          yield* Effect.all(
            [
              here.accounts.updateProject(project.id, { name: "b" }),
              there.accounts.updateProject(project.id, { suspended: true }),
              here.accounts.updateProject(project.id, { secretRequired: true }),
              there.accounts.updateProject(project.id, { limits: ProjectLimits.none })
            ],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(yield* here.accounts.project(project.id), {
            ...project,
            name: "b",
            suspended: true,
            secretRequired: true,
            limits: ProjectLimits.none
          })
        }
      }).pipe(Effect.scoped)
    )

    it.live("a change is seen by another process that had asked before", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const [here, there] = [yield* join(database), yield* join(database)]
        const { id: account } = yield* here.accounts.createAccount({ name: "Ada" })
        const { issued, project } = yield* here.accounts.createProject({ account, name: "a" })
        assert.isFalse((yield* there.accounts.lookup(shown(issued)))!.project.suspended)
        // After 1200 ms the lookup needs no query: the cache has read the number of changes meanwhile.
        const lookup = () => there.accounts.lookup(shown(issued))
        yield* Effect.suspend(lookup).pipe(
          Effect.andThen(
            Effect.delay(
              Effect.sync(() => Exit.isExit(lookup())),
              "1200 millis"
            )
          ),
          Effect.repeat({ until: (remembered) => remembered })
        )
        yield* here.accounts.updateProject(project.id, { suspended: true })
        yield* Effect.suspend(lookup).pipe(
          Effect.delay("20 millis"),
          Effect.repeat({ until: (holder) => holder?.project.suspended === true })
        )
      }).pipe(Effect.scoped)
    )

    it.live("a change that is part of a larger one is seen here when that is made, whoever asks meanwhile", () =>
      Effect.gen(function* () {
        const { accounts, sql } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        // SQLite has one connection, so a query outside a transaction waits until the transaction ends.
        const isWaitedFor = sql.onDialectOrElse({ pg: () => false, orElse: () => true })
        for (const outcome of ["made", "taken back"] as const) {
          const { issued } = yield* accounts.createProject({ account, name: "a" })
          const revoked = yield* Deferred.make<void>()
          // This lookup runs outside the transaction.
          const asking = yield* Effect.forkChild(
            Effect.andThen(
              Deferred.await(revoked),
              Effect.suspend(() => accounts.lookup(shown(issued)))
            )
          )
          yield* accounts
            .revokeKey(issued.key.id)
            .pipe(
              Effect.andThen(Deferred.succeed(revoked, undefined)),
              Effect.andThen(isWaitedFor ? Effect.void : Effect.asVoid(Fiber.join(asking))),
              Effect.andThen(outcome === "made" ? Effect.void : Effect.fail("no")),
              sql.withTransaction,
              Effect.ignore
            )
          assert.strictEqual((yield* accounts.lookup(shown(issued))) !== undefined, outcome === "taken back", outcome)
        }
      }).pipe(Effect.scoped)
    )

    it.live("lists are given in pages, of one account or of all", () =>
      Effect.gen(function* () {
        const { accounts } = yield* join(yield* fresh)
        const owners = yield* Effect.forEach(["A", "B"], (owner) => accounts.createAccount({ name: owner }))
        const made = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) =>
          Effect.map(accounts.createProject({ account: owners[n % 2]!.id, name: `${n}` }), ({ project }) => project)
        )
        for (const id of ["b", "A", "a", "B", "_", "é"]) {
          made.push(yield* accounts.adopt(owners[1]!.id, { id, name: id, ...ApiKey.digests(ApiKey.generate()) }))
        }
        // Ids are sorted by their bytes, not by the rules of a language.
        const sorted = made.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        assert.deepStrictEqual(yield* accounts.projects(), sorted)
        assert.deepStrictEqual(yield* accounts.projects({ after: sorted[4]!.id }), sorted.slice(5))
        const ofB = sorted.filter(({ account }) => account === owners[1]!.id)
        assert.deepStrictEqual(yield* accounts.projects({ account: owners[1]!.id }), ofB)
        assert.deepStrictEqual(yield* accounts.projects({ account: owners[1]!.id, after: ofB[0]!.id }), ofB.slice(1))
        assert.deepStrictEqual(
          yield* accounts.accounts(),
          owners.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        )
      }).pipe(Effect.scoped)
    )

    it.live("a project that was there before is taken over with its id, its key and its secret", () =>
      Effect.gen(function* () {
        const { accounts } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        const pair = ApiKey.generate()
        const old = { id: "p1", name: "wallet", secretRequired: true, ...ApiKey.digests(pair) }
        const project = yield* accounts.adopt(account, old)
        assert.deepStrictEqual([project.id, project.name, project.secretRequired], ["p1", "wallet", true])
        const holder = yield* accounts.lookup(Redacted.value(pair.key))
        assert.deepStrictEqual([holder?.project, holder?.secretHash], [project, old.secretHash])
        assert.strictEqual(holder?.key.start, old.keyStart)
        assert.strictEqual(yield* reasonOf(accounts.adopt(account, old)), "Taken")
        assert.strictEqual(yield* reasonOf(accounts.adopt(account, { ...old, id: "p2" })), "Taken")
        assert.strictEqual(yield* reasonOf(accounts.adopt("x", { ...old, id: "p2" })), "Absent")
        assert.deepStrictEqual(yield* accounts.projects(), [project])
      }).pipe(Effect.scoped)
    )

    it.effect("what was stored and cannot be understood is damage, and not an unknown key", () =>
      Effect.gen(function* () {
        const { accounts, sql } = yield* join(yield* fresh)
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        const { issued, project } = yield* accounts.createProject({ account, name: "a" })
        for (const [column, text] of [
          ["allowlist", `{"methods":"eth_call"}`],
          ["limits", "{"]
        ] as const) {
          const before = (yield* sql<Record<string, string>>`SELECT * FROM projects`)[0]![column]!
          yield* sql`UPDATE projects SET ${sql(column)} = ${text}`
          yield* sql`UPDATE accounts_revision SET revision = revision + 1`
          yield* TestClock.adjust("1 second")
          const error = yield* Effect.flip(accounts.lookup(shown(issued)))
          assert.deepStrictEqual([error.problem, error.detail], ["Damaged", `the ${column} of project ${project.id}`])
          yield* sql`UPDATE projects SET ${sql(column)} = ${before}`
        }
        assert.isDefined(yield* accounts.lookup(shown(issued)))
      }).pipe(Effect.scoped)
    )
  })
}

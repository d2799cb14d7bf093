import { assert, describe, it } from "@effect/vitest"
import { Accounts, MeteringStore, Postgres, StateError } from "@plumbline/gateway"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import { postgres, postgresSkipped } from "../support/servers.ts"

const connect = (url: Redacted.Redacted) =>
  Effect.map(Layer.build(Postgres.layer({ url })), (context) => Context.get(context, SqlClient.SqlClient))

describe.skipIf(postgresSkipped !== undefined)(
  `Postgres${postgresSkipped === undefined ? "" : ` (${postgresSkipped})`}`,
  () => {
    it.live("a database that cannot be reached says so, and nothing of its address", () =>
      Effect.gen(function* () {
        const server = yield* postgres
        const good = Redacted.value(server.url("postgres"))
        const wrong = {
          "no server": "postgres://secretuser:secretword@127.0.0.1:1/secretbase",
          "no such host": "postgres://secretuser:secretword@secrethost.invalid/secretbase",
          "no such database": good.replace("/postgres?", "/secretbase?"),
          "no such user": good.replace("plumbline@", "secretuser:secretword@"),
          "no address": "secretword"
        }
        for (const [what, url] of Object.entries(wrong)) {
          const exit = yield* Effect.exit(Effect.scoped(connect(Redacted.make(url))))
          assert.isTrue(Exit.isFailure(exit), what)
          const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          assert.instanceOf(error, StateError.StateError, what)
          assert.strictEqual(error.problem, "Unavailable", what)
          const printed = Exit.isFailure(exit) ? `${Cause.pretty(exit.cause)} ${JSON.stringify(error)}` : ""
          assert.notMatch(printed, /secret|plumbline-pg|127\.0/u, what)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("the tables are made after those of another process, also under a clock that stands still", () =>
      Effect.gen(function* () {
        const server = yield* postgres
        const url = server.url("postgres")
        const other = yield* connect(url)
        const held = yield* Deferred.make<void>()
        // longer than a statement waits for a lock
        const work = Effect.andThen(Deferred.succeed(held, undefined), other`SELECT pg_sleep(0.6)`)
        const holding = yield* Effect.forkChild(
          other.withTransaction(Effect.andThen(other`SELECT pg_advisory_xact_lock(${0x706c756d62n})`, work))
        )
        yield* Deferred.await(held)
        const context = yield* Layer.build(Accounts.layer().pipe(Layer.provide(Postgres.layer({ url }))))
        yield* Context.get(context, Accounts.Accounts).createAccount({ name: "Ada" })
        yield* Fiber.join(holding)
      }).pipe(Effect.scoped)
    )

    it.live("what was acknowledged is on the disk, whatever the server is set to", () =>
      Effect.gen(function* () {
        const server = yield* postgres
        const sql = yield* connect(server.url("postgres"))
        yield* sql`ALTER SYSTEM SET synchronous_commit = off`
        yield* sql`SELECT pg_reload_conf()`
        const fresh = yield* connect(server.url("postgres"))
        assert.deepStrictEqual(yield* fresh`SHOW synchronous_commit`.values, [["on"]])
      }).pipe(Effect.scoped)
    )

    it.live("usage waits for the disk unless its durability is `process`, and other changes wait always", () =>
      Effect.gen(function* () {
        const server = yield* postgres
        const layer = Postgres.layer({ url: server.url("postgres"), connections: 1 })
        const context = yield* Layer.build(MeteringStore.layer().pipe(Layer.provideMerge(layer)))
        const sql = Context.get(context, SqlClient.SqlClient)
        const store = Context.get(context, MeteringStore.MeteringStore)
        // A deferred trigger runs when the transaction commits, so it sees the setting of the commit.
        yield* sql`CREATE TABLE commits (batch BIGINT, waits TEXT)`
        yield* sql`
          CREATE FUNCTION note() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO commits VALUES (NEW.batch, current_setting('synchronous_commit'));
            RETURN NULL;
          END $$`
        yield* sql`
          CREATE CONSTRAINT TRIGGER noted AFTER INSERT OR UPDATE ON usage_writers
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()`
        const commit = (number: number, durability?: MeteringStore.UsageDurability) =>
          store.commit({ writer: "w", number, at: 0, rows: [], levels: number === 4 ? [[0, "p", 1]] : [] }, durability)
        yield* commit(1)
        yield* commit(2, "process")
        yield* commit(3, "disk")
        yield* commit(4, "process")
        // A batch that was added before is not added again.
        yield* commit(4, "process")
        assert.deepStrictEqual(yield* sql`SELECT batch, waits FROM commits ORDER BY batch`.values, [
          [1, "on"],
          [2, "off"],
          [3, "on"],
          [4, "off"]
        ])
        assert.deepStrictEqual(yield* sql`SHOW synchronous_commit`.values, [["on"]])
        assert.isUndefined(store.disk)
      }).pipe(Effect.scoped)
    )

    it.live("a server that crashes is an error of the store, also amid a change, and is found again afterwards", () =>
      Effect.gen(function* () {
        const server = yield* postgres
        const layer = Accounts.layer().pipe(Layer.provideMerge(Postgres.layer({ url: server.url("postgres") })))
        const context = yield* Layer.build(layer)
        const [accounts, sql] = [Context.get(context, Accounts.Accounts), Context.get(context, SqlClient.SqlClient)]
        const { id: account } = yield* accounts.createAccount({ name: "Ada" })
        const { issued, project } = yield* accounts.createProject({ account, name: "a" })
        const apiKey = Redacted.value(issued.apiKey)
        assert.isDefined(yield* accounts.lookup(apiKey))

        // Another transaction holds the row that every change writes first. So this change waits in the middle of its
        // transaction.
        const held = yield* Deferred.make<void>()
        const holding = yield* Effect.forkChild(
          sql.withTransaction(
            sql`UPDATE accounts_revision SET revision = revision`.pipe(
              Effect.andThen(Deferred.succeed(held, undefined)),
              Effect.andThen(Effect.never)
            )
          )
        )
        yield* Deferred.await(held)
        const changing = yield* Effect.forkChild(Effect.flip(accounts.updateProject(project.id, { name: "b" })))
        yield* sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`.pipe(
          Effect.repeat({ until: (rows) => rows.length > 0 })
        )
        yield* server.crash
        assert.instanceOf(yield* Fiber.join(changing), StateError.StateError)
        yield* Fiber.interrupt(holding)

        yield* Effect.sleep("1100 millis")
        for (const asked of [apiKey, "nobody"]) {
          assert.strictEqual((yield* Effect.flip(accounts.lookup(asked))).problem, "Unavailable")
        }
        const change = yield* Effect.flip(accounts.updateProject(project.id, { name: "c" }))
        assert.instanceOf(change, StateError.StateError)

        yield* server.start
        assert.deepStrictEqual((yield* accounts.lookup(apiKey))?.project, project)
        assert.isUndefined(yield* accounts.lookup("nobody"))
        yield* accounts.updateProject(project.id, { name: "d" })
        assert.strictEqual((yield* accounts.lookup(apiKey))?.project.name, "d")
      }).pipe(Effect.scoped)
    )
  }
)

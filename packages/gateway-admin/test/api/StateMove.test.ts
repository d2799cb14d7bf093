/** A service's state, moved from a SQLite file to a real Postgres: whole or not at all. */
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import { assert, describe, it } from "@effect/vitest"
import {
  Accounts,
  Metering,
  MeteringStore,
  Migrations,
  Postgres,
  ServiceState,
  Sqlite,
  StateMove,
  UsageFigures
} from "@plumbline/gateway"
import { AdminServer, BillingCards } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { AccountsTables } from "@plumbline/gateway/support/internals"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer, Logger, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"

import * as AdminIdentity from "../../src/api/adminIdentity.ts"
import * as AdminRole from "../../src/api/AdminRole.ts"
import * as AdminAuditedChanges from "../../src/api/auditedChanges.ts"
import * as Admin from "../support/admin.ts"

const postgres = Databases.kinds.find(({ name }) => name.startsWith("Postgres"))!

const test = (
  title: string,
  body: (file: string, target: Redacted.Redacted) => Effect.Effect<void, unknown, Scope.Scope>
) =>
  it.live.skipIf(postgres.skipped)(title, () =>
    Effect.gen(function* () {
      const file = path.join(yield* Databases.folder, "state.sqlite")
      const { place } = yield* postgres.fresh
      yield* body(file, Redacted.make(place[1]!))
    }).pipe(Effect.scoped, Effect.provideService(Logger.CurrentLoggers, new Set()))
  )

/** The tables of a product, with a key of bytes, numbers above 32 bits, and empty cells. */
const pins: Migrations.Migrations = {
  name: "pins",
  steps: [
    (sql) => {
      const bytes = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))
      return Effect.all([
        sql`CREATE TABLE pins (
          project TEXT NOT NULL, cid ${bytes} NOT NULL, recursive INTEGER NOT NULL, size BIGINT NOT NULL,
          PRIMARY KEY (project, cid)
        )`,
        sql`CREATE TABLE held (cid ${bytes} PRIMARY KEY, worker TEXT, until BIGINT)`
      ])
    }
  ]
}

const OPS = { label: "ops", address: null }
const OPERATOR = {
  _tag: "Operator",
  label: "ops",
  credential: "",
  grants: [AdminRole.owner],
  session: undefined
} as const

const parts = [pins, ...AdminServer.migrations]

/** Fills a database file: through the services, except for the tables of pins and cards. Returns an API key. */
const fill = Effect.fnUntraced(function* (file: string, rows: number) {
  const layer = Layer.mergeAll(AdminServer.layer({ tokens: Admin.tokens }), BillingCards.layer()).pipe(
    Layer.provideMerge(ServiceState.layerSqlite({ file, metering: { gather: 0 } }))
  )
  const random = Random.make(23)
  const names = ["plain", "é", "🪺", "Zz", "a\u{e000}", "\u{1f600}", "a'\"b", "~", "A"]
  return yield* Effect.gen(function* () {
    const accounts = yield* Accounts.Accounts
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.run(pins)
    let apiKey = ""
    for (const name of names) {
      const account = yield* accounts.createAccount({ name, card: random() < 0.5 })
      const { issued, project } = yield* accounts.createProject({ account: account.id, name: `${name} project` })
      const settings = { label: name, expiresAt: 4e12, limits: { creditsPerDay: 10 ** 12 } }
      apiKey = Redacted.value((yield* accounts.issueKey(project.id, settings)).apiKey)
      yield* accounts.rotateKey(issued.key.id, { overlap: "1 hour" })
      const keys = { kid: "1", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
      yield* accounts.setTokens(project.id, { keys })
      const customer = { id: `cus_${name}`, account: random() < 0.5 ? account.id : null, deleted: 0 }
      yield* sql`INSERT INTO billing_customers ${sql.insert(customer)}`
    }
    const { recordAll } = yield* Metering.Metering
    const usage = { product: "rpc", status: 200, calls: 1, bytesIn: 1, bytesOut: 2 } as const
    for (let start = 0; start < rows; start += 200) {
      yield* recordAll(
        Array.from({ length: 200 }, (_, index) => ({
          ...usage,
          project: Random.pick(random, names),
          network: Random.pick(random, names),
          key: `k${start + index}`,
          method: `m${Random.int(random, 50)}`,
          credits: 2 ** 40
        }))
      )
    }
    // A sum that a double cannot hold exactly.
    yield* sql`UPDATE usage_days SET credits = 4611686018427387905 WHERE key = 'k0'`
    const changes = AdminAuditedChanges.make(sql)
    const noted = changes.make({ action: "test", target: "é", work: Effect.void })
    for (let count = 0; count < 20; count++) yield* Effect.provideService(noted, AdminAuditedChanges.Actor, OPS)
    // The deleted numbers must not be used again.
    yield* sql`DELETE FROM admin_audit WHERE id > 15`
    yield* Effect.gen(function* () {
      for (let count = 0; count < rows; count++) {
        const cid = Uint8Array.from({ length: 34 }, () => Random.int(random, 256))
        const pin = { project: Random.pick(random, names), cid, recursive: 1, size: 2 ** 45 + count }
        yield* sql`INSERT INTO pins ${sql.insert(pin)}`
        yield* sql`INSERT INTO held ${sql.insert({ cid, worker: null, until: count % 2 === 0 ? null : count })}`
      }
    }).pipe(sql.withTransaction)
    return apiKey
  }).pipe(Effect.provide(layer))
})

/** Reads a table of the file with another client. Returns the rows as sorted texts. */
const fileRows = (file: string, table: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const statement = database.prepare(`SELECT * FROM ${table}`)
    statement.setReadBigInts(true)
    return statement.all().map(shown).toSorted()
  } finally {
    database.close()
  }
}

const shown = (row: object): string =>
  JSON.stringify(
    Object.entries(row)
      .map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value)])
      .toSorted(([one], [other]) => (one! < other! ? -1 : 1))
  )

const over = <A, E>(target: Redacted.Redacted, body: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(body, Postgres.layer({ url: target, connections: 2 }))

const targetRows = (target: Redacted.Redacted, table: string) =>
  over(
    target,
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(sql.unsafe<object>(`SELECT * FROM ${table}`), (rows) => rows.map(shown).toSorted())
    )
  )

/** Returns the names of all tables of the file, read with another client. */
const tablesOf = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
  database.close()
  return names.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"))
}

describe("a state", () => {
  test("moves whole: every row of every table, and the service goes on over Postgres", (file, target) =>
    Effect.gen(function* () {
      const apiKey = yield* fill(file, 1200)
      const told: Array<string> = []
      const moved = yield* StateMove.run({
        file,
        postgres: target,
        parts,
        onTable: (table) => Effect.sync(() => void told.push(table))
      })
      const tables = tablesOf(file)
      assert.deepStrictEqual(
        moved.map(({ table }) => table).toSorted(),
        tables.filter((table) => table !== "plumbline_versions")
      )
      assert.deepStrictEqual(
        told,
        moved.map(({ table }) => table)
      )
      for (const table of tables) {
        const expected = fileRows(file, table)
        assert.deepStrictEqual(yield* targetRows(target, table), expected, table)
        if (table !== "plumbline_versions") {
          assert.strictEqual(moved.find((one) => one.table === table)?.rows, expected.length, table)
        }
      }
      for (const table of ["pins", "held"]) assert.isAbove(fileRows(file, table).length, 0, table)
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts.Accounts
        const holder = yield* accounts.lookup(apiKey)
        assert.deepStrictEqual([holder?.key.label, holder?.tokens?.keys.length], ["A", 1])
        const { totals } = yield* (yield* UsageFigures.UsageFigures).totals({ from: 0, to: 8e15 })
        assert.isAbove(Number(totals.calls), 1000)
        yield* accounts.updateProject(holder!.project.id, { name: "after" })
        const sql = yield* SqlClient.SqlClient
        const changes = AdminAuditedChanges.make(sql)
        const noted = changes.make({ action: "test", target: "x", work: Effect.void })
        yield* Effect.provideService(noted, AdminAuditedChanges.Actor, OPS)
        const listed = Effect.provideService(changes.list(undefined, 1), AdminIdentity.Caller, OPERATOR)
        assert.strictEqual((yield* listed)[0]?.id, 21)
      }).pipe(
        Effect.provide(
          Layer.merge(Accounts.layer(), UsageFigures.layer().pipe(Layer.provide(MeteringStore.layer()))).pipe(
            Layer.provideMerge(Postgres.layer({ url: target, connections: 2 }))
          )
        )
      )
      const again = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.deepStrictEqual([again._tag, again._tag === "MoveError" && again.problem], ["MoveError", "NotEmpty"])
    }))

  test("does not move to a database with one row in it, which stays the only one", (file, target) =>
    Effect.gen(function* () {
      yield* fill(file, 200)
      const made = yield* Effect.provide(
        Effect.flatMap(Accounts.Accounts, (accounts) => accounts.createAccount({ name: "first" })),
        Accounts.layer().pipe(Layer.provide(Postgres.layer({ url: target })))
      )
      const refused = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.strictEqual(refused._tag === "MoveError" && refused.problem, "NotEmpty")
      const rows = yield* targetRows(target, "accounts")
      assert.lengthOf(rows, 1)
      assert.include(rows[0], made.id)
    }))

  test("that fails in the middle leaves nothing behind, and moves at the next try", (file, target) =>
    Effect.gen(function* () {
      yield* fill(file, 600)
      // In the target, usage_minutes refuses rows. When the move reaches it, other tables are already written.
      yield* StateMove.run({ file: yield* empty, postgres: target, parts })
      yield* over(
        target,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.andThen(
            sql`CREATE FUNCTION refuse() RETURNS trigger AS 'BEGIN RAISE EXCEPTION ''no''; END' LANGUAGE plpgsql`,
            sql`CREATE TRIGGER refuse BEFORE INSERT ON usage_minutes EXECUTE FUNCTION refuse()`
          )
        )
      )
      const failed = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.strictEqual(failed._tag, "StateError")
      assert.notInclude(failed.message, "localhost")
      for (const table of ["accounts", "keys", "pins", "usage_days"]) {
        assert.deepStrictEqual(yield* targetRows(target, table), [], table)
      }
      yield* over(
        target,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP TRIGGER refuse ON usage_minutes`)
      )
      yield* StateMove.run({ file, postgres: target, parts })
      assert.deepStrictEqual(yield* targetRows(target, "keys"), fileRows(file, "keys"))
    }))

  test("whose row is changed on its way is not moved", (file, target) =>
    Effect.gen(function* () {
      yield* fill(file, 200)
      yield* StateMove.run({ file: yield* empty, postgres: target, parts })
      yield* over(
        target,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.andThen(
            sql`CREATE FUNCTION spoil() RETURNS trigger AS 'BEGIN NEW.name = NEW.name || ''!''; RETURN NEW; END' LANGUAGE plpgsql`,
            sql`CREATE TRIGGER spoil BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION spoil()`
          )
        )
      )
      const refused = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.deepStrictEqual(refused._tag === "MoveError" && [refused.problem, refused.table], ["Unequal", "projects"])
      assert.deepStrictEqual(yield* targetRows(target, "projects"), [])
    }))

  test("with a table that the target lacks, or of a newer version, is refused", (file, target) =>
    Effect.gen(function* () {
      yield* fill(file, 200)
      const inFile = (statement: string) =>
        Effect.sync(() => {
          const database = new DatabaseSync(file)
          database.exec(statement)
          database.close()
        })
      yield* inFile("CREATE TABLE later (a INTEGER PRIMARY KEY)")
      const unlike = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.deepStrictEqual(unlike._tag === "MoveError" && [unlike.problem, unlike.table], ["Unlike", "later"])
      yield* inFile("DROP TABLE later; UPDATE plumbline_versions SET version = 99 WHERE part = 'accounts'")
      const newer = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.strictEqual(newer._tag === "StateError" && newer.problem, "Newer")
    }))

  it.live("does not move to a database that cannot be reached, whose address is not repeated", () =>
    Effect.gen(function* () {
      const file = path.join(yield* Databases.folder, "state.sqlite")
      const target = Redacted.make("postgres://user:hunter2@127.0.0.1:1/nowhere")
      const error = yield* Effect.flip(StateMove.run({ file, postgres: target, parts }))
      assert.strictEqual(error._tag === "StateError" && error.problem, "Unavailable")
      assert.notMatch(JSON.stringify(error) + error.message, /hunter2|127\.0\.0\.1/u)
    }).pipe(Effect.scoped)
  )
})

/** Makes a file that has the tables and no rows. Moving it creates the tables in the target. */
const empty = Effect.gen(function* () {
  const file = path.join(yield* Databases.folder, "empty.sqlite")
  yield* Effect.scoped(
    Effect.flatMap(Layer.build(Sqlite.layer({ file })), (context) =>
      Effect.provideContext(Migrations.run(AccountsTables.migrations), context)
    )
  )
  return file
})

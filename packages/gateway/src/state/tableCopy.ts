/** Copies all tables of a SQLite database to a Postgres database that has the same tables, whole or not at all. */
import { Buffer } from "node:buffer"

import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import { MoveError } from "./MoveError.ts"

/** A table that was copied, with the number of its rows. */
export interface MovedTable {
  readonly table: string
  readonly rows: number
}

type Value = string | number | bigint | Uint8Array | null
type Row = Readonly<Record<string, Value>>

interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** The columns of the primary key, in its order; all columns if there is no primary key. */
  readonly key: ReadonlyArray<string>
  readonly hasKey: boolean
  /** The tables that rows of this table refer to. */
  readonly after: ReadonlyArray<string>
}

/** A column of Postgres. */
interface Column {
  readonly name: string
  readonly isText: boolean
  readonly isIdentity: boolean
}

/** Number of rows that are read or written at a time. */
const STEP = 500

/**
 * Copies the tables. `fresh` is a SQLite database with newly migrated tables. The target must have the same tables.
 * Before the commit, each table is read from the target and compared row by row.
 */
export const run = Effect.fnUntraced(function* (databases: {
  readonly source: SqlClient.SqlClient
  readonly target: SqlClient.SqlClient
  readonly fresh: SqlClient.SqlClient
  readonly onTable: (table: string) => Effect.Effect<void>
}): Effect.fn.Return<ReadonlyArray<MovedTable>, MoveError | SqlError> {
  const { fresh, onTable, source, target } = databases
  const tables = inOrder(yield* tablesOf(source))
  return yield* Effect.gen(function* () {
    const columns = new Map<string, ReadonlyArray<Column>>()
    for (const table of tables) {
      const found = yield* columnsOf(target, table.name)
      const names = new Set(found.map(({ name }) => name))
      const isLike = names.size === table.columns.length && table.columns.every((name) => names.has(name))
      if (!isLike) return yield* new MoveError({ problem: "Unlike", table: table.name })
      columns.set(table.name, found)
    }
    // Other users of the target wait. They see all of the move, or nothing.
    for (const { name } of tables) yield* target`LOCK TABLE ${target(name)} IN ACCESS EXCLUSIVE MODE`
    for (const table of tables) {
      const isFresh = yield* isSame(pages(fresh, table, []), pages(target, table, columns.get(table.name)!))
      if (!isFresh) return yield* new MoveError({ problem: "NotEmpty", table: table.name })
    }
    for (const { name } of tables.toReversed()) yield* target`DELETE FROM ${target(name)}`
    const moved: Array<MovedTable> = []
    for (const table of tables) {
      yield* onTable(table.name)
      const known = columns.get(table.name)!
      let rows = 0
      const read = pages(source, table, [])
      for (let page = yield* read(); page.length > 0; page = yield* read()) {
        yield* write(target, table, known, page)
        rows += page.length
      }
      yield* continueNumbers(source, target, table.name, known)
      const isWhole = yield* isSame(pages(source, table, []), pages(target, table, known))
      if (!isWhole) return yield* new MoveError({ problem: "Unequal", table: table.name })
      moved.push({ table: table.name, rows })
    }
    return moved
  }).pipe(target.withTransaction, source.withTransaction)
})

const tablesOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const names = yield* sql<{ readonly name: string }>`
    SELECT name FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> 'plumbline_versions' ORDER BY name`
  return yield* Effect.forEach(
    names,
    Effect.fnUntraced(function* ({ name }) {
      const columns = yield* sql<{ readonly name: string; readonly pk: number }>`
        SELECT name, pk FROM pragma_table_info(${name})`
      const referred = yield* sql<{ readonly after: string }>`
        SELECT DISTINCT "table" AS after FROM pragma_foreign_key_list(${name})`
      const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
      const table: Table = {
        name,
        columns: columns.map((column) => column.name),
        key: (key.length === 0 ? columns : key).map((column) => column.name),
        hasKey: key.length > 0,
        after: referred.map(({ after }) => after)
      }
      return table
    })
  )
})

/** Sorts the tables: each table comes after the tables that it refers to. */
const inOrder = (tables: ReadonlyArray<Table>): ReadonlyArray<Table> => {
  const ordered: Array<Table> = []
  const done = new Set<string>()
  const put = (table: Table): void => {
    if (done.has(table.name)) return
    done.add(table.name)
    for (const name of table.after) tables.filter((other) => other.name === name).forEach(put)
    ordered.push(table)
  }
  tables.forEach(put)
  return ordered
}

const columnsOf = (sql: SqlClient.SqlClient, table: string): Effect.Effect<ReadonlyArray<Column>, SqlError> =>
  Effect.map(
    sql<{ readonly name: string; readonly type: string; readonly identity: string }>`
      SELECT column_name::text AS name, data_type::text AS type, is_identity::text AS identity
      FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ${table}`,
    (rows) =>
      rows.map(({ identity, name, type }) => ({ name, isText: type === "text", isIdentity: identity === "YES" }))
  )

type Pages = () => Effect.Effect<ReadonlyArray<Row>, SqlError>

/**
 * Returns a function that reads the next rows of a table, in the order of the table's key. At the end it returns no
 * rows. Texts are ordered by their bytes, as SQLite does by default.
 */
const pages = (sql: SqlClient.SqlClient, table: Table, columns: ReadonlyArray<Column>): Pages => {
  const isText = new Set(columns.filter((column) => column.isText).map(({ name }) => name))
  const ordered = table.key.map((name) => (isText.has(name) ? `${quoted(name)} COLLATE "C"` : quoted(name)))
  const start = `SELECT ${table.columns.map(quoted).join(", ")} FROM ${quoted(table.name)}`
  const order = `ORDER BY ${ordered.join(", ")}`
  const mark = sql.onDialectOrElse({ pg: () => (n: number) => `$${n}`, orElse: () => () => "?" })
  const after = `WHERE (${ordered.join(", ")}) > (${table.key.map((_, index) => mark(index + 1)).join(", ")})`
  let last: Row | undefined
  let isOver = false
  return () =>
    Effect.suspend(() => {
      if (isOver) return Effect.succeed([])
      // A table without a key has only one or two rows.
      const limit = table.hasKey ? `LIMIT ${STEP}` : ""
      const from = last
      const read =
        from === undefined
          ? sql.unsafe<Row>(`${start} ${order} ${limit}`)
          : sql.unsafe<Row>(
              `${start} ${after} ${order} ${limit}`,
              table.key.map((name) => from[name]!)
            )
      return Effect.map(read, (rows) => {
        last = rows.at(-1)
        isOver = !table.hasKey || rows.length < STEP
        return rows
      })
    })
}

const write = (
  sql: SqlClient.SqlClient,
  table: Table,
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<Row>
): Effect.Effect<unknown, SqlError> => {
  const width = table.columns.length
  const overriding = columns.some(({ isIdentity }) => isIdentity) ? "OVERRIDING SYSTEM VALUE" : ""
  const values = rows.map(
    (_, row) => `(${table.columns.map((_, column) => `$${row * width + column + 1}`).join(", ")})`
  )
  const names = table.columns.map(quoted).join(", ")
  return sql.unsafe(
    `INSERT INTO ${quoted(table.name)} (${names}) ${overriding} VALUES ${values.join(", ")}`,
    rows.flatMap((row) => table.columns.map((name) => row[name]!))
  )
}

/** Sets the number that the next row of a table gets: one above the last used number, even if that row was deleted. */
const continueNumbers = Effect.fnUntraced(function* (
  source: SqlClient.SqlClient,
  target: SqlClient.SqlClient,
  table: string,
  columns: ReadonlyArray<Column>
) {
  const identity = columns.find(({ isIdentity }) => isIdentity)
  if (identity === undefined) return
  const [row] = yield* source<{ readonly seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = ${table}`
  if (row === undefined || row.seq < 1) return
  yield* target`SELECT setval(pg_get_serial_sequence(${table}, ${identity.name}), ${row.seq})`
})

/** True if both tables have the same rows. */
const isSame = Effect.fnUntraced(function* (one: Pages, other: Pages) {
  for (;;) {
    const [left, right] = [yield* one(), yield* other()]
    if (left.length !== right.length || !left.every((row, index) => isEqual(row, right[index]!))) return false
    if (left.length === 0) return true
  }
})

const isEqual = (one: Row, other: Row): boolean => {
  for (const name in one) {
    const [left, right] = [one[name], other[name]]
    const isBlob = left instanceof Uint8Array && right instanceof Uint8Array
    if (isBlob ? Buffer.compare(left, right) !== 0 : left !== right) return false
  }
  return true
}

/** Quotes a name. The names come from the databases themselves. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

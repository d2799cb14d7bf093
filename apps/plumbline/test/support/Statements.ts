/** Records the statements of a migration step, for both databases, without one of them. */
import { Context, Effect, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, Statement } from "effect/sql"

const escape = Statement.defaultEscape('"')

/** A compiler with the dialect of Postgres, which steps ask for. */
const postgres = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: escape,
  onCustom: () => ["", []],
  onRecordUpdate: () => ["", []]
})

/** Returns the texts of the statements that a step runs. Every statement returns no row. */
export const of = (
  step: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>,
  database: "pg" | "sqlite"
): Promise<ReadonlyArray<string>> => {
  const texts: Array<string> = []
  const run = (text: string) =>
    Effect.sync((): ReadonlyArray<any> => {
      texts.push(text.replaceAll(/\s+/gu, " ").trim())
      return []
    })
  const connection: SqlConnection.Connection = {
    execute: run,
    executeRaw: run,
    executeUnprepared: run,
    executeValues: run,
    executeValuesUnprepared: run,
    executeStream: () => Stream.empty
  }
  const client = SqlClient.make({
    driver: "recorded",
    acquirer: Effect.succeed(connection),
    compiler: database === "pg" ? postgres : Statement.makeCompilerSqlite(),
    spanAttributes: []
  })
  return Effect.runPromise(
    Effect.gen(function* () {
      const context = Context.make(Reactivity.Reactivity, yield* Reactivity.make)
      yield* step(yield* Effect.provideContext(client, context))
      return texts
    }).pipe(Effect.scoped, Effect.orDie)
  )
}

/**
 * Starts a Postgres and a Redis for one test. If the programs are not installed, the tests that need them fail in CI
 * and are skipped elsewhere.
 */
import { redis, type RedisServer, redisSkipped } from "@plumbline/gateway/support/redis"
import { postgres, type PostgresServer, postgresSkipped } from "@plumbline/gateway/support/servers"
import { Effect, Exit, Redacted, Scope } from "effect"

/** True if the tests that need these databases are skipped. */
export const skipped = postgresSkipped !== undefined || redisSkipped !== undefined

/** The URLs of the two databases. */
export interface Databases extends AsyncDisposable {
  readonly postgres: string
  readonly redis: string
  /** The servers, for tests that stop them. */
  readonly servers: { readonly postgres: PostgresServer; readonly redis: RedisServer }
}

/** Starts the two databases. When the result is disposed of, they end and their data is removed. */
export const start = async (): Promise<Databases> => {
  const scope = Scope.makeUnsafe()
  const [relational, keyed] = await Effect.runPromise(
    Scope.provide(Effect.all([postgres, redis], { concurrency: 2 }), scope)
  )
  return {
    postgres: Redacted.value(relational.url("postgres")),
    redis: Redacted.value(keyed.url),
    servers: { postgres: relational, redis: keyed },
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

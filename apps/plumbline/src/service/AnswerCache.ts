/**
 * The cache of proven answers: memory, backed by a file in the data folder or by the database that processes share.
 *
 * The token of the admin API authenticates stored answers: the token is not in the database, and processes that share a
 * state have the same token. After a change of the token, stored answers are ignored, and are proven again.
 */
import * as SqlAnswerStore from "@plumbline/gateway/cache/SqlAnswerStore"
import * as VerifiedCache from "@plumbline/gateway/cache/VerifiedCache"
import * as Sqlite from "@plumbline/gateway/state/Sqlite"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"

import type { ServiceSettings } from "../config/ServiceSettings.ts"

export interface AnswerCachePlace {
  /** The data folder; undefined if processes share the state. */
  readonly folder: string | undefined
  /** The token that the service created for the folder; undefined if the configuration has one. */
  readonly token: string | undefined
  readonly state: Context.Context<SqlClient.SqlClient>
}

/**
 * Returns the effect that opens the cache once. If the store cannot be opened, the service works without it, and the
 * log says so.
 */
export const cache = Effect.fnUntraced(function* (
  { admin, cache, state }: ServiceSettings,
  { folder, state: context, token }: AnswerCachePlace
) {
  const path = yield* Path.Path
  const scope = yield* Effect.scope
  const secret = admin.token ?? Redacted.make(token!)
  const options = { secret, bytes: cache.store }
  const opened = Effect.gen(function* () {
    if (cache.store === 0) return undefined
    if (state._tag === "Shared") return yield* Effect.provideContext(SqlAnswerStore.make(options), context)
    const file = yield* Layer.build(Sqlite.layer({ file: path.join(folder ?? "", "answers.sqlite") }))
    return yield* Effect.provideContext(SqlAnswerStore.make(options), file)
  })
  const store = Effect.catch(opened, (error) =>
    Effect.as(Effect.logWarning("proven answers are not stored", error.message), undefined)
  )
  const made = Effect.flatMap(store, (store) => Effect.orDie(VerifiedCache.make({ memory: cache.memory, store })))
  return yield* Effect.cached(Scope.provide(made, scope))
})

/** What the admin API says of the service itself, and has it do. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Scope from "effect/Scope"

import type { SettingError } from "../errors/SettingError.ts"
import type { Limiter } from "../limits/Limiter.ts"
import type { Metering } from "../metering/Metering.ts"
import type { Status } from "../pipeline/status.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import type { Collection } from "./AdminModel.ts"
import type { Changes } from "./changes.ts"
import { said } from "./failure.ts"
import { noService } from "./handlers.ts"

/**
 * What the rest of the service can do and say. What is absent is answered with 404, kind `service`.
 *
 * @since 0.1.0
 */
export interface Operations {
  /** `status` of the `Gateway`. Without it there are no networks to see. */
  readonly status?: Effect.Effect<Status> | undefined
  /**
   * Reads the configuration again; gives the settings that change with the next start only. A mistake in it is a
   * `SettingError`, and the configuration before is kept. It goes on when the one who asked for it leaves.
   */
  readonly reload?: Effect.Effect<{ readonly restart: ReadonlyArray<string> }, SettingError> | undefined
  /** Removes from the IPFS node what nobody has pinned; gives the number of blocks. */
  readonly collect?: Effect.Effect<number, unknown> | undefined
}

export const serviceGroup = (behind: {
  readonly changes: Changes
  readonly limiter: Limiter["Service"]
  readonly metering: Metering["Service"]
  readonly operations: () => Operations
  /** What is begun and not waited for ends with it. */
  readonly scope: Scope.Scope
}) =>
  HttpApiBuilder.group(AdminApi.Api, "service", (handlers) => {
    const { changes, limiter, metering, operations, scope } = behind
    /** It is written down before it begins: it may take long, and a transaction would hold up all others. */
    const asked = (action: string) => said(changes.make({ action, work: Effect.void, target: "" }))
    let collection: Collection = { running: false, last: null }

    const collect = Effect.fnUntraced(function* (work: Effect.Effect<number, unknown>) {
      collection = { ...collection, running: true }
      const exit = yield* Effect.exit(work)
      const removed = Exit.isSuccess(exit) ? exit.value : null
      collection = { running: false, last: { endedAt: yield* Clock.currentTimeMillis, removed } }
      yield* removed === null
        ? Effect.logError("the IPFS node could not collect garbage")
        : Effect.annotateLogs(Effect.logInfo("garbage of the IPFS node collected"), { removed })
    })

    const collector = Effect.suspend(() => {
      const { collect } = operations()
      return collect === undefined ? Effect.fail(noService("IPFS node that collects garbage")) : Effect.succeed(collect)
    })

    return handlers.handleAll({
      status: Effect.fnUntraced(function* () {
        const { networks } = yield* operations().status ?? Effect.succeed({ networks: [] })
        return {
          networks: networks.map(({ chainId, name, upstream, upstreams = [] }) => ({
            name,
            chainId,
            upstream,
            upstreams: upstreams.map(({ behind = null, name, state }) => ({ name, state, behind }))
          })),
          limiter: limiter.state(),
          metering: yield* metering.status
        }
      }),
      reload: Effect.fnUntraced(function* () {
        const { reload } = operations()
        if (reload === undefined) return yield* noService("configuration that can be read again")
        yield* asked("service.reload")
        const reloading = yield* Effect.forkIn(reload, scope)
        return yield* Effect.mapError(
          Fiber.join(reloading),
          ({ message, setting }) => new AdminError.Conflict({ reason: "Misconfigured", id: setting, message })
        )
      }),
      collection: () => Effect.map(collector, () => collection),
      collect: Effect.fnUntraced(function* () {
        const work = yield* collector
        if (!collection.running) {
          yield* asked("ipfs.collect")
          // Another request may have come first meanwhile.
          if (!collection.running) yield* Effect.forkIn(collect(work), scope, { startImmediately: true })
        }
        return collection
      }),
      audit: ({ query: { before, limit = 100 } }) =>
        Effect.map(said(changes.list(before, limit)), (entries) => ({
          entries,
          next: entries.length === limit ? (entries.at(-1)?.id ?? null) : null
        }))
    })
  })

/** The handlers of the admin API for the service itself. */
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
 * The operations of the service. An absent one is answered with 404, kind `service`.
 */
export interface Operations {
  /** `status` of the `Gateway`. Without it no networks are shown. */
  readonly status?: Effect.Effect<Status> | undefined
  /**
   * Reads the configuration again; returns the settings that change only with the next start. A mistake in the
   * configuration is a `SettingError`, and the previous configuration stays. The operation continues if its caller
   * leaves.
   */
  readonly reload?: Effect.Effect<{ readonly restart: ReadonlyArray<string> }, SettingError> | undefined
  /** Removes unpinned content from the IPFS node; returns the number of blocks. */
  readonly collect?: Effect.Effect<number, unknown> | undefined
}

export const serviceGroup = (behind: {
  readonly changes: Changes
  readonly limiter: Limiter["Service"]
  readonly metering: Metering["Service"]
  readonly operations: () => Operations
  /** The scope of background work. */
  readonly scope: Scope.Scope
}) =>
  HttpApiBuilder.group(AdminApi.Api, "service", (handlers) => {
    const { changes, limiter, metering, operations, scope } = behind
    /**
     * The entry is written before the work begins: the work may take long, and a transaction would block all others.
     */
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
          // Another request may have started one meanwhile.
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

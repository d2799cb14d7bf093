/** The handlers of the admin API for networks: reading a chain, and letting an embedded node lie. */
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import type { Limiter } from "@plumbline/gateway/limits/Limiter"
import * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Semaphore from "effect/Semaphore"

import { noService } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { Actor, type AuditedChanges } from "./auditedChanges.ts"
import type { Operations } from "./serviceHandlers.ts"
import { toAdminError } from "./storeFailures.ts"

export const jsonRpcGroup = ({
  changes,
  limiter,
  operations
}: {
  readonly changes: AuditedChanges
  readonly limiter: Limiter["Service"]
  readonly operations: () => Operations
}) =>
  HttpApiBuilder.group(AdminApi.Api, "networks", (handlers) => {
    // Orders come one after the other, so that each has exactly one entry.
    const orders = Semaphore.makeUnsafe(1)
    return handlers.handleAll({
      call: Effect.fnUntraced(function* ({ params: { id }, payload }) {
        const { read } = operations()
        if (read === undefined) return yield* noService("networks")
        const calls = Array.isArray(payload) ? payload.length : 1
        yield* Effect.mapError(limiter.admit(ID, LIMITS, calls), (error) =>
          error._tag === "LimitExceeded"
            ? new AdminError.TooManyCalls({
                message: `at most ${LIMITS.creditsPerSecond} calls a second`,
                retryAfter: Number(LimitExceeded.answer(error).headers[1] ?? 1)
              })
            : new AdminError.Unavailable({ message: error.message })
        )
        const answer = yield* read(id, encoder.encode(JSON.stringify(payload)))
        if (answer === undefined) {
          const shown = Redaction.id(id)
          return yield* new AdminError.NotFound({ kind: "network", id: shown, message: `there is no network ${shown}` })
        }
        return HttpServerResponse.uint8Array(answer, { contentType: "application/json" })
      }),
      lie: Effect.fnUntraced(function* ({ params: { id } }) {
        const { liar } = operations()
        const before = liar?.left(id)
        if (liar === undefined || before === undefined) {
          const message = "no node of this network can be told to lie"
          return yield* new AdminError.NotFound({ kind: "network", id: Redaction.id(id), message })
        }
        // A node that lies already keeps its order, which has an entry. Without an entry the node does not lie.
        if (before === 0) {
          const seconds = liar.lastsMillis / 1000
          let order: object | undefined
          yield* toAdminError(
            changes.make({
              action: "network.lie",
              target: `${liar.nodeOf(id)} of ${id} for ${seconds} s`,
              work: Effect.sync(() => void (order = { network: id, node: liar.nodeOf(id), seconds })),
              state: () => Effect.sync(() => order)
            })
          )
          liar.begin(id, (yield* Actor)?.label ?? "")
        }
        return { leftMillis: Math.ceil(liar.left(id) ?? 0) }
      }, orders.withPermits(1))
    })
  })

/**
 * The id under which the limiter counts the calls of operators. It differs from all ids of projects, which are UUIDs.
 */
const ID = "operators reading chains"

/** The limits for the calls of all operators together, in all processes. */
const LIMITS = { creditsPerSecond: 200, burst: 1000 }

const encoder = new TextEncoder()

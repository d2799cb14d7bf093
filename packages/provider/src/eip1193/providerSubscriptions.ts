/** The subscriptions of one provider: requests begin and end subscriptions, and listeners get their events. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type { Notice } from "../node/Notice.ts"
import type * as ProvingNode from "../node/ProvingNode.ts"

/** Maximum number of subscriptions at a time. */
const MAX = 100

export interface ProviderSubscriptions {
  /** Begins a subscription and returns its id. The first notice comes after the caller has the id. */
  readonly begin: (
    node: ProvingNode.ProvingNode["Service"],
    params: unknown
  ) => Effect.Effect<string, ErrorObject.ErrorObject>
  /** Ends the subscription. `params` contains its id. */
  readonly end: (params: unknown) => Effect.Effect<true, ErrorObject.ErrorObject>
  readonly close: Effect.Effect<void>
}

export const make = (tell: (subscription: string, notice: Notice) => void): ProviderSubscriptions => {
  const open = new Map<string, Scope.Closeable>()

  const begin: ProviderSubscriptions["begin"] = (node, params) =>
    Effect.gen(function* () {
      if (open.size >= MAX) {
        return yield* Effect.fail(
          ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, `too many subscriptions, want at most ${MAX}`)
        )
      }
      const scope = yield* Scope.make()
      const id = Hex.fromBytes(crypto.getRandomValues(new Uint8Array(16)))
      open.set(id, scope)
      const { notices } = yield* Effect.onExit(Scope.provide(node.subscribe(params), scope), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : drop(id, scope)
      )
      // the timer fires only after the promise of the request has resolved with the id
      const delivery = Effect.andThen(
        Effect.sleep(0),
        Stream.runForEach(notices, (notice) => Effect.sync(() => tell(id, notice)))
      )
      yield* Effect.forkIn(delivery, scope)
      return id
    })

  const drop = (id: string, scope: Scope.Closeable): Effect.Effect<void> =>
    Effect.suspend(() => {
      open.delete(id)
      return Scope.close(scope, Exit.void)
    })

  const end: ProviderSubscriptions["end"] = (params) =>
    Effect.suspend((): Effect.Effect<true, ErrorObject.ErrorObject> => {
      const id: unknown = Array.isArray(params) ? params[0] : undefined
      if (typeof id !== "string") return Effect.fail(ErrorObject.invalidParams("missing value for required argument 0"))
      const scope = open.get(id)
      return scope === undefined
        ? Effect.fail(ErrorObject.make(ErrorCode.INVALID_INPUT, "subscription not found"))
        : Effect.as(drop(id, scope), true as const)
    })

  const close = Effect.suspend(() => Effect.forEach([...open], ([id, scope]) => drop(id, scope), { discard: true }))

  return { begin, end, close }
}

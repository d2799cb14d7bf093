/** A whole service that can be held at each step of a call, so that a test can act at that moment. */
import {
  Accounts,
  type Feeds,
  type GatewayOptions,
  type GatewayProduct,
  Limiter,
  Metering,
  type Usage
} from "@plumbline/gateway"
import { Context, Deferred, Effect, Layer } from "effect"

import * as State from "./accounts.ts"
import * as Service from "./service.ts"

/** Starts a service whose steps can be held. It counts admitted calls and their outcomes. */
export const start = Effect.fnUntraced(function* (
  options: Omit<GatewayOptions.GatewayOptions & GatewayProduct.GatewayProducts, "networks"> = {},
  feeds?: Feeds.Feeds
) {
  const gates = { lookup: gate(), admit: gate(), node: gate(), record: gate() }
  const counts = { admitted: 0, settled: 0, charged: 0 }
  const recorded: Array<Usage.Usage> = []
  const memory = yield* Layer.build(State.layer([{ id: "p1", key: Service.KEY, secret: Service.SECRET, card: true }]))
  const accounts = Context.get(memory, Accounts.Accounts)
  const metering = Context.get(memory, Metering.Metering)
  const state = Layer.mergeAll(
    Layer.succeed(Accounts.Accounts, {
      ...accounts,
      lookup: (key) =>
        Effect.andThen(
          gates.lookup.pass,
          Effect.suspend(() => accounts.lookup(key))
        )
    }),
    Layer.succeed(Limiter.Limiter, {
      admit: () =>
        Effect.andThen(
          gates.admit.pass,
          Effect.sync(() => {
            counts.admitted++
            return { _tag: "Admission", reservation: undefined } as const
          })
        ),
      settle: (_admission, credits) =>
        Effect.sync(() => {
          counts.settled++
          counts.charged += credits
        }),
      admitAddress: () => Effect.void,
      state: () => ({ store: "up", whenDown: "closed" }),
      standing: () => Effect.undefined,
      keyStanding: () => Effect.undefined,
      accountStanding: () => Effect.undefined
    }),
    Layer.succeed(Metering.Metering, {
      ...metering,
      plain: undefined,
      recordAll: (usages) =>
        Effect.andThen(
          gates.record.pass,
          Effect.sync(() => {
            recorded.push(...usages)
          })
        )
    })
  )
  let asked = 0
  const upstream = {
    call: () =>
      Effect.andThen(
        gates.node.pass,
        Effect.sync(() => new TextEncoder().encode(String(++asked)))
      )
  }
  const service = yield* Service.start([{ ...Service.network(upstream), feeds }], options, state)
  return { ...service, gates, counts, recorded, asked: () => asked }
})

/** Makes a gate. It is open until the test closes it, and reports when work arrives. */
const gate = () => {
  const reached = Deferred.makeUnsafe<void>()
  const opened = Deferred.makeUnsafe<void>()
  let isOpen = true
  return {
    reached: Deferred.await(reached),
    close: () => {
      isOpen = false
    },
    open: Deferred.succeed(opened, undefined),
    pass: Effect.suspend(() =>
      isOpen ? Effect.void : Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened))
    )
  }
}

/**
 * Waits until the other end of each connection has noticed every change. Both ends are in this process, and each turn
 * of the event loop looks at all connections. So this also works on a busy machine.
 */
export const noticed = Effect.promise(async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
})

export type Held = Effect.Success<ReturnType<typeof start>>

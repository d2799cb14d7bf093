/** The supervisor's answers to a worker: its limits, its usage, and what a worker that ends leaves behind. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { EthFeeds, LimiterStore, type Network, ServiceState, UsageFigures } from "@plumbline/gateway"
import type { Feeds } from "@plumbline/gateway/networks/Feeds"
import { Clock, Context, Deferred, Effect, Layer } from "effect"

import * as EmbeddedNodes from "../../src/service/EmbeddedNodes.ts"
import * as WorkerDesk from "../../src/workers/WorkerDesk.ts"
import type * as WorkerMessages from "../../src/workers/WorkerMessages.ts"

/** Makes the desks of workers over one state. Each has `ask`, which returns the supervisor's answer. */
const desks = Effect.fnUntraced(function* (
  networks: ReadonlyArray<Network.Network> = [],
  before: Effect.Effect<void> = Effect.void
) {
  const opened = yield* Layer.build(ServiceState.layerSqlite({ file: ":memory:" }))
  const limits = Context.get(opened, LimiterStore.LimiterStore)
  const state = Context.add(opened, LimiterStore.LimiterStore, {
    ...limits,
    take: (...asked) => Effect.andThen(before, limits.take(...asked))
  })
  const embedded = yield* EmbeddedNodes.make
  const deskOf = yield* WorkerDesk.make({ state, networks: () => networks, embedded })
  const open = () => {
    const waiting = new Map<number, (told: any) => void>()
    let last = 0
    const desk = deskOf((message) => {
      if ("id" in message) waiting.get(message.id)?.(message)
    })
    const ask = <Q extends WorkerMessages.Question>(question: Q, ask: WorkerMessages.Questions[Q][0]) =>
      Effect.promise(
        () =>
          new Promise<any>((resolve) => {
            const id = ++last
            waiting.set(id, ({ answer, failure }) => resolve(failure ?? answer))
            desk.hear({ _tag: "Asked", id, question, ask })
          })
      )
    return { desk, ask }
  }
  return { open, state }
})

const take = (limits: object) => ["take", { kind: "project", id: "p", limits, credits: 5, members: undefined }] as const

describe("the supervisor", () => {
  it.effect("counts the limits of all workers together, and frees the places of one that ends", () =>
    Effect.gen(function* () {
      const { open } = yield* desks()
      const [one, other] = [open(), open()]
      const both = { concurrency: 2, creditsPerDay: 20 }
      const first = yield* one.ask(...take(both))
      assert.strictEqual(first._tag, "Reservation")
      assert.strictEqual((yield* other.ask(...take(both)))._tag, "Reservation")
      assert.deepInclude(yield* one.ask(...take(both)), { _tag: "LimitExceeded", limit: "concurrency" })
      one.desk.hear({ _tag: "Settled", reservation: first, charged: 5 })
      // a reservation is settled once, however often the worker says so
      one.desk.hear({ _tag: "Settled", reservation: first, charged: 0 })
      assert.strictEqual((yield* one.ask(...take(both)))._tag, "Reservation")
      assert.deepInclude(yield* one.ask(...take(both)), { _tag: "LimitExceeded", limit: "concurrency" })
      one.desk.close()
      // the place is free, and the credits stay taken: 5 + 5 + 5 of 20
      assert.strictEqual((yield* other.ask(...take(both)))._tag, "Reservation")
      other.desk.close()
      assert.deepInclude(yield* open().ask(...take(both)), { _tag: "LimitExceeded", limit: "day" })
    }).pipe(Effect.scoped)
  )

  it.live("keeps no place for a worker that has ended, whenever its last questions come", () =>
    Effect.gen(function* () {
      const counted = yield* Deferred.make<void>()
      const { open } = yield* desks([], Deferred.await(counted))
      const [one, other] = [open(), open()]
      const both = { concurrency: 2, creditsPerDay: 100 }
      const [, ask] = take(both)
      one.desk.hear({ _tag: "Asked", id: 8, question: "take", ask })
      one.desk.close()
      one.desk.hear({ _tag: "Asked", id: 9, question: "take", ask })
      yield* Deferred.succeed(counted, undefined)
      assert.strictEqual((yield* other.ask(...take(both)))._tag, "Reservation")
      assert.strictEqual((yield* other.ask(...take(both)))._tag, "Reservation")
      assert.deepInclude(yield* other.ask(...take(both)), { _tag: "LimitExceeded", limit: "concurrency" })
    }).pipe(Effect.scoped)
  )

  it.live("closes a feed that its worker has left before it had begun", () =>
    Effect.gen(function* () {
      let opened = 0
      let closed = 0
      const node = yield* Deferred.make<void>()
      const feeds: Feeds = {
        ...(yield* EthFeeds.make({ call: () => Effect.never })),
        open: (_, { begun }) =>
          Effect.map(Deferred.await(node), () => {
            opened++
            begun(() => closed++)
          })
      }
      const upstream = { call: () => Effect.never }
      const network = { name: "live", hosts: [], chainId: 1, methods: EthMethods.group, upstream, feeds }
      const { open } = yield* desks([network])
      const request = { kind: "newHeads", params: ["newHeads"] }
      const [leaving, ending, staying] = [open(), open(), open()]
      const asked = [leaving, ending, staying].map(({ ask }) =>
        Effect.runPromise(ask("openFeed", { feed: 1, network: "live", request }))
      )
      leaving.desk.hear({ _tag: "FeedClosed", feed: 1 })
      ending.desk.close()
      yield* Deferred.succeed(node, undefined)
      yield* Effect.promise(() => Promise.all(asked))
      assert.deepStrictEqual([opened, closed], [3, 2])
      staying.desk.hear({ _tag: "FeedClosed", feed: 1 })
      assert.strictEqual(closed, 3)
    }).pipe(Effect.scoped)
  )

  it.live("adds a batch of usage once, however often it is sent", () =>
    Effect.gen(function* () {
      const { open, state } = yield* desks()
      const { ask } = open()
      const at = yield* Clock.currentTimeMillis
      const minute = at - (at % 60_000)
      const batch: WorkerMessages.Questions["commit"][0]["batch"] = {
        writer: "00000000-0000-4000-8000-000000000001",
        number: 1,
        at,
        rows: [[minute, "p", "rpc", "live", "eth_chainId", 200, "k", "answered", 3, 15, 1, 2, 0, 0]],
        levels: []
      }
      for (let sent = 0; sent < 3; sent++) {
        assert.strictEqual(yield* ask("commit", { batch, durability: undefined }), undefined)
      }
      const { totals } = yield* Context.get(state, UsageFigures.UsageFigures).totals(
        UsageFigures.last("15m", yield* Clock.currentTimeMillis)
      )
      assert.strictEqual(totals.credits, 15n)
    }).pipe(Effect.scoped)
  )

  it.effect("tells a worker nothing about a failure of its own", () =>
    Effect.gen(function* () {
      const { open } = yield* desks()
      const { ask } = open()
      const request = { kind: "newHeads", params: ["newHeads"] }
      assert.deepStrictEqual(yield* ask("openFeed", { feed: 1, network: "gone", request }), {
        _tag: "ErrorObject",
        error: { code: -32_603, message: "internal error" }
      })
    }).pipe(Effect.scoped)
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Limiter, LimiterStore, type ProjectLimits, type Metering, MeteringError, type Usage } from "@plumbline/gateway"
import { Clock, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

import { type SocketClosing, EventSettlement } from "../../src/pipeline/eventSettlement.ts"
import type { CallerSession } from "../../src/pipeline/requestAdmission.ts"

/** Makes a session with the fields that the settlement reads. */
const sessionOf = (project: string, limits: ProjectLimits.ProjectLimits, place = "live"): CallerSession =>
  ({
    holder: { account: {}, project: { id: project, limits }, key: { id: `key of ${project}`, limits: {} } },
    product: "rpc",
    place,
    config: { settings: { wording: {} } }
  }) as unknown as CallerSession

const start = Effect.fnUntraced(function* (
  record: (usages: ReadonlyArray<Usage.Usage>) => Effect.Effect<void, MeteringError.MeteringError> = () => Effect.void
) {
  const limiter = yield* Limiter.Limiter
  const recorded: Array<ReadonlyArray<Usage.Usage>> = []
  const metering = {
    ...({} as Metering.Metering["Service"]),
    recordAll: (usages: ReadonlyArray<Usage.Usage>) =>
      Effect.suspend(() => {
        recorded.push(usages)
        return record(usages)
      })
  }
  const billing = new EventSettlement(yield* Clock.Clock, limiter, metering)
  /** Makes a socket with subscriptions. The socket records the reason each time it is closed. */
  const socket = (project: string) => {
    const closed: Array<SocketClosing> = []
    billing.join(project, { end: (closing) => void closed.push(closing) })
    return closed
  }
  const left = (project: string, limits: ProjectLimits.ProjectLimits, credits: number) =>
    Effect.match(limiter.admit(project, limits, credits), { onSuccess: () => true, onFailure: () => false })
  return { billing, recorded, socket, left }
})

const memory = Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory()))
const quiet = Effect.provideService(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())

describe("events", () => {
  it.effect("are recorded together: a row without calls for each key and network", () =>
    Effect.gen(function* () {
      const { billing, recorded } = yield* start()
      for (let count = 0; count < 1000; count++) {
        billing.charge(sessionOf("a", {}), 50, 100)
        billing.charge(sessionOf("a", {}, "other"), 1, 2)
        billing.charge(sessionOf("b", {}), 0, 7)
      }
      yield* billing.flush
      yield* billing.flush
      const row = { product: "rpc", method: "eth_subscription", status: 200, calls: 0, bytesIn: 0 } as const
      assert.deepStrictEqual<unknown>(recorded, [
        [
          { ...row, project: "a", key: "key of a", network: "live", credits: 50_000, bytesOut: 100_000 },
          { ...row, project: "a", key: "key of a", network: "other", credits: 1000, bytesOut: 2000 },
          { ...row, project: "b", key: "key of b", network: "live", credits: 0, bytesOut: 7000 }
        ]
      ])
    }).pipe(Effect.provide(memory))
  )

  it.effect("take their credits of the day, and end with it for all sockets of the project, and for no other", () =>
    Effect.gen(function* () {
      const limits = { creditsPerDay: 100 }
      const { billing, left, recorded, socket } = yield* start()
      const closed = [socket("a"), socket("a"), socket("b")]
      billing.charge(sessionOf("a", limits), 60, 1)
      for (const _ of [1, 2, 3]) yield* billing.flush
      assert.isFalse(yield* left("a", limits, 41))
      assert.deepStrictEqual(closed, [[], [], []])
      billing.charge(sessionOf("a", limits), 50, 1)
      yield* billing.flush
      const gone = { code: 1008, reason: "daily request count exceeded, request rate limited" }
      assert.deepStrictEqual(closed, [[gone], [gone], []])
      // A client that reconnects has no daily credits left for more events.
      assert.isFalse(yield* left("a", limits, 1))
      // These events were sent, so they are billed.
      assert.strictEqual(
        recorded.flat().reduce((sum, { credits }) => sum + credits, 0),
        110
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("of a key end with its own credits of the day, for the sockets of that key alone", () =>
    Effect.gen(function* () {
      const { billing, left } = yield* start()
      const keyed = (key: string, creditsPerDay: number): CallerSession => {
        const session = sessionOf("a", { creditsPerDay: 1000 })
        return {
          ...session,
          holder: { ...session.holder, key: { ...session.holder.key, id: key, limits: { creditsPerDay } } }
        }
      }
      const sessions = [keyed("one", 100), keyed("two", 500)] as const
      const closed = sessions.map((session) => {
        const closings: Array<SocketClosing> = []
        billing.join("a", { end: (closing) => void closings.push(closing), session: () => session })
        return closings
      })
      billing.charge(sessions[0], 60, 1)
      billing.charge(sessions[1], 60, 1)
      yield* billing.flush
      assert.deepStrictEqual(closed, [[], []])
      billing.charge(sessions[0], 50, 1)
      yield* billing.flush
      const gone = { code: 1008, reason: "daily credits of the API key exceeded, request rate limited" }
      assert.deepStrictEqual(closed, [[gone], []])
      // The project pays for all 170 credits of sent events.
      assert.isFalse(yield* left("a", { creditsPerDay: 1000 }, 831))
      assert.isTrue(yield* left("a", { creditsPerDay: 1000 }, 830))
    }).pipe(Effect.provide(memory))
  )

  it.effect("wait for the credits of the next seconds, as much as the bucket holds at a time", () =>
    Effect.gen(function* () {
      const limits = { creditsPerSecond: 100, burst: 200, concurrency: 1 }
      const { billing, left, socket } = yield* start()
      const closed = socket("a")
      // This call takes the only place for a call under way. Events do not need a place.
      assert.isTrue(yield* left("a", limits, 1))
      billing.charge(sessionOf("a", limits), 700, 1)
      for (let second = 0; second < 8; second++) {
        yield* TestClock.adjust("1 second")
        yield* billing.flush
      }
      assert.deepStrictEqual(closed, [])
      // The debt for the events is paid, so calls can use the credits of the bucket again.
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* left("a", { creditsPerSecond: 100, burst: 200 }, 200))
    }).pipe(Effect.provide(memory))
  )

  it.effect("end when they go on to cost more than flows in", () =>
    Effect.gen(function* () {
      const limits = { creditsPerSecond: 10 }
      const { billing, socket } = yield* start()
      const closed = socket("a")
      let seconds = 0
      while (closed.length === 0) {
        assert.isBelow(seconds++, 100)
        billing.charge(sessionOf("a", limits), 11, 1)
        yield* TestClock.adjust("1 second")
        yield* billing.flush
      }
      assert.deepStrictEqual(closed, [{ code: 1008, reason: "project ID request rate exceeded" }])
      assert.isAtLeast(seconds, 10)
    }).pipe(Effect.provide(memory))
  )

  it.effect("count for the day to the last credit, also those that the bucket never had", () =>
    Effect.gen(function* () {
      const limits = { creditsPerSecond: 10, creditsPerDay: 10_000 }
      const { billing, left, recorded, socket } = yield* start()
      const closed = socket("a")
      for (let second = 0; second < 15 && closed.length === 0; second++) {
        billing.charge(sessionOf("a", limits), 300, 1)
        yield* TestClock.adjust("1 second")
        yield* billing.flush
      }
      assert.strictEqual(closed.length, 1)
      const sent = recorded.flat().reduce((sum, { credits }) => sum + credits, 0)
      assert.isAbove(sent, 3000)
      const day = { creditsPerDay: limits.creditsPerDay }
      assert.isFalse(yield* left("a", day, 10_001 - sent))
      assert.isTrue(yield* left("a", day, 10_000 - sent))
    }).pipe(Effect.provide(memory))
  )

  it.effect("count that are sent while the limits are told of those before them", () =>
    Effect.gen(function* () {
      const limits = { creditsPerDay: 100 }
      const limiter = yield* Limiter.Limiter
      const slow = {
        ...limiter,
        plain: undefined,
        settle: (admission: Limiter.LimiterAdmission, charged: number) =>
          Effect.andThen(Effect.sleep("1 second"), limiter.settle(admission, charged))
      }
      const { billing, left } = yield* Effect.provideService(start(), Limiter.Limiter, slow)
      billing.charge(sessionOf("a", limits), 30, 1)
      const flushing = yield* Effect.forkChild(billing.flush, { startImmediately: true })
      billing.charge(sessionOf("a", limits), 40, 1)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(flushing)
      yield* Effect.forkChild(billing.flush, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* left("a", limits, 31))
      assert.isTrue(yield* left("a", limits, 30))
    }).pipe(Effect.provide(memory))
  )

  it.effect("end where they cannot be recorded, and are not recorded again", () =>
    Effect.gen(function* () {
      const failing = Effect.fail(new MeteringError.MeteringError({ problem: "Unavailable", detail: "no connection" }))
      const { billing, recorded, socket } = yield* start(() => failing)
      const closed = [socket("a"), socket("b")]
      billing.charge(sessionOf("a", {}), 50, 1)
      yield* billing.flush
      yield* billing.flush
      assert.deepStrictEqual(closed, [[{ code: 1013, reason: "service unavailable", isOurs: true }], []])
      assert.strictEqual(recorded.length, 1)
    }).pipe(Effect.provide(memory), quiet)
  )

  it.effect("that cost nothing are asked of no limit", () =>
    Effect.gen(function* () {
      const limits = { creditsPerDay: 0 }
      const { billing, recorded, socket } = yield* start()
      const closed = socket("a")
      billing.charge(sessionOf("a", limits), 0, 5)
      yield* billing.flush
      assert.deepStrictEqual(closed, [])
      assert.strictEqual(recorded.length, 1)
    }).pipe(Effect.provide(memory))
  )
})

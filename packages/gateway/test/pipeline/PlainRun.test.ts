/**
 * Compares work that runs by plain function calls with work that runs in a fiber. Both must end, be recorded and be
 * settled in the same way. Each case runs both ways and states its expected outcome.
 */
import { assert, describe, it } from "@effect/vitest"
import { Limiter, LimiterStore, Metering, MeteringStore, StateError, type Usage } from "@plumbline/gateway"
import { Cause, Context, Deferred, type Duration, Effect, Exit, Fiber, Layer } from "effect"

import type { SpawnFiber } from "../../src/http/requestFibers.ts"
import type { StepEnd } from "../../src/http/workEnd.ts"
import * as Settlement from "../../src/pipeline/settlement.ts"

const LIMITS = { creditsPerDay: 100, concurrency: 10 }
const PROJECT = { id: "p1", limits: LIMITS } as unknown as Settlement.ProjectWork<string>["project"]

const usage = (status: number, credits: number): Usage.Usage => ({
  project: "p1",
  product: "rpc",
  network: "live",
  method: "eth_call",
  status,
  key: "k1",
  calls: 1,
  credits,
  bytesIn: 1,
  bytesOut: 1
})

const outcome = (answer: string, status = 200, credits = 30): Settlement.WorkOutcome<string> => ({
  answer,
  usages: [usage(status, credits)]
})

const WAYS = ["plain", "in a fiber"] as const

/** Opens a settlement with limits in memory and a store whose commits the test records, delays or breaks. */
const open = Effect.fnUntraced(function* (
  way: (typeof WAYS)[number],
  { rows: most = 100, timeout = "1 minute" }: { readonly rows?: number; readonly timeout?: Duration.Input } = {}
) {
  const rows: Array<string> = []
  const held: Array<Effect.Effect<void, StateError.StateError>> = []
  const store = Layer.succeed(MeteringStore.MeteringStore, {
    commit: (batch) =>
      Effect.andThen(
        Effect.suspend(() => held.shift() ?? Effect.void),
        Effect.sync(() => {
          for (const [, project, , , , status, , , calls, credits] of batch.rows)
            rows.push(`${project} ${status} ${calls} ${credits}`)
        })
      ),
    addLatencies: () => Effect.void,
    ping: Effect.void,
    forget: () => Effect.void
  })
  const context = yield* Layer.build(
    Layer.merge(
      Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory())),
      Metering.layer({ gather: 0, attempt: "1 minute", timeout, limits: { rows: most } }).pipe(Layer.provide(store))
    )
  )
  const limiter = Context.get(context, Limiter.Limiter)
  const metering = Context.get(context, Metering.Metering)
  // Without the plain calls of the limiter, this settlement uses fibers.
  const settlement =
    way === "plain" ? Settlement.make(limiter, metering) : Settlement.make({ ...limiter, plain: undefined }, metering)
  let fibers = 0
  const runFork = Effect.runForkWith(yield* Effect.context())
  const fork: SpawnFiber = (effect, options) => {
    fibers++
    return runFork(effect, options)
  }
  return {
    rows,
    held,
    settlement,
    fibers: () => fibers,
    /** Returns the credits used today, and the calls in flight. */
    standing: Effect.map(limiter.standing("p1", LIMITS), (found) => [found?.day?.used, found?.underWay]),
    begin: (job: Partial<Settlement.ProjectWork<string>>) => {
      const ended = Deferred.makeUnsafe<string>()
      let ends = 0
      const work = settlement.begin<string>(
        {
          project: PROJECT,
          credits: 50,
          work: () => Exit.succeed(outcome("answer")),
          exceeded: ({ limit }) => outcome(limit, 429, 0),
          closed: () => outcome("closed", 503, 0),
          unmetered: () => outcome("unmetered", 503, 0),
          ...job
        },
        fork,
        {
          succeeded: (answer) => {
            ends++
            Deferred.doneUnsafe(ended, Exit.succeed(answer))
          },
          failed: (cause) => {
            ends++
            Deferred.doneUnsafe(ended, Exit.failCause(cause))
          }
        }
      )
      return { work, exit: Effect.exit(Deferred.await(ended)), ends: () => ends }
    }
  }
})

describe.each(WAYS)("work that is done %s", (way) => {
  it.live("is recorded and charged before it ends", () =>
    Effect.gen(function* () {
      const { begin, rows, settlement, standing } = yield* open(way)
      const { ends, exit } = begin({})
      assert.deepStrictEqual(yield* exit, Exit.succeed("answer"))
      assert.deepStrictEqual(rows, ["p1 200 1 30"])
      assert.deepStrictEqual(yield* standing, [30, 0])
      yield* settlement.idle
      assert.strictEqual(ends(), 1)
    })
  )

  it.live("is under way until it is recorded, and an interruption does not lose its record", () =>
    Effect.gen(function* () {
      const { begin, held, rows, settlement, standing } = yield* open(way)
      const gate = yield* Deferred.make<void>()
      const reached = yield* Deferred.make<void>()
      held.push(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate)))
      const { ends, exit, work } = begin({})
      yield* Deferred.await(reached)
      work.interruptUnsafe()
      const idle = yield* Effect.forkChild(settlement.idle)
      yield* Effect.yieldNow
      assert.deepStrictEqual([ends(), idle.pollUnsafe(), yield* standing], [0, undefined, [50, 1]])
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* exit, Exit.succeed("answer"))
      yield* Fiber.join(idle)
      assert.deepStrictEqual([rows, yield* standing], [["p1 200 1 30"], [30, 0]])
    })
  )

  it.live("is recorded if its caller leaves while its usage waits for room in a batch", () =>
    Effect.gen(function* () {
      const { begin, held, rows, settlement, standing } = yield* open(way, { rows: 1 })
      const gate = yield* Deferred.make<void>()
      const reached = yield* Deferred.make<void>()
      held.push(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate)))
      const work = (status: number) => begin({ credits: 30, work: () => Exit.succeed(outcome("answer", status)) })
      const first = work(200)
      yield* Deferred.await(reached)
      const others = [work(201), work(202)]
      yield* Effect.yieldNow
      for (const { work } of others) work.interruptUnsafe()
      assert.deepStrictEqual(yield* standing, [90, 3])
      yield* Deferred.succeed(gate, undefined)
      for (const { ends, exit } of [first, ...others]) {
        assert.deepStrictEqual(yield* exit, Exit.succeed("answer"))
        assert.strictEqual(ends(), 1)
      }
      yield* settlement.idle
      assert.deepStrictEqual(
        [rows, yield* standing],
        [
          ["p1 200 1 30", "p1 201 1 30", "p1 202 1 30"],
          [90, 0]
        ]
      )
    })
  )

  it.live("waits for a node, and is recorded when it is interrupted there", () =>
    Effect.gen(function* () {
      const { begin, rows, standing } = yield* open(way)
      const { exit, work } = begin({
        work: () =>
          Effect.map(Effect.exit(Effect.interruptible(Effect.never)), (exit) =>
            outcome(Exit.hasInterrupts(exit) ? "left" : "other", 499, 5)
          )
      })
      assert.deepStrictEqual(yield* standing, [50, 1])
      work.interruptUnsafe()
      assert.deepStrictEqual(yield* exit, Exit.succeed("left"))
      assert.deepStrictEqual([rows, yield* standing], [["p1 499 1 5"], [5, 0]])
    })
  )

  it.live("does not begin over a limit, and that is recorded without a charge", () =>
    Effect.gen(function* () {
      const { begin, rows, standing } = yield* open(way)
      let hasBegun = false
      const { exit } = begin({
        credits: 101,
        work: () => {
          hasBegun = true
          return Exit.succeed(outcome("answer"))
        }
      })
      assert.deepStrictEqual(yield* exit, Exit.succeed("day"))
      assert.deepStrictEqual([hasBegun, rows, yield* standing], [false, ["p1 429 1 0"], [0, 0]])
    })
  )

  it.live("is not charged if its usage cannot be recorded", () =>
    Effect.gen(function* () {
      const { begin, held, rows, standing } = yield* open(way, { timeout: "50 millis" })
      for (let i = 0; i < 100; i++)
        held.push(Effect.fail(new StateError.StateError({ problem: "Unavailable", detail: "gone" })))
      const { exit } = begin({})
      assert.deepStrictEqual(yield* exit, Exit.succeed("unmetered"))
      assert.deepStrictEqual([rows, yield* standing], [[], [0, 0]])
    })
  )

  it.live("is not charged if an invalid usage comes of it", () =>
    Effect.gen(function* () {
      const { begin, rows, standing } = yield* open(way)
      const { exit } = begin({ work: () => Exit.succeed(outcome("answer", 200, -1)) })
      assert.deepStrictEqual(yield* exit, Exit.succeed("unmetered"))
      assert.deepStrictEqual([rows, yield* standing], [[], [0, 0]])
    })
  )

  const defects: ReadonlyArray<readonly [name: string, work: Settlement.ProjectWork<string>["work"]]> = [
    [
      "at once",
      () => {
        throw new Error("mistake")
      }
    ],
    ["as an exit", () => Exit.die(new Error("mistake"))],
    ["later", () => Effect.andThen(Effect.yieldNow, Effect.die(new Error("mistake")))],
    ["in its usages", () => Exit.succeed({ answer: "answer", usages: undefined as never })]
  ]
  it.live.each(defects)("is free, and ends with its defect, if it dies %s", ([, work]) =>
    Effect.gen(function* () {
      const { begin, ends, exit, rows, settlement, standing } = yield* Effect.map(open(way), (opened) => ({
        ...opened,
        ...opened.begin({ work })
      }))
      const ended = yield* exit
      assert.isTrue(Exit.isFailure(ended) && Cause.hasDies(ended.cause))
      assert.deepStrictEqual([rows, yield* standing, ends()], [[], [0, 0], 1])
      yield* settlement.idle
      // The failure does not block the next job.
      assert.deepStrictEqual(yield* begin({}).exit, Exit.succeed("answer"))
    })
  )
})

describe("fibers", () => {
  it.live("are for what waits: work that is done at once has none, and work of a node has one", () =>
    Effect.gen(function* () {
      const { begin, fibers } = yield* open("plain")
      yield* begin({}).exit
      assert.strictEqual(fibers(), 0)
      yield* begin({ work: () => Effect.as(Effect.yieldNow, outcome("answer")) }).exit
      assert.strictEqual(fibers(), 1)
      const control = yield* open("in a fiber")
      yield* control.begin({}).exit
      assert.strictEqual(control.fibers(), 1)
    })
  )
})

describe("work with a plain form", () => {
  type End = StepEnd<Settlement.WorkOutcome<string>>
  const never = { interruptUnsafe: () => undefined }

  it.live("needs no fiber, whether its outcome is known at once or later", () =>
    Effect.gen(function* () {
      const { begin, fibers, rows } = yield* open("plain")
      const atOnce = begin({
        begin: (end) => {
          end.succeeded(outcome("at once"))
          return never
        }
      })
      assert.deepStrictEqual(yield* atOnce.exit, Exit.succeed("at once"))
      let told: End | undefined
      const later = begin({
        begin: (end) => {
          told = end
          return never
        }
      })
      told!.succeeded(outcome("later"))
      assert.deepStrictEqual(yield* later.exit, Exit.succeed("later"))
      assert.deepStrictEqual([fibers(), rows, atOnce.ends(), later.ends()], [0, ["p1 200 1 30", "p1 200 1 30"], 1, 1])
    })
  )

  it.live("goes on in a fiber if its outcome is an effect, or if it has no plain form", () =>
    Effect.gen(function* () {
      const { begin, fibers } = yield* open("plain")
      const slow = Effect.as(Effect.yieldNow, outcome("slow"))
      const one = begin({
        begin: (end) => {
          end.continued(slow)
          return undefined
        }
      })
      assert.deepStrictEqual(yield* one.exit, Exit.succeed("slow"))
      const other = begin({ work: () => slow })
      assert.deepStrictEqual(yield* other.exit, Exit.succeed("slow"))
      assert.strictEqual(fibers(), 2)
    })
  )

  it.live("is interrupted by its own function, and recorded", () =>
    Effect.gen(function* () {
      const { begin, rows, settlement, standing } = yield* open("plain")
      const { ends, exit, work } = begin({
        begin: (end) => ({ interruptUnsafe: () => end.succeeded(outcome("left", 499, 5)) })
      })
      assert.deepStrictEqual(yield* standing, [50, 1])
      work.interruptUnsafe()
      work.interruptUnsafe()
      assert.deepStrictEqual(yield* exit, Exit.succeed("left"))
      yield* settlement.idle
      assert.deepStrictEqual([rows, yield* standing, ends()], [["p1 499 1 5"], [5, 0], 1])
    })
  )

  it.live("is free if it dies, before or after it began", () =>
    Effect.gen(function* () {
      const { begin, rows, settlement, standing } = yield* open("plain")
      const thrown = begin({
        begin: () => {
          throw new Error("at once")
        }
      })
      const died = begin({
        begin: (end) => {
          end.continued(Effect.die(new Error("later")))
          return never
        }
      })
      for (const { ends, exit } of [thrown, died]) {
        const ended = yield* exit
        assert.isTrue(Exit.isFailure(ended) && Cause.hasDies(ended.cause))
        assert.strictEqual(ends(), 1)
      }
      yield* settlement.idle
      assert.deepStrictEqual([rows, yield* standing], [[], [0, 0]])
    })
  )
})

/** The writes of lies, over a database whose statements wait, fail or never end. */
import { assert, describe, it } from "@effect/vitest"
import { StateError } from "@plumbline/gateway"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"

import * as NodeLies from "../../src/api/nodeLies.ts"

const lie = (method: string, count: number): NodeLies.NodeLieCount => ({
  network: "live",
  node: "own",
  method,
  check: "header hash",
  count,
  lastAt: 1
})

/** Makes the service over a database that runs `before` each statement, and adds up the counts that it gets. */
const make = Effect.fnUntraced(function* () {
  const sums: Record<string, number> = {}
  const database = { before: Effect.void as Effect.Effect<void, StateError.StateError>, statements: 0 }
  const statement = (text: TemplateStringsArray, ...[, row]: ReadonlyArray<any>) =>
    Effect.suspend(() => {
      database.statements++
      return Effect.map(database.before, () => {
        if (text.join("").includes("INSERT")) sums[row.method] = (sums[row.method] ?? 0) + row.count
        return []
      })
    })
  const sql = Object.assign(statement, {
    insert: (row: unknown) => row,
    literal: (text: string) => text
  }) as unknown as SqlClient.SqlClient
  const found = { counts: [] as ReadonlyArray<NodeLies.NodeLieCount> }
  const scope = yield* Scope.make()
  const told: Array<string> = []
  const tell: Parameters<typeof NodeLies.make>[3] = ({ check, got, method }, at) =>
    Effect.sync(() => void told.push(`${at} ${method} ${check} ${got}`))
  const lies = NodeLies.make(sql, () => found.counts, scope, tell)
  return { database, found, lies, scope, sums, told }
})

describe("a write of lies", () => {
  it.effect("is one at a time, and goes on without its caller: each lie is added once", () =>
    Effect.gen(function* () {
      const { database, found, lies, sums } = yield* make()
      const gate = yield* Deferred.make<void>()
      database.before = Deferred.await(gate)
      found.counts = [lie("a", 1), lie("b", 3)]
      const left = yield* Effect.forkChild(lies.write, { startImmediately: true })
      yield* Effect.yieldNow
      found.counts = [lie("a", 1), lie("b", 5)]
      const other = yield* Effect.forkChild(lies.write, { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(database.statements, 1)
      yield* Fiber.interrupt(left)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(other)
      yield* lies.write
      assert.deepStrictEqual(sums, { a: 1, b: 5 })
    })
  )

  it.effect("that fails is made again, and nothing is sent without news", () =>
    Effect.gen(function* () {
      const { database, found, lies, sums, told } = yield* make()
      found.counts = [lie("a", 5)]
      database.before = Effect.fail(new StateError.StateError({ problem: "Unavailable", detail: "lock timeout" }))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(lies.write)))
      database.before = Effect.void
      found.counts = [lie("a", 7)]
      yield* lies.write
      assert.deepStrictEqual(sums, { a: 7 })
      const { statements } = database
      yield* lies.write
      assert.strictEqual(database.statements, statements)
      // a reload begins to count anew
      found.counts = [lie("a", 2)]
      yield* lies.write
      assert.deepStrictEqual(sums, { a: 9 })
      // a lie that was no longer counted begins anew too, even if it comes more often than before
      found.counts = []
      yield* lies.write
      found.counts = [lie("a", 3)]
      yield* lies.write
      assert.deepStrictEqual(sums, { a: 12 })
      // also by the write that failed: its event has a name, and is recorded once
      assert.deepStrictEqual(told, Array(4).fill("1 a header hash null"))
    })
  )

  it.effect("that never ends is given up after the time of a statement, and holds up no end of the service", () =>
    Effect.gen(function* () {
      const { database, found, lies, scope, sums } = yield* make()
      found.counts = [lie("a", 1)]
      database.before = Effect.never
      const first = yield* Effect.forkChild(Effect.exit(lies.write), { startImmediately: true })
      yield* TestClock.adjust("31 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(first)))
      database.before = Effect.void
      yield* lies.write
      assert.deepStrictEqual(sums, { a: 1 })
      found.counts = [lie("a", 2)]
      database.before = Effect.never
      const second = yield* Effect.forkChild(Effect.exit(lies.write), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(second)))
    })
  )
})

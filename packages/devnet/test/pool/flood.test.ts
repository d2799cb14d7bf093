/** Sends many transactions that are expensive to check. Other work must continue to run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { StarknetPool, type StarknetPoolAccounts } from "../../src/index.ts"
import * as Pool from "../support/pool.ts"
import { turnsOf } from "../support/turns.ts"

const [first, second] = Pool.accounts as [
  StarknetPoolAccounts.StarknetPoolAccount,
  StarknetPoolAccounts.StarknetPoolAccount
]

const felts = (length: number): ReadonlyArray<string> => Array.from({ length }, (_, n) => Pool.hex(n))

/** Returns a transaction with an invalid signature, which the pool detects only after hashing. */
const unsigned = (transaction: Pool.Fields, calldata: ReadonlyArray<string>): Pool.Fields => ({
  ...transaction,
  calldata,
  signature: ["0x1", "0x2"]
})

describe("a pool that is flooded", () => {
  it.live("hashes long calldata in turns with everything else", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      for (const [transaction, least] of [
        [unsigned(Pool.invokeV1(first, 0), felts(400)), 24],
        [unsigned(Pool.invokeV3(first, 0), felts(1600)), 24]
      ] as const) {
        const [turns, code] = yield* turnsOf(Pool.codeOf(pool, transaction))
        assert.strictEqual(code, 55)
        assert.isAtLeast(turns, least)
      }
    }).pipe(Effect.scoped)
  )

  it.live("serves others between the transactions of a batch", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const calls = Array.from({ length: 40 }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "starknet_addInvokeTransaction",
        params: [Pool.invokeV3(first, id)]
      }))
      const [turns, answer] = yield* turnsOf(pool.handle(JSON.stringify(calls)))
      const answers: ReadonlyArray<Pool.Fields> = JSON.parse(new TextDecoder().decode(answer))
      // The transactions are answered in order, because each nonce must follow the previous one.
      assert.deepStrictEqual(
        answers.map((one) => one["error"] ?? one["id"]),
        calls.map(({ id }) => id)
      )
      assert.isAtLeast(turns, 9)
    }).pipe(Effect.scoped)
  )

  it.live("hashes nothing that it can refuse without", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make({ capacity: 1 })
      const long = Pool.invokeV3(first, 0, { calldata: felts(200) })
      yield* Pool.send(pool, long)
      const most = felts(5000)
      for (const [code, transaction] of [
        // A repeated transaction with any signature, a used nonce, a nonce too far ahead, an unknown account, and a
        // full pool.
        [59, { ...long, signature: ["0x1", "0x2"] }],
        [52, unsigned(Pool.invokeV1(first, 0), most)],
        [52, unsigned(Pool.invokeV3(first, 7), most)],
        [55, unsigned(Pool.invokeV1(Pool.stranger(0), 0), most)],
        [63, unsigned(Pool.invokeV1(second, 0), most)]
      ] as const) {
        const [turns, got] = yield* turnsOf(Pool.codeOf(pool, transaction))
        assert.strictEqual(got, code)
        assert.isAtMost(turns, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("takes in what is right while it hashes what is wrong, and seals", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const wrong = unsigned(Pool.invokeV1(first, 0), felts(200))
      const right = [Pool.invokeV3(first, 0), Pool.invokeV3(second, 0)]
      const [code, answers, block] = yield* Effect.all(
        [Pool.codeOf(pool, wrong), Effect.forEach(right, (one) => Pool.send(pool, one)), pool.seal],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([code, block.block_number], [55, 1n])
      const hashes = right.map((one) => Pool.hashOf(one))
      assert.deepStrictEqual(
        answers.map((one) => one.transaction_hash),
        hashes
      )
      assert.deepStrictEqual(
        (yield* Pool.pending(pool)).map((one: Pool.Fields) => one["transaction_hash"]),
        hashes
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves nothing behind of a transaction whose sender has left", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const long = Pool.invokeV3(first, 0, { calldata: felts(640) })
      const left = yield* Effect.raceFirst(
        Effect.as(Pool.send(pool, long), "taken"),
        Effect.as(Effect.yieldNow, "left")
      )
      assert.strictEqual(left, "left")
      assert.deepStrictEqual(yield* Pool.pending(pool), [])
      yield* Pool.send(pool, Pool.invokeV3(first, 0))
    }).pipe(Effect.scoped)
  )
})

/** A pool that is closed, as a reload closes the pool of a network that it removes. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"

const poolOf = Effect.fnUntraced(function* (call: Effect.Effect<Uint8Array>) {
  const scope = yield* Scope.make()
  const made = UpstreamPool.make([{ name: "a", upstream: { call: () => call } }], {
    methods: EthMethods.group,
    chain: { method: "eth_chainId", id: 1 }
  })
  return { pool: yield* Scope.provide(made, scope), close: Scope.close(scope, Exit.void) }
})

const assertUnreachable = (error: unknown) => {
  assert(error instanceof UpstreamError.UpstreamError)
  assert.strictEqual(error.reason._tag, "Unreachable")
}

describe("a pool that is closed", () => {
  for (const method of ["eth_chainId", "eth_blockNumber"]) {
    it.effect(`fails ${method}, and does not interrupt it`, () =>
      Effect.gen(function* () {
        const { close, pool } = yield* poolOf(Effect.never)
        yield* close
        assertUnreachable(yield* Effect.flip(pool.call(method, [])))
      })
    )

    it.effect(`fails ${method} that waits for the id of its node`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const { close, pool } = yield* poolOf(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
        const call = yield* Effect.forkChild(Effect.flip(pool.call(method, [])))
        yield* Deferred.await(asked)
        yield* close
        assertUnreachable(yield* Fiber.join(call))
      })
    )
  }
})

/** The live chain when its process ends: the service goes on, with the chain's saved state. */
import { assert, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import type { Upstream } from "@plumbline/gateway"
import { Effect, Logger, References, Schedule } from "effect"

import * as LiveChain from "../../src/service/LiveChain.ts"

const asked = ({ upstream }: LiveChain.LiveChain, method: string, params: ReadonlyArray<unknown> = []) =>
  Effect.map(upstream.call(method, params), (bytes): any => JSON.parse(new TextDecoder().decode(bytes)))

const headOf = (chain: LiveChain.LiveChain) =>
  asked(chain, "eth_getBlockByNumber", ["latest", false]).pipe(
    Effect.map(({ hash, number }) => ({ hash, number: Number(number) })),
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 200 })
  )

const stateOf = ({ upstream }: LiveChain.LiveChain): Upstream.UpstreamState | undefined => upstream.health?.()[0]?.state

/** The call that panics anvil 1.7.1: the base fee that its next block would have is larger than 64 bits. */
const crash = (chain: LiveChain.LiveChain) =>
  Effect.gen(function* () {
    yield* Effect.flip(asked(chain, "anvil_setNextBlockBaseFeePerGas", [`0x${"ff".repeat(16)}`]))
    while (stateOf(chain) === "up") yield* Effect.sleep("5 millis")
    const [node] = chain.upstream.health!()
    assert.strictEqual(node?.problem, "it ended (signal SIGABRT), and starts again")
    const head = yield* headOf(chain)
    while (stateOf(chain) !== "up") yield* Effect.sleep("5 millis")
    return head
  })

it.live("a crash of the chain is a restart with the saved state", () => {
  const lines: Array<unknown> = []
  const saved: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Debug") saved.push(String(message))
    else lines.push(message)
  })
  return Effect.scoped(
    Effect.gen(function* () {
      const chain = yield* LiveChain.make
      assert.strictEqual(stateOf(chain), "up")
      // nothing was mined, so the first state is the saved one
      assert.strictEqual((yield* crash(chain)).hash, PreparedState.head.hash)
      yield* asked(chain, "anvil_mine", ["0x3"])
      const mined = yield* headOf(chain)
      assert.strictEqual(mined.number, PreparedState.head.number + 3)
      while (saved.at(-1) !== `the live chain's state is saved,from block ${mined.number}`) {
        yield* Effect.sleep("5 millis")
      }
      assert.deepStrictEqual(yield* crash(chain), mined)
      yield* asked(chain, "anvil_mine", ["0x1"])
      assert.strictEqual((yield* headOf(chain)).number, mined.number + 1)
      assert.deepStrictEqual(lines, [
        ["the live chain ended, and starts again", "signal SIGABRT"],
        ["the live chain runs again", "in its first state"],
        ["the live chain ended, and starts again", "signal SIGABRT"],
        ["the live chain runs again", `from block ${mined.number}`]
      ])
    })
  ).pipe(
    Effect.provideService(Logger.CurrentLoggers, new Set([logger])),
    Effect.provideService(References.MinimumLogLevel, "Debug")
  )
})

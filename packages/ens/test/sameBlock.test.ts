/** A chain that moves on while a gateway is asked. */
import { assert, describe, it } from "@effect/vitest"
import { EthEvidence } from "@plumbline/eth-methods"
import { Effect } from "effect"
import { createTestClient, http } from "viem"

import { DAVE, ensWorld } from "./support/ensWorld.ts"

const world = ensWorld()

describe("the callback of a gateway's answer", () => {
  it.effect("runs in the block of the first call, though a newer one is the latest", () =>
    Effect.gen(function* () {
      const node = createTestClient({ mode: "anvil", transport: http(world().url) })
      let mined = 0
      const fetch: typeof globalThis.fetch = async (url, init) => {
        await node.mine({ blocks: 1 })
        mined += 1
        return globalThis.fetch(url, init)
      }
      const { proven, value } = yield* world().using((ens) => ens.address("a.off.eth"), {
        ccip: { fetch, loopback: true },
        trust: null
      })
      assert.strictEqual(value, DAVE)
      assert.strictEqual(mined, 1)
      const blocks = proven.flatMap((shown) => (EthEvidence.CallRun.is(shown) ? [shown.block] : []))
      assert.deepStrictEqual<unknown>(blocks, [world().block, world().block])
    })
  )
})

/**
 * Ranges of logs from nodes whose headers come so slowly that the proof takes longer than the time for one node, and
 * from nodes that fail at times.
 */
import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { EthMethods, TrustedBlock } from "@plumbline/eth-methods"
import { Integrity, type Upstream, UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"

const { chainId, head } = HistoryChain

/** Returns the failure of a call, if it fails. */
type Failing = (
  method: string,
  params: ReadonlyArray<unknown>
) => Effect.Error<ReturnType<Upstream.Upstream["call"]>> | undefined

/** A node of the history chain. It is as slow as `delay` says, by method, in milliseconds. */
const node = (
  history: History.HistoryNode,
  delay: (method: string) => number,
  failing: Failing = () => undefined
): Upstream.Upstream => ({
  call: (method, params) =>
    Effect.gen(function* () {
      yield* Effect.sleep(delay(method))
      const failure = failing(method, params)
      if (failure !== undefined) return yield* Effect.fail(failure)
      const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const { error, result } = JSON.parse(Buffer.from((yield* history.handle(Buffer.from(request)))!).toString())
      return yield* error === undefined ? Effect.succeed(Buffer.from(JSON.stringify(result))) : Effect.fail(error)
    })
})

const over = Effect.fnUntraced(
  function* (nodes: ReadonlyArray<Upstream.Upstream>) {
    const named = nodes.map((upstream, index) => ({ name: "ab"[index]!, upstream }))
    const { around, lies, members } = yield* Integrity.make(named, {
      network: "history",
      mode: "prove",
      chainId: BigInt(chainId),
      trust: yield* TrustedBlock.TrustedBlock,
      logTime: 8000
    })
    const pool = yield* UpstreamPool.make(
      named.map(({ name }, index) => ({ name, upstream: members[index]! })),
      { methods: EthMethods.group, failures: 1 }
    )
    return { lies, upstream: around(pool) }
  },
  Effect.provide(TrustedBlock.layerPinned(Hash32.fromHexUnsafe(head.hash)))
)

/** Lets time pass while an effect runs. */
const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.raceFirst(
    effect,
    Effect.forever(
      Effect.andThen(
        TestClock.adjust("100 millis"),
        Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))
      )
    )
  )

const range = ["eth_getLogs", [{ fromBlock: "0x1", toBlock: "0x40" }]] as const

describe("the logs of a range from a slow node", () => {
  it.effect("are the next node's, and the slow one is not blamed", () =>
    Effect.gen(function* () {
      const history = yield* History.make
      const slow = node(history, (method) => (method === "eth_getBlockReceipts" ? 2500 : 0))
      const { lies, upstream } = yield* over([slow, node(history, () => 0)])
      const { verdict } = yield* inTime(upstream.call(...range))
      assert.deepStrictEqual([verdict?.word, verdict?.by], ["VERIFIED", "b"])
      assert.deepStrictEqual(lies(), [])
      assert.deepStrictEqual(
        upstream.health!().map(({ state }) => state),
        ["up", "up"]
      )
      // alone, it says how far it came, and the range that it names is answered
      const alone = yield* over([slow])
      const error = yield* inTime(Effect.flip(alone.upstream.call(...range)))
      assert(error instanceof UpstreamError.UpstreamError && error.reason._tag === "Unproven")
      assert.deepInclude(error.reason.data, { bound: "logTime", limit: 8000 })
      const [, to] = /Try with this block range \[0x1, (0x[0-9a-f]+)\]$/u.exec(error.reason.message) ?? []
      assert.isBelow(Number(to), 64)
      const answer = yield* inTime(alone.upstream.call("eth_getLogs", [{ fromBlock: "0x1", toBlock: to }]))
      assert.strictEqual(answer.verdict?.word, "VERIFIED")
      assert.strictEqual(alone.upstream.health!()[0]!.state, "up")
    })
  )

  it.effect("do not wait for the node's own answer", () =>
    Effect.gen(function* () {
      const history = yield* History.make
      const { lies, upstream } = yield* over([node(history, (method) => (method === "eth_getLogs" ? 1e6 : 0))])
      const { verdict } = yield* inTime(upstream.call(...range))
      assert.strictEqual(verdict?.word, "VERIFIED")
      assert.deepStrictEqual(lies(), [])
    })
  )
})

describe("the logs of a range from a node that fails at times", () => {
  const busy = { code: -32_005, message: "rate limit exceeded" }

  it.effect("are proven, because each read is tried again", () =>
    Effect.gen(function* () {
      const history = yield* History.make
      const broken = new UpstreamError.UpstreamError({ reason: { _tag: "BadStatus", status: 503 } })
      for (const failure of [busy, broken]) {
        const tries = new Map<string, number>()
        const failing: Failing = (method, params) => {
          if (method !== "eth_getBlockReceipts") return undefined
          const question = JSON.stringify(params)
          const tried = (tries.get(question) ?? 0) + 1
          tries.set(question, tried)
          return tried <= 3 ? failure : undefined
        }
        const { lies, upstream } = yield* over([node(history, () => 0, failing)])
        const { verdict } = yield* inTime(upstream.call(...range))
        assert.strictEqual(verdict?.word, "VERIFIED")
        assert.isAbove(tries.size, 1)
        assert.deepStrictEqual(new Set(tries.values()), new Set([4]))
        assert.deepStrictEqual(lies(), [])
        assert.strictEqual(upstream.health!()[0]!.state, "up")
      }
    })
  )

  it.effect("are the next node's if it goes on failing, and a node that answers nothing is asked once", () =>
    Effect.gen(function* () {
      const history = yield* History.make
      let asked = 0
      const failingAt = (failed: RegExp) =>
        node(
          history,
          () => 0,
          (method) => (failed.test(method) && ++asked > 0 ? busy : undefined)
        )
      const without = yield* over([failingAt(/Receipts/u), node(history, () => 0)])
      const { verdict } = yield* inTime(without.upstream.call(...range))
      assert.deepStrictEqual([verdict?.word, verdict?.by], ["VERIFIED", "b"])
      // a block is asked for five times, at most eight of them at a time, and one of these once more by itself
      assert.isAtMost(asked, 5 * 9)
      asked = 0
      const silent = yield* over([failingAt(/./u)])
      const error = yield* inTime(Effect.flip(silent.upstream.call("eth_getBlockByNumber", ["0x1", false])))
      assert.deepInclude(error, busy)
      assert.strictEqual(asked, 1)
    })
  )
})

/** The filters that callers poll: over the feeds of a network, bounded for each project, and read by their owner only. */
import { assert, describe, it } from "@effect/vitest"
import { EthFeeds, EthFilterCalls } from "@plumbline/gateway"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

import { FakeChain } from "../../support/fakeChain.ts"

const A = `0x${"aa".repeat(20)}`
const B = `0x${"bb".repeat(20)}`
const settle = TestClock.adjust("1 second")
const quiet = Effect.provideService(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())

const owner = (id: string) => ({ id, mayRead: () => true })
const decoder = new TextDecoder()

const filtered = Effect.gen(function* () {
  const chain = new FakeChain()
  const filters = yield* EthFilterCalls.make(yield* EthFeeds.make(chain.upstream), chain.upstream)
  const ask = (method: string, params: ReadonlyArray<unknown> = [], by = owner("one")) =>
    Effect.map(filters.call(method, params, by), (json) => JSON.parse(decoder.decode(json)))
  return { chain, ask }
})

describe("filters of a network", () => {
  it.effect("return the logs and the blocks since the last call, and logs that are taken back", () =>
    Effect.gen(function* () {
      const { ask, chain } = yield* filtered
      const logs = yield* ask("eth_newFilter", [{ address: A }])
      const blocks = yield* ask("eth_newBlockFilter")
      const made = [chain.mine([A, B]), chain.mine()]
      yield* settle
      assert.deepEqual(
        yield* ask("eth_getFilterChanges", [blocks]),
        made.map(({ hash }) => hash)
      )
      const found = yield* ask("eth_getFilterChanges", [logs])
      assert.deepEqual(
        found.map(({ address, removed }: any) => [address, removed]),
        [[A, false]]
      )
      chain.mine([], 2)
      chain.mine()
      chain.mine()
      yield* settle
      const back = yield* ask("eth_getFilterChanges", [logs])
      assert.deepEqual(
        back.map(({ address, removed }: any) => [address, removed]),
        [[A, true]]
      )
      assert.deepEqual(yield* ask("eth_getFilterChanges", [logs]), [])
    }).pipe(Effect.scoped)
  )

  it.effect("belong to their project, and only as long as it may read them", () =>
    Effect.gen(function* () {
      const { ask } = yield* filtered
      const id = yield* ask("eth_newFilter", [{ address: A }])
      const missing = { code: -32000, message: "filter not found" }
      assert.deepInclude(yield* Effect.flip(ask("eth_getFilterChanges", [id], owner("two"))), missing)
      assert.deepEqual(yield* ask("eth_getFilterChanges", [id]), [])
      const asked: Array<unknown> = []
      const narrowed = { id: "one", mayRead: (...call: ReadonlyArray<unknown>) => asked.push(call) === 0 }
      assert.deepInclude(yield* Effect.flip(ask("eth_getFilterChanges", [id], narrowed)), missing)
      assert.deepEqual(asked, [["eth_newFilter", [{ address: A }]]])
      assert.deepInclude(yield* Effect.flip(ask("eth_getFilterChanges", [id])), missing)
    }).pipe(Effect.scoped)
  )

  it.effect("are bounded for each project, and end without calls", () =>
    Effect.gen(function* () {
      const { ask } = yield* filtered
      const ids: Array<string> = []
      for (let n = 0; n < 16; n++) ids.push(yield* ask("eth_newBlockFilter"))
      assert.deepInclude(yield* Effect.flip(ask("eth_newBlockFilter")), { code: -32005 })
      yield* ask("eth_newBlockFilter", [], owner("two"))
      assert.isTrue(yield* ask("eth_uninstallFilter", [ids[0]]))
      yield* ask("eth_newBlockFilter")
      yield* TestClock.adjust("5 minutes")
      yield* settle
      assert.isFalse(yield* ask("eth_uninstallFilter", [ids[1]]))
    }).pipe(Effect.scoped)
  )

  it.effect("of pending transactions work over a node that does not push", () =>
    Effect.gen(function* () {
      const { ask, chain } = yield* filtered
      const hash = `0x${"01".repeat(32)}`
      const [hashes, whole] = [
        yield* ask("eth_newPendingTransactionFilter"),
        yield* ask("eth_newPendingTransactionFilter", [true])
      ]
      chain.pending = [hash]
      yield* settle
      assert.deepEqual(yield* ask("eth_getFilterChanges", [hashes]), [hash])
      chain.pending = [{ hash }]
      yield* settle
      assert.deepEqual(yield* ask("eth_getFilterChanges", [whole]), [
        { hash, blockHash: null, blockNumber: null, transactionIndex: null }
      ])
      assert.deepInclude(yield* Effect.flip(ask("eth_newPendingTransactionFilter", ["yes"])), { code: -32602 })
    }).pipe(Effect.scoped)
  )

  it.effect("hold 8 MiB of a project, and say so when results were dropped", () =>
    Effect.gen(function* () {
      const { ask, chain } = yield* filtered
      const whole = (by: string) => ask("eth_newPendingTransactionFilter", [true], owner(by))
      const changes = (id: string, by: string) => ask("eth_getFilterChanges", [id], owner(by))
      const large = (byte: string) => ({ hash: `0x${byte.repeat(32)}`, input: "x".repeat(3 * 1024 * 1024) })
      const [first, second, other] = [yield* whole("one"), yield* whole("one"), yield* whole("two")]
      chain.pending = [large("01")]
      yield* settle
      chain.pending = [large("02")]
      yield* settle
      assert.deepInclude(yield* Effect.flip(changes(first, "one")), { code: -32005 })
      assert.lengthOf(yield* changes(second, "one"), 2)
      assert.lengthOf(yield* changes(other, "two"), 2)
      // what was read or dropped no longer counts
      chain.pending = [large("03")]
      yield* settle
      assert.lengthOf(yield* changes(first, "one"), 1)
      assert.lengthOf(yield* changes(second, "one"), 1)
      for (const id of [first, second]) yield* ask("eth_uninstallFilter", [id], owner("one"))
      const third = yield* whole("one")
      chain.pending = [large("04")]
      yield* settle
      chain.pending = [large("05")]
      yield* settle
      assert.lengthOf(yield* changes(third, "one"), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("of a range that ends before it begins are refused as by geth", () =>
    Effect.gen(function* () {
      const { ask } = yield* filtered
      assert.deepInclude(yield* Effect.flip(ask("eth_newFilter", [{ fromBlock: "0x10", toBlock: "0x9" }])), {
        code: -32000,
        message: "invalid block range params"
      })
      yield* ask("eth_newFilter", [{ fromBlock: "0x9", toBlock: "0x9" }])
    }).pipe(Effect.scoped)
  )

  it.effect("say once that blocks were missed, and are gone then", () =>
    Effect.gen(function* () {
      const { ask, chain } = yield* filtered
      const id = yield* ask("eth_newBlockFilter")
      yield* settle
      chain.hides = true
      chain.mine()
      chain.mine()
      yield* TestClock.adjust("30 seconds")
      assert.match((yield* Effect.flip(ask("eth_getFilterChanges", [id]))).message, /blocks were missed/u)
      assert.match((yield* Effect.flip(ask("eth_getFilterChanges", [id]))).message, /filter not found/u)
    }).pipe(Effect.scoped, quiet)
  )
})

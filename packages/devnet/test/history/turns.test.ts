/** Counts the cost of calls of the history chain, and checks that other work runs in between. */
import { readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"
import type { LogFilter } from "@plumbline/eth-methods"
import { Effect } from "effect"

import * as HistoryArchive from "../../src/history/historyArchive.ts"
import * as LogSelection from "../../src/history/logSelection.ts"
import { History, HistoryChain, StarknetPool } from "../../src/index.ts"
import * as NodeEventLoopScheduler from "../../src/node/eventLoopScheduler.ts"
import { turnsOf } from "../support/turns.ts"

const address = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`
const hash = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`
const list = <A>(length: number, make: (n: number) => A): ReadonlyArray<A> => Array.from({ length }, (_, n) => make(n))

const batch = (method: string, params: ReadonlyArray<unknown>, length: number): string =>
  JSON.stringify(list(length, (id) => ({ jsonrpc: "2.0", id, method, params })))

/** Returns the list, and a counter of the reads of its elements. */
const counting = (items: ReadonlyArray<string>) => {
  let reads = 0
  const proxy = new Proxy(items, {
    get: (target, name, receiver): unknown => {
      if (typeof name === "string" && /^\d+$/u.test(name)) reads++
      return Reflect.get(target, name, receiver)
    }
  })
  return { items: proxy, reads: () => reads }
}

describe("logs of a range", () => {
  it("read each address and topic of a filter once, however many blocks there are", () => {
    const archive = HistoryArchive.make(new Uint8Array(readFileSync(History.archiveFile)))
    const addresses = counting(list(110, address))
    const topics = counting(list(110, hash))
    const filter = { address: addresses.items, topics: [topics.items] } as unknown as LogFilter.Selection
    assert.deepStrictEqual(LogSelection.select(archive.blocks, filter), [])
    assert.isAbove(archive.blocks.length, 60)
    assert.deepStrictEqual([addresses.reads(), topics.reads()], [110, 110])
  })
})

describe("calls of a node in this process", () => {
  const { blocks, contracts } = HistoryChain
  const range = { fromBlock: "0x0", toBlock: "latest" }
  const many: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, perTurn: number]> = [
    ["eth_getLogs", [{ ...range, address: list(110, address) }], 4],
    ["eth_feeHistory", ["0x400", "latest", list(100, (n) => n)], 2],
    ["eth_getBlockReceipts", ["0x14"], 2],
    ["eth_getBlockByNumber", ["0x14", true], 2],
    ["eth_getBlockByHash", [blocks[20]!.hash, true], 2],
    ["eth_getProof", [contracts.token.address, [], "latest"], 1],
    ["eth_getStorageValues", [{ [contracts.token.address]: ["0x0"] }, "latest"], 1],
    ["eth_gasPrice", [], 16],
    ["eth_getBalance", [contracts.token.address, "latest"], 16]
  ]
  for (const [method, params, perTurn] of many) {
    it.live(`${method}: at most ${perTurn} are begun in a turn of the event loop`, () =>
      Effect.gen(function* () {
        const node = yield* History.make
        const [turns, answer] = yield* turnsOf(node.handle(batch(method, params, 96)))
        const answers: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(new TextDecoder().decode(answer))
        assert.strictEqual(answers.filter((one) => "result" in one).length, 96)
        assert.isAtLeast(turns, 96 / perTurn - 1)
      })
    )
  }

  it.live("a proof of many slots, and words of many, are read in pieces, and nothing is missing or out of order", () =>
    Effect.gen(function* () {
      const node = yield* History.make
      const keys = list(1024, hash)
      const proofs = node.call("eth_getProof", [contracts.token.address, keys, "latest"])
      const [turns, proof] = yield* turnsOf(proofs)
      assert.isAtLeast(turns, 1024 / 128 - 1)
      const { storageProof } = JSON.parse(new TextDecoder().decode(proof))
      assert.deepStrictEqual(
        storageProof.map((slot: { readonly key: string }) => slot.key),
        keys
      )
      const slots = { [contracts.token.address]: keys.slice(0, 512), [contracts.elder.address]: keys.slice(0, 512) }
      const [pieces, words] = yield* turnsOf(node.call("eth_getStorageValues", [slots, "latest"]))
      assert.isAtLeast(pieces, 1024 / 128 - 1)
      const answer = JSON.parse(new TextDecoder().decode(words))
      const wordAt = (slot: string) =>
        Effect.map(node.call("eth_getStorageAt", [contracts.elder.address, slot, "latest"]), (word) =>
          JSON.parse(new TextDecoder().decode(word))
        )
      assert.deepStrictEqual(
        Object.values(answer).map((words) => (words as ReadonlyArray<string>).length),
        [512, 512]
      )
      for (const at of [0, 1, 500]) {
        assert.strictEqual(answer[contracts.elder.address][at], yield* wordAt(hash(at)))
      }
    })
  )

  it.live("the pool answers with its whole content once in a turn", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const [turns] = yield* turnsOf(pool.handle(batch("starknet_pendingTransactions", [], 40)))
      assert.isAtLeast(turns, 39)
    }).pipe(Effect.scoped)
  )
})

describe("turns", () => {
  /** Makes an event loop whose turns the test runs. */
  const loop = () => {
    const queue: Array<() => void> = []
    return {
      later: (callback: () => void) => void queue.push(callback),
      turn: () => queue.splice(0).map((run) => run())
    }
  }

  it("begin what there is room for, in the order of asking, and the rest in later turns", async () => {
    const { later, turn } = loop()
    const turns = NodeEventLoopScheduler.make(later)
    const begun: Array<string> = []
    const work = (name: string, weight: number) =>
      Effect.runPromise(turns.take(weight, () => Effect.sync(() => void begun.push(name))))
    const all = [work("a", 8), work("b", 8), work("c", 8), work("d", 1), work("e", 40), work("f", 1)]
    assert.deepStrictEqual(begun, ["a", "b"])
    turn()
    assert.deepStrictEqual(begun, ["a", "b", "c", "d"])
    turn()
    assert.deepStrictEqual(begun, ["a", "b", "c", "d", "e"])
    turn()
    assert.deepStrictEqual(begun, ["a", "b", "c", "d", "e", "f"])
    await Promise.all(all)
  })

  it("forget work that is given up while it waits", async () => {
    const { later, turn } = loop()
    const turns = NodeEventLoopScheduler.make(later)
    const begun: Array<string> = []
    const first = Effect.runPromise(turns.take(16, () => Effect.succeed(0)))
    const waiting = Effect.runFork(turns.take(1, () => Effect.sync(() => void begun.push("never"))))
    waiting.interruptUnsafe()
    turn()
    turn()
    await first
    assert.deepStrictEqual(begun, [])
  })
})

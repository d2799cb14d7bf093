/** Watches of logs over chains that grow and reorganise, from programs that are killed and resumed at any item. */
import { assert, describe, it } from "@effect/vitest"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Fiber, Schema, Stream } from "effect"

import { EthEvidence, LogRange, LogWatch } from "../../src/index.ts"
import * as LogChain from "../support/logChain.ts"
import * as Made from "../support/made.ts"
import type * as Nodes from "../support/node.ts"
import { inTime, open } from "../support/watching.ts"

const first = LogChain.extend([], 60)

/** A program that keeps the logs that it was told, with its cursor. Throws if an item does not fit. */
class Program {
  stored: string
  readonly logs = new Map<string, string>()
  removed = 0
  constructor(from: bigint) {
    this.stored = JSON.stringify(LogWatch.start(from))
  }
  get cursor(): LogWatch.Cursor {
    return Schema.decodeUnknownSync(LogWatch.Cursor)(JSON.parse(this.stored))
  }
  take(item: LogWatch.LogItem): void {
    if (item._tag === "Log") {
      const { blockHash, logIndex } = item.log
      const id = `${blockHash} ${logIndex}`
      assert.isFalse(this.logs.has(id), "told twice")
      this.logs.set(id, blockHash!)
    } else if (item._tag === "Removed") {
      const gone = [...this.logs].filter(([, hash]) => hash === item.block.hash)
      assert.lengthOf(gone, item.logs)
      for (const [id] of gone) this.logs.delete(id)
      this.removed += item.logs
    }
    this.stored = JSON.stringify(item.cursor)
  }
}

const first0 = `0x${"ab".repeat(32)}` as const

const truth = (chain: LogChain.LogChain, from: bigint): ReadonlyArray<string> =>
  LogChain.select(chain.slice(Number(from) - 1), {}).map((json) => {
    const log = Made.object(json)
    return `${Made.string(log["blockHash"])} ${BigInt(Made.string(log["logIndex"]))}`
  })

describe("a watch of logs", () => {
  it.effect("tells each log once and in order, over reorganisations and restarts at every item", () =>
    Effect.gen(function* () {
      const random = Random.make(7)
      let removed = 0
      let restarts = 0
      const runs = Random.runs(8)
      for (let run = runs; run > 0; run--) {
        const head: LogChain.Head = { chain: yield* Effect.promise(() => first) }
        const from = BigInt(1 + Random.int(random, 50))
        const program = new Program(from)
        const client = yield* open(LogChain.answers(head), head)
        let salt = 1
        for (let turn = 0; turn < 8; turn++) {
          // the program is killed after a few items
          const untilKilled = Effect.gen(function* () {
            let left = 1 + Random.int(random, 4)
            const items = LogWatch.watch(client, {}, { cursor: program.cursor, pageBlocks: 1 + Random.int(random, 20) })
            const isHead = (item: LogWatch.LogItem): boolean =>
              item._tag === "Reached" && item.block.hash === head.chain.at(-1)!.hash
            const told = yield* inTime(
              items.pipe(
                Stream.takeUntil((item) => --left === 0 || isHead(item)),
                Stream.tap((item) => Effect.sync(() => program.take(item))),
                Stream.runCollect
              )
            )
            return isHead(told.at(-1)!)
          })
          while (!(yield* untilKilled)) restarts++
          assert.deepStrictEqual([...program.logs.keys()], truth(head.chain, from))
          const depth = Random.chance(random, 0.6) ? Random.int(random, 20) : 0
          const kept = head.chain.slice(0, head.chain.length - depth)
          salt++
          const grown = yield* Effect.promise(() => LogChain.extend(kept, depth + 1 + Random.int(random, 6), { salt }))
          head.chain = grown
        }
        removed += program.removed
      }
      assert.isAbove(removed, runs)
      assert.isAbove(restarts, 10 * runs)
    })
  )

  it.effect("goes on while the chain moves under a read, and when reads fail for a while", () =>
    Effect.gen(function* () {
      const random = Random.make(11)
      const chain = yield* Effect.promise(() => first)
      const other = yield* Effect.promise(() => LogChain.extend(chain.slice(0, 45), 20, { salt: 3 }))
      const longest = yield* Effect.promise(() => LogChain.extend(chain.slice(0, 52), 30, { salt: 4 }))
      for (let run = Random.runs(20); run > 0; run--) {
        const head: LogChain.Head = { chain }
        const honest = LogChain.answers(head)
        const moves = [3 + Random.int(random, 30), 40 + Random.int(random, 40)]
        let calls = 0
        const replies: Nodes.Replies = (method, params) => {
          calls++
          if (calls === moves[0]) head.chain = other
          if (calls === moves[1]) head.chain = longest
          return Random.chance(random, 0.1)
            ? new RemoteError({ code: -32005, message: "rate limit exceeded" })
            : honest(method, params)
        }
        const client = yield* open(replies, head)
        const program = new Program(20n)
        const items = LogWatch.watch(client, {}, { cursor: program.cursor, pageBlocks: 7 })
        const isEnd = (item: LogWatch.LogItem) => item._tag === "Reached" && item.block.hash === longest.at(-1)!.hash
        yield* inTime(
          Stream.runForEach(Stream.takeUntil(items, isEnd), (item) => Effect.sync(() => program.take(item)))
        )
        assert.deepStrictEqual([...program.logs.keys()], truth(longest, 20n))
      }
    })
  )

  it.effect("goes on if the node lacks the newest block or its receipts for a while, and not if for long", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const honest = LogChain.answers(head)
      const lacking: Readonly<Record<string, (method: string, params: ReadonlyArray<unknown>) => boolean>> = {
        "the trusted block": (method) => method === "eth_getBlockByHash",
        "a block of the page": (method, [block]) => method === "eth_getBlockByNumber" && block !== "latest",
        "the head": (method) => method === "eth_getBlockByNumber",
        receipts: (method) => method === "eth_getBlockReceipts"
      }
      for (const [what, lacks] of Object.entries(lacking)) {
        for (const [times, goesOn] of [
          [12, true],
          [Infinity, false]
        ] as const) {
          let left = times
          const replies: Nodes.Replies = (method, params) =>
            lacks(method, params) && left-- > 0 ? null : honest(method, params)
          const client = yield* open(replies, head)
          const program = new Program(50n)
          const items = LogWatch.watch(client, {}, { cursor: program.cursor, pageBlocks: 3 })
          const isEnd = (item: LogWatch.LogItem) => item._tag === "Reached" && item.block.number === 60n
          const outcome = yield* inTime(
            Effect.result(
              Stream.runForEach(Stream.takeUntil(items, isEnd), (item) => Effect.sync(() => program.take(item)))
            )
          )
          assert.strictEqual(outcome._tag, goesOn ? "Success" : "Failure", what)
          if (outcome._tag === "Failure") assert.strictEqual(outcome.failure._tag, "UnprovenError")
          else assert.deepStrictEqual([...program.logs.keys()], truth(chain, 50n))
        }
      }
    })
  )

  it("decodes no cursor that no watch gave", () => {
    const decode = Schema.decodeUnknownOption(LogWatch.Cursor)
    const hash = `0x${"ab".repeat(32)}`
    const block = (number: number, whole = true) => ({ number, hash, told: 1, whole })
    const good = [
      { from: 3, parent: null, blocks: [] },
      { from: 3, parent: hash, blocks: [block(3), block(9, false)] }
    ]
    const bad = [
      { from: -1, parent: null, blocks: [] },
      { from: 2 ** 53, parent: null, blocks: [] },
      { from: 3, parent: "0xab", blocks: [] },
      { from: 3, parent: null, blocks: [block(2)] },
      { from: 3, parent: null, blocks: [block(5), block(4)] },
      { from: 3, parent: null, blocks: [block(5), block(5)] },
      { from: 3, parent: null, blocks: [block(5, false), block(6)] },
      { from: 3, parent: null, blocks: [{ ...block(5), told: -1 }] },
      { from: 3, parent: null, blocks: Array.from({ length: 1025 }, (_, at) => block(3 + at)) }
    ]
    for (const cursor of good) assert.strictEqual(decode(cursor)._tag, "Some")
    for (const cursor of bad) assert.strictEqual(decode(cursor)._tag, "None", JSON.stringify(cursor).slice(0, 200))
  })

  it.effect("refuses options whose cursors could not be read again, before it asks the node", () =>
    Effect.gen(function* () {
      const head: LogChain.Head = { chain: yield* Effect.promise(() => first) }
      const calls: Array<string> = []
      const client = yield* open((method) => {
        calls.push(method)
        return undefined
      }, head)
      const good = LogWatch.start(1n)
      const block = { number: 5, hash: first0, told: 1, whole: true }
      const bad: ReadonlyArray<LogWatch.LogWatchOptions> = [
        ...[Number.NaN, 0, -1, 1.5, 1025, Infinity].map((depth) => ({ cursor: good, depth })),
        { cursor: good, pageBlocks: Number.NaN },
        { cursor: LogWatch.start(-1n) },
        { cursor: LogWatch.start(2n ** 53n) },
        { cursor: { ...good, blocks: [block, block] } }
      ]
      for (const options of bad) {
        const error = yield* Effect.flip(Stream.runDrain(LogWatch.watch(client, {}, options)))
        assert(error._tag === "JsonRpcError" && error.reason._tag === "EncodeError", JSON.stringify(options.depth))
        assert.isFalse(error.retryable)
        assert.match(error.message, /^LogWatch.watch: params\.(?:depth|pageBlocks|cursor): /u)
      }
      const pages = LogRange.pages(client, {}, { fromBlock: 1n, toBlock: 2n, pageBlocks: Number.NaN })
      const error = yield* Effect.flip(Stream.runDrain(pages))
      assert(error._tag === "JsonRpcError" && error.reason._tag === "EncodeError")
      assert.lengthOf(calls, 0)
    })
  )

  it.effect("waits while the node is behind, and tells a reorganisation at the same height", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const client = yield* open(LogChain.answers(head), head)
      const program = new Program(50n)
      const until = (isEnd: (item: LogWatch.LogItem) => boolean) =>
        inTime(
          Stream.runForEach(Stream.takeUntil(LogWatch.watch(client, {}, { cursor: program.cursor }), isEnd), (item) =>
            Effect.sync(() => program.take(item))
          )
        )
      yield* until((item) => item._tag === "Reached")
      head.chain = chain.slice(0, 55)
      const waiting = yield* Effect.forkChild(until((item) => item._tag === "Reached"))
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      // as high as before, with other blocks
      head.chain = yield* Effect.promise(() => LogChain.extend(chain.slice(0, 55), 5, { salt: 9 }))
      yield* Fiber.join(waiting)
      assert.isAbove(program.removed, 0)
      assert.deepStrictEqual([...program.logs.keys()], truth(head.chain, 50n))
    })
  )

  it.effect("says when the node's own logs were wrong, and tells the proven ones", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const honest = LogChain.answers(head)
      for (const [isLying, repaired] of [
        [true, 1],
        [false, 0]
      ] as const) {
        const client = yield* open(
          (method, params) => (isLying && method === "eth_getLogs" ? [] : honest(method, params)),
          head
        )
        const items = yield* inTime(
          LogWatch.watch(client, {}, { cursor: LogWatch.start(2n) }).pipe(
            Stream.takeUntil((item) => item._tag === "Reached"),
            Stream.runCollect
          )
        )
        const reached = items.at(-1)!
        assert(reached._tag === "Reached")
        assert.lengthOf(reached.proven.filter(EthEvidence.LogsRepaired.is), repaired)
        assert.lengthOf(items, truth(chain, 2n).length + 1)
      }
    })
  )

  it.effect("fails below the blocks of its cursor, and keeps the cursor small", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const client = yield* open(LogChain.answers(head), head)
      const program = new Program(1n)
      const run = inTime(
        Stream.runForEach(
          Stream.takeUntil(
            Stream.suspend(() => LogWatch.watch(client, {}, { cursor: program.cursor, depth: 16, pageBlocks: 3 })),
            (item) => item._tag === "Reached" && item.block.hash === head.chain.at(-1)!.hash
          ),
          (item) => Effect.sync(() => program.take(item))
        )
      )
      yield* run
      assert.isAtMost(program.cursor.blocks.length, 16)
      assert.isAbove(program.cursor.from, 40)
      head.chain = yield* Effect.promise(() => LogChain.extend(chain.slice(0, 20), 50, { salt: 5 }))
      const error = yield* Effect.flip(run)
      assert.strictEqual(error._tag, "DeepReorgError")
    })
  )
})

describe("the pages of a range", () => {
  it.effect("follow one another without a gap, however little work one page may take", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      for (const [maxLogWork, pageBlocks] of [
        [100_000, 16],
        [5, 16],
        [1, 60],
        // a page has at least one block, and a whole number of them
        [100_000, 0],
        [100_000, 7.9],
        [100_000, Infinity]
      ] as const) {
        const client = yield* open(LogChain.answers(head), head, { maxLogWork })
        const pages = yield* Stream.runCollect(LogRange.pages(client, {}, { fromBlock: 3n, toBlock: 60n, pageBlocks }))
        let next = 3n
        for (const { from, linked, logs, to } of pages) {
          assert.strictEqual(from, next)
          assert.strictEqual(logs._tag, "VERIFIED")
          assert.strictEqual(linked?.parent, chain[Number(from) - 2]!.hash)
          assert.strictEqual(linked?.hash, chain[Number(to) - 1]!.hash)
          next = to + 1n
        }
        assert.strictEqual(next, 61n)
        const ids = pages.flatMap(({ logs }) => logs.value.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`))
        assert.deepStrictEqual(ids, truth(chain, 3n))
      }
    })
  )
})

/** Calls for which several nodes must give the same answer. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { UpstreamPool } from "@plumbline/gateway"
import { Effect, Logger, References } from "effect"

import { after, answerOf, error, node, pool, quiet, refused } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`
const quorum = { methods: ["eth_getBalance"], agree: 2, of: 3 }
const balance = ["eth_getBalance", [ADDRESS, "0x10"]] as const

/** Asks nodes with these behaviours. Returns the answer, and for each node its calls and its disagreements. */
const ask = (...nodes: ReadonlyArray<Parameters<typeof node>[0]>) =>
  Effect.gen(function* () {
    const made = nodes.map(node)
    const upstream = yield* pool(made, { quorum, tryTimeout: "1 second", timeout: "3 seconds" })
    const answer = yield* after(answerOf(upstream.call(...balance)), 3000)
    return {
      answer,
      asked: made.map(({ asked }) => asked.length),
      differed: upstream.health!().map(({ disagreements }) => disagreements)
    }
  }).pipe(Effect.scoped, quiet)

describe("a quorum", () => {
  it.effect("answers what two of three nodes say, in the words of the first of them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask('"0xAB"', '"0x1"', '"0xab"'), {
        answer: '"0xAB"',
        asked: [1, 1, 1],
        differed: [0, 1, 0]
      })
      assert.deepStrictEqual((yield* ask('{"a":1,"b":2}', '{ "b":2, "a":1 }', '"x"', '"x"')).answer, '{"a":1,"b":2}')
      assert.deepStrictEqual((yield* ask('"a"', '"b"', "hangs", '"b"')).answer, '"b"')
    })
  )

  it.effect("asks one node of each operator, and another one only if the first gives no answer", () =>
    Effect.gen(function* () {
      const asking = (...nodes: ReadonlyArray<readonly [operator: string, behaviour: Parameters<typeof node>[0]]>) =>
        Effect.gen(function* () {
          const made = nodes.map(([, behaviour]) => node(behaviour))
          const members = made.map(({ upstream }, at) => ({ name: `n${at}`, operator: nodes[at]![0], upstream }))
          const options = { methods: EthMethods.group, quorum, tryTimeout: "1 second", timeout: "3 seconds" } as const
          const upstream = yield* UpstreamPool.make(members, options)
          const answer = yield* after(answerOf(upstream.call(...balance)), 3000)
          return { answer, asked: made.map(({ asked }) => asked.length) }
        }).pipe(Effect.scoped, quiet)
      // one operator that lies at two addresses is one voice
      assert.deepStrictEqual(yield* asking(["liar", '"9"'], ["liar", '"9"'], ["b", '"1"'], ["c", '"1"']), {
        answer: '"1"',
        asked: [1, 0, 1, 1]
      })
      const failed = yield* asking(["liar", '"9"'], ["liar", '"9"'], ["b", refused])
      assert.deepInclude(failed.answer, { _tag: "Disagreement", agreed: 1, needed: 2 })
      assert.deepStrictEqual(yield* asking(["a", refused], ["a", '"1"'], ["b", '"2"'], ["c", '"1"']), {
        answer: '"1"',
        asked: [1, 1, 1, 1]
      })
    })
  )

  it.effect("gives the place of a node without an answer to the next one", () =>
    Effect.gen(function* () {
      const pruned = error(-32_000, "missing trie node")
      assert.deepStrictEqual(yield* ask(refused, '"1"', pruned, '"1"', '"1"'), {
        answer: '"1"',
        asked: [1, 1, 1, 1, 0],
        differed: [0, 0, 0, 0, 0]
      })
    })
  )

  it.effect("takes an error for an answer if it is one", () =>
    Effect.gen(function* () {
      const reverted = error(3, "execution reverted", "0x01")
      assert.deepStrictEqual((yield* ask(reverted, '"1"', error(3, "Execution reverted"))).answer, reverted)
    })
  )

  it.effect("fails if too few agree, and names what there was", () =>
    Effect.gen(function* () {
      const failed = (agreed: number, answered: number) => ({ _tag: "Disagreement", agreed, needed: 2, answered })
      assert.deepStrictEqual(yield* ask('"1"', '"2"', '"3"'), {
        answer: failed(1, 3),
        asked: [1, 1, 1],
        differed: [1, 1, 1]
      })
      assert.deepStrictEqual(yield* ask('"1"', refused, refused), {
        answer: failed(1, 1),
        asked: [1, 1, 1],
        differed: [0, 0, 0]
      })
      assert.deepStrictEqual((yield* ask(refused, refused, refused)).answer, refused.reason)
    })
  )

  it.effect("asks one node for every other method", () =>
    Effect.gen(function* () {
      const nodes = [node('"1"'), node('"2"'), node('"3"')]
      const upstream = yield* pool(nodes, { quorum })
      assert.strictEqual(yield* answerOf(upstream.call("eth_chainId", [])), '"1"')
      assert.deepStrictEqual(nodes[1]!.asked, [])
    }).pipe(Effect.scoped)
  )

  it.effect("tells the operator which nodes differ, by their names alone", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ fiber, message }) => {
        const { method, nodes } = fiber.getRef(References.CurrentLogAnnotations)
        lines.push(`${String(message)}: ${String(nodes)}, ${String(method)}`)
      })
      const upstream = yield* pool([node('"1"'), node('"secret"'), node('"1"')], { quorum: { ...quorum, agree: 2 } })
      yield* Effect.provideService(answerOf(upstream.call(...balance)), Logger.CurrentLoggers, new Set([logger]))
      assert.deepStrictEqual(lines, ["nodes disagree: 1, eth_getBalance"])
    }).pipe(Effect.scoped)
  )

  it.effect("names the option that makes no sense", () =>
    Effect.gen(function* () {
      const wrong = (options: Partial<UpstreamPool.PoolOptions>, member: Partial<UpstreamPool.PoolNode> = {}) => {
        const members = ["a", "b"].map((name) => ({ name, upstream: node('"1"').upstream, ...member }))
        return Effect.map(
          Effect.flip(Effect.scoped(UpstreamPool.make(members, { methods: EthMethods.group, ...options }))),
          (error) => error.message
        )
      }
      for (const [options, expected] of [
        [{ quorum }, "quorum.of: must not be more than the number of nodes (2)"],
        [{ quorum: { ...quorum, of: 2, agree: 3 } }, "quorum.agree: must not be more than quorum.of"],
        [
          { quorum: { methods: ["eth_sendRawTransaction"], agree: 2, of: 2 } },
          "quorum.methods.0: must be a method of the network that only reads"
        ],
        [{ hedge: { percentile: 101 } }, "hedge.percentile: must be a whole number from 1 to 100"],
        [{ hedge: { most: 0 } }, "hedge.most: must be a whole number from 1 to 8"],
        [{ hedge: { minimum: 0 } }, "hedge.minimum: must be a time from 1ms to 24d"]
      ] as const) {
        assert.strictEqual(yield* wrong(options), expected)
      }
      assert.strictEqual(yield* wrong({}, { cost: -1 }), "cost: must be a whole number from 0 to 1000000")
      assert.strictEqual(
        yield* wrong({}, { requestsPerSecond: 0 }),
        "requestsPerSecond: must be a whole number from 1 to 100000"
      )
      assert.strictEqual(
        yield* wrong({}, { requestsPerDay: 0.5 }),
        "requestsPerDay: must be a whole number from 1 to 9007199254740991"
      )
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { EthClient, ProvenEthClient, ProvenNodes, TrustedBlock } from "../../src/index.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

const world = World.make(Hardfork.Prague)

/** Returns the reads over nodes with these answers, the calls that each got, and the lies that were reported. */
const over = Effect.fnUntraced(function* (
  answersOf: (honest: Nodes.Replies) => ReadonlyArray<Nodes.Replies>,
  options?: ProvenNodes.ProvenNodesOptions
) {
  const made = yield* Effect.promise(() => world)
  const trust = yield* Effect.provide(
    TrustedBlock.TrustedBlock,
    TrustedBlock.layerPinned(Questions.hashOf(made.block(World.HEAD)))
  )
  const lies: Array<string> = []
  const nodes = answersOf(made.answers).map((answers) => Nodes.node(answers))
  const clients = yield* Effect.forEach(nodes, ({ layer }, at) =>
    Effect.map(Effect.provide(EthClient.EthClient, EthClient.layer().pipe(Layer.provide(layer))), (eth) => ({
      name: "abc"[at]!,
      eth: ProvenEthClient.make(eth, trust)
    }))
  )
  const { read } = ProvenNodes.make(clients as [(typeof clients)[number]], {
    onLie: (node, { check }) => Effect.sync(() => lies.push(`${node}: ${check}`)),
    ...options
  })
  const balance = read((eth) => eth.getBalance(State.CONTRACT, World.FULL))
  const asked = [State.CONTRACT, `0x${World.FULL.toString(16)}`]
  const truth = yield* Effect.promise(async () => made.answers("eth_getBalance", asked))
  return { read, balance, truth: BigInt(truth as string), lies, calls: () => nodes.map(({ calls }) => calls.length) }
})

const lying =
  (honest: Nodes.Replies): Nodes.Replies =>
  (method, params) =>
    method === "eth_getBalance" ? "0x1" : honest(method, params)

/** The answer of a node that answers nothing. */
const silent: Nodes.Replies = () => undefined

describe("several nodes", () => {
  it.effect("give the proven answer of the only honest one, and the lies are reported", () =>
    Effect.gen(function* () {
      for (const answersOf of [
        (honest: Nodes.Replies) => [lying(honest), lying(honest), honest],
        (honest: Nodes.Replies) => [silent, lying(honest), honest],
        (honest: Nodes.Replies) => [honest, lying(honest), silent]
      ]) {
        const { balance, truth } = yield* over(answersOf)
        assert.strictEqual(yield* balance, truth)
      }
      const { balance, lies } = yield* over((honest) => [lying(honest), lying(honest), honest])
      yield* balance
      assert.deepStrictEqual(lies, ["a: balance", "b: balance"])
    })
  )

  it.effect("do not ask a liar again before its rest is over, and the second rest is longer", () =>
    Effect.gen(function* () {
      const { balance, calls } = yield* over((honest) => [lying(honest), honest], { rest: "10 seconds" })
      yield* balance
      const [first] = calls()
      assert.isAbove(first!, 0)
      for (let n = 0; n < 5; n++) yield* balance
      assert.strictEqual(calls()[0], first)
      yield* TestClock.adjust("10 seconds")
      yield* balance
      const [second] = calls()
      assert.isAbove(second!, first!)
      yield* TestClock.adjust("10 seconds")
      yield* balance
      assert.strictEqual(calls()[0], second)
    })
  )

  it.effect("ask a resting node if all rest, because each answer is proven anyway", () =>
    Effect.gen(function* () {
      const { balance, calls } = yield* over((honest) => [lying(honest), lying(honest)])
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* Effect.flip(balance))._tag, "RefutedError")
      assert.deepStrictEqual(new Set(calls()).size, 1)
      assert.isAtLeast(calls()[0]!, 3)
    })
  )

  it.effect("tell the missing proof rather than the lie or the silence of another", () =>
    Effect.gen(function* () {
      const absent: Nodes.Replies = () => null
      const { read } = yield* over(() => [silent, absent])
      const failure = yield* Effect.flip(read((eth) => eth.getBlockByNumber(World.FULL)))
      assert.strictEqual(failure._tag, "UnprovenError")
      const { balance } = yield* over((honest) => [lying(honest), silent])
      assert.strictEqual((yield* Effect.flip(balance))._tag, "JsonRpcError")
    })
  )

  it.effect("do not believe an error of a node, but refuse a wrong argument at once", () =>
    Effect.gen(function* () {
      const wrong: Nodes.Replies = () => new RemoteError({ code: -32602, message: "invalid argument" })
      const reverts: Nodes.Replies = () => new RemoteError({ code: 3, message: "execution reverted" })
      const { balance, calls, read, truth } = yield* over((honest) => [wrong, reverts, honest])
      assert.strictEqual(yield* balance, truth)
      const before = calls()
      const failure = yield* Effect.flip(read((eth) => eth.getBalance("0x12", World.FULL)))
      assert(failure._tag === "JsonRpcError" && failure.reason._tag === "EncodeError")
      assert.deepStrictEqual(calls(), before)
    })
  )
})

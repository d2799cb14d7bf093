import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { refute } from "@plumbline/verdict/RefutedError"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { CallOutcome, EthClient, ProvenEthClient, ProvenNodes, TrustedBlock } from "../../src/index.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

const world = World.make(Hardfork.Prague)

/** Returns the reads over nodes with these answers, the calls that each got, and the lies that were reported. */
const over = Effect.fnUntraced(function* (
  answersOf: (honest: Nodes.Replies) => ReadonlyArray<Nodes.Replies>,
  options?: ProvenNodes.ProvenNodesOptions,
  authority?: TrustedBlock.TrustedBlock["Service"]
) {
  const made = yield* Effect.promise(() => world)
  const pinned = TrustedBlock.layerPinned(Questions.hashOf(made.block(World.HEAD)))
  const trust = authority ?? (yield* Effect.provide(TrustedBlock.TrustedBlock, pinned))
  const lies: Array<string> = []
  const nodes = answersOf(made.answers).map((answers) => Nodes.node(answers))
  const clients = yield* Effect.forEach(nodes, ({ layer }, at) =>
    Effect.map(Effect.provide(EthClient.EthClient, EthClient.layer().pipe(Layer.provide(layer))), (eth) => ({
      name: "abcde"[at]!,
      eth: ProvenEthClient.make(eth, trust)
    }))
  )
  const { read } = ProvenNodes.make(clients as [(typeof clients)[number]], {
    onLie: (node, { check }) => Effect.sync(() => lies.push(`${node ?? "trust"}: ${check}`)),
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

/** The answer of a node that answers each call with an error. */
const unwilling: Nodes.Replies = () => undefined

describe("several nodes", () => {
  it.effect("give the proven answer of the only honest one, and the lies are reported", () =>
    Effect.gen(function* () {
      for (const answersOf of [
        (honest: Nodes.Replies) => [lying(honest), lying(honest), honest],
        (honest: Nodes.Replies) => [unwilling, lying(honest), honest],
        (honest: Nodes.Replies) => [honest, lying(honest), unwilling]
      ]) {
        const { balance, truth } = yield* over(answersOf)
        assert.strictEqual(yield* balance, truth)
      }
      const { balance, lies } = yield* over((honest) => [lying(honest), lying(honest), honest])
      yield* balance
      assert.deepStrictEqual(lies, ["a: balance", "b: balance"])
    })
  )

  it.effect("report each failure that is no lie, and each answer, by the name of the node", () =>
    Effect.gen(function* () {
      const dead: Nodes.Replies = () => {
        throw new TransportError({ detail: "no connection", retryable: true })
      }
      const blockless =
        (honest: Nodes.Replies): Nodes.Replies =>
        (method, params) =>
          method.startsWith("eth_getBlockBy") ? null : honest(method, params)
      const said: Array<string> = []
      const { balance, lies } = yield* over((honest) => [lying(honest), dead, unwilling, blockless(honest), honest], {
        onFailure: (node, { _tag }) => Effect.sync(() => said.push(`${node}: ${_tag}`)),
        onAnswer: (node) => Effect.sync(() => said.push(`${node} answers`))
      })
      yield* balance
      assert.deepStrictEqual(said, ["b: JsonRpcError", "c: JsonRpcError", "d: UnprovenError", "e answers"])
      assert.deepStrictEqual(lies, ["a: balance"])
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

  it.effect("do not ask a silent node again before its rest is over", () =>
    Effect.gen(function* () {
      const dead: Nodes.Replies = () => {
        throw new TransportError({ detail: "no connection", retryable: true })
      }
      const { balance, calls } = yield* over((honest) => [dead, honest], { rest: "10 seconds" })
      yield* balance
      const [first] = calls()
      for (let n = 0; n < 5; n++) yield* balance
      assert.strictEqual(calls()[0], first)
      yield* TestClock.adjust("10 seconds")
      yield* balance
      assert.isAbove(calls()[0]!, first!)
    })
  )

  it.effect("ask a resting node last, because each answer is proven anyway", () =>
    Effect.gen(function* () {
      let isDown = false
      const mostly =
        (honest: Nodes.Replies): Nodes.Replies =>
        (method, params) =>
          isDown ? undefined : honest(method, params)
      let lies = true
      const changing =
        (honest: Nodes.Replies): Nodes.Replies =>
        (method, params) =>
          (lies ? lying(honest) : honest)(method, params)
      const { balance: read, truth } = yield* over((honest) => [changing(honest), mostly(honest)])
      assert.strictEqual(yield* read, truth)
      lies = false
      isDown = true
      assert.strictEqual(yield* read, truth)
      const { balance, calls } = yield* over((honest) => [lying(honest), lying(honest)])
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* Effect.flip(balance))._tag, "RefutedError")
      assert.deepStrictEqual(new Set(calls()).size, 1)
      assert.isAtLeast(calls()[0]!, 3)
    })
  )

  it.effect("tell the missing proof rather than the lie or the silence of another", () =>
    Effect.gen(function* () {
      const absent: Nodes.Replies = () => null
      const { read } = yield* over(() => [unwilling, absent])
      const failure = yield* Effect.flip(read((eth) => eth.getBlockByNumber(World.FULL)))
      assert.strictEqual(failure._tag, "UnprovenError")
      const { balance } = yield* over((honest) => [lying(honest), unwilling])
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

  it.effect("are not blamed for a lie that the source of trust found", () =>
    Effect.gen(function* () {
      const conflict = refute("conflict", "0x1", "0x2")
      const { balance, calls, lies } = yield* over((honest) => [honest, honest], {}, { resolve: () => conflict })
      assert.strictEqual(yield* Effect.flip(balance), conflict)
      assert.deepStrictEqual(lies, ["trust: conflict", "trust: conflict"])
      assert.isTrue(TrustedBlock.isOfAuthority(conflict))
      const lied = yield* over((honest) => [lying(honest)])
      const lie = yield* Effect.flip(lied.balance)
      assert(lie._tag === "RefutedError" && !TrustedBlock.isOfAuthority(lie))
      assert.deepStrictEqual(calls(), [0, 0])
    })
  )

  it.effect("are not asked again after a proven revert, which another node's silence does not hide", () =>
    Effect.gen(function* () {
      const reverted = CallOutcome.toAnswer({ _tag: "Reverted", data: "0x", reason: undefined, gasUsed: 1n })
      const { read } = yield* over((honest) => [honest, honest])
      let runs = 0
      const run = Effect.suspend(() => {
        runs++
        return Effect.fromResult(reverted)
      })
      const failure = yield* Effect.flip(read(() => run))
      assert.strictEqual(failure.message, "eth_call: execution reverted (code 3)")
      assert.strictEqual(runs, 1)
    })
  )
})

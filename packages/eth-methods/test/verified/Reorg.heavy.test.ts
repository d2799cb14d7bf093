/** Tests with an honest node whose head moves to another branch between any two of its answers. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { type WireCall, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Random from "@plumbline/seeded/Random"
import type { Verdict } from "@plumbline/verdict"
import { Effect, Result } from "effect"

import { EthClient, EthEvidence, ProvenEthClient, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as World from "../support/world.ts"

/** Two branches that part after the first block. They have the same transactions in different blocks. */
const branches = new Map(
  [Hardfork.London, Hardfork.Prague].map(
    (fork) => [fork, Promise.all([World.make(fork), World.make(fork, 1, World.FIRST + 1n)])] as const
  )
)
type Branches = readonly [World.World, World.World]

type Ask = (eth: VerdictEthClient.Client) => Effect.Effect<Verdict.Verdict<unknown>, ProvenEthClient.ProvenReadFailure>

/** Returns the branch of the head at the n-th call. */
type Head = (call: number) => 0 | 1

/**
 * The kind of a node. It decides which blocks of the other branch the node knows, and which block parameters it
 * accepts.
 */
type Kind = "of today" | "old"

/**
 * A node and the other nodes of its network. At any time, all of them are on the same branch. A node finds a block of
 * either branch by the block's hash. An old node accepts no hash for a state or an uncle.
 */
const network = ([a, b]: Branches, head: Head, kind: Kind) => {
  let calls = 0
  const answers: Nodes.Replies = (method, params) => {
    const at = head(calls++)
    const [here, there] = at === 0 ? [a, b] : [b, a]
    const text = JSON.stringify(params)
    if (kind === "old") {
      if (/Uncle.*ByBlockHash/u.test(method)) return new RemoteError({ code: -32601, message: "no such method" })
      const isState = /Balance|Code|getTransactionCount|Storage|Proof/u.test(method)
      if (isState && /"blockHash"/u.test(text)) return new RemoteError({ code: -32602, message: "invalid argument" })
    }
    const knows = (world: World.World): boolean =>
      [100n, 101n, 102n, 103n, 104n].some((number) => text.includes(Made.string(world.block(number)["hash"])))
    // an answer by hash is the same on every branch; all other answers are about the branch of the head
    return knows(there) && !knows(here) ? there.answers(method, params) : here.answers(method, params)
  }
  const node = Nodes.node(answers)
  return { ...node, count: () => calls }
}

const trusts = {
  none: () => TrustedBlock.layerNone(),
  pinned: (_: Nodes.Node, [a]: Branches) => TrustedBlock.layerPinned(Questions.hashOf(a.block(World.FIRST))),
  operator: ({ layer }: Nodes.Node) => TrustedBlock.layerOperator(layer, { accept: true }),
  quorum: ({ transport }: Nodes.Node) =>
    TrustedBlock.layerQuorum(
      ["one", "two", "three"].map((name) => ({ name, transport })),
      { needed: 2, accept: true }
    )
}
type Trust = keyof typeof trusts

/**
 * Returns the kinds of trust to test. For an old node two kinds are enough, because only its reads about a block
 * differ.
 */
const trustsOf = (kind: Kind): ReadonlyArray<Trust> =>
  kind === "old" ? ["none", "pinned"] : ["none", "pinned", "operator", "quorum"]

const run = Effect.fnUntraced(function* (
  question: Ask,
  setting: { branches: Branches; head: Head; kind: Kind; trust: Trust; client: "verdict" | "proven" }
) {
  const node = network(setting.branches, setting.head, setting.kind)
  const eth = yield* Effect.provideService(EthClient.make, Transport, node.transport)
  const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, trusts[setting.trust](node, setting.branches))
  const client =
    setting.client === "verdict"
      ? VerdictEthClient.make(eth, trusted)
      : (ProvenEthClient.make(eth, trusted) as unknown as VerdictEthClient.Client)
  const result = yield* Effect.result(question(client))
  if (setting.client === "verdict" && Result.isSuccess(result)) {
    assert.isFalse(result.success.proven.some(EthEvidence.LogsRepaired.is), "an honest node's logs were repaired")
  }
  return { result, calls: node.count() }
})

const questions = ({ 0: a }: Branches): Readonly<Record<string, Ask>> => {
  const transaction = Questions.hashOf(Made.list(a.block(World.FULL)["transactions"])[1])
  const of = (parameter: bigint | "latest" | "finalized"): ReadonlyArray<readonly [string, Ask]> =>
    Object.entries(Questions.ofNumber).map(([name, question]) => [`${name} ${parameter}`, question(parameter)])
  return Object.fromEntries([
    ...of(World.FULL),
    ...of("latest"),
    ...Object.entries(Questions.ofTransaction).map(([name, question]) => [name, question(transaction)] as const),
    ["logs of a range", (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: 101n, toBlock: 103n })],
    ["logs to the head", (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: 101n, toBlock: "latest" })],
    ["logs between tags", (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: "finalized", toBlock: "latest" })]
  ])
}

/** Returns the value of an answer. For a verdict, returns the tag and the value. */
const said = (result: Result.Result<unknown, ProvenEthClient.ProvenReadFailure>): unknown => {
  if (Result.isFailure(result)) {
    const { failure } = result
    return failure._tag === "JsonRpcError" ? failure.reason._tag : failure._tag
  }
  const verdict = result.success
  return typeof verdict === "object" && verdict !== null && "_tag" in verdict
    ? { tag: (verdict as Verdict.Verdict<unknown>)._tag, value: (verdict as Verdict.Verdict<unknown>).value }
    : { value: verdict }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a, big) === JSON.stringify(b, big)
const big = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value)

const TIMEOUT = 240_000

describe.each([Hardfork.London, Hardfork.Prague])("a node of %s that reorganises while it is read", (fork) => {
  it.effect.each(["verdict", "proven"] as const)(
    "is never accused, wherever its head moves, and both branches are read rightly: the %s client",
    (client) =>
      Effect.gen(function* () {
        const both = yield* Effect.promise(() => branches.get(fork)!)
        let moves = 0
        let again = 0
        const outcomes = new Map<string, number>()
        // tests every second move locally, and every move in CI
        const step = Random.isWhole ? 1 : 2
        for (const kind of ["of today", "old"] as const) {
          for (const trust of trustsOf(kind)) {
            for (const [index, [name, question]] of Object.entries(questions(both)).entries()) {
              const setting = { branches: both, kind, trust, client }
              const before = yield* run(question, { ...setting, head: () => 0 })
              const after = yield* run(question, { ...setting, head: () => 1 })
              for (let at = index % step; at <= before.calls; at += step) {
                const what = `${name}, ${trust}, ${kind}, moved before call ${at}`
                const { calls, result } = yield* run(question, { ...setting, head: (call) => (call < at ? 0 : 1) })
                const outcome = said(result)
                moves++
                if (calls > before.calls) again++
                if (typeof outcome === "string") outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
                const fits = [before, after].some((still) => isSame(outcome, said(still.result)))
                // trusted nodes that change their branch during the read may disagree; no other error is allowed after
                // a single move
                assert(
                  fits || outcome === "DisagreementError",
                  `${what}: ${JSON.stringify(outcome, big)?.slice(0, 200)}`
                )
              }
            }
          }
        }
        console.log(
          `${fork}, ${client}: ${moves} moves, ${again} read again, ${JSON.stringify(Object.fromEntries(outcomes))}`
        )
        assert.isAbove(moves, 500)
        assert.isAbove(again, 10)
      }),
    TIMEOUT
  )

  it.effect("is never accused when its head moves again and again", () =>
    Effect.gen(function* () {
      const both = yield* Effect.promise(() => branches.get(fork)!)
      let moved = 0
      const heads: ReadonlyArray<Head> = [
        (call) => (call % 2 === 0 ? 0 : 1),
        (call) => (call % 3 === 0 ? 0 : 1),
        (call) => ((call >> 1) % 2 === 0 ? 1 : 0)
      ]
      for (const kind of ["of today", "old"] as const) {
        for (const trust of trustsOf(kind)) {
          for (const [name, question] of Object.entries(questions(both))) {
            for (const head of heads) {
              const { result } = yield* run(question, { branches: both, head, kind, trust, client: "verdict" })
              const outcome = said(result)
              assert.notStrictEqual(outcome, "RefutedError", `${name}, ${trust}, ${kind}`)
              if (outcome === "MovedError") moved++
            }
          }
        }
      }
      assert.isAbove(moved, 3)
    })
  )
})

describe("a node whose answers do not belong together", () => {
  const split = Effect.fnUntraced(function* (kind: Kind, isThere: (method: string) => boolean, question: Ask) {
    const both = yield* Effect.promise(() => branches.get(Hardfork.London)!)
    const there = network(both, () => 1, kind)
    const here = network(both, () => 0, kind)
    const asked: Array<WireCall> = []
    const node = Nodes.node(() => undefined)
    const transport: Transport["Service"] = {
      ...node.transport,
      call: (call) => {
        asked.push(call)
        return (isThere(call.method) ? there : here).transport.call(call)
      }
    }
    const eth = yield* Effect.provideService(EthClient.make, Transport, transport)
    const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone())
    return { asked, result: yield* Effect.result(question(VerdictEthClient.make(eth, trusted))) }
  })

  it.effect("is read twice, and then the chain has moved: states, uncles", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Kind, (method: string) => boolean, Ask]> = [
        ["old", (method) => method === "eth_getProof", Questions.ofNumber["eth_getProof"]!(World.FULL)],
        ["old", (method) => method === "eth_getBalance", Questions.ofNumber["eth_getBalance"]!(World.FULL)],
        [
          "old",
          (method) => method.startsWith("eth_getUncle"),
          Questions.ofNumber["eth_getUncleByBlockNumberAndIndex"]!(World.FULL)
        ]
      ]
      for (const [kind, isThere, question] of cases) {
        const { asked, result } = yield* split(kind, isThere, question)
        assert(Result.isFailure(result) && result.failure._tag === "JsonRpcError")
        assert.strictEqual(result.failure.reason._tag, "MovedError")
        assert.isTrue(result.failure.retryable)
        assert.include(result.failure.message, "the chain moved while it was read: block 10")
        const located = asked.filter(({ method, params }) => method === "eth_getBlockByNumber" && params[0] === "0x66")
        assert.strictEqual(located.length, 2)
      }
    })
  )

  it.effect("is not to blame for logs of another branch, and the proven logs are the answer", () =>
    Effect.gen(function* () {
      const question: Ask = (eth) => eth.getLogs({ fromBlock: 101n, toBlock: World.FULL })
      const { asked, result } = yield* split("of today", (method) => method === "eth_getLogs", question)
      const honest = yield* split("of today", () => false, question)
      assert(Result.isSuccess(result) && Result.isSuccess(honest.result))
      assert.deepStrictEqual(result.success.value, honest.result.success.value)
      assert.isNotEmpty(result.success.value)
      assert.isFalse(result.success.proven.some(EthEvidence.LogsRepaired.is))
      assert.lengthOf(
        asked.filter(({ method }) => method === "eth_getLogs"),
        1
      )
    })
  )

  it.effect("is refuted where a lie is about one hash", () =>
    Effect.gen(function* () {
      const [chain] = yield* Effect.promise(() => branches.get(Hardfork.London)!)
      const ask = Effect.fnUntraced(function* (answers: Nodes.Replies, question: Ask) {
        const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(answers).transport)
        const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone())
        return yield* question(VerdictEthClient.make(eth, trusted))
      })
      const honest = yield* ask(chain.answers, (eth) => eth.getLogs({ fromBlock: 101n, toBlock: 103n }))
      const range: Ask = (eth) => eth.getLogs({ fromBlock: 101n, toBlock: 103n })
      const about =
        (change: (logs: Array<Made.Json>) => Array<Made.Json>): Nodes.Replies =>
        (method, params) =>
          method === "eth_getLogs"
            ? change(Made.list(chain.answers(method, params) as Made.Json))
            : chain.answers(method, params)
      // the lies about logs are repaired: one of many logs is missing, is wrong or names no block, or all logs are missing; the node tells the
      // same lie when it is asked for the block by its hash
      for (const [lie, check] of [
        [(logs) => logs.slice(1), /^logs/u],
        [(logs) => logs.with(0, { ...Made.object(logs[0]), data: "0x12" }), /^logs\[0\]\.data$/u],
        [(logs) => logs.with(1, { ...Made.object(logs[1]), blockHash: null }), /^logs\[1\]\.blockHash$/u],
        [() => [], /^logs$/u]
      ] satisfies ReadonlyArray<readonly [(logs: Array<Made.Json>) => Array<Made.Json>, RegExp]>) {
        const repaired = yield* ask(about(lie), range)
        const evidence = repaired.proven.find(EthEvidence.LogsRepaired.is)
        assert.match(evidence?.check ?? "", check)
        assert.deepStrictEqual(repaired.value, honest.value)
      }
      const old = network([chain, chain], () => 0, "old")
      const lying: Transport["Service"] = {
        ...old.transport,
        call: (call) =>
          call.method === "eth_getProof"
            ? Effect.map(old.transport.call(call), (proof) => ({ ...(proof as object), balance: "0x1" }))
            : old.transport.call(call)
      }
      const eth = yield* Effect.provideService(EthClient.make, Transport, lying)
      const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone())
      const refuted = yield* Effect.flip(
        Questions.ofNumber["eth_getProof"]!(World.FULL)(VerdictEthClient.make(eth, trusted))
      )
      assert(refuted._tag === "RefutedError")
      assert.strictEqual(refuted.check, "account.balance")
    })
  )
})

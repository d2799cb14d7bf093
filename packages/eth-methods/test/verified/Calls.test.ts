/** Calls that an engine runs. The engine here is a double; `@plumbline/verified-calls` tests the real one. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import type { Hash32 } from "@plumbline/codec"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Effect, Layer } from "effect"

import {
  CallEngine,
  CallError,
  type CallOutcome,
  EthEvidence,
  EthReason,
  ProvenEthClient,
  TrustedBlock,
  VerdictEthClient
} from "../../src/index.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as World from "../support/world.ts"

const world = World.make(Hardfork.Prague)
const TO = "0x00000000000000000000000000000000000000aa"

type Outcome = CallOutcome.AnyOutcome | CallError.CallError

/** An engine that gives one outcome to every method, and notes its questions. */
const engine = (outcome: Outcome, overridden?: CallEngine.Overridden) => {
  const asked: Array<unknown> = []
  const value: CallEngine.CallEngine = {
    name: "double",
    over: (_, chainId) => {
      const run =
        <O extends CallOutcome.AnyOutcome, R>(name: string): CallEngine.CallRun<O, R> =>
        (request, block, { blockOverride, stateOverride } = {}) => {
          asked.push([name, request, block.value.hash, chainId, stateOverride, blockOverride])
          return outcome._tag === "CallError"
            ? Effect.fail(outcome)
            : Effect.succeed({
                outcome: outcome as unknown as O,
                basis: {
                  block: block.value.hash!,
                  chainId: 1n,
                  hardfork: "prague",
                  blobUpdateFraction: undefined,
                  gasLimit: 50_000_000n,
                  gasUsed: 21_000n,
                  accounts: [],
                  blockHashes: [],
                  roundTrips: 1,
                  overridden
                }
              })
        }
      return {
        hint: (request, at) =>
          Effect.as(
            Effect.sync(() => asked.push(["hint", request, at])),
            undefined
          ),
        run: run("run"),
        estimateGas: run("estimateGas"),
        createAccessList: run("createAccessList"),
        simulate: run("simulate")
      }
    }
  }
  return { asked, layer: Layer.succeed(CallEngine.CallEngine, value), value }
}

const over = Effect.fnUntraced(function* (trusting = true) {
  const made = yield* Effect.promise(() => world)
  const head = Questions.hashOf(made.block(World.HEAD))
  const node = Nodes.node((method, params) => (method === "eth_call" ? "0x1234" : made.answers(method, params)))
  const trust = trusting ? TrustedBlock.layerPinned(head) : TrustedBlock.layerNone()
  return { head, calls: node.calls, services: [node.layer, trust] as const }
})

const returned = { _tag: "Returned", data: "0x2a", gasUsed: 21_000n } as const
const reverted = { _tag: "Reverted", data: "0xdb42144d", reason: "why", gasUsed: 22_000n } as const

describe("VerdictEthClient.call", () => {
  it.effect("is VERIFIED by the engine's run at the located block", () =>
    Effect.gen(function* () {
      const { calls, head, services } = yield* over()
      const { asked, layer } = engine(returned)
      const eth = VerdictEthClient.layer({ chainId: 1n }).pipe(Layer.provide([...services, layer]))
      const verdict = yield* Effect.provide(
        VerdictEthClient.VerdictEthClient.use((eth) => eth.call({ to: TO }, head)),
        eth
      )
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepEqual(verdict.value, returned)
      const run = verdict.proven.find(EthEvidence.CallRun.is)
      assert.include(run, { block: head, gasUsed: 21_000n })
      assert.strictEqual(
        run?.sentence,
        `the call, run here by the rules of prague in block ${head}: 21000 gas, over 0 accounts, 0 slots, 0 codes, all proven`
      )
      assert.deepEqual(asked, [
        ["hint", { to: TO }, { blockHash: head }],
        ["run", { to: TO }, head, 1n, undefined, undefined]
      ])
      assert.notInclude(
        calls.map(({ method }) => method),
        "eth_call"
      )
    })
  )

  it.effect("is only claimed at a block that nothing ties to trust", () =>
    Effect.gen(function* () {
      const { services } = yield* over(false)
      const eth = VerdictEthClient.layer().pipe(Layer.provide([...services, engine(returned).layer]))
      const verdict = yield* Effect.provide(
        VerdictEthClient.VerdictEthClient.use((eth) => eth.call({ to: TO })),
        eth
      )
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.deepEqual(verdict.value, returned)
    })
  )

  it.effect("is unproven without an engine, at a pending block, and where the engine gives up", () =>
    Effect.gen(function* () {
      const { head, services } = yield* over()
      const cause = new CallError.CallError({ reason: { _tag: "OutOfBounds", bound: "slots", limit: 5 } })
      const reasonOf = (
        layer: Layer.Layer<never>,
        ask: (eth: VerdictEthClient.Client) => ReturnType<VerdictEthClient.Client["call"]>
      ) =>
        Effect.map(
          Effect.flip(
            Effect.provide(
              VerdictEthClient.VerdictEthClient.use(ask),
              VerdictEthClient.layer().pipe(Layer.provide([...services, layer]))
            )
          ),
          (error) => (error._tag === "UnprovenError" ? error.claims[0]!.reason : undefined)
        )
      const none = yield* reasonOf(Layer.empty, (eth) => eth.call({ to: TO }, head))
      assert.strictEqual(none?._tag, EthReason.NoCallEngine._tag)
      assert.match(none?.sentence ?? "", /provide the layer of @plumbline\/verified-calls/u)
      const { layer } = engine(returned)
      const pending = yield* reasonOf(layer, (eth) => eth.call({ to: TO }, "pending"))
      assert.strictEqual(pending?._tag, EthReason.PendingBlock._tag)
      const bounded = yield* reasonOf(engine(cause).layer, (eth) => eth.call({ to: TO }, head))
      assert.strictEqual(bounded !== undefined && EthReason.CallNotRun.is(bounded) && bounded.cause, cause)
    })
  )

  it.effect(
    "is unproven if the node answers the read of the block with a revert: no error of a node is the outcome",
    () =>
      Effect.gen(function* () {
        const { head, services } = yield* over()
        for (const [code, message] of [
          [3, "execution reverted"],
          [-32_000, "execution reverted: why"],
          [3, "block not found"]
        ] as const) {
          const revert = new RemoteError({ code, message, data: "0x556f1830" })
          const node = Nodes.node(() => revert)
          const layers = Layer.mergeAll(node.layer, services[1], engine(returned).layer)
          const error = yield* Effect.flip(
            Effect.provide(
              VerdictEthClient.VerdictEthClient.use((eth) => eth.call({ to: TO }, head)),
              VerdictEthClient.layer().pipe(Layer.provide(layers))
            )
          )
          const claims = error._tag === "UnprovenError" ? error.claims : []
          assert.isTrue(claims.some(({ reason }) => EthReason.ProofRefused.is(reason)))
          const proven = yield* Effect.flip(
            Effect.provide(
              ProvenEthClient.ProvenEthClient.use((eth) => eth.call({ to: TO }, head)),
              ProvenEthClient.layer().pipe(Layer.provide(layers))
            )
          )
          assert.strictEqual(proven._tag, "UnprovenError")
        }
      })
  )
})

describe("ProvenEthClient.call", () => {
  const call = (layer: Layer.Layer<never>, options?: ProvenEthClient.ProvenEthClientOptions) =>
    Effect.gen(function* () {
      const { calls, head, services } = yield* over()
      const eth = ProvenEthClient.layer(options).pipe(Layer.provide([...services, layer]))
      const result = yield* Effect.result(
        Effect.provide(
          ProvenEthClient.ProvenEthClient.use((eth) => eth.call({ to: TO }, head)),
          eth
        )
      )
      return { result, asksNode: calls.some(({ method }) => method === "eth_call") }
    })

  it.effect("gives the bytes, and a revert as nodes do", () =>
    Effect.gen(function* () {
      const { result } = yield* call(engine(returned).layer)
      assert.strictEqual(result._tag === "Success" && result.success, "0x2a")
      const failed = yield* call(engine(reverted).layer)
      const error = failed.result._tag === "Failure" ? failed.result.failure : undefined
      assert.strictEqual(error?._tag, "JsonRpcError")
      assert.deepInclude(error?._tag === "JsonRpcError" ? error.reason : {}, {
        code: 3,
        message: "execution reverted: why",
        data: "0xdb42144d"
      })
      const halted = yield* call(engine({ _tag: "Halted", halt: "out of gas", gasUsed: 5n }).layer)
      assert.match(halted.result._tag === "Failure" ? halted.result.failure.message : "", /out of gas \(code -32000\)/u)
    })
  )

  it.effect("asks the node only if claims are accepted and nothing is proven", () =>
    Effect.gen(function* () {
      const refused = yield* call(Layer.empty)
      assert.strictEqual(refused.result._tag === "Failure" && refused.result.failure._tag, "UnprovenError")
      assert.isFalse(refused.asksNode)
      const accepted = yield* call(Layer.empty, { claimed: "accept" })
      assert.strictEqual(accepted.result._tag === "Success" && accepted.result.success, "0x1234")
      const proven = yield* call(engine(returned).layer, { claimed: "accept" })
      assert.strictEqual(proven.result._tag === "Success" && proven.result.success, "0x2a")
      assert.isFalse(proven.asksNode)
    })
  )
})

const estimated = { _tag: "Estimated", gas: 30_000n, tooLow: 29_900n } as const
const listed = {
  _tag: "Listed",
  list: { accessList: [{ address: TO, storageKeys: [`0x${"01".repeat(32)}`] }], gasUsed: 25_000n }
} as unknown as CallOutcome.Listed
const simulatedBlock = {
  number: 9n,
  timestamp: 10n,
  gasLimit: 30_000_000n,
  gasUsed: 21_000n,
  calls: [{ status: 1n, returnData: "0x2a", gasUsed: 21_000n }]
} as const
const simulated = { _tag: "Simulated", blocks: [simulatedBlock] } as const
const SIMULATION = { blockStateCalls: [{ calls: [{ to: TO }] }] } as const

describe("VerdictEthClient's other runs", () => {
  const read = <A, E>(
    double: ReturnType<typeof engine>,
    ask: (eth: VerdictEthClient.Client, head: Hash32.Hash32) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function* () {
      const { calls, head, services } = yield* over()
      const eth = VerdictEthClient.layer({ chainId: 1n }).pipe(Layer.provide([...services, double.layer]))
      const verdict = yield* Effect.provide(
        VerdictEthClient.VerdictEthClient.use((eth) => ask(eth, head)),
        eth
      )
      return { head, verdict, methods: calls.map(({ method }) => method) }
    })

  it.effect("are VERIFIED by the engine's runs, and the evidence names the caller's changes", () =>
    Effect.gen(function* () {
      const overridden = {
        accounts: [{ address: TO as never, fields: ["balance", "stateDiff"], slots: 2 }],
        block: ["number"]
      } as const
      const gas = engine(estimated, overridden)
      const state = { [TO]: { balance: 5n } }
      const estimate = yield* read(gas, (eth, head) => eth.estimateGas({ to: TO }, head, state, { number: 9n }))
      assert.deepEqual([estimate.verdict._tag, estimate.verdict.value], ["VERIFIED", estimated])
      assert.deepEqual(gas.asked.at(-1), ["estimateGas", { to: TO }, estimate.head, 1n, state, { number: 9n }])
      assert.deepEqual(
        estimate.verdict.proven.map(({ sentence }) => sentence),
        [
          `the call, run here by the rules of prague in block ${estimate.head}: 21000 gas, over 0 accounts, 0 slots, 0 codes, all proven; hypothetical, because the caller overrode balance, stateDiff (2) of ${TO}; number of the block`,
          "gas: the run with a limit of 30000 succeeded, and 29900 is too low"
        ]
      )
      assert.notInclude(estimate.methods, "eth_estimateGas")

      const list = yield* read(engine(listed), (eth, head) => eth.createAccessList({ to: TO }, head))
      assert.deepEqual([list.verdict._tag, list.verdict.value], ["VERIFIED", listed])
      assert.strictEqual(list.verdict.proven.at(-1)?.sentence, "access list: 1 address and 1 slot, by the run with it")

      const double = engine(simulated)
      const simulation = yield* read(double, (eth, head) => eth.simulate(SIMULATION, head))
      assert.deepEqual([simulation.verdict._tag, simulation.verdict.value], ["VERIFIED", simulated])
      assert.match(simulation.verdict.proven[0]!.sentence, /^hypothetical: 1 call in 1 block made up here after block/u)
      // no hint is asked for: a simulation has many calls
      assert.deepEqual(
        double.asked.map((asked) => (asked as ReadonlyArray<unknown>)[0]),
        ["simulate"]
      )
    })
  )
})

describe("ProvenEthClient's other runs", () => {
  const WORDS: Readonly<Record<string, string | object>> = {
    eth_estimateGas: "0x5208",
    eth_createAccessList: { accessList: [], gasUsed: "0x5208" },
    eth_simulateV1: []
  }
  const read = <A, E>(
    layer: Layer.Layer<never>,
    ask: (eth: ProvenEthClient.Client, head: Hash32.Hash32) => Effect.Effect<A, E>,
    options?: ProvenEthClient.ProvenEthClientOptions
  ) =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => world)
      const head = Questions.hashOf(made.block(World.HEAD))
      const node = Nodes.node((method, params) => (WORDS[method] as never) ?? made.answers(method, params))
      const eth = ProvenEthClient.layer(options).pipe(
        Layer.provide([node.layer, TrustedBlock.layerPinned(head), layer])
      )
      const result = yield* Effect.result(
        Effect.provide(
          ProvenEthClient.ProvenEthClient.use((eth) => ask(eth, head)),
          eth
        )
      )
      return {
        value: result._tag === "Success" ? result.success : result.failure,
        asked: node.calls.map(({ method }) => method).filter((method) => method in WORDS)
      }
    })
  const estimate = (eth: ProvenEthClient.Client, head: Hash32.Hash32) => eth.estimateGas({ to: TO }, head)
  const list = (eth: ProvenEthClient.Client, head: Hash32.Hash32) => eth.createAccessList({ to: TO }, head)
  const simulate = (eth: ProvenEthClient.Client, head: Hash32.Hash32) => eth.simulate(SIMULATION, head)

  it.effect("give the engine's answer, and its revert, without asking the node", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* read(engine(estimated).layer, estimate), { value: 30_000n, asked: [] })
      assert.deepEqual(yield* read(engine(listed).layer, list), { value: listed.list, asked: [] })
      assert.deepEqual(yield* read(engine(simulated).layer, simulate), { value: [simulatedBlock], asked: [] })
      const failed = yield* read(engine(reverted).layer, estimate)
      assert.strictEqual((failed.value as Error).message, "eth_estimateGas: execution reverted: why (code 3)")
      assert.deepEqual(failed.asked, [])
      const refused = yield* read(engine({ _tag: "Refused", code: -38_014, message: "no funds" }).layer, simulate)
      assert.match((refused.value as Error).message, /^eth_simulateV1: no funds \(code -38014\)/u)
    })
  )

  it.effect("leave advice to the node where no engine runs it, and refuse facts", () =>
    Effect.gen(function* () {
      const gaveUp = new CallError.CallError({ reason: { _tag: "OutOfBounds", bound: "runs", limit: 5 } })
      for (const layer of [Layer.empty, engine(gaveUp).layer]) {
        assert.deepEqual(yield* read(layer, estimate), { value: 21_000n, asked: ["eth_estimateGas"] })
        assert.deepEqual((yield* read(layer, list)).asked, ["eth_createAccessList"])
        const refused = yield* read(layer, simulate)
        assert.include(refused.value, { _tag: "UnprovenError" })
        assert.deepEqual(refused.asked, [])
        const accepted = yield* read(layer, simulate, { claimed: "accept" })
        assert.deepEqual(accepted, { value: [], asked: ["eth_simulateV1"] })
      }
    })
  )
})

it.effect("a call after a fork that only data names is not run by the rules of an older one", () =>
  Effect.gen(function* () {
    const { head, services } = yield* over()
    const { block } = yield* Effect.promise(() => world)
    const time = Number(block(World.HEAD)["timestamp"])
    const types = [{ type: "0x5", fields: [{ name: "a", kind: "hash" }] }] as const
    for (const [timestamp, isRun] of [
      [time, false],
      [time + 1, true]
    ] as const) {
      const { asked, layer } = engine(returned)
      const forks = { forks: [{ name: "invented", timestamp, transactionTypes: types }] }
      const client = VerdictEthClient.layer({ forks }).pipe(Layer.provide([...services, layer]))
      const program = VerdictEthClient.VerdictEthClient.use((eth) => eth.call({ to: TO }, { blockHash: head }))
      const ran = yield* Effect.result(Effect.provide(program, client))
      if (isRun) assert.strictEqual(ran._tag === "Success" ? ran.success._tag : ran.failure._tag, "VERIFIED")
      else {
        assert.isTrue(ran._tag === "Failure" || ran.success._tag === "CLAIMED")
        const text = ran._tag === "Failure" ? ran.failure.message : ran.success.claimed[0]!.reason.sentence
        assert.match(text, /after the fork invented, whose rules are not known/u)
        assert.isFalse(asked.some((one) => Array.isArray(one) && one[0] === "run"))
      }
    }
  })
)

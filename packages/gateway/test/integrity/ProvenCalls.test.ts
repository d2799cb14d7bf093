/**
 * Calls that a network runs over proven state: their place in the pool, in the answers and in the usage. The engine is a
 * double; `@plumbline/verified-calls` tests the runs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { type CallEngine, CallError, type CallOutcome, EthMethods, TrustedBlock } from "@plumbline/eth-methods"
import { CallQueue, Integrity, type Network, UpstreamPool } from "@plumbline/gateway"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { Effect, Result } from "effect"

import { block, HASH, node } from "../support/genesis.ts"
import * as Metered from "../support/metered.ts"
import * as Service from "../support/service.ts"

const TO = `0x${"11".repeat(20)}`
const answers = {
  eth_getBlockByHash: block,
  eth_getBlockByNumber: block,
  eth_chainId: "0x1",
  eth_call: "0xbad0",
  eth_estimateGas: "0x5208",
  // the code of a proof that refutes, which a node may send too
  eth_createAccessList: { code: -32_099, message: "refuted: nothing" }
}

type Ending = CallOutcome.CallOutcome | CallError.CallError

/** An engine whose runs end in this way. It counts them, and the most at a time. */
const engineOf = (ending: Ending) => {
  const counts = { runs: 0, now: 0, most: 0 }
  const run: CallEngine.CallRunner["run"] = (_, { value }) =>
    Effect.gen(function* () {
      counts.runs++
      counts.most = Math.max(counts.most, ++counts.now)
      yield* Effect.sleep("5 millis")
      counts.now--
      if (ending._tag === "CallError") return yield* ending
      const { gasUsed } = ending
      const rules = { chainId: 1n, hardfork: "prague", blobUpdateFraction: undefined }
      const basis = { ...rules, gasLimit: gasUsed, gasUsed, accounts: [], blockHashes: [], roundTrips: 1 }
      return { outcome: ending, basis: { ...basis, block: value.hash! } }
    })
  const other = () => Effect.die("another method")
  const runner = { hint: () => undefined, run, estimateGas: other, createAccessList: other, simulate: other }
  const engine: CallEngine.CallEngine = { name: "double", over: () => runner }
  return { engine, counts }
}

type AnyEnding = CallOutcome.EstimateOutcome | Ending | RefutedError

/** An engine whose runs end in this way over each node, in the order of the nodes. Each asks its node for a hint. */
const engineOver = (endings: ReadonlyArray<AnyEnding>): CallEngine.CallEngine => {
  let nodes = 0
  return {
    name: "double",
    over: (node) => {
      const ending = endings[nodes++]!
      const run =
        <O extends CallOutcome.AnyOutcome, R>(): CallEngine.CallRun<O, R> =>
        (_, { value }) => {
          if (ending._tag === "CallError" || ending._tag === "RefutedError") return Effect.fail(ending)
          const rules = { chainId: 1n, hardfork: "prague", blobUpdateFraction: undefined }
          const used = { gasLimit: 1n, gasUsed: 1n, accounts: [], blockHashes: [], roundTrips: 1 }
          return Effect.succeed({ outcome: ending as unknown as O, basis: { ...rules, ...used, block: value.hash! } })
        }
      return {
        hint: (request, at) => Effect.catch(node.createAccessList(request, at), () => Effect.succeed(undefined)),
        run: run(),
        estimateGas: run(),
        createAccessList: run(),
        simulate: run()
      }
    }
  }
}

/** Makes a network with two nodes, whose calls end in this way. `own` are further answers of the first node. */
const networkOf = Effect.fnUntraced(function* (
  ending: Ending,
  options: Partial<Integrity.IntegrityOptions> = {},
  own: Readonly<Record<string, unknown>> = {}
) {
  const nodes = [node({ ...answers, ...own }), node(answers)]
  const { counts, engine } = engineOf(ending)
  const trust = yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HASH)))
  const named = nodes.map((upstream, index) => ({ name: "ab"[index]!, upstream }))
  const settings = { network: "mainnet", mode: "prove", chainId: 1n, trust, calls: engine, ...options } as const
  const { around, lies, members } = yield* Integrity.make(named, settings)
  const pool = yield* UpstreamPool.make(
    named.map(({ name }, index) => ({ name, upstream: members[index]! })),
    { methods: EthMethods.group }
  )
  const upstream = around(pool)
  const network: Network.Network = {
    name: "mainnet",
    hosts: ["mainnet.localhost"],
    chainId: 1,
    methods: EthMethods.group,
    upstream,
    isChecked: true
  }
  return { network, counts, nodes, lies, call: upstream.call("eth_call", [{ to: TO }, { blockHash: HASH }]) }
})

const returned = { _tag: "Returned", data: "0x2a", gasUsed: 21_000n } as const
const body = Service.call("eth_call", [{ to: TO }, { blockHash: HASH }])
const beyond = new CallError.CallError({ reason: { _tag: "OutOfBounds", bound: "slots", limit: 8192 } })
const unavailable = new CallError.CallError({
  reason: { _tag: "Unavailable", what: "account", address: undefined, error: undefined }
})

describe("a call of a network that proves", () => {
  it.live("is run once, and its node is never asked for the answer", () =>
    Effect.gen(function* () {
      const { call, counts, nodes } = yield* networkOf(returned)
      assert.strictEqual(Buffer.from(yield* call).toString(), '"0x2a"')
      assert.strictEqual(counts.runs, 1)
      for (const { asked } of nodes) assert.notInclude(asked, "eth_call")
    })
  )

  it.live("that reaches a bound, or that the engine cannot run, is not the fault of its node: no other runs it", () =>
    Effect.gen(function* () {
      const unsupported = new CallError.CallError({ reason: { _tag: "Unsupported", what: "the method not found" } })
      for (const [ending, code] of [
        [beyond, -32_095],
        [unsupported, -32_098]
      ] as const) {
        const { call, counts, lies, network } = yield* networkOf(ending)
        assert.deepInclude(yield* Effect.flip(call), { code })
        assert.strictEqual(counts.runs, 1)
        const [a] = network.upstream.health!()
        assert.deepInclude(a, { state: "up", faults: 0, refusals: 0 })
        assert.deepStrictEqual(lies(), [])
      }
    })
  )

  it.live("is run over each node until one has the state", () =>
    Effect.gen(function* () {
      const { call, counts } = yield* networkOf(unavailable)
      assert.deepInclude((yield* Effect.flip(call)) as object, { _tag: "UpstreamError" })
      assert.strictEqual(counts.runs, 2)
    })
  )

  it.live("is estimated over a node that has the state, before the word of a node that lacks it", () =>
    Effect.gen(function* () {
      const estimate = (...endings: ReadonlyArray<AnyEnding>) =>
        Effect.map(networkOf(returned, { calls: engineOver(endings) }), ({ lies, network }) => ({
          lies,
          call: network.upstream.call("eth_estimateGas", [{ to: TO }, { blockHash: HASH }])
        }))
      const estimated = { _tag: "Estimated", gas: 30_000n, tooLow: 29_900n } as const
      const proven = yield* estimate(unavailable, estimated)
      const answer = yield* proven.call
      assert.strictEqual(Buffer.from(answer).toString(), '"0x7530"')
      assert.deepInclude(answer.verdict, { word: "VERIFIED", by: "b" })
      assert.deepStrictEqual(proven.lies(), [])
      const reverted = { _tag: "Reverted", data: "0xdb42144d", reason: "why", gasUsed: 22_000n } as const
      const failing = yield* estimate(unavailable, reverted)
      assert.deepInclude(yield* Effect.flip(failing.call), { code: 3, message: "execution reverted: why" })
      const pruned = yield* estimate(unavailable, unavailable)
      const word = yield* pruned.call
      assert.strictEqual(Buffer.from(word).toString(), '"0x5208"')
      assert.deepInclude(word.verdict, { word: "CLAIMED", by: "a" })
    })
  )

  it.live("is estimated over a node that has the state, before the revert that a node without it tells", () =>
    Effect.gen(function* () {
      // a pool takes a revert for an answer, and asks no other node after it
      const own = { eth_estimateGas: { code: 3, message: "execution reverted", data: "0xdb42144d" } }
      const estimated = { _tag: "Estimated", gas: 30_000n, tooLow: 29_900n } as const
      const estimate = (...endings: ReadonlyArray<AnyEnding>) =>
        Effect.flatMap(networkOf(returned, { calls: engineOver(endings) }, own), ({ network }) =>
          network.upstream.call("eth_estimateGas", [{ to: TO }, { blockHash: HASH }])
        )
      const answer = yield* estimate(unavailable, estimated)
      assert.strictEqual(Buffer.from(answer).toString(), '"0x7530"')
      assert.deepInclude(answer.verdict, { word: "VERIFIED", by: "b" })
      // no node proves it: the caller gets the first node's word
      assert.deepInclude(yield* Effect.flip(estimate(unavailable, unavailable)), own.eth_estimateGas)
    })
  )

  it.live("cannot be ended by a node that answers a read of its block with a revert", () =>
    Effect.gen(function* () {
      const error = { code: 3, message: "execution reverted", data: "0xdb42144d" }
      const { call, network } = yield* networkOf(returned, {}, { eth_getBlockByHash: error })
      const answer = yield* call
      assert.strictEqual(Buffer.from(answer).toString(), '"0x2a"')
      assert.deepInclude(answer.verdict, { word: "VERIFIED", by: "b" })
      assert.deepInclude(network.upstream.health!()[0], { state: "up", faults: 0 })
    })
  )

  it.live("that is refuted is its node's lie, also if the node has sent an error with our code before", () =>
    Effect.gen(function* () {
      const lie = refute("account.balance", 5n, 6n)
      const { call, lies } = yield* networkOf(returned, { calls: engineOver([lie, returned]) })
      const answer = yield* call
      assert.deepInclude(answer.verdict, { word: "VERIFIED", by: "b" })
      const [found, ...others] = lies()
      assert.deepInclude(found, { node: "a", method: "eth_call", check: "account.balance", count: 1 })
      assert.deepStrictEqual(others, [])
    })
  )

  it.live("passes on to the node in the mode check, as without an engine", () =>
    Effect.gen(function* () {
      const { call, counts } = yield* networkOf(returned, { mode: "check" })
      assert.strictEqual(Buffer.from(yield* call).toString(), '"0xbad0"')
      assert.strictEqual(counts.runs, 0)
    })
  )
})

describe("over HTTP", () => {
  const usage = (service: Metered.Metered) => Effect.map(service.rows, Metered.summary)

  it.live("a proven call and a proven revert carry their verdict and anchor, and each is metered once", () =>
    Effect.gen(function* () {
      const reverted = { _tag: "Reverted", data: "0xdb42144d", reason: "why", gasUsed: 22_000n } as const
      for (const [ending, member] of [
        [returned, { result: "0x2a" }],
        [reverted, { error: { code: 3, message: "execution reverted: why", data: "0xdb42144d" } }],
        [{ _tag: "Halted", halt: "out of gas", gasUsed: 1n }, { error: { code: -32_000, message: "out of gas" } }]
      ] as const) {
        const { network } = yield* networkOf(ending)
        const service = yield* Metered.start({ network })
        const path = `/v3/${Service.KEY}?annotate`
        const { body: text, headers } = yield* Service.ask(service, { path, body })
        const { plumbline, ...answer } = JSON.parse(text)
        assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: 1, ...member })
        assert.deepStrictEqual(plumbline, { verdict: "VERIFIED", anchor: `block ${HASH}`, claimed: [] })
        assert.strictEqual(headers["plumbline-verdict"], "VERIFIED")
        assert.strictEqual(headers["plumbline-anchor"], `block ${HASH}`)
        assert.deepStrictEqual(yield* usage(service), ["eth_call 200 1 80"])
      }
    })
  )

  it.live("a call beyond its bounds is CLAIMED, with the bound in its data, and costs as any call", () =>
    Effect.gen(function* () {
      const { network } = yield* networkOf(beyond)
      const service = yield* Metered.start({ network })
      const { body: text, headers } = yield* Service.ask(service, { body })
      assert.deepInclude(JSON.parse(text).error.data, { verdict: "CLAIMED", bound: "slots", limit: 8192 })
      assert.strictEqual(headers["plumbline-verdict"], "CLAIMED")
      assert.deepStrictEqual(yield* usage(service), ["eth_call 200 1 80"])
    })
  )

  it.live("a batch of calls of one project runs no more at a time than its share", () =>
    Effect.gen(function* () {
      const callQueue = Result.getOrThrow(CallQueue.make({ atOnce: 8, perProject: 2, waiting: 100 }))
      const { counts, network } = yield* networkOf(returned, { callQueue })
      const service = yield* Metered.start({ network })
      const { body: text, headers } = yield* Service.ask(service, { body: `[${Array(20).fill(body).join(",")}]` })
      assert.isTrue(JSON.parse(text).every(({ result }: { readonly result: unknown }) => result === "0x2a"))
      assert.strictEqual(headers["plumbline-verdicts"], "V".repeat(20))
      assert.deepStrictEqual([counts.runs, counts.most], [20, 2])
      assert.deepStrictEqual(yield* usage(service), ["batch 200 0 1", "eth_call 200 20 1600"])
    })
  )

  it.live("a batch of long ranges of logs of one project proves no more at a time than its share", () =>
    Effect.gen(function* () {
      const queue = Result.getOrThrow(CallQueue.make({ atOnce: 8, perProject: 2, waiting: 100 }))
      const callers = new Set<string>()
      const counts = { runs: 0, most: 0 }
      const logQueue: CallQueue.CallQueue = {
        ...queue,
        run: (call) =>
          Effect.flatMap(CallQueue.Caller, (caller) => {
            callers.add(caller)
            const counted = Effect.sync(() => {
              counts.runs++
              counts.most = Math.max(counts.most, queue.counts().running)
            })
            return queue.run(Effect.andThen(Effect.andThen(Effect.sleep("5 millis"), counted), call))
          })
      }
      const { network } = yield* networkOf(returned, { logQueue }, { eth_getLogs: [] })
      const service = yield* Metered.start({ network })
      const logs = (filter: object) => Service.call("eth_getLogs", [filter])
      const batch = [
        ...Array<string>(20).fill(logs({ fromBlock: "0x0", toBlock: "latest" })),
        // these need few reads
        logs({ fromBlock: "0x0", toBlock: "0x0" }),
        logs({ blockHash: HASH })
      ]
      const { body: text } = yield* Service.ask(service, { body: `[${batch.join(",")}]` })
      assert.deepStrictEqual(
        JSON.parse(text).map(({ result }: { readonly result: unknown }) => result),
        batch.map(() => [])
      )
      assert.deepStrictEqual(counts, { runs: 20, most: 2 })
      assert.lengthOf([...callers], 1)
      assert.notInclude([...callers], "")
    })
  )
})

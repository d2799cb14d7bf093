/**
 * Calls that the networks of a service run over proven state: in threads, over true, lying, pruned and silent nodes. The
 * nodes serve the history chain, which was made and recorded by another implementation.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { VerifiedCache } from "@plumbline/gateway"
import * as CallQueue from "@plumbline/gateway/integrity/CallQueue"
import type { UpstreamAnswer, UpstreamHealth } from "@plumbline/gateway/networks/Upstream"
import { UpstreamError } from "@plumbline/gateway/networks/UpstreamError"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import { Effect, Exit, Fiber, Result, Schedule, Scope } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as CallThreads from "../../src/service/CallThreads.ts"
import * as NetworkTrusts from "../../src/service/NetworkTrusts.ts"
import * as ServiceNetworks from "../../src/service/ServiceNetworks.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as LyingNode from "../support/LyingNode.ts"

const history = HistoryNode.lyingNode()
const { chainId, contracts, head } = HistoryChain
const at = { blockHash: head.hash }

/** The rules of the history chain, as an operator writes them. */
const FORKS =
  "timeout: 2m, tryTimeout: 1m, hardforks: [{ hardfork: cancun, block: 57 }, { hardfork: prague, block: 61 }, { hardfork: osaka, block: 66 }]"

/** `total()` of the contract Counter, which returns its slot 0. */
const TOTAL = { to: contracts.elder.address, data: "0x2ddbd13a" }
/** The slot 0 of that contract, as the archive recorded it. */
const total = () => Effect.promise(() => history().ask("eth_getStorageAt", [TOTAL.to, "0x0", at]))

/**
 * JUMPDEST, PUSH0, PUSH0, KECCAK256, POP, PUSH1 0, JUMP, as the code of a creation: its gas pays for much work. Calls with
 * different numbers are different calls.
 */
const endless = (n: number) => ({ data: `0x5b5f5f2050600056${n.toString(16).padStart(2, "0")}` })

/**
 * Returns a function that gives threads with this bound of time, once the tests run. The start of a thread takes longer
 * than all its calls.
 */
const threadsOf = (time: number): (() => CallThreads.CallThreads) => {
  const scope = Scope.makeUnsafe()
  let threads: CallThreads.CallThreads | undefined
  beforeAll(async () => {
    threads = await Effect.runPromise(Scope.provide(CallThreads.make({ threads: 1, time }), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => threads!
}

const patient = threadsOf(30_000)
const strict = threadsOf(2000)
/** Less than any machine needs for the gas of an endless call. */
const brief = threadsOf(100)

interface Setup {
  readonly nodes: ReadonlyArray<string>
  readonly settings?: string
  /** Default: `patient`. */
  readonly threads?: CallThreads.CallThreads
  readonly queue?: CallQueue.CallQueueOptions
}

/** Makes a network of nodes that proves from the head of the chain. */
const over = Effect.fnUntraced(function* ({ nodes, queue = {}, settings = FORKS, threads = patient() }: Setup) {
  const upstreams = nodes.map((url, index) => `{ name: ${"abc"[index]}, operator: ${"abc"[index]}, url: "${url}" }`)
  const text = `networks:
  history:
    { chainId: ${chainId}, upstreams: [${upstreams.join(", ")}], integrity: prove, watch: 1d,
      trust: { block: "${head.hash}" }, ${settings} }`
  const { settings: read } = Result.getOrThrow(Configuration.read({ text, file: "test", variables: {} }))
  const embedded = { get: () => Effect.die("no node of this process"), beacon: () => undefined }
  const waiting = Result.getOrThrow(CallQueue.make(queue))
  const cache = yield* VerifiedCache.make()
  const networks = yield* ServiceNetworks.make(embedded, {
    trustOf: NetworkTrusts.withoutBeacon,
    cache: Effect.succeed(cache),
    calls: { threads, queue: waiting }
  })
  const [network] = (yield* networks.prepare(read().networks)).networks
  const call = (request: object, block: unknown = at, method = "eth_call", ...rest: ReadonlyArray<unknown>) =>
    Effect.map(network!.upstream.call(method, [request, block, ...rest]), (answer: UpstreamAnswer) => ({
      result: JSON.parse(Buffer.from(answer).toString()),
      verdict: answer.verdict?.word
    }))
  return { call, network: network!, cache, waiting }
})

type Network = Effect.Success<ReturnType<typeof over>>

/** Runs calls in the thread of the test. */
const inThisThread: CallThreads.CallThreads = { engine: (chain) => Effect.succeed(VerifiedCalls.make({ chain })) }

/** The reason of a call that failed with a fault of its node. */
const faultOf = (error: unknown) => (error instanceof UpstreamError ? error.reason._tag : error)

describe("a call that the service runs over proven state", () => {
  it.live("is VERIFIED, and is what the archive recorded, at a hash and at the trusted head", () =>
    Effect.gen(function* () {
      const { call, cache } = yield* over({ nodes: [history().url] })
      const expected = yield* total()
      assert.deepStrictEqual(yield* call(TOTAL), { result: expected, verdict: "VERIFIED" })
      const latest = yield* call(TOTAL, `0x${head.number.toString(16)}`)
      assert.deepStrictEqual(latest, { result: expected, verdict: "VERIFIED" })
      // kept like any proven answer
      assert.deepStrictEqual(yield* call(TOTAL), { result: expected, verdict: "VERIFIED" })
      assert.strictEqual(cache.stats().hits, 1)
    }).pipe(Effect.scoped)
  )

  it.live("has the same answer in a thread as in this one, for every method", () =>
    Effect.gen(function* () {
      const [away, here] = [
        yield* over({ nodes: [history().url] }),
        yield* over({ nodes: [history().url], threads: inThisThread })
      ]
      // `increment()` of the same contract, which writes two slots and a log
      const increment = { to: TOTAL.to, data: "0xd09de08a" }
      const simulation = { blockStateCalls: [{ calls: [increment, TOTAL] }, { calls: [TOTAL, { data: "0x5f5ffd" }] }] }
      const stateDiff = { [TOTAL.to]: { stateDiff: { [`0x${"00".repeat(32)}`]: `0x${"00".repeat(31)}07` } } }
      for (const ask of [
        (over) => over.call(increment),
        (over) => over.call(TOTAL, at, "eth_call", stateDiff),
        (over) => over.call(increment, at, "eth_estimateGas"),
        (over) => over.call(increment, at, "eth_createAccessList"),
        (over) => over.call(simulation, at, "eth_simulateV1")
      ] satisfies ReadonlyArray<(over: Network) => ReturnType<Network["call"]>>) {
        const [inThread, inHere] = [yield* ask(away), yield* ask(here)]
        assert.strictEqual(inThread.verdict, "VERIFIED")
        assert.deepStrictEqual(inThread, inHere)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that ends its thread for want of memory is refused, and the service goes on", () =>
    Effect.gen(function* () {
      const threads = yield* CallThreads.make({ threads: 1, time: 30_000, memory: 4 })
      const { call, network } = yield* over({ nodes: [history().url], threads })
      const error = yield* Effect.flip(call(TOTAL))
      assert.deepInclude(error, { code: -32_098 })
      assert.include((error as { message: string }).message, "for want of memory")
      assert.deepInclude(network.upstream.health!()[0], { state: "up", faults: 0 })
      const block: UpstreamAnswer = yield* network.upstream.call("eth_getBlockByHash", [head.hash, false])
      assert.strictEqual(block.verdict?.word, "VERIFIED")
    }).pipe(Effect.scoped)
  )

  it.live("is refused without rules, and no node is asked to guess them", () =>
    Effect.gen(function* () {
      const { call } = yield* over({ nodes: [history().url, history().url], settings: "maxLag: 100" })
      const error = yield* Effect.flip(call(TOTAL))
      assert.deepInclude(error, { code: -32_098 })
      assert.include((error as { message: string }).message, "whose hardforks are not known here")
    }).pipe(Effect.scoped)
  )

  it.live("reverts and halts as a proven result, with the codes of nodes", () =>
    Effect.gen(function* () {
      const { call } = yield* over({ nodes: [history().url] })
      // PUSH0 PUSH0 REVERT, and INVALID
      const reverted = yield* Effect.flip(call({ data: "0x5f5ffd" }))
      assert.deepInclude(reverted, { code: 3, message: "execution reverted", data: "0x" })
      const halted = yield* Effect.flip(call({ data: "0xfe" }))
      assert.deepInclude(halted, { code: -32_000, message: "invalid opcode" })
    }).pipe(Effect.scoped)
  )

  it.live("blames the node that lies, and another node's proof is the answer", () =>
    Effect.gen(function* () {
      const liar = history().telling({
        method: "eth_getProof",
        change: (proof) => ({
          ...proof,
          storageProof: proof.storageProof.map((one: object) => ({ ...one, value: "0x7" }))
        })
      })
      const { call, network } = yield* over({ nodes: [liar, history().url] })
      assert.deepStrictEqual(yield* call(TOTAL), { result: yield* total(), verdict: "VERIFIED" })
      const [lie, ...others] = network.lies!()
      assert.deepInclude(lie, { node: "a", method: "eth_call", check: "storageProof[0].value", count: 1 })
      assert.deepStrictEqual(others, [])
      const other = yield* over({ nodes: [history().telling({ method: "eth_getCode", change: () => "0x5b600056" })] })
      assert.strictEqual(faultOf(yield* Effect.flip(other.call(TOTAL))), "Refuted")
      assert.strictEqual(other.network.lies!()[0]!.check, "code hash")
    }).pipe(Effect.scoped)
  )

  it.live("asks the next node if a node no longer has the state, and blames neither", () =>
    Effect.gen(function* () {
      const pruned = history().telling({
        method: "eth_getProof",
        change: () => LyingNode.refuse({ code: -32_000, message: "missing trie node" })
      })
      const { call, network } = yield* over({ nodes: [pruned, history().url] })
      assert.deepStrictEqual(yield* call(TOTAL), { result: yield* total(), verdict: "VERIFIED" })
      assert.deepStrictEqual(network.lies!(), [])
      const alone = yield* over({ nodes: [pruned] })
      const error = yield* Effect.flip(alone.call(TOTAL))
      assert.strictEqual(faultOf(error), "Unproven")
      assert.deepInclude((error as UpstreamError).reason, { code: -32_097 })
    }).pipe(Effect.scoped)
  )

  it.live("fails over from a node that hangs, which is blamed for it", () =>
    Effect.gen(function* () {
      // on a busy machine, the thread's start takes longer than this bound
      const warm = yield* over({ nodes: [history().url], threads: strict() })
      yield* Effect.retry(warm.call(TOTAL), { times: 30 })
      const silent = history().telling({ method: "eth_getProof", change: () => new Promise(() => {}) })
      // the call's own time is shorter than that of the node: waiting for a node does not count
      const { call, network } = yield* over({
        nodes: [silent, history().url],
        threads: strict(),
        settings: FORKS.replace("1m", "8s")
      })
      assert.deepStrictEqual(yield* call(TOTAL), { result: yield* total(), verdict: "VERIFIED" })
      assert.deepStrictEqual(network.upstream.health!()[0]!.faultsBy, { TimedOut: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("ends at its bound of time with an error of its own: no node is blamed, and no other is asked", () =>
    Effect.gen(function* () {
      let others = 0
      const other = history().telling({ method: "eth_getProof", change: (proof) => (others++, proof) })
      const { call, network } = yield* over({ nodes: [history().url, other], threads: brief() })
      // the thread's start takes longer than this bound
      const answered = Effect.retry(call(TOTAL), { times: 500 })
      yield* answered
      const error = yield* Effect.flip(call(endless(0)))
      assert.deepInclude(error, { code: -32_095, message: "out of bounds: it needs more than its bound of 100: time" })
      const [{ faults, lies, state }] = network.upstream.health!() as [UpstreamHealth]
      assert.deepStrictEqual([faults, state, lies, others], [0, "up", undefined, 0])
      // the thread is free again
      assert.strictEqual((yield* answered).verdict, "VERIFIED")
    }).pipe(Effect.scoped)
  )

  it.live("of one project leaves room for another, and a call that is given up makes room", () =>
    Effect.gen(function* () {
      const { call, waiting } = yield* over({
        nodes: [history().url],
        queue: { atOnce: 3, perProject: 2, waiting: 1 }
      })
      const as = (project: string) => Effect.provideService(CallQueue.Caller, project)
      const greedy = yield* Effect.forEach([1, 2, 3], (n) => Effect.forkChild(call(endless(n)).pipe(as("greedy"))))
      yield* Effect.repeat(Effect.sync(waiting.counts), {
        until: (counts) => counts.running === 2 && counts.waiting === 1,
        schedule: Schedule.spaced("5 millis")
      })
      assert.strictEqual(yield* Effect.flip(call(endless(4)).pipe(as("greedy"))), CallQueue.busy)
      assert.strictEqual((yield* call(TOTAL).pipe(as("modest"))).verdict, "VERIFIED")
      yield* Effect.forEach(greedy, (fiber) => Fiber.interrupt(fiber))
      assert.deepStrictEqual(waiting.counts(), { running: 0, waiting: 0 })
    }).pipe(Effect.scoped)
  )
})

describe("the id of the rules by which a call is run", () => {
  it("differs for another fork, another beginning, another price of blobs, and another version of the program", () => {
    const rules = (more: object) => ({ chainId: 5n, forks: [{ hardfork: "prague" as const, block: 5n, ...more }] })
    const ids = [
      ServiceNetworks.idOf(rules({}), "1.0.0"),
      ServiceNetworks.idOf(rules({ hardfork: "osaka" }), "1.0.0"),
      ServiceNetworks.idOf(rules({ block: undefined, time: 5n }), "1.0.0"),
      ServiceNetworks.idOf(rules({ blobUpdateFraction: 5n }), "1.0.0"),
      ServiceNetworks.idOf(rules({}), "1.0.1")
    ]
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(ServiceNetworks.idOf(rules({}), "1.0.0"), ids[0])
  })
})

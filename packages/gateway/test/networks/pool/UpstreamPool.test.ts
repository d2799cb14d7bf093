import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { type Upstream, UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { ErrorObject, Method, MethodGroup } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Exit, Fiber, Logger, Random as EffectRandom, Schema } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"

type Reason = UpstreamError.UpstreamError["reason"]

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const fault = (reason: Reason) => new UpstreamError.UpstreamError({ reason })
const refused = fault({ _tag: "Unreachable", code: "ECONNREFUSED" })
const broken = fault({ _tag: "Unreachable", code: "UND_ERR_SOCKET" })
const tooLarge = fault({ _tag: "TooLarge", limit: 10 })
const reverted = ErrorObject.make(3, "execution reverted")

/** All faults after which a call has no answer from the node. */
const faults: ReadonlyArray<UpstreamError.UpstreamError> = [
  refused,
  broken,
  fault({ _tag: "TimedOut", after: 5 }),
  ...[401, 402, 403, 429, 500, 502].map((status) => fault({ _tag: "BadStatus", status })),
  ...(["not JSON-RPC", "wrong id", "bad error object", "wrong result"] as const).map((problem) =>
    fault({ _tag: "BadAnswer", problem })
  )
]

/** The behaviour of a node: an answer, an error object, a fault, or no answer at all ("hangs"). */
type Behaviour = string | ErrorObject.ErrorObject | UpstreamError.UpstreamError

/** A node with the given behaviour. It records its calls and how they end. */
interface Node {
  behaviour: Behaviour
  readonly asked: ReadonlyArray<string>
  readonly outcomes: ReadonlyArray<"answer" | "fault">
  readonly upstream: Upstream.Upstream
}

const node = (initial: Behaviour): Node => {
  const asked: Array<string> = []
  const outcomes: Array<"answer" | "fault"> = []
  const self: Node = {
    behaviour: initial,
    asked,
    outcomes,
    upstream: {
      call: (method: string) =>
        Effect.suspend(() => {
          asked.push(method)
          const { behaviour } = self
          if (behaviour === "hangs") return Effect.never
          outcomes.push(behaviour instanceof UpstreamError.UpstreamError && behaviour !== tooLarge ? "fault" : "answer")
          return typeof behaviour === "string" ? Effect.succeed(encoder.encode(behaviour)) : Effect.fail(behaviour)
        })
    }
  }
  return self
}

const methods = MethodGroup.merge(
  EthMethods.group,
  MethodGroup.make(Method.make("eth_sendTransaction", { params: [], result: Schema.String, idempotent: false }))
)

const pool = (nodes: ReadonlyArray<Node>, options: Partial<UpstreamPool.PoolOptions> = {}) =>
  UpstreamPool.make(
    nodes.map(({ upstream }, index) => ({ name: String(index), upstream })),
    { methods, ...options }
  )

const states = (upstream: Upstream.Upstream) => upstream.health?.().map(({ state }) => state)

/** Returns the text of a result, the code of an error object, or the reason of a fault. */
const answerOf = (called: ReturnType<Upstream.Upstream["call"]>): Effect.Effect<unknown> =>
  Effect.match(called, {
    onSuccess: (bytes) => decoder.decode(bytes),
    onFailure: (error) => (error instanceof UpstreamError.UpstreamError ? error.reason : error.code)
  })

/** Advances the clock until the call is done. */
const after = <A, E>(effect: Effect.Effect<A, E>, duration: string) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust(duration as "1 second")
    assert.isDefined(fiber.pollUnsafe(), `not done after ${duration}`)
    return yield* Fiber.join(fiber)
  })

const quiet = Effect.provideService(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())

describe("a pool of nodes", () => {
  it.effect.each(faults.map((error) => [error.message, error] as const))("asks the next one when %s", ([, error]) =>
    Effect.gen(function* () {
      const nodes = [node(error), node('"0x2"')]
      const upstream = yield* pool(nodes)
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [])), '"0x2"')
      assert.deepStrictEqual(
        nodes.map(({ asked }) => asked.length),
        [1, 1]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("takes a node's own error for the answer, and a result that is too large for everybody's", () =>
    Effect.gen(function* () {
      for (const [behaviour, expected] of [
        [reverted, 3],
        [tooLarge, tooLarge.reason]
      ] as const) {
        const nodes = [node(behaviour), node('"0x2"')]
        const upstream = yield* pool(nodes, { failures: 1 })
        assert.deepStrictEqual(yield* answerOf(upstream.call("eth_call", [])), expected)
        assert.deepStrictEqual(nodes[1]!.asked, [])
        assert.deepStrictEqual(states(upstream), ["up", "untried"])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("gives up a node that is silent when another can be asked, and ends at its deadline when all are", () =>
    Effect.gen(function* () {
      const nodes = [node("hangs"), node("hangs"), node('"0x3"')]
      const upstream = yield* pool(nodes, { tryTimeout: "2 seconds", timeout: "5 seconds" })
      assert.strictEqual(yield* after(answerOf(upstream.call("eth_call", [])), "4 seconds"), '"0x3"')
      nodes[2]!.behaviour = "hangs"
      assert.deepStrictEqual(yield* after(answerOf(upstream.call("eth_call", [])), "5 seconds"), {
        _tag: "TimedOut",
        after: 2000
      })
      assert.deepStrictEqual(
        nodes.map(({ asked }) => asked.length),
        [2, 2, 2]
      )
      // The last node had only one second to answer, which is too short for a fault to count. The other nodes had two
      // faults each, which are too few to count as down.
      assert.deepStrictEqual(states(upstream), ["untried", "untried", "up"])
    }).pipe(Effect.scoped)
  )

  it.effect("does not wait for a node that is down while another is up, and tries it by itself", () =>
    Effect.gen(function* () {
      const nodes = [node("hangs"), node('"0x2"')]
      const upstream = yield* pool(nodes, { tryTimeout: "1 second", failures: 2, cooldown: "10 seconds" })
      for (const _ of [1, 2]) yield* after(answerOf(upstream.call("eth_call", [])), "1 second")
      assert.deepStrictEqual(states(upstream), ["down", "up"])
      // The clock does not advance from here on, so a call that waits would never end.
      for (const _ of [1, 2, 3]) {
        const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_call", [])), { startImmediately: true })
        assert.deepStrictEqual(fiber.pollUnsafe(), Exit.succeed('"0x2"'))
      }
      assert.deepStrictEqual(nodes[0]!.asked, ["eth_call", "eth_call"])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(nodes[0]!.asked, ["eth_call", "eth_call", "eth_blockNumber"])
      assert.deepStrictEqual(states(upstream), ["down", "up"])
      nodes[0]!.behaviour = reverted
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(states(upstream), ["up", "up"])
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [])), 3)
      const { length } = nodes[0]!.asked
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(nodes[0]!.asked.length, length)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("asks nodes that are down when there is no other", () =>
    Effect.gen(function* () {
      const nodes = [node(refused), node(refused)]
      const upstream = yield* pool(nodes, { failures: 1 })
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_call", [])), refused.reason)
      assert.deepStrictEqual(states(upstream), ["down", "down"])
      nodes[1]!.behaviour = '"0x2"'
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [])), '"0x2"')
      assert.deepStrictEqual(states(upstream), ["down", "up"])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("needs so many faults in a row", () =>
    Effect.gen(function* () {
      const nodes = [node(broken), node('"0x2"')]
      const upstream = yield* pool(nodes, { failures: 3 })
      for (const behaviour of [broken, broken, '"0x1"', broken, broken]) {
        nodes[0]!.behaviour = behaviour
        yield* answerOf(upstream.call("eth_call", []))
      }
      assert.deepStrictEqual(states(upstream), ["up", "up"])
      yield* answerOf(upstream.call("eth_call", []))
      assert.deepStrictEqual(states(upstream), ["down", "up"])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("uses a node that is behind after the others, and says by how much", () =>
    Effect.gen(function* () {
      const nodes = [node('"0x10"'), node('"0x14"')]
      const upstream = yield* pool(nodes, { maxLag: 3, watch: "5 seconds" })
      // This call names no block, so the heads that callers have seen do not matter.
      const ask = answerOf(upstream.call("eth_gasPrice", []))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        upstream.health?.().map(({ behind }) => behind),
        [4, 0]
      )
      assert.strictEqual(yield* ask, '"0x14"')
      nodes[0]!.behaviour = '"0x11"'
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* ask, '"0x11"')
      // A node that is behind is better than a node that is down.
      nodes[0]!.behaviour = '"0x1"'
      yield* TestClock.adjust("5 seconds")
      nodes[1]!.behaviour = refused
      assert.strictEqual(yield* ask, '"0x1"')
    }).pipe(Effect.scoped)
  )

  it.effect("uses a node that comes back and is behind after the others from the start", () =>
    Effect.gen(function* () {
      const nodes = [node(refused), node('"0x14"')]
      const upstream = yield* pool(nodes, {
        failures: 1,
        cooldown: "1 second",
        maxLag: 3,
        watch: "1 minute"
      })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(states(upstream), ["down", "up"])
      nodes[0]!.behaviour = '"0x10"'
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(states(upstream), ["up", "up"])
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [])), '"0x14"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is tried by itself once in each pause, however often it went down and came back in between", () =>
    Effect.gen(function* () {
      const flapping = node(refused)
      const upstream = yield* pool([flapping], { failures: 1, cooldown: "10 seconds" })
      for (let count = 0; count < 50; count++) {
        flapping.behaviour = count % 2 === 0 ? refused : '"0x1"'
        yield* answerOf(upstream.call("eth_call", []))
      }
      flapping.behaviour = refused
      yield* answerOf(upstream.call("eth_call", []))
      const { length } = flapping.asked
      for (const tries of [1, 2, 3]) {
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(flapping.asked.length, length + tries)
      }
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is found to be down by those whose callers do not wait for it", () =>
    Effect.gen(function* () {
      const nodes = [node("hangs"), node('"0x2"')]
      const upstream = yield* pool(nodes, { tryTimeout: "10 seconds", failures: 2 })
      for (let count = 0; count < 3; count++) {
        const fiber = yield* Effect.forkChild(upstream.call("eth_call", []), { startImmediately: true })
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.interrupt(fiber)
      }
      // The node was probed once for all three callers, and has not answered yet.
      assert.deepStrictEqual(nodes[0]!.asked.toSorted(), ["eth_blockNumber", "eth_call", "eth_call", "eth_call"])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(states(upstream), ["down", "untried"])
      const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_call", [])), { startImmediately: true })
      assert.deepStrictEqual(fiber.pollUnsafe(), Exit.succeed('"0x2"'))
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not asked by itself where a caller left at once, or it answers all the same", () =>
    Effect.gen(function* () {
      const slow = node("hangs")
      const upstream = yield* pool([slow, node('"0x2"')])
      const leave = (after: string) =>
        Effect.gen(function* () {
          slow.behaviour = "hangs"
          const fiber = yield* Effect.forkChild(upstream.call("eth_call", []), { startImmediately: true })
          yield* TestClock.adjust(after as "1 second")
          slow.behaviour = '"0x1"'
          yield* Fiber.interrupt(fiber)
          yield* TestClock.adjust("1 minute")
        })
      yield* leave("900 millis")
      assert.deepStrictEqual(slow.asked, ["eth_call"])
      yield* leave("2 seconds")
      assert.deepStrictEqual(slow.asked, ["eth_call", "eth_call", "eth_blockNumber"])
      assert.deepStrictEqual(states(upstream), ["up", "untried"])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("reads heights of the second chain, and is not misled by what is not a height", () =>
    Effect.gen(function* () {
      const nodes = [node("700"), node("705"), node('"latest"'), node("{}")]
      const upstream = yield* pool(nodes, { maxLag: 1, probe: "starknet_blockNumber" })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        upstream.health?.().map(({ behind }) => behind),
        [5, 0, undefined, undefined]
      )
      assert.deepStrictEqual(nodes[0]!.asked, ["starknet_blockNumber"])
    }).pipe(Effect.scoped)
  )

  it.effect("draws the first node by its weight", () =>
    Effect.gen(function* () {
      const nodes = [node("0"), node("1"), node("2")]
      const upstream = yield* UpstreamPool.make(
        nodes.map(({ upstream }, index) => ({ name: String(index), upstream, weight: [1, 2, 5][index]! })),
        { methods, balance: "weight" }
      )
      for (let count = 0; count < 4000; count++) yield* upstream.call("eth_call", [])
      const shares = nodes.map(({ asked }) => asked.length / 500)
      for (const [index, weight] of [1, 2, 5].entries()) assert.closeTo(shares[index]!, weight, 0.25)
    }).pipe(Effect.scoped, EffectRandom.withSeed("weights"))
  )

  it.effect("can push if one of its nodes can, and asks that one", () =>
    Effect.gen(function* () {
      const { upstream } = node('"0x1"')
      const subscribed: Array<unknown> = []
      const pushing = {
        ...upstream,
        subscribe: (params: ReadonlyArray<unknown>) =>
          Effect.suspend(() => {
            subscribed.push(params)
            return Effect.fail(reverted)
          })
      }
      assert.isUndefined((yield* pool([node("1"), node("2")])).subscribe)
      const mixed = yield* UpstreamPool.make(
        [
          { name: "silent", upstream },
          { name: "pushing", upstream: pushing }
        ],
        { methods }
      )
      assert.deepStrictEqual(yield* Effect.flip(mixed.subscribe!(["newHeads"])), reverted)
      assert.deepStrictEqual(subscribed, [["newHeads"]])
    }).pipe(Effect.scoped)
  )

  it.effect("names the option that makes no sense", () =>
    Effect.gen(function* () {
      const wrong = (members: ReadonlyArray<UpstreamPool.PoolNode>, options: Partial<UpstreamPool.PoolOptions> = {}) =>
        Effect.map(
          Effect.flip(Effect.scoped(UpstreamPool.make(members, { methods, ...options }))),
          (error) => error.message
        )
      const { upstream } = node("1")
      const one = { name: "a", upstream }
      assert.strictEqual(yield* wrong([]), "members: must have at least one node")
      assert.strictEqual(yield* wrong([one, one]), "members: must have different names")
      assert.strictEqual(yield* wrong([{ ...one, weight: 0 }]), "weight: must be a whole number from 1 to 1000")
      assert.strictEqual(yield* wrong([one], { failures: 0 }), "failures: must be a whole number from 1 to 1000")
      assert.strictEqual(yield* wrong([one], { maxLag: 0.5 }), "maxLag: must be a whole number from 1 to 1000000")
      assert.strictEqual(yield* wrong([one], { cooldown: 0 }), "cooldown: must be a time from 1ms to 24d")
    })
  )
})

describe("what changes something", () => {
  it.effect("goes to another node only if it is known that nothing was done", () =>
    Effect.gen(function* () {
      for (const error of faults) {
        const nodes = [node(error), node('"0x2"')]
        const upstream = yield* pool(nodes)
        const answer = yield* answerOf(upstream.call("eth_sendTransaction", []))
        const { reason } = error
        const isKnown =
          error === refused || (reason._tag === "BadStatus" && [401, 402, 403, 429].includes(reason.status))
        assert.deepStrictEqual(answer, isKnown ? '"0x2"' : reason, error.message)
        assert.strictEqual(nodes[1]!.asked.length, isKnown ? 1 : 0)
      }
    }).pipe(Effect.scoped)
  )

  it.effect.each(["eth_sendRawTransaction", "starknet_addInvokeTransaction"])("%s goes to the next node", (method) =>
    Effect.gen(function* () {
      const nodes = [node(broken), node('"0xhash"')]
      const upstream = yield* pool(nodes)
      assert.strictEqual(yield* answerOf(upstream.call(method, [])), '"0xhash"')
    }).pipe(Effect.scoped)
  )

  it.effect("is not said to be refused when a node may have taken it", () =>
    Effect.gen(function* () {
      const known = ErrorObject.make(-32_000, "already known")
      const send = (behaviours: ReadonlyArray<Behaviour>) =>
        Effect.flatMap(pool(behaviours.map(node)), (upstream) => answerOf(upstream.call("eth_sendRawTransaction", [])))
      assert.deepStrictEqual(yield* send([broken, known]), broken.reason)
      assert.deepStrictEqual(yield* send([refused, broken, known]), broken.reason)
      assert.deepStrictEqual(yield* send([refused, known]), -32_000)
      assert.deepStrictEqual(yield* send([known, broken]), -32_000)
    }).pipe(Effect.scoped)
  )
})

describe("a transaction that a node may have taken", () => {
  const known = ErrorObject.make(-32_000, "already known")
  const raw = "0x02c0"
  // viem computes all hashes here. A transaction of type 2 is hashed in the form in which it is sent.
  const hash = keccak256(raw)
  const other = keccak256("0x02c1")

  /** Sends the transaction to nodes. `sent` is a node's answer to it, and `has` is the answer to the look-up. */
  const send = (...nodes: ReadonlyArray<{ readonly sent: Behaviour; readonly has?: Behaviour }>) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const members = nodes.map(({ has = "null", sent }, index) => ({
        name: String(index),
        upstream: {
          call: (method: string, params: ReadonlyArray<unknown>) => {
            asked.push(`${index} ${method}`)
            if (method === "eth_sendRawTransaction") return node(sent).upstream.call(method, params)
            assert.deepStrictEqual([method, params], ["eth_getTransactionByHash", [hash]])
            return node(has).upstream.call(method, params)
          }
        }
      }))
      const upstream = yield* UpstreamPool.make(members, { methods, tryTimeout: "1 second", timeout: "3 seconds" })
      const answer = yield* after(answerOf(upstream.call("eth_sendRawTransaction", [raw])), "3 seconds")
      return { answer, questions: asked.filter((line) => line.endsWith("ByHash")).map((line) => Number(line[0])) }
    }).pipe(Effect.scoped)

  const has = JSON.stringify({ hash: hash.toUpperCase().replace("0X", "0x"), blockNumber: null })

  it.effect("is answered with its hash where a node has it, the one that spoke last asked first", () =>
    Effect.gen(function* () {
      const cases = [
        [[{ sent: broken }, { sent: known, has }], [1]],
        [[{ sent: "hangs" }, { sent: known, has }], [1]],
        [
          [{ sent: broken, has }, { sent: known }],
          [1, 0]
        ],
        [
          [
            { sent: broken, has: broken },
            { sent: known, has: reverted },
            { sent: known, has }
          ],
          [1, 0, 2]
        ],
        [[{ sent: broken, has }], [0]],
        [[{ sent: broken }, { sent: broken, has }], [1]]
      ] as const
      for (const [nodes, questions] of cases) {
        assert.deepStrictEqual(yield* send(...nodes), { answer: `"${hash}"`, questions: [...questions] })
      }
    })
  )

  it.effect("is the fault that left it open where none has it, in time", () =>
    Effect.gen(function* () {
      for (const has of ["null", "{}", "[", `{"hash":"${other}"}`, `{"hash":1}`, `"${hash}"`, reverted, broken]) {
        const { answer } = yield* send({ sent: broken, has }, { sent: known, has })
        assert.deepStrictEqual(answer, broken.reason)
      }
      const hanging = { sent: known, has: "hangs" }
      assert.deepStrictEqual(yield* send({ sent: "hangs", has: "hangs" }, hanging, hanging), {
        answer: { _tag: "TimedOut", after: 1000 },
        questions: [1, 0]
      })
    })
  )

  it.effect("is not asked for where nobody can have taken it, or a node says that it has", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* send({ sent: refused }, { sent: known, has }), { answer: -32_000, questions: [] })
      assert.deepStrictEqual(yield* send({ sent: refused, has }), { answer: refused.reason, questions: [] })
      const taken = yield* send({ sent: broken }, { sent: `"${hash}"` })
      assert.deepStrictEqual(taken, { answer: `"${hash}"`, questions: [] })
    })
  )
})

describe("at random", () => {
  it.effect("answers whenever a node does, asks nobody in vain, and says of each node what its answers show", () =>
    Effect.gen(function* () {
      const random = Random.make(0x9001)
      for (let run = 0; run < Random.runs(60); run++) {
        const nodes = Array.from({ length: 1 + Random.int(random, 4) }, () => node('"0x1"'))
        const failures = 1 + Random.int(random, 3)
        const upstream = yield* pool(nodes, { failures, timeout: "30 seconds" })
        for (let step = 0; step < 40; step++) {
          for (const each of nodes) {
            if (Random.int(random, 3) > 0) continue
            each.behaviour = Random.pick<Behaviour>(random, ['"0x1"', reverted, tooLarge, ...brokenOff])
          }
          if (Random.int(random, 5) === 0) yield* TestClock.adjust(Random.int(random, 30_000))
          const method = Random.pick(random, ["eth_gasPrice", "eth_sendRawTransaction", "eth_sendTransaction"])
          const before = states(upstream)!
          const lengths = nodes.map(({ asked }) => asked.length)
          const answer = yield* answerOf(upstream.call(method, []))
          const wasAsked = nodes.map(({ asked }, index) => asked.length - lengths[index]!)

          // Nodes that are up are asked first. Each node is asked at most once. After an answer, no further node is
          // asked.
          const order = [...nodes.keys()].sort(
            (a, b) => Number(before[a] === "down") - Number(before[b] === "down") || a - b
          )
          const answering = order.findIndex((index) => isAnswer(nodes[index]!.behaviour))
          const asked = wasAsked.filter((count) => count > 0).length
          assert.deepStrictEqual(
            order.map((index) => wasAsked[index]),
            order.map((_, place) => (place < asked ? 1 : 0))
          )
          if (method === "eth_gasPrice") {
            assert.strictEqual(asked, answering === -1 ? nodes.length : answering + 1)
            const said = nodes[order[answering === -1 ? 0 : answering]!]!.behaviour
            assert.deepStrictEqual(answer, said instanceof UpstreamError.UpstreamError ? said.reason : codeOrText(said))
          }
          if (method === "eth_sendTransaction") {
            const mayHaveDone = order
              .slice(0, asked)
              .map((index) => nodes[index]!.behaviour)
              .filter((said) => !(said instanceof UpstreamError.UpstreamError && said.notDone))
            assert.isAtMost(mayHaveDone.length, 1)
          }
          assert.deepStrictEqual(
            states(upstream),
            nodes.map(({ outcomes }) => stateOf(outcomes, failures))
          )
        }
      }
    }).pipe(Effect.scoped, quiet)
  )
})

/** The faults that count against a node. A limit does not count: the node only gets a pause. */
const brokenOff = faults.filter(({ reason }) => reason._tag !== "BadStatus" || reason.status !== 429)

const isAnswer = (behaviour: Behaviour): boolean =>
  !(behaviour instanceof UpstreamError.UpstreamError) || behaviour === tooLarge

const codeOrText = (behaviour: Behaviour): unknown =>
  typeof behaviour === "string" ? behaviour : Object(behaviour).code

/** Returns the expected state of a node after these outcomes. It is computed without the code of the pool. */
const stateOf = (outcomes: ReadonlyArray<"answer" | "fault">, failures: number): string => {
  const lastAnswer = outcomes.lastIndexOf("answer")
  if (outcomes.length - 1 - lastAnswer >= failures) return "down"
  return lastAnswer === -1 ? "untried" : "up"
}

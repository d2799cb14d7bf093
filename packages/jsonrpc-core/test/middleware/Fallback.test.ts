import { assert, describe, it } from "@effect/vitest"
import { Fallback, JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Effect, Fiber } from "effect"

import * as Nodes from "../support/nodes.ts"
import * as Scripted from "../support/scripted.ts"

const ask = (transport: Transport.Transport["Service"], call = Scripted.call()) =>
  Effect.map(Effect.result(transport.call(call)), Nodes.shown)

const askAll = (transport: Transport.Transport["Service"], ...calls: ReadonlyArray<Transport.WireCall>) =>
  Effect.map(transport.callAll(calls), (outcomes) => outcomes.map(Nodes.shown))

const { failing, remote, saying } = Nodes

/**
 * One error of each kind after which another node may have the answer. `notDone` is true if the call certainly was not
 * done.
 */
const passing: ReadonlyArray<readonly [reason: JsonRpcError.Reason, notDone: boolean]> = [
  [Scripted.refused(), false],
  [new JsonRpcError.TransportError({ detail: "the circuit is open", retryable: true, withheld: true }), true],
  [Scripted.timedOut(), false],
  [Scripted.malformed(), false],
  [new JsonRpcError.DecodeError({ path: [], detail: "Expected string" }), false],
  [new JsonRpcError.DisagreementError({ needed: 2, answers: [] }), false],
  [Scripted.limited(), true],
  [remote(-32005, "daily request count exceeded, request rate limited"), true],
  [remote(-32002, "rejected due to project ID settings", 403), true],
  [remote(-32002, "resource unavailable"), false],
  [remote(-32002, "request timed out"), false],
  [remote(-32603, "internal error"), false],
  [remote(-32601, "the method m does not exist/is not available"), true],
  [remote(-32600, "batch too large"), true],
  [remote(-32000, "header not found"), false],
  [remote(-32000, "missing trie node 1234 (path 01)"), false]
]

/** Errors that count as an answer, because other nodes would give the same error. */
const answers: ReadonlyArray<JsonRpcError.Reason> = [
  Scripted.reverted(),
  remote(-32602, "missing value for required argument 0"),
  remote(-32600, "invalid request"),
  remote(-32000, "nonce too low"),
  remote(-32003, "transaction rejected"),
  remote(-32000, "hash is not currently canonical"),
  remote(-32005, "query returned more than 10000 results"),
  remote(-32000, "something nobody has heard of"),
  new JsonRpcError.EncodeError({ path: [], detail: "not JSON" })
]

describe("the next node", () => {
  it.effect("is not asked when the first has a result", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(saying("a"), saying("b"))
      assert.strictEqual(yield* ask(Fallback.make(nodes)), "a")
      assert.deepStrictEqual(sizes(), [[1], []])
    })
  )

  it.effect("is asked after what says more about the node than about the question", () =>
    Effect.gen(function* () {
      for (const [reason] of passing) {
        const { nodes, sizes } = Nodes.of(failing(reason), saying("b"), saying("c"))
        assert.strictEqual(yield* ask(Fallback.make(nodes)), "b", reason.message)
        assert.deepStrictEqual(yield* askAll(Fallback.make(nodes), Scripted.call()), ["b"], reason.message)
        assert.deepStrictEqual(sizes(), [[1, 1], [1, 1], []])
      }
    })
  )

  it.effect("is not asked after an answer that is an error", () =>
    Effect.gen(function* () {
      for (const reason of answers) {
        const { nodes, sizes } = Nodes.of(failing(reason), saying("b"))
        const error = yield* Effect.flip(Fallback.make(nodes).call(Scripted.call()))
        assert.strictEqual(error.reason, reason)
        assert.deepStrictEqual(sizes(), [[1], []])
      }
    })
  )

  it.effect("is asked after what the caller says instead", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(Scripted.reverted()), failing(Scripted.refused()), saying("c"))
      const when = (error: JsonRpcError.JsonRpcError, call: Transport.WireCall) =>
        error.reason._tag === "RemoteError" && call.method === "special"
      const transport = Fallback.make(nodes, { when })
      assert.strictEqual(yield* ask(transport), "m: execution reverted (code 3, node a)")
      const special = "special: connection failed (ECONNREFUSED) (node b)"
      assert.strictEqual(yield* ask(transport, Scripted.call("special")), special)
    })
  )

  it.effect("sees a call that is not idempotent only when it was certainly not done", () =>
    Effect.gen(function* () {
      for (const [reason, notDone] of passing) {
        const { nodes, sizes } = Nodes.of(failing(reason), saying("b"))
        const transport = Fallback.make(nodes, { when: () => true, onNull: () => true })
        const result = yield* ask(transport, Scripted.once())
        const [together] = yield* askAll(transport, Scripted.once())
        assert.deepStrictEqual([result === "b", together === "b"], [notDone, notDone], reason.message)
        assert.deepStrictEqual(sizes()[1], notDone ? [1, 1] : [])
      }
    })
  )

  it.effect("cannot be asked where there are no nodes: that is a mistake of the program", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Scripted.impossibleOption(() => Fallback.make([])), "nodes")
    })
  )
})

describe("a result of null", () => {
  const onNull = (call: Transport.WireCall) => call.method === "byHash"
  const doubted = Scripted.call("byHash")

  it.effect("is a result, unless it is doubted", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(saying(null), saying("b"))
      assert.isNull(yield* ask(Fallback.make(nodes), doubted))
      assert.isNull(yield* ask(Fallback.make(nodes, { onNull })))
      assert.deepStrictEqual(sizes(), [[1, 1], []])
      assert.strictEqual(yield* ask(Fallback.make(nodes, { onNull }), doubted), "b")
    })
  )

  it.effect("is the answer when all say so, or nobody says better", () =>
    Effect.gen(function* () {
      for (const others of [
        [saying(null), saying(null)],
        [failing(Scripted.refused()), failing(Scripted.limited())],
        [failing(remote(-32000, "something nobody has heard of")), saying("c")]
      ]) {
        const { nodes } = Nodes.of(saying(null), ...others)
        assert.isNull(yield* ask(Fallback.make(nodes, { onNull }), doubted))
        assert.deepStrictEqual(yield* askAll(Fallback.make(nodes, { onNull }), doubted), [null])
      }
    })
  )

  it.effect("beats the errors of the nodes before it", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(remote(-32000, "header not found")), saying(null), failing(Scripted.refused()))
      assert.isNull(yield* ask(Fallback.make(nodes, { onNull }), doubted))
    })
  )

  it.effect("is no reason to do a call again that is not idempotent", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(saying(null), saying("b"))
      assert.isNull(yield* ask(Fallback.make(nodes, { onNull: () => true }), Scripted.once()))
      assert.deepStrictEqual(sizes()[1], [])
    })
  )
})

describe("when all nodes fail", () => {
  const withheld = new JsonRpcError.TransportError({ detail: "the circuit is open", retryable: true, withheld: true })
  const notFound = remote(-32000, "header not found")

  it.effect("the error is the most telling one, wherever it was", () =>
    Effect.gen(function* () {
      // From the least informative error to the most informative one.
      const reasons = [withheld, Scripted.refused(), Scripted.malformed(), Scripted.limited(), notFound]
      for (const [rank, reason] of reasons.entries()) {
        for (const lesser of reasons.slice(0, rank)) {
          for (const order of [
            [reason, lesser],
            [lesser, reason]
          ]) {
            const { nodes } = Nodes.of(...order.map(failing))
            const error = yield* Effect.flip(Fallback.make(nodes).call(Scripted.call()))
            assert.strictEqual(error.reason, reason)
          }
        }
      }
    })
  )

  it.effect("of equals one counts that may not last", () =>
    Effect.gen(function* () {
      const invalid = new JsonRpcError.TransportError({ detail: "invalid headers", retryable: false })
      for (const [lasting, passing] of [
        [remote(-32002, "rejected due to project ID settings", 403), Scripted.limited()],
        [invalid, Scripted.refused()]
      ] as const) {
        for (const order of [
          [lasting, passing],
          [passing, lasting]
        ]) {
          const { nodes } = Nodes.of(...order.map(failing))
          const error = yield* Effect.flip(Fallback.make(nodes).call(Scripted.call()))
          assert.strictEqual(error.reason, passing)
        }
      }
    })
  )

  it.effect("of equals the first counts", () =>
    Effect.gen(function* () {
      for (const [one, other] of [
        [Scripted.timedOut(), Scripted.refused()],
        [Scripted.limited(), remote(-32002, "resource unavailable")],
        [notFound, remote(-32000, "missing trie node 1234 (path 01)")]
      ] as const) {
        const { nodes } = Nodes.of(failing(one), failing(other))
        const error = yield* Effect.flip(Fallback.make(nodes).call(Scripted.call()))
        assert.strictEqual(error.reason, one)
      }
    })
  )

  it.effect("an answer that is an error beats all errors before it", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(notFound), failing(Scripted.reverted()), saying("c"))
      assert.strictEqual(yield* ask(Fallback.make(nodes)), "m: execution reverted (code 3, node b)")
    })
  )

  it.effect("the error names its node, and none for a parameter that cannot be sent", () =>
    Effect.gen(function* () {
      const nodeOf = (...reasons: ReadonlyArray<JsonRpcError.Reason>) =>
        Effect.map(
          Effect.flip(Fallback.make(Nodes.of(...reasons.map(failing)).nodes).call(Scripted.call())),
          ({ node }) => node
        )
      assert.strictEqual(yield* nodeOf(notFound, Scripted.refused()), "a")
      assert.strictEqual(yield* nodeOf(Scripted.refused(), notFound), "b")
      const unsendable = new JsonRpcError.EncodeError({ path: [], detail: "not JSON" })
      assert.strictEqual(yield* nodeOf(unsendable, notFound), undefined)
    })
  )

  it.effect("a call that may have been done fails with what left that open", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(Scripted.limited()), failing(Scripted.timedOut()), saying("c"))
      assert.strictEqual(yield* ask(Fallback.make(nodes), Scripted.once()), "send: no answer within 1s (node b)")
    })
  )
})

describe("callAll", () => {
  it.effect("sends on together what another node may answer, and nothing else", () =>
    Effect.gen(function* () {
      const fine = Effect.succeed("fine")
      const { nodes, scripts } = Nodes.of(
        Nodes.table({
          fine,
          behind: Effect.fail(remote(-32000, "header not found")),
          reverts: Effect.fail(Scripted.reverted()),
          lost: Effect.fail(Scripted.malformed()),
          never: Effect.fail(Scripted.malformed())
        }),
        Nodes.table({
          behind: fine,
          lost: Effect.fail(Scripted.refused()),
          never: Effect.fail(Scripted.refused())
        }),
        Nodes.table({ lost: fine, never: Effect.fail(Scripted.timedOut()) })
      )
      const outcomes = yield* askAll(
        Fallback.make(nodes),
        ...["never", "fine", "behind", "reverts", "lost"].map((key) => Scripted.call("m", key))
      )
      assert.deepStrictEqual(outcomes, [
        "m: the answer is HTML, not JSON (node a)",
        "fine",
        "fine",
        "m: execution reverted (code 3, node a)",
        "fine"
      ])
      assert.deepStrictEqual(
        scripts.map(({ packets }) => packets.map(({ calls }) => calls.map((call) => call.params[0]))),
        [[["never", "fine", "behind", "reverts", "lost"]], [["never", "behind", "lost"]], [["never", "lost"]]]
      )
    })
  )

  it.effect("takes no calls for what they are", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(saying("a"), saying("b"))
      assert.deepStrictEqual(yield* askAll(Fallback.make(nodes)), [])
    })
  )

  it.effect("begins anew each time it is run", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(Scripted.inOrder(Effect.succeed(1), Effect.succeed(2)))
      const twice = askAll(Fallback.make(nodes), Scripted.call())
      assert.deepStrictEqual([yield* twice, yield* twice], [[1], [2]])
    })
  )
})

it.effect("interruption reaches the node that is asked, and no other is asked after it", () =>
  Effect.gen(function* () {
    for (const run of [
      (transport: Transport.Transport["Service"]) => transport.call(Scripted.call()),
      (transport: Transport.Transport["Service"]) => transport.callAll([Scripted.call(), Scripted.call()])
    ]) {
      const { nodes, scripts } = Nodes.of(failing(Scripted.refused()), Nodes.always(Effect.never), saying("c"))
      const fiber = yield* Effect.forkChild(run(Fallback.make(nodes)), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(scripts[1]!.count, { inFlight: 0, interrupted: 1 })
      assert.deepStrictEqual(scripts[2]!.packets, [])
    }
  })
)

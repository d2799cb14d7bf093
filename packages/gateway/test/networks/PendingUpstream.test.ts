/** Pending transactions of nodes of every version, as the service reads and returns them. */
import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream, PendingUpstream, type Upstream, UpstreamError } from "@plumbline/gateway"
import { type ErrorObject, HttpTransport } from "@plumbline/jsonrpc-core"
import { SecondChainClient, SecondChainMethods, Starknet } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"

import * as BlockJson from "../support/blockJson.ts"
import * as FakeNode from "../support/fakeNode.ts"
import * as Service from "../support/service.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const METHOD = "starknet_pendingTransactions"
const PRE_CONFIRMED = ["pre_confirmed"]
const WITH_FACTS = ["pre_confirmed", ["INCLUDE_PROOF_FACTS"]]
const NOT_FOUND = { code: -32_601, message: "Method not found" }
const BAD_PARAMS = { code: -32_602, message: "Invalid params" }
const NO_BLOCK = { code: 24, message: "Block not found" }
const unreachable = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })

/** Transactions in a form that no serialiser writes. Parsing and serialising would change their text. */
const LIST = String.raw`[ {"type" : "INVOKE","version":"0x3","later":12345678901234567890, "1":1.0,"0":"\u0041]}"},{"x":"\\"} ]`

const blockText = (list: string, members = '"block_number":7') => `{${members},"transactions":${list},"timestamp":1}`

/** JSON text, or the failure of the node. */
type Reply = string | ErrorObject.ErrorObject | UpstreamError.UpstreamError
type Asked = readonly [method: string, ...params: ReadonlyArray<unknown>]

/** Makes a node in memory that records its calls. */
const memory = (reply: (...asked: Asked) => Reply) => {
  const asked: Array<Asked> = []
  const upstream: Upstream.Upstream = {
    call: (method, params) =>
      Effect.suspend(() => {
        asked.push([method.replace(/^[^_]*_/u, ""), ...params])
        const answer = reply(...asked.at(-1)!)
        return typeof answer === "string" ? Effect.succeed(encoder.encode(answer)) : Effect.fail(answer)
      })
  }
  return { upstream, asked }
}

/** A node of the given version. If it is asked for a block, it accepts only the parameters in `question`. */
const modern =
  (version: string, question: ReadonlyArray<unknown>, block: Reply) =>
  (...[method, ...params]: Asked): Reply => {
    if (method === "specVersion") return JSON.stringify(version)
    if (method !== "getBlockWithTxs") return NOT_FOUND
    return JSON.stringify(params) === JSON.stringify(question) ? block : BAD_PARAMS
  }

/** A node of version 0.4. It has no method that returns its version, but it has `pendingTransactions`. */
const old =
  (list: string) =>
  (...[method]: Asked): Reply =>
    method === "pendingTransactions" ? list : NOT_FOUND

const textOf = (upstream: Upstream.Upstream, method = METHOD) => Effect.map(upstream.call(method, []), textIn)
const textIn = (bytes: Uint8Array): string => decoder.decode(bytes)

describe("PendingUpstream", () => {
  it.effect("asks each version in its own words, and hands the transactions on byte for byte", () =>
    Effect.gen(function* () {
      for (const [reply, questions] of [
        [old(LIST), [["specVersion"], ["pendingTransactions"]]],
        [modern("0.7.1", ["pending"], blockText(LIST)), [["specVersion"], ["getBlockWithTxs", "pending"]]],
        [modern("0.9.0", PRE_CONFIRMED, blockText(LIST)), [["specVersion"], ["getBlockWithTxs", ...PRE_CONFIRMED]]],
        [modern("0.10.2", WITH_FACTS, blockText(LIST)), [["specVersion"], ["getBlockWithTxs", ...WITH_FACTS]]]
      ] as const) {
        const node = memory(reply)
        assert.strictEqual(yield* textOf(PendingUpstream.make(node.upstream)), LIST)
        assert.deepStrictEqual<unknown>(node.asked, questions)
      }
    })
  )

  it.effect("finds the transactions however a node writes its block", () =>
    Effect.gen(function* () {
      for (const text of [
        `{"transactions":${LIST}}`,
        ` { "transactions" :\n${LIST} , "block_number" : 7 } `,
        `{"block_hash":null,"transactions":${LIST}}`,
        `{"block_hash" : null ,"transactions":${LIST}}`,
        `{"tr\\u0061nsactions":${LIST}}`,
        `{"deep":{"transactions":[1],"block_hash":"0x1"},"transactions":${LIST}}`,
        `{"a":"\\"transactions\\":[1]","b":-1.5e3,"c":true,"transactions":${LIST}}`,
        `{"transactions":[1],"transactions":${LIST}}`
      ]) {
        const node = memory(modern("0.9.0", PRE_CONFIRMED, text))
        assert.strictEqual(yield* textOf(PendingUpstream.make(node.upstream)), LIST, text)
      }
    })
  )

  it.effect("is empty where no block is in the making", () =>
    Effect.gen(function* () {
      for (const block of [
        NO_BLOCK,
        blockText("[]"),
        blockText(LIST, '"block_hash":"0xb10c"'),
        blockText(LIST, '"block_hash" : "0xb10c" ')
      ]) {
        const node = memory(modern("0.9.0", PRE_CONFIRMED, block))
        assert.strictEqual(yield* textOf(PendingUpstream.make(node.upstream)), "[]")
      }
      assert.strictEqual(yield* textOf(PendingUpstream.make(memory(old("[]")).upstream)), "[]")
    })
  )

  it.effect("makes no empty list of an answer that is not a block, and none of one that is not a version", () =>
    Effect.gen(function* () {
      const blocks = ["null", "[]", '"0x1"', "7", "{}", blockText("null"), blockText('"[]"'), blockText('{"0":1}')]
      const versions = ["null", "9", '""', '"latest"', "{}", `"0.9.0${" ".repeat(300)}"`]
      const nodes = [
        ...blocks.map((block) => memory(modern("0.9.0", PRE_CONFIRMED, block))),
        ...versions.map((version) => memory((method) => (method === "specVersion" ? version : blockText(LIST))))
      ]
      for (const node of nodes) {
        const fault = yield* Effect.flip(PendingUpstream.make(node.upstream).call(METHOD, []))
        assert.deepStrictEqual(fault instanceof UpstreamError.UpstreamError && fault.reason, {
          _tag: "BadAnswer",
          problem: "wrong result"
        })
      }
    })
  )

  it.effect("tells the operator what is wrong with such an answer, and nothing of what the node said", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const node = memory(modern("0.9.0", PRE_CONFIRMED, '{"secret":"of the node"}'))
      yield* Effect.flip(PendingUpstream.make(node.upstream).call(METHOD, [])).pipe(
        Effect.provideService(Logger.CurrentLoggers, new Set([Logger.make(({ message }) => told.push(message))]))
      )
      assert.deepStrictEqual(told, [
        ["a node's answer is not the method's", "starknet_getBlockWithTxs: result.transactions: Expected a list"]
      ])
    })
  )

  it.effect("gives the node's own errors and faults as they are, whichever question they answer", () =>
    Effect.gen(function* () {
      const busy = { code: -32_005, message: "too many requests", data: { backoff: 30 } }
      const odd = { code: 20, message: "Contract not found", data: null }
      for (const failure of [busy, odd, unreachable]) {
        for (const reply of [
          () => failure,
          modern("0.9.0", PRE_CONFIRMED, failure),
          (...[method]: Asked) => (method === "specVersion" ? NOT_FOUND : failure)
        ]) {
          const error = yield* Effect.flip(PendingUpstream.make(memory(reply).upstream).call(METHOD, []))
          assert.strictEqual(error, failure)
        }
      }
      const error = yield* Effect.flip(PendingUpstream.make(memory(() => NOT_FOUND).upstream).call(METHOD, []))
      assert.strictEqual(error, NOT_FOUND)
    })
  )

  it.effect("hands every other call on, and its answer back, untouched", () =>
    Effect.gen(function* () {
      const answers = new Map<string, Uint8Array>()
      const node: Upstream.Upstream = {
        call: (method, params) => {
          const answer = encoder.encode(JSON.stringify([method, params]))
          answers.set(method, answer)
          return Effect.succeed(answer)
        }
      }
      const upstream = PendingUpstream.make(node)
      for (const [method, params] of [
        ["starknet_specVersion", []],
        ["starknet_getBlockWithTxs", ["latest"]],
        ["other_pendingTransactions", []],
        [METHOD, ["latest"]]
      ] as const) {
        const answer = yield* upstream.call(method, params)
        assert.strictEqual(answer, answers.get(method))
        assert.strictEqual(textIn(answer), JSON.stringify([method, params]))
      }
    })
  )

  it.effect("asks for the version once, of however many ask at the same time", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const node = memory(modern("0.9.0", PRE_CONFIRMED, blockText(LIST)))
      const upstream = PendingUpstream.make({
        call: (method, params) =>
          method === "starknet_specVersion"
            ? Effect.andThen(Deferred.await(gate), node.upstream.call(method, params))
            : node.upstream.call(method, params)
      })
      const fibers = yield* Effect.forEach(Array.from({ length: 200 }), () => Effect.forkChild(textOf(upstream)))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const lists = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(new Set(lists), new Set([LIST]))
      assert.lengthOf(
        node.asked.filter(([method]) => method === "specVersion"),
        1
      )
      yield* textOf(upstream)
      assert.deepStrictEqual(node.asked.at(-2)?.[0], "getBlockWithTxs")
    })
  )

  it.effect("gives nobody a list that was asked for before", () =>
    Effect.gen(function* () {
      const gates: Array<Deferred.Deferred<void>> = []
      let block = blockText("[]")
      const upstream = PendingUpstream.make({
        call: (method) =>
          Effect.suspend(() => {
            if (method === "starknet_specVersion") return Effect.succeed(encoder.encode('"0.9.0"'))
            const gate = Deferred.makeUnsafe<void>()
            gates.push(gate)
            const seen = encoder.encode(block)
            return Effect.as(Deferred.await(gate), seen)
          })
      })
      const first = yield* Effect.forkChild(textOf(upstream))
      yield* Effect.yieldNow
      block = blockText(LIST)
      const second = yield* Effect.forkChild(textOf(upstream))
      yield* Effect.yieldNow
      assert.lengthOf(gates, 2)
      for (const gate of gates) yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["[]", LIST])
    })
  )

  it.effect("gives the node's work up when the caller leaves, and not while another waits for the version", () =>
    Effect.gen(function* () {
      const given: Array<string> = []
      const upstream = PendingUpstream.make({
        call: (method) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => given.push(method)))
      })
      const [one, two] = [yield* Effect.forkChild(textOf(upstream)), yield* Effect.forkChild(textOf(upstream))]
      yield* Effect.yieldNow
      yield* Fiber.interrupt(one)
      assert.deepStrictEqual(given, [])
      yield* Fiber.interrupt(two)
      assert.deepStrictEqual(given, ["starknet_specVersion"])
    })
  )

  describe("learns the version anew", () => {
    const versionsAsked = ({ asked }: ReturnType<typeof memory>) =>
      asked.filter(([method]) => method === "specVersion").length

    it.effect("when the node refuses what it took", () =>
      Effect.gen(function* () {
        let reply = modern("0.8.1", ["pending"], blockText("[8]"))
        const node = memory((...asked) => reply(...asked))
        const upstream = PendingUpstream.make(node.upstream)
        assert.strictEqual(yield* textOf(upstream), "[8]")
        reply = modern("0.10.2", WITH_FACTS, blockText("[10]"))
        assert.strictEqual(yield* textOf(upstream), "[10]")
        reply = old("[4]")
        assert.strictEqual(yield* textOf(upstream), "[4]")
        reply = modern("0.9.0", PRE_CONFIRMED, blockText("[9]"))
        assert.strictEqual(yield* textOf(upstream), "[9]")
        assert.strictEqual(versionsAsked(node), 4)
      })
    )

    it.effect("after a minute, because a later node takes an earlier one's question, and answers with less", () =>
      Effect.gen(function* () {
        let version = "0.9.0"
        const node = memory((method, ...params) => {
          if (method === "specVersion") return JSON.stringify(version)
          return blockText(params.length > 1 ? '["with facts"]' : '["without"]')
        })
        const upstream = PendingUpstream.make(node.upstream)
        assert.strictEqual(yield* textOf(upstream), '["without"]')
        version = "0.10.2"
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual(yield* textOf(upstream), '["without"]')
        assert.strictEqual(versionsAsked(node), 1)
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual(yield* textOf(upstream), '["with facts"]')
        assert.strictEqual(versionsAsked(node), 2)
      })
    )

    it.effect("after a fault, behind which there may be another node", () =>
      Effect.gen(function* () {
        let reply: (...asked: Asked) => Reply = modern("0.9.0", PRE_CONFIRMED, blockText("[9]"))
        const node = memory((...asked) => reply(...asked))
        const upstream = PendingUpstream.make(node.upstream)
        yield* textOf(upstream)
        reply = () => unreachable
        assert.strictEqual(yield* Effect.flip(textOf(upstream)), unreachable)
        // This node accepts the parameters of the old version too.
        reply = (method, ...params) =>
          method === "specVersion" ? '"0.10.2"' : blockText(params.length > 1 ? "[10]" : "[9]")
        assert.strictEqual(yield* textOf(upstream), "[10]")
        // An error object of the node is an answer. The remembered version stays.
        reply = modern("0.10.2", WITH_FACTS, { code: -32_000, message: "no" })
        yield* Effect.flip(textOf(upstream))
        reply = modern("0.10.2", WITH_FACTS, blockText("[10]"))
        yield* textOf(upstream)
        assert.strictEqual(versionsAsked(node), 2)
      })
    )
  })

  it.effect("asks each of several nodes in the words of its own version, when each is wrapped", () =>
    Effect.gen(function* () {
      let isDown = false
      const first = memory((...asked) =>
        isDown ? unreachable : modern("0.7.1", ["pending"], blockText("[7]"))(...asked)
      )
      const second = memory(modern("0.10.2", WITH_FACTS, blockText("[10]")))
      const [one, other] = [PendingUpstream.make(first.upstream), PendingUpstream.make(second.upstream)]
      const failover: Upstream.Upstream = {
        call: (method, params) =>
          Effect.catchIf(
            one.call(method, params),
            (error) => error instanceof UpstreamError.UpstreamError,
            () => other.call(method, params)
          )
      }
      for (const down of [false, true, false, true, true]) {
        isDown = down
        assert.strictEqual(yield* textOf(failover), down ? "[10]" : "[7]")
      }
      assert.deepStrictEqual(second.asked, [
        ["specVersion"],
        ["getBlockWithTxs", ...WITH_FACTS],
        ["getBlockWithTxs", ...WITH_FACTS],
        ["getBlockWithTxs", ...WITH_FACTS]
      ])
    })
  )

  it.effect("serves another namespace", () =>
    Effect.gen(function* () {
      const upstream = PendingUpstream.make(
        {
          call: (method) =>
            method === "other_specVersion"
              ? Effect.succeed(encoder.encode('"0.9.0"'))
              : method === "other_getBlockWithTxs"
                ? Effect.succeed(encoder.encode(blockText(LIST)))
                : Effect.fail(NOT_FOUND)
        },
        { namespace: "other" }
      )
      assert.strictEqual(yield* textOf(upstream, "other_pendingTransactions"), LIST)
      assert.strictEqual(yield* Effect.flip(textOf(upstream)), NOT_FOUND)
    })
  )

  it.effect("finds in any JSON what a reader of JSON finds there", () =>
    Effect.gen(function* () {
      const random = Random.make(6051)
      let lists = 0
      for (let run = 0; run < Random.runs(3000); run++) {
        const text = BlockJson.block(random)
        const block = JSON.parse(text)
        const result = yield* Effect.result(
          textOf(PendingUpstream.make(memory(modern("0.9.0", PRE_CONFIRMED, text)).upstream))
        )
        const isBlock = typeof block === "object" && block !== null && Array.isArray(block.transactions)
        assert.strictEqual(Result.isSuccess(result), isBlock, text)
        if (!isBlock) continue
        lists++
        const hasHash = block.block_hash !== undefined && block.block_hash !== null
        assert.deepStrictEqual(JSON.parse(Result.getOrThrow(result)), hasHash ? [] : block.transactions, text)
      }
      assert.isAbove(lists, Random.runs(3000) / 30)
    })
  )

  it.effect("ends with a list or a fault whatever the bytes are", () =>
    Effect.gen(function* () {
      const random = Random.make(6052)
      for (let run = 0; run < Random.runs(3000); run++) {
        const bytes = encoder.encode(BlockJson.block(random))
        for (let change = Random.int(random, 4); change >= 0; change--) {
          bytes[Random.int(random, bytes.length)] = Random.pick(
            random,
            [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x30]
          )
        }
        const upstream = PendingUpstream.make({
          call: (method) =>
            Effect.succeed(
              method === "starknet_specVersion" ? encoder.encode('"0.9.0"') : bytes.subarray(Random.int(random, 2))
            )
        })
        const exit = yield* Effect.exit(upstream.call(METHOD, []))
        assert.isTrue(Exit.isSuccess(exit) || !Exit.hasDies(exit))
      }
    })
  )
})

describe("pending transactions through the service", () => {
  /** Starts a service with a node behind HTTP. Returns the URL of the node too. */
  const started = (behaviour: FakeNode.Behaviour, timeout: number = 30_000) =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(behaviour)
      const http = yield* HttpUpstream.make({ url: node.url, timeout })
      const network = { ...Service.network(PendingUpstream.make(http), "second"), methods: Starknet.group }
      return { node, service: yield* Service.start([network]) }
    })

  const of =
    (reply: (...asked: Asked) => Reply): FakeNode.Behaviour =>
    ({ method, params }) => {
      const answer = reply(method.replace("starknet_", ""), ...params)
      return typeof answer === "string" ? { result: JSON.parse(answer) } : { error: answer }
    }

  const transactions = JSON.stringify([
    {
      transaction_hash: "0x4",
      type: "L1_HANDLER",
      version: "0x0",
      nonce: "0x5",
      contract_address: "0x01",
      entry_point_selector: "0x2",
      calldata: ["0x3"],
      unheard_of: { of: [1, null] }
    }
  ])
  const answer = (result: string, id: unknown = 1) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

  it.live("are the same over HTTP, over a WebSocket, and to the client that asks the node itself", () =>
    Effect.gen(function* () {
      for (const reply of [
        old(transactions),
        modern("0.7.1", ["pending"], blockText(transactions)),
        modern("0.9.0", PRE_CONFIRMED, blockText(transactions)),
        modern("0.10.2", WITH_FACTS, blockText(transactions))
      ]) {
        const { node, service } = yield* started(of(reply))
        const body = Service.call(METHOD)
        const overHttp = yield* Service.ask(service, { body })
        assert.deepStrictEqual([overHttp.status, overHttp.body], [200, answer(transactions)])
        const socket = yield* Service.connected(service)
        socket.socket.send(body)
        assert.strictEqual(yield* Effect.promise(() => socket.next()), answer(transactions))
        const client = SecondChainClient.layer().pipe(Layer.provide(HttpTransport.layer({ url: node.url })))
        const direct = yield* Effect.provide(
          SecondChainClient.SecondChainClient.use((chain) => chain.pendingTransactions),
          client
        )
        assert.strictEqual(JSON.stringify(direct), transactions)
      }
    }).pipe(Effect.scoped)
  )

  it.live("stand in a batch in their place, beside what the node itself answers", () =>
    Effect.gen(function* () {
      const { node, service } = yield* started(of(modern("0.9.0", PRE_CONFIRMED, blockText(transactions))))
      const calls = [METHOD, "starknet_specVersion", "starknet_mempool", METHOD].map((method, id) => ({
        jsonrpc: "2.0",
        id,
        method,
        params: []
      }))
      const { body, status } = yield* Service.ask(service, { body: JSON.stringify(calls) })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(JSON.parse(body), [
        JSON.parse(answer(transactions, 0)),
        JSON.parse(answer('"0.9.0"', 1)),
        {
          jsonrpc: "2.0",
          id: 2,
          error: { code: -32_601, message: "the method starknet_mempool does not exist/is not available" }
        },
        JSON.parse(answer(transactions, 3))
      ])
      assert.isFalse(node.asked.some(({ method }) => method === METHOD || method === "starknet_mempool"))
    }).pipe(Effect.scoped)
  )

  it.live("take no parameters, and bad ones never reach a node", () =>
    Effect.gen(function* () {
      const { node, service } = yield* started(of(old(transactions)))
      for (const [method, params] of [
        [METHOD, ["latest"]],
        [METHOD, { block: "latest" }],
        ["starknet_getBlockWithTxs", ["earliest"]],
        ["starknet_getBlockWithTxs", []],
        ["starknet_getNonce", ["latest", "0xzz"]],
        ["starknet_getTransactionByHash", [`0x${"f".repeat(64)}`]]
      ] as const) {
        const { body, status } = yield* Service.ask(service, { body: Service.call(method, params) })
        assert.deepStrictEqual([status, JSON.parse(body).error?.code], [200, -32_602], body)
      }
      assert.deepStrictEqual(node.asked, [])
    }).pipe(Effect.scoped)
  )

  it.live("are 502 from a node that is down or talks nonsense, 504 from a slow one, and never an empty list", () =>
    Effect.gen(function* () {
      const silent: FakeNode.Behaviour = () => () => undefined
      const hangUp: FakeNode.Behaviour = () => (response) => response.destroy()
      const page: FakeNode.Behaviour = () => (response) => response.end("<html></html>")
      /** Makes a node of version 0.9 that fails only when it is asked for the block. */
      const late =
        (behaviour: FakeNode.Behaviour): FakeNode.Behaviour =>
        (asked) =>
          asked.method === "starknet_specVersion" ? { result: "0.9.0" } : behaviour(asked)
      const broken = { code: -32_603, message: "internal error" }
      const timedOut = { code: -32_002, message: "request timed out" }
      for (const [behaviour, expected] of [
        [hangUp, [502, broken]],
        [page, [502, broken]],
        [late(hangUp), [502, broken]],
        [late(page), [502, broken]],
        [late(() => ({ result: null })), [502, broken]],
        [() => ({ result: "soon" }), [502, broken]],
        [silent, [504, timedOut]],
        [late(silent), [504, timedOut]]
      ] satisfies ReadonlyArray<[FakeNode.Behaviour, [status: number, error: unknown]]>) {
        const { service } = yield* started(behaviour, expected[0] === 504 ? 100 : 30_000)
        const { body, status } = yield* Service.ask(service, { body: Service.call(METHOD) })
        assert.deepStrictEqual<unknown>([status, JSON.parse(body).error], expected)
      }
    }).pipe(Effect.scoped)
  )

  it.live("come with the node's own error where it has one, with status 200", () =>
    Effect.gen(function* () {
      const error = { code: -32_005, message: "too many requests", data: { wait: 1 } }
      const { service } = yield* started(of(modern("0.9.0", PRE_CONFIRMED, error)))
      const { body, status } = yield* Service.ask(service, { body: Service.call(METHOD) })
      assert.deepStrictEqual([status, JSON.parse(body).error], [200, error])
    }).pipe(Effect.scoped)
  )

  it.live("are served under another namespace, by the network's methods", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(({ method }) => ({
        result: method === "other_specVersion" ? "0.9.0" : { transactions: JSON.parse(transactions) }
      }))
      const upstream = PendingUpstream.make(yield* HttpUpstream.make({ url: node.url }), { namespace: "other" })
      const service = yield* Service.start([
        { ...Service.network(upstream, "other"), methods: SecondChainMethods.group("other") }
      ])
      const { body } = yield* Service.ask(service, { body: Service.call("other_pendingTransactions") })
      assert.strictEqual(body, answer(transactions))
      const elsewhere = yield* Service.ask(service, { body: Service.call(METHOD) })
      assert.strictEqual(JSON.parse(elsewhere.body).error.code, -32_601)
    }).pipe(Effect.scoped)
  )
})

import { assert, describe, it } from "@effect/vitest"
import { JsonRpcServer, MemoryTransport, MethodGroup } from "@plumbline/jsonrpc-core"
import { JsonRpcError, RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { PendingTransactions, SecondChainClient, Starknet, Transaction } from "@plumbline/second-chain-methods"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"

import { type Answers, errors, node } from "../support/node.ts"
import * as Made from "../support/transactions.ts"

const invoke = Made.wire["INVOKE v3"]
const handler = Made.wire["L1_HANDLER v0"]
const transactions = [invoke, handler]

const price = { price_in_fri: "0x1", price_in_wei: "0x2" }

/** The unfinished block in the form of nodes from 0.5 to 0.8. */
const pending = {
  transactions,
  parent_hash: "0xfa7e",
  timestamp: 1700000000,
  sequencer_address: "0x5e9",
  l1_gas_price: price,
  starknet_version: "0.13.1"
}

/** The unfinished block in the form of nodes since 0.9. */
const preConfirmed = {
  transactions,
  block_number: 7,
  timestamp: 1700000000,
  sequencer_address: "0x5e9",
  l1_gas_price: price,
  l2_gas_price: price,
  l1_data_gas_price: price,
  l1_da_mode: "BLOB",
  starknet_version: "0.14.0"
}

/** A block with a hash. */
const sealed = {
  ...preConfirmed,
  status: "ACCEPTED_ON_L2",
  block_hash: "0xb10c",
  parent_hash: "0xfa7e",
  new_root: "0x1"
}

/** Makes a node of one version, which answers for one tag with one block, and refuses other tags. */
const nodeOf =
  (version: unknown, tag: string, block: unknown): Answers =>
  (method, [asked]) => {
    if (method === "starknet_specVersion") return version
    if (method !== "starknet_getBlockWithTxs") return errors.methodNotFound
    return asked === tag ? block : errors.invalidParams
  }

/** A node of version 0.4, which does not have the method `starknet_specVersion`. */
const oldNode: Answers = (method) =>
  method === "starknet_pendingTransactions" ? [Made.wire["INVOKE v0"], invoke] : errors.methodNotFound

const wanted = { method: "starknet_pendingTransactions", params: [] }
const flags = ["INCLUDE_PROOF_FACTS"]

describe("PendingTransactions", () => {
  it.effect("asks each version in its own words, and gives the transactions as they came", () =>
    Effect.gen(function* () {
      for (const [version, question, block] of [
        ["0.5.0", ["pending"], pending],
        ["0.5.1", ["pending"], pending],
        ["0.7.1", ["pending"], pending],
        ["0.8.1", ["pending"], pending],
        ["0.9.0-rc.3", ["pre_confirmed"], preConfirmed],
        ["0.9.0", ["pre_confirmed"], preConfirmed],
        ["0.10.0", ["pre_confirmed"], preConfirmed],
        ["v0.10.0", ["pre_confirmed"], preConfirmed],
        ["0.10.1", ["pre_confirmed", flags], preConfirmed],
        ["0.10.2", ["pre_confirmed", flags], preConfirmed],
        ["0.11", ["pre_confirmed", flags], preConfirmed],
        ["1.0.0", ["pre_confirmed", flags], preConfirmed]
      ] as const) {
        const fake = node(nodeOf(version, question[0], block))
        assert.strictEqual(yield* PendingTransactions.make()(fake.transport).call(wanted), transactions, version)
        assert.deepStrictEqual(fake.asked, [["specVersion"], ["getBlockWithTxs", ...question]], version)
      }
    })
  )

  it.effect("asks without flags, from then on, where a node takes none", () =>
    Effect.gen(function* () {
      const fake = node((method, params) =>
        params.length > 1 ? errors.invalidParams : nodeOf("0.10.2", "pre_confirmed", preConfirmed)(method, params)
      )
      const transport = PendingTransactions.make()(fake.transport)
      assert.strictEqual(yield* transport.call(wanted), transactions)
      assert.strictEqual(yield* transport.call(wanted), transactions)
      assert.deepStrictEqual(fake.asked, [
        ["specVersion"],
        ["getBlockWithTxs", "pre_confirmed", flags],
        ["getBlockWithTxs", "pre_confirmed"],
        ["getBlockWithTxs", "pre_confirmed"]
      ])
    })
  )

  it.effect("asks nodes of 0.4 and before for the method itself", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<Answers> = [
        oldNode,
        (method, params) => (method === "starknet_specVersion" ? "0.4.0" : oldNode(method, params))
      ]
      for (const old of answers) {
        const fake = node(old)
        assert.lengthOf((yield* PendingTransactions.make()(fake.transport).call(wanted)) as Array<unknown>, 2)
        assert.deepStrictEqual(fake.asked, [["specVersion"], ["pendingTransactions"]])
      }
    })
  )

  it.effect("asks the method itself of a service that lets nobody ask for the version", () =>
    Effect.gen(function* () {
      const fake = node((method) =>
        method === "starknet_pendingTransactions"
          ? transactions
          : new RemoteError({ code: -32002, message: "unauthorized" })
      )
      assert.strictEqual(yield* PendingTransactions.make()(fake.transport).call(wanted), transactions)
    })
  )

  it.effect("gives an empty list where no block is in the making", () =>
    Effect.gen(function* () {
      for (const [version, tag, block] of [
        ["0.7.1", "pending", { ...pending, transactions: [] }],
        ["0.7.1", "pending", errors.blockNotFound],
        ["0.7.1", "pending", sealed],
        ["0.10.2", "pre_confirmed", { ...preConfirmed, transactions: [] }],
        ["0.10.2", "pre_confirmed", errors.blockNotFound],
        ["0.10.2", "pre_confirmed", sealed]
      ] as const) {
        const fake = node(nodeOf(version, tag, block))
        assert.deepStrictEqual(yield* PendingTransactions.make()(fake.transport).call(wanted), [], `${version} ${tag}`)
      }
    })
  )

  it.effect("reports no fault as an empty list", () =>
    Effect.gen(function* () {
      const blocks: ReadonlyArray<unknown> = [
        null,
        [],
        "0x1",
        {},
        { ...preConfirmed, transactions: null },
        { ...sealed, transactions: undefined },
        errors.busy,
        errors.contractNotFound
      ]
      for (const block of blocks) {
        const fake = node(nodeOf("0.9.0", "pre_confirmed", block))
        const result = yield* Effect.result(PendingTransactions.make()(fake.transport).call(wanted))
        assert.isTrue(Result.isFailure(result) && result.failure instanceof JsonRpcError, JSON.stringify(block))
      }
      const versions: ReadonlyArray<unknown> = [null, 9, "", "latest", "9", "0.9.0.1", "0.99999.0", {}, errors.busy]
      for (const version of versions) {
        const fake = node(nodeOf(version, "pre_confirmed", preConfirmed))
        const result = yield* Effect.result(PendingTransactions.make()(fake.transport).call(wanted))
        assert.isTrue(Result.isFailure(result), JSON.stringify(version))
        assert.deepStrictEqual(fake.asked, [["specVersion"]])
      }
    })
  )

  it.effect("asks for the version once, and again after a failure to learn it", () =>
    Effect.gen(function* () {
      let version: unknown = errors.busy
      const fake = node((method, params) => nodeOf(version, "pre_confirmed", preConfirmed)(method, params))
      const transport = PendingTransactions.make()(fake.transport)
      assert.isTrue(Result.isFailure(yield* Effect.result(transport.call(wanted))))
      version = "0.9.0"
      yield* transport.call(wanted)
      yield* transport.call(wanted)
      assert.deepStrictEqual(
        fake.asked.map(([method]) => method),
        ["specVersion", "specVersion", "getBlockWithTxs", "getBlockWithTxs"]
      )
    })
  )

  it.effect("learns a node's version anew when the node no longer takes the question", () =>
    Effect.gen(function* () {
      let answers = nodeOf("0.8.1", "pending", pending)
      const fake = node((method, params) => answers(method, params))
      const transport = PendingTransactions.make()(fake.transport)
      yield* transport.call(wanted)
      answers = nodeOf("0.9.0", "pre_confirmed", preConfirmed)
      assert.strictEqual(yield* transport.call(wanted), transactions)
      answers = oldNode
      assert.lengthOf((yield* transport.call(wanted)) as Array<unknown>, 2)
      // A node that refuses every request gets only one more request.
      answers = () => errors.methodNotFound
      fake.asked.length = 0
      assert.isTrue(Result.isFailure(yield* Effect.result(transport.call(wanted))))
      assert.lengthOf(fake.asked, 3)
    })
  )

  it.effect("asks for the version once, of however many ask at the same time, and for the list each time", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const fake = node(nodeOf("0.9.0", "pre_confirmed", preConfirmed))
      const transport = PendingTransactions.make()({
        ...fake.transport,
        call: (call) =>
          call.method === "starknet_specVersion"
            ? Effect.andThen(Deferred.await(gate), fake.transport.call(call))
            : fake.transport.call(call)
      })
      const left = yield* Effect.forkChild(transport.call(wanted))
      const fibers = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(transport.call(wanted)))
      yield* Effect.yieldNow
      // the first caller sent the request and is interrupted; the other callers still wait for the answer
      yield* Fiber.interrupt(left)
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of fibers) assert.strictEqual(yield* Fiber.join(fiber), transactions)
      const counts = ["specVersion", "getBlockWithTxs"].map(
        (asked) => fake.asked.filter(([method]) => method === asked).length
      )
      assert.deepStrictEqual(counts, [1, 50])
    })
  )

  it.effect(
    "learns the version anew after a minute: a later node takes an earlier one's question, and shows less",
    () =>
      Effect.gen(function* () {
        let version = "0.10.0"
        const fake = node((method, params) => nodeOf(version, "pre_confirmed", preConfirmed)(method, params))
        const transport = PendingTransactions.make()(fake.transport)
        yield* transport.call(wanted)
        version = "0.10.2"
        yield* TestClock.adjust("59 seconds")
        yield* transport.call(wanted)
        yield* TestClock.adjust("1 seconds")
        yield* transport.call(wanted)
        assert.deepStrictEqual(fake.asked, [
          ["specVersion"],
          ["getBlockWithTxs", "pre_confirmed"],
          ["getBlockWithTxs", "pre_confirmed"],
          ["specVersion"],
          ["getBlockWithTxs", "pre_confirmed", flags]
        ])
      })
  )

  it.effect("learns the version anew after a fault, and not after an error of the node's", () =>
    Effect.gen(function* () {
      let version = "0.10.0"
      let failure: JsonRpcError["reason"] | undefined
      const fake = node((method, params) => nodeOf(version, "pre_confirmed", preConfirmed)(method, params))
      const transport = PendingTransactions.make()({
        ...fake.transport,
        call: (call) =>
          failure === undefined
            ? fake.transport.call(call)
            : Effect.fail(new JsonRpcError({ method: call.method, reason: failure }))
      })
      yield* transport.call(wanted)
      version = "0.10.2"
      failure = errors.busy
      yield* Effect.flip(transport.call(wanted))
      failure = undefined
      yield* transport.call(wanted)
      assert.deepStrictEqual(fake.asked.at(-1), ["getBlockWithTxs", "pre_confirmed"])
      failure = new TransportError({ detail: "the connection broke", retryable: true })
      yield* Effect.flip(transport.call(wanted))
      failure = undefined
      yield* transport.call(wanted)
      assert.deepStrictEqual(fake.asked.slice(-2), [["specVersion"], ["getBlockWithTxs", "pre_confirmed", flags]])
    })
  )

  it.effect("lets all other calls through, and this one with parameters", () =>
    Effect.gen(function* () {
      const fake = node((method, params) => ({ method, params }))
      const transport = PendingTransactions.make()(fake.transport)
      for (const call of [
        { method: "starknet_chainId", params: [] },
        { method: "other_pendingTransactions", params: [] },
        { method: "starknet_pendingTransactions", params: [1] }
      ]) {
        assert.deepStrictEqual(yield* transport.call(call), call)
      }
    })
  )

  it.effect("keeps packets together, and each outcome in its place", () =>
    Effect.gen(function* () {
      const fake = node((method, params) =>
        method === "starknet_chainId" ? "0x1" : nodeOf("0.9.0", "pre_confirmed", preConfirmed)(method, params)
      )
      const transport = PendingTransactions.make()(fake.transport)
      const chainId = { method: "starknet_chainId", params: [] }
      const unheardOf = { method: "starknet_nothing", params: [] }
      const outcomes = yield* transport.callAll([chainId, wanted, unheardOf, wanted])
      assert.deepStrictEqual(outcomes.slice(0, 2), [Result.succeed("0x1"), Result.succeed(transactions)])
      assert.isTrue(Result.isFailure(outcomes[2]!))
      assert.deepStrictEqual(outcomes[3], Result.succeed(transactions))
      assert.strictEqual(fake.packets, 1)
      assert.lengthOf(
        fake.asked.filter(([method]) => method === "getBlockWithTxs"),
        1
      )
      assert.deepStrictEqual(yield* transport.callAll([wanted]), [Result.succeed(transactions)])
      assert.strictEqual(fake.packets, 1, "nothing else to send")
      assert.deepStrictEqual(yield* transport.callAll([]), [])
    })
  )

  it.effect("serves another namespace", () =>
    Effect.gen(function* () {
      const fake = node((method) => (method === "other_specVersion" ? "0.9.0" : preConfirmed))
      const transport = PendingTransactions.make({ namespace: "other" })(fake.transport)
      assert.strictEqual(yield* transport.call({ method: "other_pendingTransactions", params: [] }), transactions)
    })
  )

  it.effect("is what the client reads pending transactions through", () =>
    Effect.gen(function* () {
      for (const [answers, kinds] of [
        [oldNode, ["INVOKE v0", "INVOKE v3"]],
        [nodeOf("0.7.1", "pending", pending), ["INVOKE v3", "L1_HANDLER v0"]],
        [nodeOf("0.10.2", "pre_confirmed", preConfirmed), ["INVOKE v3", "L1_HANDLER v0"]],
        [nodeOf("0.10.2", "pre_confirmed", sealed), []]
      ] as const) {
        const client = yield* Effect.provide(SecondChainClient.make(), node(answers).layer)
        const list = yield* client.pendingTransactions
        assert.deepStrictEqual(
          list.map((transaction) => Transaction.caseOf(transaction).kind),
          [...kinds]
        )
      }
    })
  )

  it.effect("reads through a service that has this method and no other", () =>
    Effect.gen(function* () {
      const { starknet_pendingTransactions } = Starknet.group.methods
      const behind = yield* Effect.provide(
        SecondChainClient.make(),
        node(nodeOf("0.10.2", "pre_confirmed", preConfirmed)).layer
      )
      const service = JsonRpcServer.make(MethodGroup.make(starknet_pendingTransactions), {
        starknet_pendingTransactions: () => Effect.orDie(behind.pendingTransactions)
      })
      const client = Effect.flatMap(SecondChainClient.make(), (chain) => chain.pendingTransactions)
      assert.deepStrictEqual<unknown>(yield* Effect.provide(client, MemoryTransport.layer(service)), transactions)
    })
  )

  it.effect("makes a malformed transaction of a node a failure of the client, with its place", () =>
    Effect.gen(function* () {
      const { calldata: _, ...broken } = invoke
      const fake = node(nodeOf("0.9.0", "pre_confirmed", { ...preConfirmed, transactions: [handler, broken] }))
      const client = yield* Effect.provide(SecondChainClient.make(), fake.layer)
      const error = yield* Effect.flip(client.pendingTransactions)
      assert.match(error.message, /^starknet_pendingTransactions: result\[1\]\.calldata: /u)
      assert.deepStrictEqual(error.reason._tag === "DecodeError" && error.reason.path, [1, "calldata"])
    })
  )
})

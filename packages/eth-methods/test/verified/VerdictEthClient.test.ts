import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Effect, Layer } from "effect"

import { TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import { type Answers, node } from "../support/node.ts"

const ask = <A, E>(
  answers: Answers,
  question: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>,
  trust: Layer.Layer<TrustedBlock.TrustedBlock> = TrustedBlock.layerNone()
): Effect.Effect<A, E> =>
  Effect.provide(
    VerdictEthClient.VerdictEthClient.use(question),
    VerdictEthClient.layer().pipe(Layer.provide([node(answers).layer, trust]))
  )

const made = Effect.promise(() => Made.block(Hardfork.Prague))
const hashOf = (json: Made.JsonObject): Hash32.Hash32 => Hash32.fromHexUnsafe(Made.string(json["hash"]))
const transactionsOf = (json: Made.JsonObject) => Made.list(json["transactions"]).map(Made.object)

/** Makes an honest node that knows one block. */
const honest =
  (block: Made.JsonObject): Answers =>
  (method, params) => {
    const [first, second] = params
    const hashes = { ...block, transactions: transactionsOf(block).map((transaction) => transaction["hash"]!) }
    switch (method) {
      case "eth_getBlockByHash":
        return first === block["hash"] ? (second === true ? block : hashes) : null
      case "eth_getBlockByNumber":
        return first === "latest" || first === block["number"] ? (second === true ? block : hashes) : null
      case "eth_getTransactionByHash":
        return transactionsOf(block).find((transaction) => transaction["hash"] === first) ?? null
      case "eth_getTransactionByBlockHashAndIndex":
        return first === block["hash"] ? (transactionsOf(block)[Number(second)] ?? null) : null
      default:
        return undefined
    }
  }

/** Changes the answer of one method. */
const lying =
  (method: string, answers: Answers, lie: (answer: Made.Json) => Made.Json): Answers =>
  (asked, params) => {
    const answer = answers(asked, params)
    return asked === method && answer !== undefined ? lie(answer) : answer
  }

describe("VerdictEthClient", () => {
  it.effect("proves a block by its hash, and claims that there is none", () =>
    Effect.gen(function* () {
      const block = yield* made
      const found = yield* ask(honest(block), (eth) => eth.getBlockByHash(hashOf(block), { full: true }))
      assert.strictEqual(found._tag, "VERIFIED")
      const absent = yield* ask(honest(block), (eth) => eth.getBlockByHash(Hash32.ZERO))
      assert.strictEqual(absent._tag, "CLAIMED")
      assert.isNull(absent.value)
    })
  )

  it.effect("takes a number or tag for the node's word without a trusted hash, and for proof with the right one", () =>
    Effect.gen(function* () {
      const block = yield* made
      const number = BigInt(Made.string(block["number"]))
      for (const parameter of ["latest", number] as const) {
        const claimed = yield* ask(honest(block), (eth) => eth.getBlockByNumber(parameter, { full: true }))
        assert.strictEqual(claimed._tag, "CLAIMED")
        assert.isAbove(claimed.proven.length, 2)
        const trusted = yield* ask(
          honest(block),
          (eth) => eth.getBlockByNumber(parameter, { full: true }),
          TrustedBlock.layerPinned(hashOf(block))
        )
        assert.strictEqual(trusted._tag, "VERIFIED")
      }
    })
  )

  it.effect("refutes a block that is not the trusted one of its height, and only claims one of another height", () =>
    Effect.gen(function* () {
      const block = yield* made
      const rival = yield* Effect.promise(() => Made.block(Hardfork.Prague, Made.signed(Hardfork.Prague).slice(0, 2)))
      const both: Answers = (method, params) => honest(block)(method, params) ?? honest(rival)(method, params) ?? null
      const pinned = TrustedBlock.layerPinned(hashOf(rival))
      const refuted = yield* Effect.flip(ask(both, (eth) => eth.getBlockByNumber("latest"), pinned))
      assert.strictEqual(refuted._tag === "RefutedError" && refuted.check, "trusted block")
      const unknown = yield* ask(honest(block), (eth) => eth.getBlockByNumber("latest"), pinned)
      assert.strictEqual(unknown._tag, "CLAIMED")
    })
  )

  it.effect("refutes a block of another number, and one that contradicts itself", () =>
    Effect.gen(function* () {
      const block = yield* made
      const any = lying(
        "eth_getBlockByNumber",
        (method, params) => honest(block)(method, ["latest", params[1]]),
        (b) => b
      )
      const other = yield* Effect.flip(ask(any, (eth) => eth.getBlockByNumber(7n)))
      assert.strictEqual(other._tag === "RefutedError" && other.check, "block.number")
      const changed = lying("eth_getBlockByNumber", honest(block), (answer) => ({
        ...Made.object(answer),
        timestamp: "0x1"
      }))
      const broken = yield* Effect.flip(ask(changed, (eth) => eth.getBlockByNumber("latest")))
      assert.strictEqual(broken._tag === "RefutedError" && broken.check, "header hash")
    })
  )

  it.effect("refuses a request for words that no answer can satisfy, and does not blame the node", () =>
    Effect.gen(function* () {
      const [upper, lower] = [`0x${"AB".repeat(20)}`, `0x${"ab".repeat(20)}`] as const
      const node: Answers = () => assert.fail("asked")
      for (const [slots, detail] of [
        [{ [upper]: ["0x0"], [lower]: ["0x1"] }, "names an account twice"],
        [{ [lower]: [] }, "names no slot"],
        [{}, "names no slot"]
      ] as const) {
        const refused = yield* Effect.flip(ask(node, (eth) => eth.getStorageValues(slots, Hash32.ZERO)))
        assert.strictEqual(refused.message, `eth_getStorageValues: params.slots: ${detail}`)
      }
    })
  )

  it.effect("claims the pending block", () =>
    Effect.gen(function* () {
      const block = yield* made
      const pending: Answers = () => ({ ...block, hash: null, number: null, nonce: null, logsBloom: null, miner: null })
      assert.strictEqual(
        (yield* ask(pending, (eth) => eth.getBlockByNumber("pending", { full: true })))._tag,
        "CLAIMED"
      )
      // anvil fills these fields in, but still nothing is proven
      const filled = yield* ask(
        () => block,
        (eth) => eth.getBlockByNumber("pending", { full: true })
      )
      assert.strictEqual(filled._tag, "CLAIMED")
    })
  )

  it.effect("proves a transaction, its sender, and its place in its block", () =>
    Effect.gen(function* () {
      const block = yield* made
      for (const [at, transaction] of transactionsOf(block).entries()) {
        const verdict = yield* ask(honest(block), (eth) => eth.getTransactionByHash(hashOf(transaction)))
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.include(verdict.proven.at(-1)?.sentence, `number ${at} of block ${Made.string(block["hash"])}`)
        // no proof leads to the block, so the fields about the transaction's place are claims, and so is the price,
        // which follows from the base fee of the block
        const isPriced = Made.string(transaction["type"]) !== "0x0" && Made.string(transaction["type"]) !== "0x1"
        const place = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp"]
        assert.deepStrictEqual(
          verdict.claimed.map((claim) => claim.field),
          isPriced ? [...place, "gasPrice"] : place
        )
        const byIndex = yield* ask(honest(block), (eth) =>
          eth.getTransactionByBlockHashAndIndex(hashOf(block), BigInt(at))
        )
        assert.strictEqual(byIndex._tag, "VERIFIED")
        assert.deepStrictEqual(byIndex.anchor, { _tag: "Block", hash: hashOf(block) })
        assert.deepStrictEqual(byIndex.claimed, [])
      }
    })
  )

  it.effect("refutes every lie about a transaction's place", () =>
    Effect.gen(function* () {
      const block = yield* made
      const transaction = transactionsOf(block)[4]!
      for (const field of ["blockNumber", "transactionIndex", "blockTimestamp", "gasPrice"]) {
        const liar = lying("eth_getTransactionByHash", honest(block), (answer) => ({
          ...Made.object(answer),
          [field]: "0x1"
        }))
        const refuted = yield* Effect.flip(ask(liar, (eth) => eth.getTransactionByHash(hashOf(transaction))))
        assert.strictEqual(refuted._tag === "RefutedError" && refuted.check, `transaction.${field}`)
      }
      const elsewhere = yield* Effect.promise(() => Made.block(Hardfork.Prague, []))
      const liar: Answers = (method, params) =>
        method === "eth_getBlockByHash" && params[0] === elsewhere["hash"]
          ? elsewhere
          : lying("eth_getTransactionByHash", honest(block), (answer) => ({
              ...Made.object(answer),
              blockHash: elsewhere["hash"]!
            }))(method, params)
      const refuted = yield* Effect.flip(ask(liar, (eth) => eth.getTransactionByHash(hashOf(transaction))))
      assert.strictEqual(refuted._tag === "RefutedError" && refuted.check, "inclusion")
    })
  )

  it.effect("refutes a mined transaction of which a part of the place is null", () =>
    Effect.gen(function* () {
      const block = yield* made
      for (const [at, transaction] of transactionsOf(block).entries()) {
        for (const field of ["blockHash", "blockNumber", "transactionIndex"]) {
          const nulled = (answer: Made.Json): Made.Json => ({ ...Made.object(answer), [field]: null })
          const byHash = lying("eth_getTransactionByHash", honest(block), nulled)
          const one = yield* Effect.flip(ask(byHash, (eth) => eth.getTransactionByHash(hashOf(transaction))))
          assert.strictEqual(one._tag === "RefutedError" && one.check, `transaction.${field}`)
          const byIndex = lying("eth_getTransactionByBlockHashAndIndex", honest(block), nulled)
          const two = yield* Effect.flip(
            ask(byIndex, (eth) => eth.getTransactionByBlockHashAndIndex(hashOf(block), BigInt(at)))
          )
          assert.strictEqual(two._tag === "RefutedError" && two.check, `transaction.${field}`)
        }
        const pending = lying("eth_getTransactionByBlockHashAndIndex", honest(block), (answer) => ({
          ...Made.object(answer),
          blockHash: null,
          blockNumber: null,
          transactionIndex: null
        }))
        const all = yield* Effect.flip(
          ask(pending, (eth) => eth.getTransactionByBlockHashAndIndex(hashOf(block), BigInt(at)))
        )
        assert.strictEqual(all._tag === "RefutedError" && all.check, "transaction.blockHash")
      }
    })
  )

  it.effect("claims a pending transaction's place, and one whose block the node does not know", () =>
    Effect.gen(function* () {
      const block = yield* made
      const pending = Made.answerOf(Made.signed(Hardfork.Prague)[4]!)
      const waiting = yield* ask(
        () => pending,
        (eth) => eth.getTransactionByHash(hashOf(pending))
      )
      assert.strictEqual(waiting._tag, "VERIFIED")
      assert.includeMembers(
        waiting.claimed.map(({ field }) => field),
        ["blockHash", "blockNumber", "transactionIndex"]
      )
      const forgetful = lying("eth_getBlockByHash", honest(block), () => null)
      const mined = transactionsOf(block)[0]!
      const verdict = yield* ask(forgetful, (eth) => eth.getTransactionByHash(hashOf(mined)))
      assert.strictEqual(verdict.claimed[0]?.reason.sentence, "the node does not know the block that it names")
    })
  )

  it.effect("proves that a block has no transaction at an index, and refutes null where it has one", () =>
    Effect.gen(function* () {
      const block = yield* made
      const count = BigInt(transactionsOf(block).length)
      const none = yield* ask(honest(block), (eth) => eth.getTransactionByBlockHashAndIndex(hashOf(block), count))
      assert.strictEqual(none._tag, "VERIFIED")
      assert.isNull(none.value)
      const method = "eth_getTransactionByBlockHashAndIndex"
      const denying = lying(method, honest(block), () => null)
      const denied = yield* Effect.flip(ask(denying, (eth) => eth.getTransactionByBlockHashAndIndex(hashOf(block), 0n)))
      assert.strictEqual(denied._tag === "RefutedError" && denied.check, "transaction")
      const inventing = lying(method, honest(block), () => transactionsOf(block)[0]!)
      const invented = yield* Effect.flip(
        ask(inventing, (eth) => eth.getTransactionByBlockHashAndIndex(hashOf(block), count))
      )
      assert.strictEqual(invented._tag === "RefutedError" && invented.check, "transaction")
      const shifted = yield* Effect.flip(
        ask(inventing, (eth) => eth.getTransactionByBlockHashAndIndex(hashOf(block), 1n))
      )
      assert.strictEqual(shifted._tag === "RefutedError" && shifted.check, "transaction.hash")
      const nobody = yield* ask(honest(block), (eth) => eth.getTransactionByBlockHashAndIndex(Hash32.ZERO, 0n))
      assert.strictEqual(nobody._tag, "CLAIMED")
    })
  )

  it.effect("lets faults of the node be faults, never absence", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        ask(
          () => undefined,
          (eth) => eth.getBlockByHash(Hash32.ZERO)
        )
      )
      assert.strictEqual(error._tag, "JsonRpcError")
    })
  )
})

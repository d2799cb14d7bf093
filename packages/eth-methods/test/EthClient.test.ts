import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Address, Hash32 } from "@plumbline/codec"
import { Effect, Layer } from "effect"

import { EthClient, StorageKey } from "../src/index.ts"
import * as Made from "./support/made.ts"
import { type Answers, node } from "./support/node.ts"

const ask = <A, E>(answers: Answers, question: (eth: EthClient.Client) => Effect.Effect<A, E>) => {
  const fake = node(answers)
  return Effect.map(
    Effect.result(
      Effect.provide(EthClient.EthClient.use(question), EthClient.EthClient.layer.pipe(Layer.provide(fake.layer)))
    ),
    (result) => ({ result, calls: fake.calls })
  )
}

const address = Address.fromHexUnsafe("0x1234567890123456789012345678901234567890")
const hash = Hash32.fromHexUnsafe(`0x${"ab".repeat(32)}`)

describe("EthClient", () => {
  it.effect("sends each method as the interface has it", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<
        readonly [(eth: EthClient.Client) => Effect.Effect<unknown, unknown>, string, ReadonlyArray<unknown>]
      > = [
        [(eth) => eth.getBlockByHash(hash), "eth_getBlockByHash", [hash, false]],
        [(eth) => eth.getBlockByHash(hash, { full: true }), "eth_getBlockByHash", [hash, true]],
        [(eth) => eth.getBlockByNumber(255n), "eth_getBlockByNumber", ["0xff", false]],
        [(eth) => eth.getBlockByNumber("safe", { full: true }), "eth_getBlockByNumber", ["safe", true]],
        [(eth) => eth.getTransactionByHash(hash), "eth_getTransactionByHash", [hash]],
        [
          (eth) => eth.getTransactionByBlockHashAndIndex(hash, 16n),
          "eth_getTransactionByBlockHashAndIndex",
          [hash, "0x10"]
        ],
        [
          (eth) => eth.getUncleByBlockNumberAndIndex("latest", 1n),
          "eth_getUncleByBlockNumberAndIndex",
          ["latest", "0x1"]
        ],
        [
          (eth) => eth.getStorageAt(address, StorageKey.fromSlot(1n), { blockHash: hash }),
          "eth_getStorageAt",
          [address, `0x${"1".padStart(64, "0")}`, { blockHash: hash }]
        ],
        [
          (eth) => eth.getProof(address, [StorageKey.fromSlot(0n)], 0n),
          "eth_getProof",
          [address, [Hash32.ZERO], "0x0"]
        ],
        [(eth) => eth.blockNumber, "eth_blockNumber", []],
        [(eth) => eth.chainId, "eth_chainId", []]
      ]
      for (const [question, method, params] of cases) {
        const { calls } = yield* ask(() => null, question)
        assert.deepStrictEqual(calls, [{ method, params }])
      }
    })
  )

  it.effect("keeps null apart from failure", () =>
    Effect.gen(function* () {
      const absent = yield* ask(
        () => null,
        (eth) => eth.getBlockByHash(hash)
      )
      assert.strictEqual(absent.result._tag, "Success")
      assert.isNull(absent.result._tag === "Success" ? absent.result.success : 0)
      const failed = yield* ask(
        () => undefined,
        (eth) => eth.getBlockByHash(hash)
      )
      assert.strictEqual(failed.result._tag === "Failure" && failed.result.failure.reason._tag, "RemoteError")
    })
  )

  it.effect("refuses hashes where whole transactions were asked for, and the other way round", () =>
    Effect.gen(function* () {
      const whole = yield* Effect.promise(() => Made.block(Hardfork.London))
      const hashes = {
        ...whole,
        transactions: Made.list(whole["transactions"]).map((transaction) => Made.object(transaction)["hash"]!)
      }
      for (const [answer, full] of [
        [whole, false],
        [hashes, true]
      ] as const) {
        const { result } = yield* ask(
          () => answer,
          (eth) => eth.getBlockByNumber("latest", { full })
        )
        assert.strictEqual(result._tag === "Failure" && result.failure.reason._tag, "DecodeError")
      }
    })
  )

  it.effect("says where an answer is wrong: wrong lengths, wrong types, missing fields", () =>
    Effect.gen(function* () {
      const json = yield* Effect.promise(() => Made.block(Hardfork.London))
      const cases: ReadonlyArray<readonly [Made.Json, ReadonlyArray<string | number>]> = [
        [{ ...json, stateRoot: "0x12" }, ["stateRoot"]],
        [{ ...json, number: 5 }, ["number"]],
        [{ ...json, gasLimit: "0x05" }, ["gasLimit"]],
        [{ ...json, logsBloom: "0x" }, ["logsBloom"]],
        [{ ...json, parentHash: `0x${"g".repeat(64)}` }, ["parentHash"]]
      ]
      for (const [answer, path] of cases) {
        const { result } = yield* ask(
          () => answer,
          (eth) => eth.getBlockByNumber(1n, { full: true })
        )
        const reason = result._tag === "Failure" ? result.failure.reason : assert.fail("decoded")
        assert(reason._tag === "DecodeError")
        assert.deepStrictEqual(reason.path, path)
      }
      const { stateRoot: _, ...rest } = json
      const { result } = yield* ask(
        () => rest,
        (eth) => eth.getBlockByNumber(1n, { full: true })
      )
      assert.strictEqual(result._tag === "Failure" && result.failure.reason._tag, "DecodeError")
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Address, Hash32 } from "@plumbline/codec"
import { Effect } from "effect"

import { EthClient, EthMethods, StorageKey } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import { type Answers, node } from "../support/node.ts"

const ask = <A, E>(answers: Answers, question: (eth: EthClient.Client) => Effect.Effect<A, E>) => {
  const fake = node(answers)
  return Effect.map(Effect.result(Effect.provide(Effect.flatMap(EthClient.make, question), fake.layer)), (result) => ({
    result,
    calls: fake.calls
  }))
}

const address = Address.fromHexUnsafe("0x1234567890123456789012345678901234567890")
const hash = Hash32.fromHexUnsafe(`0x${"ab".repeat(32)}`)

describe("EthClient", () => {
  it.effect("sends each method as the interface has it", () =>
    Effect.gen(function* () {
      const slot = `0x${"1".padStart(64, "0")}`
      const key = StorageKey.fromSlot(1n)
      const request = {
        to: address,
        input: "0x1234",
        maxFeePerGas: 7n,
        accessList: [{ address, storageKeys: [hash] }]
      } as const
      const wireRequest = { ...request, maxFeePerGas: "0x7" }
      const state = { [address]: { balance: 1n, stateDiff: { [hash]: hash } } }
      const wireState = { [address]: { balance: "0x1", stateDiff: { [hash]: hash } } }
      const cases: ReadonlyArray<
        readonly [(eth: EthClient.Client) => Effect.Effect<unknown, unknown>, string, ReadonlyArray<unknown>]
      > = [
        [(eth) => eth.getBlockByHash(hash), "eth_getBlockByHash", [hash, false]],
        [(eth) => eth.getBlockByHash(hash, { full: true }), "eth_getBlockByHash", [hash, true]],
        [(eth) => eth.getBlockByNumber(255n), "eth_getBlockByNumber", ["0xff", false]],
        [(eth) => eth.getBlockByNumber("safe", { full: true }), "eth_getBlockByNumber", ["safe", true]],
        [(eth) => eth.getBlockTransactionCountByHash(hash), "eth_getBlockTransactionCountByHash", [hash]],
        [(eth) => eth.getBlockTransactionCountByNumber(0n), "eth_getBlockTransactionCountByNumber", ["0x0"]],
        [(eth) => eth.getUncleByBlockHashAndIndex(hash, 0n), "eth_getUncleByBlockHashAndIndex", [hash, "0x0"]],
        [
          (eth) => eth.getUncleByBlockNumberAndIndex("latest", 1n),
          "eth_getUncleByBlockNumberAndIndex",
          ["latest", "0x1"]
        ],
        [(eth) => eth.getUncleCountByBlockHash(hash), "eth_getUncleCountByBlockHash", [hash]],
        [(eth) => eth.getUncleCountByBlockNumber("pending"), "eth_getUncleCountByBlockNumber", ["pending"]],
        [(eth) => eth.getTransactionByHash(hash), "eth_getTransactionByHash", [hash]],
        [
          (eth) => eth.getTransactionByBlockHashAndIndex(hash, 16n),
          "eth_getTransactionByBlockHashAndIndex",
          [hash, "0x10"]
        ],
        [
          (eth) => eth.getTransactionByBlockNumberAndIndex(5n, 0n),
          "eth_getTransactionByBlockNumberAndIndex",
          ["0x5", "0x0"]
        ],
        [(eth) => eth.getTransactionReceipt(hash), "eth_getTransactionReceipt", [hash]],
        [(eth) => eth.getBlockAccessList(hash), "eth_getBlockAccessList", [hash]],
        [(eth) => eth.getBlockReceipts({ blockHash: hash }), "eth_getBlockReceipts", [{ blockHash: hash }]],
        [
          (eth) => eth.getLogs({ fromBlock: 1n, toBlock: "latest", address: [address], topics: [null, [hash]] }),
          "eth_getLogs",
          [{ fromBlock: "0x1", toBlock: "latest", address: [address], topics: [null, [hash]] }]
        ],
        [(eth) => eth.getBalance(address), "eth_getBalance", [address, "latest"]],
        [(eth) => eth.getBalance(address, hash), "eth_getBalance", [address, hash]],
        [(eth) => eth.getCode(address, 1n), "eth_getCode", [address, "0x1"]],
        [(eth) => eth.getTransactionCount(address, "pending"), "eth_getTransactionCount", [address, "pending"]],
        [
          (eth) => eth.getStorageAt(address, key, { blockHash: hash, requireCanonical: true }),
          "eth_getStorageAt",
          [address, slot, { blockHash: hash, requireCanonical: true }]
        ],
        [(eth) => eth.getStorageAt(address, key), "eth_getStorageAt", [address, slot, "latest"]],
        [
          (eth) => eth.getStorageValues({ [address]: [key] }, { blockNumber: 5n }),
          "eth_getStorageValues",
          [{ [address]: [slot] }, { blockNumber: "0x5" }]
        ],
        [
          (eth) => eth.getProof(address, [StorageKey.fromSlot(0n)], 0n),
          "eth_getProof",
          [address, [Hash32.ZERO], "0x0"]
        ],
        [(eth) => eth.call(request), "eth_call", [wireRequest, "latest"]],
        [
          (eth) => eth.call(request, 1n, state, { time: 5n }),
          "eth_call",
          [wireRequest, "0x1", wireState, { time: "0x5" }]
        ],
        [(eth) => eth.estimateGas({ data: "0x" }, "safe"), "eth_estimateGas", [{ data: "0x" }, "safe"]],
        [(eth) => eth.createAccessList({}), "eth_createAccessList", [{}, "latest"]],
        [
          (eth) => eth.simulate({ blockStateCalls: [{ blockOverrides: { number: 9n }, calls: [{ value: 1n }] }] }),
          "eth_simulateV1",
          [{ blockStateCalls: [{ blockOverrides: { number: "0x9" }, calls: [{ value: "0x1" }] }] }, "latest"]
        ],
        [(eth) => eth.feeHistory(4n), "eth_feeHistory", ["0x4", "latest", []]],
        [(eth) => eth.feeHistory(4n, 9n, [10, 99.5]), "eth_feeHistory", ["0x4", "0x9", [10, 99.5]]],
        [(eth) => eth.gasPrice, "eth_gasPrice", []],
        [(eth) => eth.maxPriorityFeePerGas, "eth_maxPriorityFeePerGas", []],
        [(eth) => eth.blobBaseFee, "eth_blobBaseFee", []],
        [(eth) => eth.blockNumber, "eth_blockNumber", []],
        [(eth) => eth.chainId, "eth_chainId", []],
        [(eth) => eth.syncing, "eth_syncing", []],
        [(eth) => eth.networkId, "net_version", []],
        [(eth) => eth.clientVersion, "web3_clientVersion", []],
        [(eth) => eth.baseFee, "eth_baseFee", []],
        [(eth) => eth.capabilities, "eth_capabilities", []],
        [(eth) => eth.config, "eth_config", []],
        [(eth) => eth.accounts, "eth_accounts", []],
        [(eth) => eth.isListening, "net_listening", []],
        [(eth) => eth.peerCount, "net_peerCount", []],
        [(eth) => eth.sha3("0x00"), "web3_sha3", ["0x00"]]
      ]
      assert.sameMembers(
        [...new Set(cases.map(([, method]) => method)), "eth_sendRawTransaction", "eth_sendRawTransactionSync"],
        Object.keys(EthMethods.group.methods)
      )
      for (const [question, method, params] of cases) {
        const { calls } = yield* ask(() => null, question)
        assert.deepStrictEqual(calls, [{ method, params }])
      }
    })
  )

  it.effect("says of a signed transaction that it must not be sent again", () =>
    Effect.gen(function* () {
      const { calls } = yield* ask(
        () => hash,
        (eth) => eth.sendRawTransaction("0x02")
      )
      assert.deepStrictEqual(calls, [{ method: "eth_sendRawTransaction", params: ["0x02"], idempotent: false }])
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

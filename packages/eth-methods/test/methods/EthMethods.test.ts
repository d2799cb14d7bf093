import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { JsonRpcServer, type Method } from "@plumbline/jsonrpc-core"
import { Result, Schema } from "effect"

import { EthMethods, EthSubscriptions } from "../../src/index.ts"
import * as Made from "../support/made.ts"

/** Credits from Infura's documentation (docs.metamask.io/services/get-started/pricing/credit-cost). */
const credits: Readonly<Record<string, number>> = {
  eth_blobBaseFee: 300,
  eth_blockNumber: 80,
  eth_call: 80,
  eth_chainId: 5,
  eth_createAccessList: 80,
  eth_estimateGas: 300,
  eth_feeHistory: 80,
  eth_gasPrice: 80,
  eth_getBalance: 80,
  eth_getBlockByHash: 80,
  eth_getBlockByNumber: 80,
  eth_getBlockReceipts: 1000,
  eth_getBlockTransactionCountByHash: 150,
  eth_getBlockTransactionCountByNumber: 150,
  eth_getCode: 80,
  eth_getLogs: 255,
  eth_getProof: 150,
  eth_getStorageAt: 80,
  eth_getTransactionByBlockHashAndIndex: 150,
  eth_getTransactionByBlockNumberAndIndex: 150,
  eth_getTransactionByHash: 80,
  eth_getTransactionCount: 80,
  eth_getTransactionReceipt: 80,
  eth_getUncleByBlockHashAndIndex: 150,
  eth_getUncleByBlockNumberAndIndex: 150,
  eth_getUncleCountByBlockHash: 150,
  eth_getUncleCountByBlockNumber: 150,
  eth_maxPriorityFeePerGas: 80,
  eth_sendRawTransaction: 80,
  eth_syncing: 5,
  eth_sendRawTransactionSync: 160,
  net_listening: 5,
  eth_getBlockAccessList: 1000,
  net_version: 5,
  web3_clientVersion: 80
}

const all: ReadonlyArray<Method.Any> = Object.values(EthMethods.group.methods)

const result = (method: Method.Any, json: unknown): unknown => Schema.decodeUnknownSync(method.result)(json)

const param = (method: Method.Any, index: number, json: unknown): Result.Result<unknown, unknown> =>
  Schema.decodeUnknownResult(method.params[index]!.schema)(json)

describe("EthMethods", () => {
  it("costs what it costs at Infura, and 80 where Infura does not say; waiting for a receipt costs two", () => {
    for (const method of all) assert.strictEqual(method.cost, credits[method.name] ?? 80, method.name)
    assert.includeMembers(
      all.map((method) => method.name),
      Object.keys(credits)
    )
  })

  it("exports each method under its name, with a line about it and about each parameter", () => {
    for (const method of all) {
      assert.strictEqual((EthMethods as Readonly<Record<string, unknown>>)[method.name], method)
      assert.match(method.doc, /^[A-Z].*\.$/, method.name)
      for (const param of method.params) assert.notStrictEqual(param.doc, "", `${method.name} ${param.name}`)
    }
  })

  it("keeps only answers about a hash for ever, and sends only the sending once", () => {
    for (const method of all) {
      const about = method.params[0]?.name
      if (method.cache === "immutable" && method.params.length > 0) assert.strictEqual(about, "blockHash", method.name)
      assert.strictEqual(method.idempotent, !method.name.startsWith("eth_sendRawTransaction"), method.name)
    }
  })

  it("takes EIP-1898's objects, hashes, numbers and tags for a block, and nothing that is two of them", () => {
    const hash = `0x${"ab".repeat(32)}`
    const good = ["0x0", "0x1b4", "latest", "earliest", "pending", "safe", "finalized", hash, { blockHash: hash }]
    for (const json of [
      ...good,
      { blockHash: hash, requireCanonical: false },
      { blockNumber: "0x5" },
      { blockNumber: "latest" }
    ]) {
      assert.isTrue(Result.isSuccess(param(EthMethods.eth_getBalance, 1, json)), JSON.stringify(json))
    }
    const bad = [
      "",
      "0x",
      "0x01",
      "5",
      5,
      null,
      "Latest",
      "newest",
      {},
      { blockHash: "0x1" },
      { blockNumber: "newest" },
      { blockNumber: null, blockHash: null }
    ]
    for (const json of [...bad, { blockHash: hash, blockNumber: "0x5" }]) {
      assert.isTrue(Result.isFailure(param(EthMethods.eth_getBalance, 1, json)), JSON.stringify(json))
    }
    // a method that is only about the main chain accepts no hash
    assert.isTrue(Result.isFailure(param(EthMethods.eth_getBlockByNumber, 0, hash)))
  })

  it("takes null for a member that is missing, and other forms that geth takes, and passes none of them on", () => {
    const [address, hash] = [`0x${"11".repeat(20)}`, `0x${"ab".repeat(32)}`]
    const canonical = (method: Method.Any, ...params: ReadonlyArray<unknown>): unknown => {
      const checked = JsonRpcServer.checkParams(method, params)
      return Result.isSuccess(checked) ? checked.success : checked.failure.message
    }
    const { eth_call, eth_feeHistory, eth_getBalance, eth_getLogs } = EthMethods
    const request = { from: null, to: address, data: null, gas: null, accessList: null, value: "0x1" }
    assert.deepEqual(
      canonical(eth_call, request, null, { [address]: { balance: null, nonce: "0x1" } }, { time: null }),
      [{ to: address, value: "0x1" }, null, { [address]: { nonce: "0x1" } }, {}]
    )
    const eip1898 = { blockHash: hash, blockNumber: null, requireCanonical: null }
    assert.deepEqual(canonical(eth_getBalance, address, eip1898), [address, { blockHash: hash }])
    assert.deepEqual(canonical(eth_getBalance, address, { blockNumber: "safe", blockHash: null }), [
      address,
      { blockNumber: "safe" }
    ])
    const filter = { blockHash: hash, fromBlock: null, toBlock: null, topics: [[null], [hash, null], [hash], null] }
    assert.deepEqual(canonical(eth_getLogs, filter), [{ blockHash: hash, topics: [[], [], [hash], null] }])
    assert.deepEqual(canonical(eth_getLogs, { blockHash: null, fromBlock: "0x1" }), [{ fromBlock: "0x1" }])
    for (const count of [4, "4", "0x4"]) {
      assert.deepEqual(canonical(eth_feeHistory, count, "latest", null), ["0x4", "latest", []])
    }
    const huge = (2n ** 256n).toString()
    for (const count of [-1, 1.5, "-1", "0x", "", huge]) assert.isString(canonical(eth_feeHistory, count, "latest"))
  })

  it("names the member of a filter or a block that is wrong", () => {
    const hash = `0x${"ab".repeat(32)}`
    const said = (method: Method.Any, ...params: ReadonlyArray<unknown>): string => {
      const checked = JsonRpcServer.checkParams(method, params)
      return Result.isSuccess(checked) ? "taken" : checked.failure.message
    }
    const { eth_getBalance, eth_getLogs } = EthMethods
    const filters: ReadonlyArray<readonly [filter: object, member: string]> = [
      [{ fromBlock: "0x01" }, "fromBlock: Expected "],
      [{ fromBlock: "0x1", toBlock: "newest" }, "toBlock: Expected "],
      [{ blockHash: "0x1" }, "blockHash: Expected 0x hex data of 32 bytes"],
      [{ blockHash: hash, fromBlock: "0x1" }, "fromBlock: Expected no value beside blockHash"],
      [{ address: ["0x1"] }, "address.0: Expected 0x hex data of 20 bytes"],
      [{ topics: [[hash, "0x1"]] }, "topics.0.1: Expected 0x hex data of 32 bytes"]
    ]
    for (const [filter, member] of filters) {
      assert.include(said(eth_getLogs, filter), `invalid argument 0: ${member}`)
    }
    assert.include(
      said(eth_getBalance, `0x${"11".repeat(20)}`, { blockHash: hash, blockNumber: "0x1" }),
      "invalid argument 1: blockNumber: Expected no value beside blockHash"
    )
  })

  it("bounds what a call may ask for", () => {
    const key = `0x${"0".repeat(64)}`
    const keys = (length: number) => Array.from({ length }, () => key)
    const [one, two] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`]
    assert.isTrue(Result.isSuccess(param(EthMethods.eth_getProof, 1, keys(1024))))
    assert.isTrue(Result.isFailure(param(EthMethods.eth_getProof, 1, keys(1025))))
    assert.isTrue(Result.isSuccess(param(EthMethods.eth_getStorageValues, 0, { [one]: keys(512), [two]: keys(512) })))
    assert.isTrue(Result.isFailure(param(EthMethods.eth_getStorageValues, 0, { [one]: keys(512), [two]: keys(513) })))
    assert.isTrue(Result.isFailure(param(EthMethods.eth_getStorageValues, 0, { "0x11": keys(1) })))
    assert.isTrue(
      Result.isSuccess(
        param(
          EthMethods.eth_feeHistory,
          2,
          Array.from({ length: 100 }, () => 50)
        )
      )
    )
    assert.isTrue(
      Result.isFailure(
        param(
          EthMethods.eth_feeHistory,
          2,
          Array.from({ length: 101 }, () => 50)
        )
      )
    )
    for (const percentile of [-1, 100.5, "5"]) {
      assert.isTrue(Result.isFailure(param(EthMethods.eth_feeHistory, 2, [percentile])))
    }
  })

  it("reads what nodes say about themselves and their network", () => {
    assert.isFalse(result(EthMethods.eth_syncing, false))
    const reth = {
      startingBlock: "0x0",
      currentBlock: "0x10",
      highestBlock: "0x20",
      stages: [{ name: "x", block: "0x1" }]
    }
    assert.deepInclude(result(EthMethods.eth_syncing, reth) as object, { currentBlock: 16n, stages: reth.stages })
    assert.throws(() => result(EthMethods.eth_syncing, true))
    assert.strictEqual(result(EthMethods.net_version, "3503995874084926"), 3503995874084926n)
    for (const bad of [1, "0x1", "", "1".repeat(79)]) assert.throws(() => result(EthMethods.net_version, bad))
    assert.strictEqual(result(EthMethods.web3_clientVersion, "anvil/v1.7.1"), "anvil/v1.7.1")
    assert.throws(() => result(EthMethods.web3_clientVersion, null))
  })

  it("reads fee histories, with and without tips and blobs", () => {
    const london = { oldestBlock: "0x1", baseFeePerGas: ["0x7", "0x8"], gasUsedRatio: [0.5] }
    assert.deepStrictEqual(result(EthMethods.eth_feeHistory, london), {
      oldestBlock: 1n,
      baseFeePerGas: [7n, 8n],
      gasUsedRatio: [0.5]
    })
    const cancun = { ...london, reward: [["0x1", "0x2"]], baseFeePerBlobGas: ["0x1", "0x1"], blobGasUsedRatio: [1] }
    assert.deepInclude(result(EthMethods.eth_feeHistory, cancun) as object, {
      reward: [[1n, 2n]],
      blobGasUsedRatio: [1]
    })
    // this spelling is in the test data of a node
    assert.deepInclude(result(EthMethods.eth_feeHistory, { ...london, oldestBlock: 10762137 }) as object, {
      oldestBlock: 10762137n
    })
    assert.throws(() => result(EthMethods.eth_feeHistory, { ...london, gasUsedRatio: ["0.5"] }))
    // geth's answer about no blocks
    assert.deepStrictEqual(result(EthMethods.eth_feeHistory, { oldestBlock: "0x0", gasUsedRatio: null }), {
      oldestBlock: 0n,
      baseFeePerGas: [],
      gasUsedRatio: []
    })
  })

  it("reads access lists, also of calls that failed", () => {
    const item = { address: `0x${"11".repeat(20)}`, storageKeys: [`0x${"ab".repeat(32)}`] }
    const answer = { accessList: [item], error: "execution reverted", gasUsed: "0x639d" }
    assert.deepStrictEqual(result(EthMethods.eth_createAccessList, answer), { ...answer, gasUsed: 25501n })
  })
})

describe("EthSubscriptions", () => {
  it("have geth's names on the wire", () => {
    for (const subscription of [
      EthSubscriptions.newHeads,
      EthSubscriptions.logs,
      EthSubscriptions.newPendingTransactions
    ]) {
      assert.deepStrictEqual(subscription.wire, {
        subscribe: "eth_subscribe",
        prefix: [subscription.name],
        notification: "eth_subscription",
        idMember: "subscription",
        unsubscribe: "eth_unsubscribe"
      })
    }
  })

  it("take addresses and topics for logs, and whether pending transactions are wanted whole", () => {
    const [filter] = EthSubscriptions.logs.params
    const topics = [null, [`0x${"ab".repeat(32)}`]]
    assert.deepStrictEqual(Schema.encodeUnknownSync(filter.schema)({ topics }), { topics })
    const [full] = EthSubscriptions.newPendingTransactions.params
    assert.isTrue(full.optional)
    assert.strictEqual(Schema.encodeSync(full.schema)(true), true)
  })

  it("bring headers, logs, hashes and transactions", async () => {
    const block = await Made.block(Hardfork.Prague)
    const { transactions: _, uncles: __, size: ___, withdrawals: ____, ...header } = block
    const head = Schema.decodeUnknownSync(EthSubscriptions.newHeads.item)(header)
    assert.strictEqual(head.hash, block["hash"])
    const decode: (json: unknown) => typeof EthSubscriptions.newPendingTransactions.item.Type =
      Schema.decodeUnknownSync(EthSubscriptions.newPendingTransactions.item)
    const pending = Made.answerOf(Made.signed(Hardfork.Prague)[4]!)
    assert.strictEqual<unknown>(decode(pending["hash"]), pending["hash"])
    const whole = decode(pending)
    assert.strictEqual<unknown>(typeof whole === "string" ? whole : whole.hash, pending["hash"])
    assert.throws(() => decode("0x12"))
  })
})

/**
 * Checks the pool's answers about blocks, transactions and accounts, before and after they are sealed.
 */
import { assert, describe, it } from "@effect/vitest"
import { SecondChainMethods } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { hash, shortString } from "starknet"

import { StarknetPool, type StarknetPoolAccounts } from "../../src/index.ts"
import * as Pool from "../support/pool.ts"

const [first, second, third] = Pool.accounts as [
  StarknetPoolAccounts.StarknetPoolAccount,
  StarknetPoolAccounts.StarknetPoolAccount,
  StarknetPoolAccounts.StarknetPoolAccount
]

/** Sends a transaction, and returns its hash. */
const send = (pool: StarknetPool.StarknetPoolNode, transaction: Pool.Fields) =>
  Effect.map(Pool.send(pool, transaction), ({ transaction_hash }): Pool.Hex => transaction_hash)

const codeOf = (pool: StarknetPool.StarknetPoolNode, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(Pool.refusal(pool, method, ...params), ({ code }) => code)

/** Returns the hash of a block by the formula of the pool's documentation, computed with starknet.js. */
const blockHash = (block: Pool.Fields, hashes: ReadonlyArray<string>): Pool.Hex =>
  Pool.hex(
    hash.computePoseidonHashOnElements([
      shortString.encodeShortString("PLUMBLINE_POOL_BLOCK"),
      block["block_number"],
      block["timestamp"],
      block["parent_hash"],
      ...hashes
    ])
  )

describe("a pool that has just begun", () => {
  it.effect("has block 0, in which nothing is, nothing pending, and its accounts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_500)
      const pool = yield* StarknetPool.make()
      const block = yield* Pool.ask(pool, "starknet_getBlockWithTxHashes", "latest")
      assert.strictEqual(block.block_number, 0)
      assert.strictEqual(block.timestamp, 1_700_000_000)
      assert.strictEqual(block.parent_hash, "0x0")
      assert.deepStrictEqual(block.transactions, [])
      assert.strictEqual(block.block_hash, blockHash(block, []))
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_pendingTransactions"), [])
      assert.strictEqual(yield* Pool.ask(pool, "starknet_syncing"), false)
      assert.strictEqual(yield* Pool.ask(pool, "starknet_chainId"), shortString.encodeShortString("PLPOOL"))
      for (const { address } of Pool.accounts) {
        assert.strictEqual(yield* Pool.ask(pool, "starknet_getNonce", "latest", address), "0x0")
        assert.strictEqual(yield* Pool.ask(pool, "starknet_getClassHashAt", "latest", address), Pool.classHash)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is another than any other: nothing is kept", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* StarknetPool.make(), yield* StarknetPool.make()]
      yield* send(one, Pool.invokeV3(first, 0))
      yield* one.seal
      assert.strictEqual(yield* Pool.ask(other, "starknet_blockNumber"), 0)
      yield* send(other, Pool.invokeV3(first, 0))
    }).pipe(Effect.scoped)
  )
})

describe("a block", () => {
  it.effect("holds what was pending, in its order, under a hash that anybody can make again", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      yield* TestClock.setTime(5_000)
      const sent = [
        yield* send(pool, Pool.invokeV3(first, 0)),
        yield* send(pool, Pool.deployAccountV3(Pool.stranger(0))),
        yield* send(pool, Pool.invokeV1(first, 1))
      ]
      const pending = yield* Pool.ask(pool, "starknet_pendingTransactions")
      const place = yield* pool.seal

      const block = yield* Pool.ask(pool, "starknet_getBlockWithTxHashes", "latest")
      assert.deepStrictEqual(block.transactions, sent)
      assert.strictEqual(block.block_hash, blockHash(block, sent))
      assert.strictEqual(block.block_hash, place.block_hash)
      assert.strictEqual(block.block_number, Number(place.block_number))
      assert.strictEqual(block.timestamp, 5)
      const parent = yield* Pool.ask(pool, "starknet_getBlockWithTxHashes", { block_number: 0 })
      assert.strictEqual(block.parent_hash, parent.block_hash)

      const whole = yield* Pool.ask(pool, "starknet_getBlockWithTxs", { block_hash: block.block_hash })
      assert.deepStrictEqual(whole, { ...block, transactions: pending })
      const padded = `0x${block.block_hash.slice(2).toUpperCase().padStart(64, "0")}`
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_getBlockWithTxs", { block_hash: padded }), whole)
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_getBlockWithTxs", { block_number: 1 }), whole)
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_blockHashAndNumber"), {
        block_hash: block.block_hash,
        block_number: 1
      })
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_pendingTransactions"), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is made on demand, over JSON-RPC too, also of nothing", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const place = yield* Pool.ask(pool, "pool_seal")
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_blockHashAndNumber"), place)
      assert.strictEqual(place.block_number, 1)
      assert.strictEqual((yield* pool.seal).block_number, 2n)
    }).pipe(Effect.scoped)
  )

  it.effect("is made by time of what is pending, and not of nothing", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make({ sealEvery: "10 seconds" })
      const number = Pool.ask(pool, "starknet_blockNumber")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* number, 0)
      yield* send(pool, Pool.invokeV3(first, 0))
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(yield* number, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* number, 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* number, 1)
      yield* send(pool, Pool.invokeV3(first, 1))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* number, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is not older than its parent, though the clock was set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(9_000_000)
      const pool = yield* StarknetPool.make()
      yield* TestClock.setTime(1_000_000)
      yield* pool.seal
      assert.strictEqual((yield* Pool.ask(pool, "starknet_getBlockWithTxs", "latest")).timestamp, 9000)
      assert.strictEqual((yield* Pool.ask(pool, "starknet_getBlockWithTxs", "pre_confirmed")).timestamp, 9000)
    }).pipe(Effect.scoped)
  )

  it.effect("is forgotten with its transactions when it is one too many", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make({ blocks: 2 })
      const sent: Array<Pool.Hex> = []
      for (let n = 0; n < 4; n++) {
        sent.push(yield* send(pool, Pool.invokeV3(first, n)))
        yield* pool.seal
      }
      const genesis = { block_number: 0 }
      assert.strictEqual(yield* codeOf(pool, "starknet_getBlockWithTxs", genesis), 24)
      assert.strictEqual(yield* codeOf(pool, "starknet_getNonce", { block_number: 2 }, first.address), 24)
      assert.strictEqual(yield* codeOf(pool, "starknet_getTransactionByHash", sent[1]), 29)
      for (const number of [3, 4]) {
        const block = yield* Pool.ask(pool, "starknet_getBlockWithTxHashes", { block_number: number })
        assert.strictEqual(block.block_number, number)
        assert.deepStrictEqual(block.transactions, [sent[number - 1]])
        const nonce = yield* Pool.ask(pool, "starknet_getNonce", { block_number: number }, first.address)
        assert.strictEqual(nonce, Pool.hex(number))
      }
      assert.strictEqual((yield* Pool.ask(pool, "starknet_getTransactionByHash", sent[2])).nonce, "0x2")
    }).pipe(Effect.scoped)
  )
})

describe("questions", () => {
  it.effect("about a transaction are answered alike while it is pending and when it is sealed", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const transaction = Pool.invokeV1(third, 0)
      const transaction_hash = yield* send(pool, transaction)
      const expected = { transaction_hash, ...transaction }
      for (const block of ["pre_confirmed", "latest"]) {
        assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_getTransactionByHash", transaction_hash), expected)
        const found = yield* Pool.ask(pool, "starknet_getTransactionByBlockIdAndIndex", block, 0)
        assert.deepStrictEqual(found, expected)
        assert.strictEqual(yield* codeOf(pool, "starknet_getTransactionByBlockIdAndIndex", block, 1), 27)
        yield* pool.seal
        if (block === "pre_confirmed") continue
        assert.strictEqual(yield* codeOf(pool, "starknet_getTransactionByBlockIdAndIndex", "latest", 0), 27)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("of one batch are answered in their order", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const calls = [
        ["starknet_addInvokeTransaction", Pool.invokeV3(first, 0)],
        ["starknet_getNonce", "pre_confirmed", first.address],
        ["starknet_getBlockWithTxHashes", "pre_confirmed"],
        ["pool_seal"],
        ["starknet_getNonce", "latest", first.address],
        ["starknet_addInvokeTransaction", Pool.invokeV3(first, 1)],
        ["starknet_pendingTransactions"]
      ].map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }))
      const answers = JSON.parse(new TextDecoder().decode(yield* pool.handle(JSON.stringify(calls))))
      const results = answers.map(({ result }: { readonly result: unknown }) => result)
      const [{ transaction_hash }, pending, block, place, latest, next, list] = results
      assert.deepStrictEqual([pending, block.transactions, latest], ["0x1", [transaction_hash], "0x1"])
      assert.strictEqual(place.block_number, 1)
      assert.deepStrictEqual(
        list.map((transaction: Pool.Fields) => transaction["transaction_hash"]),
        [next.transaction_hash]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("about what there is not have the chain's own errors", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      for (const block of [{ block_number: 1 }, { block_number: 2 ** 53 - 1 }, { block_hash: "0x1" }, "l1_accepted"]) {
        assert.strictEqual(yield* codeOf(pool, "starknet_getBlockWithTxs", block), 24)
        assert.strictEqual(yield* codeOf(pool, "starknet_getBlockWithTxHashes", block), 24)
        assert.strictEqual(yield* codeOf(pool, "starknet_getTransactionByBlockIdAndIndex", block, 0), 24)
        assert.strictEqual(yield* codeOf(pool, "starknet_getNonce", block, "0x1"), 24)
        assert.strictEqual(yield* codeOf(pool, "starknet_getClassHashAt", block, first.address), 24)
      }
      assert.strictEqual(yield* codeOf(pool, "starknet_getNonce", "latest", "0x1"), 20)
      assert.strictEqual(yield* codeOf(pool, "starknet_getClassHashAt", "pre_confirmed", "0x1"), 20)
      assert.strictEqual(yield* codeOf(pool, "starknet_getTransactionByHash", "0x1"), 29)
      assert.strictEqual(yield* codeOf(pool, "starknet_getTransactionReceipt", "0x1"), 29)
      const error = yield* Pool.refusal(pool, "starknet_getBlockWithTxs", { block_number: 7 })
      assert.deepStrictEqual(error, {
        code: 24,
        message: "Block not found",
        data: "this is a pool and not a sequencer: there is no block 7"
      })
    }).pipe(Effect.scoped)
  )

  it.effect("that only a sequencer could answer are refused, and not answered with something", () =>
    Effect.gen(function* () {
      const pool = yield* StarknetPool.make()
      const call = { contract_address: first.address, entry_point_selector: "0x1", calldata: [] }
      const refused: ReadonlyArray<readonly [string, ...ReadonlyArray<unknown>]> = [
        ["starknet_call", call, "latest"],
        ["starknet_getStorageAt", first.address, "0x0", "latest"],
        ["starknet_estimateFee", [Pool.invokeV3(first, 0)], [], "latest"],
        ["starknet_simulateTransactions", "latest", [], []],
        ["starknet_addDeclareTransaction", { type: "DECLARE" }],
        ["starknet_getClass", "latest", Pool.classHash],
        ["starknet_getClassAt", "latest", first.address]
      ]
      for (const [method, ...params] of refused) {
        assert.deepStrictEqual(yield* Pool.refusal(pool, method, ...params), {
          code: -32004,
          message: "not supported: this is a pool and not a sequencer, it has neither code nor state"
        })
      }
      assert.strictEqual(yield* codeOf(pool, "starknet_getEvents", {}), -32601)

      const hash = yield* send(pool, Pool.invokeV3(first, 0))
      for (const where of ["pending", "in block 1"]) {
        const error = yield* Pool.refusal(pool, "starknet_getTransactionReceipt", hash)
        assert.strictEqual(error.code, -32004)
        assert.include(error.message, `the transaction is ${where}, and was not run`)
        yield* pool.seal
      }
    }).pipe(Effect.scoped)
  )

  it.effect("about an account are answered as of any block, whatever was sent and sealed (a model)", () =>
    Effect.gen(function* () {
      const random = Random.make(621)
      const pool = yield* StarknetPool.make()
      const actors = [first, second, third, Pool.stranger(4)]
      /**
       * The nonces of the accounts: one record after each block, and a last record that includes the pending
       * transactions. An account has no nonce until it is deployed.
       */
      const nonces: Array<Record<string, number>> = [{ [first.address]: 0, [second.address]: 0, [third.address]: 0 }]
      nonces.push({ ...nonces[0]! })
      for (let step = 0; step < Random.runs(40); step++) {
        const now = nonces[nonces.length - 1]!
        if (Random.int(random, 4) === 0) {
          yield* pool.seal
          nonces.push({ ...now })
        } else {
          const actor = Random.pick(random, actors)
          const nonce = now[actor.address]
          yield* send(pool, nonce === undefined ? Pool.deployAccountV3(actor) : Pool.invokeV3(actor, nonce))
          now[actor.address] = (nonce ?? 0) + 1
        }
      }
      assert.isAbove(nonces.length, 5)
      for (const [number, expected] of nonces.entries()) {
        const block = number === nonces.length - 1 ? "pre_confirmed" : { block_number: number }
        for (const { address } of actors) {
          const nonce = expected[address]
          if (nonce === undefined) {
            assert.strictEqual(yield* codeOf(pool, "starknet_getNonce", block, address), 20)
            assert.strictEqual(yield* codeOf(pool, "starknet_getClassHashAt", block, address), 20)
          } else {
            assert.strictEqual(yield* Pool.ask(pool, "starknet_getNonce", block, address), Pool.hex(nonce))
            assert.strictEqual(yield* Pool.ask(pool, "starknet_getClassHashAt", block, address), Pool.classHash)
          }
        }
      }
    }).pipe(Effect.scoped)
  )
})

/** The fields that each version of the specification requires in a sealed block and in the unfinished block. */
const SEALED = ["block_hash", "parent_hash", "block_number", "new_root", "timestamp", "sequencer_address", "status"]
const PRICES = ["l1_gas_price", "l1_data_gas_price", "l1_da_mode", "starknet_version"]
const COMMITMENTS = [
  "event_commitment",
  "transaction_commitment",
  "receipt_commitment",
  "state_diff_commitment",
  "event_count",
  "transaction_count",
  "state_diff_length"
]
const PENDING = ["parent_hash", "timestamp", "sequencer_address"]
const PRE_CONFIRMED = ["block_number", "timestamp", "sequencer_address", "l2_gas_price", ...PRICES]
const shapes = {
  "0.4.0": { tag: "pending", sealed: SEALED, unfinished: PENDING },
  "0.7.1": { tag: "pending", sealed: [...SEALED, ...PRICES], unfinished: [...PENDING, ...PRICES] },
  "0.8.1": {
    tag: "pending",
    sealed: [...SEALED, ...PRICES, "l2_gas_price"],
    unfinished: [...PENDING, ...PRICES, "l2_gas_price"]
  },
  "0.9.0": { tag: "pre_confirmed", sealed: [...SEALED, ...PRICES, "l2_gas_price"], unfinished: PRE_CONFIRMED },
  "0.10.0": {
    tag: "pre_confirmed",
    sealed: [...SEALED, ...PRICES, "l2_gas_price", ...COMMITMENTS],
    unfinished: PRE_CONFIRMED
  },
  "0.10.2": {
    tag: "pre_confirmed",
    sealed: [...SEALED, ...PRICES, "l2_gas_price", ...COMMITMENTS],
    unfinished: PRE_CONFIRMED
  }
} as const
const { getBlockWithTxHashes, getBlockWithTxs } = SecondChainMethods.methods("starknet")

for (const [specVersion, { sealed, tag, unfinished }] of Object.entries(shapes)) {
  describe(`version ${specVersion}`, () => {
    const start = StarknetPool.make({ specVersion: specVersion as StarknetPool.SpecVersion })

    it.effect("has the fields that it requires in blocks, and says who made them", () =>
      Effect.gen(function* () {
        const pool = yield* start
        assert.strictEqual(yield* Pool.ask(pool, "starknet_specVersion"), specVersion)
        yield* send(pool, Pool.invokeV3(first, 0))
        const pending = yield* Pool.ask(pool, "starknet_getBlockWithTxs", tag)
        assert.sameMembers(Object.keys(pending), [...unfinished, "transactions"])
        assert.lengthOf(pending.transactions, 1)
        yield* pool.seal
        const block = yield* Pool.ask(pool, "starknet_getBlockWithTxs", "latest")
        assert.sameMembers(Object.keys(block), [...sealed, "transactions"])
        assert.deepStrictEqual(block.transactions, pending.transactions)
        if (specVersion !== "0.4.0") assert.strictEqual(block.starknet_version, "0.0.0-plumbline-pool")
        for (const at of [tag, "latest"]) {
          const whole = yield* Pool.ask(pool, "starknet_getBlockWithTxs", at)
          const hashes = yield* Pool.ask(pool, "starknet_getBlockWithTxHashes", at)
          Schema.decodeUnknownSync(getBlockWithTxs.result)(whole)
          Schema.decodeUnknownSync(getBlockWithTxHashes.result)(hashes)
          const listed = whole.transactions.map((transaction: Pool.Fields) => transaction["transaction_hash"])
          assert.deepStrictEqual(hashes, { ...whole, transactions: listed })
        }
      }).pipe(Effect.scoped)
    )

    it.effect("takes its own tags and flags, and no others", () =>
      Effect.gen(function* () {
        const pool = yield* start
        const isNew = tag === "pre_confirmed"
        const other = isNew ? "pending" : "pre_confirmed"
        assert.strictEqual(yield* codeOf(pool, "starknet_getBlockWithTxs", other), -32602)
        assert.strictEqual(yield* codeOf(pool, "starknet_getNonce", other, first.address), -32602)
        assert.strictEqual(yield* codeOf(pool, "starknet_getBlockWithTxs", "l1_accepted"), isNew ? 24 : -32602)
        const hash = yield* send(pool, Pool.invokeV3(first, 0))
        const flags = ["INCLUDE_PROOF_FACTS"]
        const questions: ReadonlyArray<readonly [string, ...ReadonlyArray<unknown>]> = [
          ["starknet_getBlockWithTxs", tag],
          ["starknet_getTransactionByHash", hash],
          ["starknet_getTransactionByBlockIdAndIndex", tag, 0]
        ]
        for (const [method, ...params] of questions) {
          if (specVersion === "0.10.2") {
            const without = yield* Pool.ask(pool, method, ...params)
            assert.deepStrictEqual(yield* Pool.ask(pool, method, ...params, flags), without)
          } else {
            assert.strictEqual(yield* codeOf(pool, method, ...params, flags), -32602)
          }
        }
      }).pipe(Effect.scoped)
    )
  })
}

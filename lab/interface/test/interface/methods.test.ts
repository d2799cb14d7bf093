import { assert } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Ask from "../../src/ask.ts"
import type { Target } from "../../src/target.ts"
import * as Ethereum from "../support/ethereum.ts"
import { section } from "../support/section.ts"

const { hash, transactions } = HistoryChain.head
const { address } = HistoryChain.contracts.elder
const key = `0x${"00".repeat(32)}`
const [including] = HistoryChain.withUncles

/**
 * Calls a method with the documented arguments, then with each argument left out or wrong, and with one argument too
 * many.
 */
const positional = async (
  target: Target,
  method: string,
  params: ReadonlyArray<unknown>,
  wrong: ReadonlyArray<unknown>,
  required: number = params.length
): Promise<any> => {
  const codeOf = async (params: ReadonlyArray<unknown>) =>
    (await Ask.answer(target, "history", method, params)).error?.code
  for (let count = 0; count < required; count++) assert.strictEqual(await codeOf(params.slice(0, count)), -32_602)
  for (const [index, value] of wrong.entries()) {
    assert.strictEqual(await codeOf(params.with(index, value)), -32_602, `argument ${index}`)
  }
  assert.strictEqual(await codeOf([...params, "one more"]), -32_602)
  return Ask.result(target, "history", method, params)
}

section("Methods", {
  "eth_getStorageAt: 1 address (20-byte hex, required); 2 storage position (hex, required); 3 block parameter (required); storage value (hex)":
    async (target) => {
      const params = [address, "0x0", Ethereum.quantity(0)]
      // The last parameter is the block. If it is omitted, the call is about the head. Clients rely on this.
      const value = await positional(target, "eth_getStorageAt", params, ["0x12", "zero", "newest"], 2)
      assert.strictEqual(BigInt(value), 41n)
    },
  "eth_getBlockByHash: 1 hash (32-byte hex string, required); 2 transaction details flag (boolean, required: true returns full transaction objects, false returns transaction hashes); block object or null":
    async (target) => {
      const block = await positional(target, "eth_getBlockByHash", [hash, true], ["0x12", "true"])
      assert.deepStrictEqual(
        block.transactions.map(({ hash }: any) => hash),
        transactions.map(({ hash }) => hash)
      )
      const { transactions: hashes } = await Ask.result(target, "history", "eth_getBlockByHash", [hash, false])
      assert.deepStrictEqual(
        hashes,
        transactions.map(({ hash }) => hash)
      )
      assert.isNull(await Ask.result(target, "history", "eth_getBlockByHash", [key, false]))
    },
  "eth_getUncleByBlockNumberAndIndex: 1 block parameter (required); 2 uncle index position (hex quantity, required); uncle block object or null":
    async (target) => {
      const params = [Ethereum.quantity(including!.number), "0x0"]
      const uncle = await positional(target, "eth_getUncleByBlockNumberAndIndex", params, ["newest", 0])
      assert.strictEqual(uncle.hash, including!.uncles[0])
      assert.isNull(await Ask.result(target, "history", "eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"]))
    },
  "eth_getTransactionByBlockHashAndIndex: 1 block hash (32-byte hex, required); 2 transaction index position (hex quantity, required); transaction object or null":
    async (target) => {
      const method = "eth_getTransactionByBlockHashAndIndex"
      const transaction = await positional(target, method, [hash, "0x0"], ["0x12", 0])
      assert.strictEqual(transaction.hash, transactions[0]!.hash)
      assert.isNull(await Ask.result(target, "history", method, [key, "0x0"]))
    },
  "eth_getTransactionByHash: 1 transaction hash (32-byte hex, required); transaction object or null": async (
    target
  ) => {
    const wanted = transactions[0]!.hash
    const transaction = await positional(target, "eth_getTransactionByHash", [wanted], ["0x12"])
    assert.strictEqual(transaction.hash, wanted)
    assert.isNull(await Ask.result(target, "history", "eth_getTransactionByHash", [key]))
  },
  "eth_getProof: 1 address (20-byte hex); 2 storageKeys (array of 32-byte hex keys to prove); 3 blockParameter; proof object":
    async (target) => {
      const params = [address, [key], "latest"]
      const proof = await positional(target, "eth_getProof", params, ["0x12", key, "newest"], 2)
      assert.strictEqual(proof.address, address)
      assert.strictEqual(proof.storageProof.length, 1)
    },
  "<second_chain_namespace>_pendingTransactions: none (empty array); array of pending transaction objects": async (
    target
  ) => {
    const ask = (params: ReadonlyArray<unknown>) =>
      Ask.answer(target, "starknet-pool", "starknet_pendingTransactions", params)
    assert.isArray((await ask([])).result)
    assert.strictEqual((await ask(["one too many"])).error.code, -32_602)
  }
})

/** Compares readings of random objects of every type and fork with those of viem. */
import { assert, it } from "@effect/vitest"
import { bytesToHex } from "@ethereumjs/util"
import { WireObject } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import {
  formatBlock,
  formatTransaction,
  formatTransactionReceipt,
  parseTransaction,
  recoverTransactionAddress
} from "viem"

import { BlockRlp, Transaction } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Objects from "../support/objects.ts"
import * as Receipts from "../support/receipts.ts"

/** Brings viem's result into our form: viem reads some numbers as JSON numbers, and omits empty fields. */
const alike = (theirs: unknown): unknown => {
  if (typeof theirs === "number") return BigInt(theirs)
  if (Array.isArray(theirs)) return theirs.map(alike)
  if (typeof theirs !== "object" || theirs === null) return theirs
  return Object.fromEntries(Object.entries(theirs).map(([name, value]) => [name, alike(value)]))
}

/** Picks these fields, so that both objects have the same fields. */
const pick = (value: object, names: ReadonlyArray<string>): unknown =>
  Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]]))

for (const type of [0, 1, 2, 3, 4]) {
  it(`random transactions of type ${type} are read as viem reads them, from their bytes and from their answers`, async () => {
    const random = Random.make(0x71e3 + type)
    for (let i = Random.runs(15); i > 0; i--) {
      const bytes = bytesToHex(Objects.transaction(random, type, { nonceBits: 53 }).serialize())
      const ours = Result.getOrThrow(BlockRlp.decodeTransaction(Uint8Array.from(Buffer.from(bytes.slice(2), "hex"))))
      assert(Transaction.isKnown(ours))
      const theirs: any = parseTransaction(bytes)
      assert.deepStrictEqual(
        [ours.nonce, ours.value, ours.gas, ours.to, ours.input],
        [
          BigInt(theirs.nonce ?? 0),
          theirs.value ?? 0n,
          theirs.gas ?? 0n,
          theirs.to?.toLowerCase() ?? null,
          theirs.data ?? "0x"
        ]
      )
      for (const name of ["gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas"]) {
        const own = WireObject.fieldOf(ours, name)
        if (own !== undefined) assert.strictEqual(own, theirs[name] ?? 0n, name)
      }
      if (ours.type === 3n) assert.deepStrictEqual<unknown>(ours.blobVersionedHashes, theirs.blobVersionedHashes)
      if (type > 0) assert.strictEqual(WireObject.fieldOf(ours, "chainId"), BigInt(theirs.chainId))
      const sender = await recoverTransactionAddress({ serializedTransaction: bytes as never })
      assert.strictEqual(String(ours.from), sender.toLowerCase())

      const answer: any = Made.encodeTransaction(ours)
      const read = alike(formatTransaction(answer)) as object
      const names = ["hash", "from", "to", "nonce", "value", "gas", "input", "r", "s", "v"]
      assert.deepStrictEqual(pick(Made.decodeTransaction(answer), names), pick(read, names))
    }
  })
}

for (const [hardfork, fields] of Made.forks) {
  it(`random blocks of ${hardfork} are read as viem reads them`, async () => {
    const random = Random.make(0xb10c5 + fields)
    for (let i = Random.runs(2); i > 0; i--) {
      const whole = Result.getOrThrow(BlockRlp.decode((await Objects.block(random, hardfork, 6, 53)).serialize()))
      const answer: any = Made.encodeBlock(whole.block)
      const ours = Made.decodeBlock(answer)
      const theirs: any = formatBlock(answer)
      const names = [
        ["number", "hash", "parentHash", "nonce", "sha3Uncles", "logsBloom", "transactionsRoot", "stateRoot"],
        ["receiptsRoot", "miner", "extraData", "size", "gasLimit", "gasUsed", "timestamp", "mixHash", "uncles"],
        ["difficulty", "withdrawalsRoot", "parentBeaconBlockRoot"]
      ].flat()
      assert.deepStrictEqual(pick(ours, names), pick(theirs, names))
      if (fields >= 16) assert.strictEqual(ours.baseFeePerGas, theirs.baseFeePerGas)
      if (fields >= 20) {
        assert.deepStrictEqual([ours.blobGasUsed, ours.excessBlobGas], [theirs.blobGasUsed, theirs.excessBlobGas])
      }
      const inner = [
        "hash",
        "from",
        "to",
        "nonce",
        "value",
        "gas",
        "gasPrice",
        "input",
        "transactionIndex",
        "blockHash"
      ]
      assert.deepStrictEqual(
        ours.transactions.map((transaction) => pick(transaction as object, inner)),
        theirs.transactions.map((transaction: object) => alike(pick(transaction, inner)))
      )
    }
  })

  it(`receipts of ${hardfork} are read as viem reads them`, async () => {
    const { receipts } = await Receipts.make(hardfork)
    const names = ["transactionHash", "transactionIndex", "blockHash", "blockNumber", "from", "to", "contractAddress"]
    const numbers = ["cumulativeGasUsed", "gasUsed", "effectiveGasPrice", "logsBloom"]
    for (const [i, ours] of Receipts.decode(receipts).entries()) {
      const theirs: any = alike(formatTransactionReceipt(receipts[i] as never))
      assert.deepStrictEqual(pick(ours, [...names, ...numbers]), pick(theirs, [...names, ...numbers]))
      if (ours.status !== undefined) assert.strictEqual(ours.status === 1n ? "success" : "reverted", theirs.status)
      const inner = ["address", "topics", "data", "logIndex", "removed", "transactionIndex", "blockNumber"]
      assert.deepStrictEqual(
        ours.logs.map((log) => pick(log, inner)),
        theirs.logs.map((log: object) => pick(log, inner))
      )
    }
  })
}

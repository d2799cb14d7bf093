/** Errors of unions: each names the field that is wrong, in the form that the value has. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Result, type Schema, SchemaIssue, SchemaParser } from "effect"

import { Block, BlockParameter, EthSubscriptions, LogFilter, Transaction } from "../../src/index.ts"
import * as Made from "../support/made.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Returns the first fault of a value, as `path: message`. Clients report this one. */
const faultOf = (schema: Schema.Codec<any, any>, value: unknown): string => {
  const result = SchemaParser.decodeUnknownResult(schema)(value)
  if (Result.isSuccess(result)) return "no fault"
  const [first] = format(result.failure).issues
  return `${(first?.path ?? []).map((part) => (typeof part === "object" ? String(part.key) : String(part))).join(".")}: ${first?.message}`
}

describe("a wrong field of a whole transaction", () => {
  it("is named, for every type and field, alone and in its block", async () => {
    const block = await Made.block(Hardfork.Prague)
    const transactions = Made.list(block["transactions"]).map(Made.object)
    const types = new Set(transactions.map(({ type }) => type))
    assert.sameMembers([...types], ["0x0", "0x1", "0x2", "0x3", "0x4"])
    let tried = 0
    for (const [at, transaction] of transactions.entries()) {
      for (const name of Object.keys(transaction)) {
        const wrong = { ...transaction, [name]: { not: "it" } }
        const fault = faultOf(Transaction.Transaction, wrong)
        assert.strictEqual(fault.slice(0, name.length + 1), `${name}:`, `${Made.string(transaction["type"])} ${fault}`)
        tried++
        const lists = { ...block, transactions: transactions.with(at, wrong) }
        for (const schema of [Block.Block, Block.WithTransactions]) {
          // another first item makes a list of hashes
          assert.strictEqual(faultOf(schema, lists), `transactions.${at}.${fault}`)
        }
      }
    }
    assert.isAbove(tried, 80)
  })

  it("is one that lacks, and a type in another spelling is named as that type", async () => {
    const [legacy, ...others] = Made.list((await Made.block(Hardfork.Prague))["transactions"]).map(Made.object)
    const { v: _, ...withoutV } = legacy!
    assert.strictEqual(faultOf(Transaction.Transaction, withoutV), "v: Missing key")
    for (const { type, gas: __, ...rest } of others) {
      assert.strictEqual(faultOf(Transaction.Transaction, { type, ...rest }), "gas: Missing key")
      const padded = { ...rest, type: `0x0${Made.string(type).slice(2)}` }
      assert.include(faultOf(Transaction.Transaction, padded), `type: Expected "${Made.string(type)}"`)
    }
    assert.match(faultOf(Transaction.Transaction, { type: "0x", hash: "0x" }), /^type: /u)
    assert.match(faultOf(Transaction.Transaction, { type: "0x64", hash: "0x" }), /^hash: /u)
    // 64 bits: a type of megabytes must not be read digit by digit
    assert.match(faultOf(Transaction.Transaction, { type: `0x7${"e".repeat(15)}`, hash: "0x" }), /^hash: /u)
    assert.match(faultOf(Transaction.Transaction, { type: `0x7${"e".repeat(16)}`, hash: "0x" }), /^type: /u)
    assert.match(faultOf(EthSubscriptions.newPendingTransactions.item, { ...legacy, gas: 5 }), /^gas: /u)
    assert.match(faultOf(EthSubscriptions.newPendingTransactions.item, "0x12"), /^: Expected .*32 bytes/u)
  })

  it("is a wrong hash in a list of hashes", async () => {
    const block = await Made.block(Hardfork.Prague)
    const hashes = Made.list(block["transactions"]).map((one) => Made.object(one)["hash"]!)
    const fault = faultOf(Block.Block, { ...block, transactions: [...hashes, "0x12"] })
    assert.match(fault, new RegExp(`^transactions\\.${hashes.length}: Expected .*32`, "u"))
    assert.match(faultOf(Block.Block, { ...block, transactions: "none" }), /^transactions: Expected/u)
  })
})

describe("a wrong block parameter", () => {
  const schemas = [BlockParameter.BlockParameter, BlockParameter.NumberOrTag]
  const texts: ReadonlyArray<readonly [value: unknown, fault: RegExp]> = [
    ["0x045", /^: Expected a 0x quantity without leading zeros$/u],
    ["0x", /^: Expected a 0x quantity/u],
    [`0x1${"0".repeat(16)}`, /^: Expected a value between 0n and 18446744073709551615n$/u],
    ["Latest", /^: Expected a number in hex, or a tag: latest, earliest, pending, safe or finalized$/u],
    [5, /^: Expected a number in hex, or a tag/u],
    [null, /^: Expected a number in hex, or a tag/u]
  ]
  for (const [value, fault] of texts) {
    it(`is described by its form: ${String(value)}`, () => {
      for (const schema of schemas) assert.match(faultOf(schema, value), fault)
    })
  }

  it("names the field of an object, and digits of a hash", () => {
    const { BlockParameter: schema } = BlockParameter
    assert.match(faultOf(schema, `0x${"zz".repeat(32)}`), /^: Expected .*32 bytes/u)
    assert.match(faultOf(schema, { blockNumber: "0x045" }), /^blockNumber: Expected a 0x quantity without/u)
    assert.match(faultOf(schema, { blockHash: "0x12" }), /^blockHash: Expected .*32 bytes/u)
    assert.match(faultOf(schema, { blockHash: `0x${"12".repeat(32)}`, requireCanonical: 1 }), /^requireCanonical: /u)
  })
})

describe("a wrong filter of logs", () => {
  it("is described by its form: of a block or of a range", () => {
    const hash = `0x${"12".repeat(32)}`
    const cases: ReadonlyArray<readonly [value: unknown, fault: RegExp]> = [
      [{ fromBlock: "0x045" }, /^fromBlock: Expected a 0x quantity without/u],
      [{ fromBlock: "Latest" }, /^fromBlock: Expected a number in hex, or a tag/u],
      [{ fromBlock: "0x1", toBlock: "0x045" }, /^toBlock: Expected a 0x quantity without/u],
      [{ blockHash: "0x12" }, /^blockHash: Expected .*32 bytes/u],
      [{ blockHash: hash, toBlock: "0x1" }, /^toBlock: Expected no value beside blockHash/u],
      [{ fromBlock: "0x1", address: "0x12" }, /^address: Expected .*20 bytes/u],
      [{ fromBlock: "0x1", address: [`0x${"12".repeat(20)}`, "0x12"] }, /^address\.1: Expected .*20 bytes/u],
      [{ topics: [null, ["0x12"]] }, /^topics\.1\.0: Expected .*32 bytes/u],
      [{ blockHash: hash, topics: ["0x12"] }, /^topics\.0: Expected .*32 bytes/u]
    ]
    for (const [value, fault] of cases) assert.match(faultOf(LogFilter.LogFilter, value), fault)
  })
})

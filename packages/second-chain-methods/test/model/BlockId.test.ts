import { assert, describe, it } from "@effect/vitest"
import { BlockId } from "@plumbline/second-chain-methods"
import { Result, Schema, SchemaIssue, SchemaParser } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const faultOf = (value: unknown): string => {
  const result = SchemaParser.decodeUnknownResult(BlockId.BlockId)(value)
  if (Result.isSuccess(result)) return "no fault"
  const [first] = format(result.failure).issues
  return `${(first?.path ?? []).map(String).join(".")}: ${first?.message}`
}

describe("a block id", () => {
  it("is read and written in each form", () => {
    const forms: ReadonlyArray<readonly [wire: unknown, id: unknown]> = [
      ["latest", "latest"],
      ["l1_accepted", "l1_accepted"],
      [{ block_hash: "0x7" }, "0x7"],
      [{ block_number: 7 }, 7n]
    ]
    for (const [wire, id] of forms) {
      assert.strictEqual(Schema.decodeUnknownSync(BlockId.BlockId)(wire), id)
      assert.deepStrictEqual(Schema.encodeUnknownSync(BlockId.BlockId)(id), wire)
    }
  })

  it("is described by its form where it is wrong", () => {
    assert.match(faultOf("newest"), /^: Expected "latest" \| "pending"/u)
    assert.match(faultOf({ block_number: "0x7" }), /^block_number: Expected /u)
    assert.match(faultOf({ block_number: -1 }), /^block_number: Expected /u)
    assert.match(faultOf({ block_hash: 7 }), /^block_hash: Expected /u)
    assert.match(faultOf({}), /^block_hash: Missing key/u)
  })
})

/**
 * Compares the hand-written conversions with Effect's interpreter, value by value. Both must accept the same values and
 * return the same results.
 */
import { assert, describe, it } from "@effect/vitest"
import { Block, Broadcast, FunctionCall, Receipt, SyncStatus, Transaction } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

import * as Made from "../support/transactions.ts"

const price = { price_in_fri: "0x1", price_in_wei: "0x2" }
const header = {
  status: "ACCEPTED_ON_L2",
  block_hash: "0xb10c",
  parent_hash: "0xfa7e",
  block_number: 7,
  new_root: "0x1",
  timestamp: 1,
  sequencer_address: "0x5e9",
  l1_gas_price: price,
  l2_gas_price: price,
  l1_data_gas_price: price,
  l1_da_mode: "BLOB",
  starknet_version: "0.14.0"
}
const { transaction_hash: _, ...invoke } = Made.wire["INVOKE v3"]
const { transaction_hash: __, ...deployAccount } = Made.wire["DEPLOY_ACCOUNT v1"]

const cases: ReadonlyArray<readonly [name: string, schema: Schema.Codec<any, any>, ...samples: ReadonlyArray<object>]> =
  [
    ["Transaction", Transaction.Transaction, ...Object.values(Made.wire)],
    [
      "Unknown",
      Transaction.Unknown,
      { type: "LATER", version: "0x9", transaction_hash: "0x1" },
      Made.wire["INVOKE v1"]
    ],
    ["Broadcast.Invoke", Broadcast.Invoke, invoke],
    ["Broadcast.DeployAccount", Broadcast.DeployAccount, deployAccount],
    ["Broadcast.AccountDeployed", Broadcast.AccountDeployed, { transaction_hash: "0x1", contract_address: "0x2" }],
    ["Block.AnyWithHashes", Block.AnyWithHashes, { ...header, transactions: ["0x1"] }, { transactions: [] }],
    ["Block.AnyWithTransactions", Block.AnyWithTransactions, { ...header, transactions: [Made.wire["INVOKE v1"]] }],
    ["Block.HashAndNumber", Block.HashAndNumber, { block_hash: "0x1", block_number: 7 }],
    [
      "Receipt",
      Receipt.Receipt,
      {
        transaction_hash: "0x1",
        type: "DEPLOY",
        actual_fee: { amount: "0x1", unit: "WEI" },
        execution_status: "REVERTED",
        finality_status: "PRE_CONFIRMED",
        status: "PENDING",
        revert_reason: "no",
        block_hash: "0x1",
        block_number: 0,
        messages_sent: [{ from_address: "0x1", to_address: "0x2", payload: ["0x3"] }],
        events: [{ from_address: "0x1", keys: [], data: ["0x4"] }],
        contract_address: "0x1",
        message_hash: "0x2",
        execution_resources: { steps: "0x1" }
      },
      { transaction_hash: "0x1", actual_fee: "0x1", messages_sent: [], events: [] }
    ],
    [
      "SyncStatus.Progress",
      SyncStatus.SyncProgress,
      {
        starting_block_hash: "0x1",
        starting_block_num: 1,
        current_block_hash: "0x2",
        current_block_num: "0x2",
        highest_block_hash: "0x3",
        highest_block_num: 3
      }
    ],
    ["FunctionCall", FunctionCall.FunctionCall, { contract_address: "0x1", entry_point_selector: "0x2", calldata: [] }]
  ]

const values: ReadonlyArray<unknown> = [
  null,
  undefined,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  7n,
  -1n,
  2n ** 64n,
  "",
  "0x",
  "0x0",
  "0X1",
  "0xF",
  `0x${"f".repeat(16)}`,
  `0x1${"0".repeat(16)}`,
  `0x1${"0".repeat(32)}`,
  `0x8${"0".repeat(62)}`,
  `0x9${"0".repeat(62)}`,
  `0x${"0".repeat(64)}`,
  `0x${"0".repeat(65)}`,
  "L1",
  "WEI",
  "0x3",
  [],
  [null],
  ["0x1"],
  {},
  { max_amount: "0x1", max_price_per_unit: "0x1" }
]

const plain = (result: Result.Result<unknown, unknown>): unknown =>
  Result.isFailure(result) ? "refused" : result.success

/** Returns the object with one place changed, added or removed. */
const changed = (random: Random.Random, value: object): object => {
  const copy: Record<string, unknown> = { ...value }
  const field = Random.pick(random, [...Object.keys(copy), "another"])
  const inner = copy[field]
  if (typeof inner === "object" && inner !== null && !Array.isArray(inner) && Random.int(random, 2) === 0) {
    copy[field] = changed(random, inner)
  } else if (Random.int(random, 4) === 0) delete copy[field]
  else copy[field] = Random.pick(random, values)
  return copy
}

describe("wire objects", () => {
  for (const [name, schema, ...samples] of cases) {
    it(`${name} is converted by hand as the interpreter converts it`, () => {
      // A separate object with an equal Schema. No conversion is installed for this object.
      const interpreted = schema.annotate({ description: "interpreted" })
      const [decode, encode] = [Schema.decodeUnknownResult(schema), Schema.encodeUnknownResult(schema)]
      const theirs = {
        decode: Schema.decodeUnknownResult(interpreted),
        encode: Schema.encodeUnknownResult(interpreted)
      }
      const random = Random.make(name.length)
      let taken = 0
      for (let run = 0; run < Random.runs(400); run++) {
        let wire: object = Random.pick(random, samples)
        for (let change = Random.int(random, 3); change > 0; change--) wire = changed(random, wire)
        const decoded = decode(wire)
        assert.deepStrictEqual(plain(decoded), plain(theirs.decode(wire)))
        // Encoding is tested with values of both forms.
        for (const value of Result.isSuccess(decoded) ? [decoded.success, changed(random, decoded.success)] : [wire]) {
          assert.deepStrictEqual(plain(encode(value)), plain(theirs.encode(value)))
        }
        if (Result.isSuccess(decoded)) taken++
      }
      assert.isAbove(taken, 0)
    })
  }
})

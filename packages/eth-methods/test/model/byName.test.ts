import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

import { Transaction } from "../../src/index.ts"

const hash = `0x${"aB".repeat(32)}`
const address = `0x${"12".repeat(20)}`

const legacy = {
  blockHash: hash,
  blockNumber: "0x10",
  from: address,
  gas: "0x5208",
  gasPrice: "0x7",
  hash,
  input: "0x",
  later: { kept: [1, null] },
  nonce: "0x0",
  to: null,
  transactionIndex: "0x1",
  value: "0xde0b6b3a7640000",
  type: "0x0",
  chainId: "0x1",
  v: "0x26",
  r: "0x1",
  s: hash
}
const dynamicFee = {
  ...legacy,
  type: "0x2",
  to: address,
  maxFeePerGas: "0x9",
  maxPriorityFeePerGas: "0x1",
  accessList: [{ address, storageKeys: [hash] }],
  v: "0x1",
  yParity: "0x1",
  blockTimestamp: "0x64"
}

/** Values that go into each field in turn. */
const values = [
  undefined,
  null,
  "",
  "0x",
  "0x0",
  "0x1",
  "0x01",
  "0x2",
  "0xg",
  "0X1",
  hash,
  `${hash}0`,
  address,
  `0x${"0".repeat(62)}\u0130\u0130`,
  1,
  1n,
  {},
  [],
  [{ address, storageKeys: ["0x"] }],
  [hash]
]

const names = [...new Set([...Object.keys(dynamicFee), "blockTimestamp", "chainID", "yParity"])]

/** The transaction with one field changed, with one field left out, and with its fields in another order. */
const changed = (transaction: Readonly<Record<string, unknown>>): ReadonlyArray<unknown> => [
  transaction,
  Object.fromEntries(Object.entries(transaction).toReversed()),
  Object.assign([], transaction),
  ...names.flatMap((name) => [
    Object.fromEntries(Object.entries(transaction).filter(([other]) => other !== name)),
    ...values.map((value) => ({ ...transaction, [name]: value }))
  ])
]

const shown = (result: Result.Result<object, unknown>): unknown =>
  Result.isFailure(result) ? "refused" : Object.entries(result.success)

describe("transactions decoded by name", () => {
  const any = Schema.decodeUnknownResult(Transaction.Transaction)
  it.each([
    ["legacy", legacy, Schema.decodeUnknownResult(Transaction.Legacy)],
    ["dynamic fee", dynamicFee, Schema.decodeUnknownResult(Transaction.DynamicFee)]
  ] as ReadonlyArray<
    readonly [string, Readonly<Record<string, unknown>>, (value: unknown) => Result.Result<object, unknown>]
  >)("are what their description makes of them: %s", (_, transaction, described) => {
    let taken = 0
    for (const value of changed(transaction)) {
      const expected = described(value)
      // if the change removed or replaced the type, another description applies
      if ((value as { readonly type?: unknown }).type !== transaction["type"]) continue
      assert.deepStrictEqual(shown(any(value)), shown(expected))
      if (Result.isSuccess(expected)) taken++
    }
    assert.isAbove(taken, 60)
  })
})

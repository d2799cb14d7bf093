import * as BlockAccessList from "@plumbline/eth-methods/model/BlockAccessList"
import * as Schema from "effect/Schema"
import { expect, test } from "vitest"

import * as AccessListRows from "../src/screens/accessListRows.ts"

const word = (end: string) => `0x${end.padStart(64, "0")}` as const
const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }
const [a, b, c] = ["11", "22", "33"].map((byte) => `0x${byte.repeat(20)}`)
const decode = Schema.decodeUnknownSync(BlockAccessList.BlockAccessList)

test("every change and every read slot of an access list is a row, and an account without any is one too", () => {
  const rows = AccessListRows.of(
    decode([
      {
        address: a,
        ...none,
        storageChanges: [
          {
            key: word("5"),
            changes: [
              { index: "0x1", value: word("7") },
              { index: "0x3", value: word("8") }
            ]
          }
        ],
        storageReads: [word("9")]
      },
      {
        address: b,
        ...none,
        balanceChanges: [{ index: "0x2", value: "0x4" }],
        nonceChanges: [{ index: "0x2", value: "0x6" }],
        codeChanges: [
          { index: "0x2", code: "0x600160" },
          { index: "0x3", code: "0x" }
        ]
      },
      { address: c, ...none }
    ])
  )
  expect(rows).toEqual([
    { address: a, change: { _tag: "Slot", key: word("5"), word: word("7") }, at: 1n },
    { address: a, change: { _tag: "Slot", key: word("5"), word: word("8") }, at: 3n },
    { address: a, change: { _tag: "Read", key: word("9") }, at: undefined },
    { address: b, change: { _tag: "Balance", wei: 4n }, at: 2n },
    { address: b, change: { _tag: "Nonce", nonce: 6n }, at: 2n },
    { address: b, change: { _tag: "Code", bytes: 3 }, at: 2n },
    { address: b, change: { _tag: "Code", bytes: 0 }, at: 3n },
    { address: c, change: { _tag: "Touched" }, at: undefined }
  ])
})

test("a change is placed among the transactions as their table counts them", () => {
  expect([0n, 1n, 2n, 3n].map((at) => AccessListRows.placeOf(at, 2))).toEqual([
    "before all transactions",
    "transaction 0",
    "transaction 1",
    "after all transactions"
  ])
  expect(AccessListRows.placeOf(1n, 0)).toBe("after all transactions")
})

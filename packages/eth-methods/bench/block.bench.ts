/** Benchmarks for a block of many transactions: decoding, and verifying with and without its senders. */
import { Hardfork } from "@ethereumjs/common"
import { expect, test } from "vitest"

import { Verify } from "../src/index.ts"
import * as Made from "../test/support/made.ts"

const one = Made.signed(Hardfork.Prague)
const json = await Made.block(
  Hardfork.Prague,
  Array.from({ length: 200 }, (_, i) => one[i % one.length]!)
)
const text = JSON.stringify(json)
const block = Made.decodeBlock(json)

test("block of 200 transactions", async ({ bench }) => {
  const result = await bench.compare(
    bench("JSON.parse", () => {
      JSON.parse(text)
    }),
    bench("decode", () => {
      Made.decodeBlock(json)
    }),
    bench("verify without senders", () => {
      Verify.block(block, block.hash!, { senders: false })
    }),
    { time: 500 }
  )
  expect(result).toBeDefined()
})

test("transaction, which is mostly its sender", async ({ bench }) => {
  const transaction = Made.decodeTransaction(Made.list(json["transactions"])[0])
  const { hash } = transaction
  const result = await bench.compare(
    bench("Verify.transaction", () => {
      Verify.transaction(transaction, hash)
    }),
    bench("the same under another hash, refused before the sender", () => {
      Verify.transaction(transaction, block.hash!)
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})

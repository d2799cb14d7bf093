/** Benchmarks for the receipts of a block of many transactions: decoding, and verifying against the block. */
import { Hardfork } from "@ethereumjs/common"
import { expect, test } from "vitest"

import { LogsBloom, Verify } from "../src/index.ts"
import * as Made from "../test/support/made.ts"
import * as Receipts from "../test/support/receipts.ts"

const one = Made.signed(Hardfork.Prague)
const { block: json, receipts } = await Receipts.make(Hardfork.Prague, {
  transactions: Array.from({ length: 200 }, (_, i) => one[i % one.length]!)
})
const text = JSON.stringify(receipts)
const decoded = Receipts.decode(receipts)
const block = Receipts.proven(json, { senders: false })
const verdict = Verify.receipts(decoded, block)
if (verdict._tag === "Failure" || verdict.success._tag === "CLAIMED") throw new Error("not verified")
const proven = verdict.success
const filter = { topics: [decoded[1]!.logs[0]!.topics[0]!] }
const logs = decoded.flatMap((receipt) => receipt.logs.filter((log) => log.topics[0] === filter.topics[0]))
const lists = decoded.map((receipt) => receipt.logs)

test("receipts of 200 transactions, 400 logs", async ({ bench }) => {
  const result = await bench.compare(
    bench("JSON.parse", () => {
      JSON.parse(text)
    }),
    bench("decode", () => {
      Receipts.decode(receipts)
    }),
    bench("Verify.receipts", () => {
      Verify.receipts(decoded, block)
    }),
    bench("of which blooms", () => {
      LogsBloom.ofEach(lists)
    }),
    bench("Verify.logs", () => {
      Verify.logs(logs, filter, block, proven)
    }),
    { time: 500 }
  )
  expect(result).toBeDefined()
})

import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { bigIntToUnpaddedBytes, bytesToHex, createContractAddress, hexToBytes } from "@ethereumjs/util"
import { Result, Schema } from "effect"

import { type Block, BlockRlp, Receipt } from "../../src/index.ts"
import * as Made from "../support/made.ts"

const address = hexToBytes(`0x${"aa".repeat(20)}`)
const topic = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)

/** Makes a block, and receipts of its transactions as nodes encode them. The log of transaction `i` has `i` topics. */
const made = async (hardfork: Hardfork, outcome: (index: number) => Uint8Array) => {
  const transactions = Made.signed(hardfork)
  const answer = await Made.block(hardfork, transactions)
  const block = Made.decodeBlock(answer) as Block.WithTransactions
  const encoded = transactions.map(({ type }, i) => {
    const topics = Array.from({ length: Math.min(i, 4) }, (_, at) => topic(at))
    const logs = Array.from({ length: i }, (_, at) => [address, topics, Uint8Array.of(at)])
    const rlp = RLP.encode([outcome(i), bigIntToUnpaddedBytes(21_000n * BigInt(i + 1)), new Uint8Array(256), logs])
    return type === 0 ? rlp : Uint8Array.from([type, ...rlp])
  })
  return { answer, block, encoded, transactions }
}

const success = (): Uint8Array => Uint8Array.of(1)
const encode = Schema.encodeSync(Receipt.Receipt)

describe("BlockRlp.decodeReceipts", () => {
  for (const hardfork of [Hardfork.Berlin, Hardfork.London, Hardfork.Osaka]) {
    it(`fills in what follows from a block of ${hardfork}, and is undone by encodeReceipt`, async () => {
      const { answer, block, encoded, transactions } = await made(hardfork, (i) =>
        i === 1 ? new Uint8Array(0) : success()
      )
      const receipts = Result.getOrThrow(BlockRlp.decodeReceipts(encoded, block))
      let logIndex = 0
      for (const [i, receipt] of receipts.entries()) {
        const transaction = transactions[i]!
        const place = {
          blockHash: block.hash,
          blockNumber: "0x1312d00",
          transactionHash: bytesToHex(transaction.hash()),
          transactionIndex: `0x${i.toString(16)}`
        }
        const { blobVersionedHashes } = transaction.toJSON()
        assert.deepStrictEqual<unknown>(encode(receipt), {
          ...place,
          type: `0x${transaction.type}`,
          status: i === 1 ? "0x0" : "0x1",
          from: transaction.getSenderAddress().toString(),
          to: transaction.to?.toString() ?? null,
          contractAddress:
            transaction.to === undefined
              ? createContractAddress(transaction.getSenderAddress(), transaction.nonce).toString()
              : null,
          cumulativeGasUsed: `0x${(21_000 * (i + 1)).toString(16)}`,
          gasUsed: "0x5208",
          effectiveGasPrice: Made.object(Made.list(answer["transactions"])[i])["gasPrice"],
          logsBloom: `0x${"00".repeat(256)}`,
          logs: Array.from({ length: i }, (_, at) => ({
            ...place,
            address: bytesToHex(address),
            topics: Array.from({ length: Math.min(i, 4) }, (_, at) => bytesToHex(topic(at))),
            data: `0x0${at}`,
            blockTimestamp: "0x6553f100",
            logIndex: `0x${(logIndex++).toString(16)}`,
            removed: false
          })),
          ...(blobVersionedHashes === undefined
            ? {}
            : { blobGasUsed: `0x${(131_072 * blobVersionedHashes.length).toString(16)}` })
        })
        assert.deepStrictEqual(BlockRlp.encodeReceipt(receipt), encoded[i])
      }
    })
  }

  it("reads the state roots of before Byzantium", async () => {
    const { block, encoded } = await made(Hardfork.Homestead, (i) => topic(i))
    const [receipt] = Result.getOrThrow(BlockRlp.decodeReceipts(encoded, block))
    assert.strictEqual<unknown>(receipt!.root, bytesToHex(topic(0)))
    assert.isFalse("status" in receipt!)
    assert.deepStrictEqual(BlockRlp.encodeReceipt(receipt!), encoded[0])
  })

  it("says what is wrong, and where", async () => {
    const { block, encoded } = await made(Hardfork.Berlin, success)
    const bloom = new Uint8Array(256)
    const gas = Uint8Array.of(9)
    const log = [address, [topic(1)], new Uint8Array(0)]
    const first = (item: any) => encoded.with(0, RLP.encode(item))
    const cases: ReadonlyArray<readonly [expected: string, encoded: ReadonlyArray<Uint8Array>]> = [
      ["receipts: expected 4 receipts, got 3", encoded.slice(1)],
      ["receipts[0]: expected canonical RLP, got Empty", encoded.with(0, new Uint8Array(0))],
      ["receipts[3]: expected the type 0x01, got 0x02", encoded.with(3, encoded[3]!.with(0, 2))],
      ["receipts[3]: expected the type 0x01, got no bytes", encoded.with(3, new Uint8Array(0))],
      ["receipts[0]: expected a list of 4 items", first([success(), gas, bloom])],
      ["receipts[0].status: expected 0, 1 or a root of 32 bytes, got 2", first([Uint8Array.of(2), gas, bloom, []])],
      ["receipts[0].status: expected a number below 2^256", first([Uint8Array.of(0), gas, bloom, []])],
      ["receipts[0].cumulativeGasUsed: expected a number", first([success(), Uint8Array.of(0, 9), bloom, []])],
      ["receipts[0].logsBloom: expected 256 bytes", first([success(), gas, gas, []])],
      ["receipts[0].logs[0]: expected a list of 3 items", first([success(), gas, bloom, [[]]])],
      ["receipts[0].logs[1].address: expected 20 bytes", first([success(), gas, bloom, [log, log.with(0, gas)]])],
      [
        "receipts[0].logs[0].topics: expected a list of 0, 1, 2, 3 or 4 items, got a list of 5 items",
        first([
          success(),
          gas,
          bloom,
          [
            log.with(
              1,
              Array.from({ length: 5 }, () => topic(1))
            )
          ]
        ])
      ],
      ["receipts[0].logs[0].topics[0]: expected 32 bytes", first([success(), gas, bloom, [log.with(1, [gas])]])],
      ["receipts[1].cumulativeGasUsed: expected 42000 or more", encoded.toSpliced(0, 2, encoded[1]!, encoded[0]!)]
    ]
    for (const [expected, changed] of cases) {
      const read = BlockRlp.decodeReceipts(changed, block)
      assert(Result.isFailure(read), expected)
      assert.include(read.failure.message, expected)
    }
  })
})

import { assert, describe, it } from "@effect/vitest"
import { type BlockHeader, createBlockFromRLP, createBlockHeader } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes } from "@ethereumjs/util"
import { Keccak256 } from "@plumbline/codec"
import { Result } from "effect"

import { type Block, BlockRlp, type Transaction } from "../../src/index.ts"
import * as Made from "../support/made.ts"

const mined = (hardfork: Hardfork): boolean => !Made.common(hardfork).gteHardfork(Hardfork.Paris)

const uncle = (hardfork: Hardfork, number: bigint, uncleHash?: Uint8Array): BlockHeader =>
  createBlockHeader(
    {
      ...(uncleHash === undefined ? {} : { uncleHash }),
      number,
      difficulty: 131_072n,
      gasLimit: 30_000_000n,
      timestamp: 1_699_999_000n,
      extraData: hexToBytes("0xbeef")
    },
    { common: Made.common(hardfork), skipConsensusFormatValidation: true }
  )

/**
 * Makes a block of a fork, and the block's RLP. The block has transactions of all types of the fork and, if the fork
 * allows uncles, two of them.
 */
const made = async (hardfork: Hardfork) => {
  const headers = mined(hardfork) ? [uncle(hardfork, 19_999_998n), uncle(hardfork, 19_999_999n)] : []
  const answer = await Made.block(hardfork, Made.signed(hardfork), headers)
  const block = Made.decodeBlock(answer) as Block.WithTransactions
  const uncles = headers.map((header) => Result.getOrThrow(BlockRlp.decodeHeader(RLP.encode(header.raw()))))
  return { answer, headers, bytes: Result.getOrThrow(BlockRlp.encode({ block, uncles })) }
}

/** Pads `r` and `s`: ethereumjs omits their leading zeros, and the interface has them. */
const padded = (json: Made.Json): Made.Json => {
  if (Array.isArray(json)) return json.map(padded)
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      name === "r" || name === "s" ? `0x${Made.string(value).slice(2).padStart(64, "0")}` : padded(value)
    ])
  )
}

const encodeBlock = (block: Block.Block): Made.Json => Made.encodeBlock(block) as unknown as Made.Json
const encodeTransaction = (transaction: Transaction.Transaction): Made.Json =>
  Made.encodeTransaction(transaction) as Made.Json

describe("BlockRlp.encode and BlockRlp.decode", () => {
  for (const [hardfork] of Made.forks) {
    it(`write and read a block of ${hardfork} as ethereumjs does`, async () => {
      const { answer, bytes, headers } = await made(hardfork)
      const theirs = createBlockFromRLP(bytes, {
        common: Made.common(hardfork),
        skipConsensusFormatValidation: true
      })
      assert.strictEqual(bytesToHex(theirs.hash()), answer["hash"])
      assert.deepStrictEqual(bytesToHex(theirs.serialize()), bytesToHex(bytes))
      const ours = Result.getOrThrow(BlockRlp.decode(bytes))
      assert.deepStrictEqual(encodeBlock(ours.block), padded(answer))
      assert.deepStrictEqual(
        ours.uncles.map((one): ReadonlyArray<unknown> => [one.hash, one.number, one.extraData]),
        headers.map((header) => [bytesToHex(header.hash()), header.number, "0xbeef"])
      )
    })

    it(`name the fields of a header of ${hardfork} in the order in which ethereumjs writes them`, async () => {
      const { answer, bytes } = await made(hardfork)
      const { header } = createBlockFromRLP(bytes, {
        common: Made.common(hardfork),
        skipConsensusFormatValidation: true
      })
      const significant = (hex: string): string => hex.replace(/^0x0*/, "")
      const items = header.raw()
      assert.deepStrictEqual(
        BlockRlp.headerFields.slice(0, items.length).map((name) => significant(Made.string(answer[name]))),
        items.map((item) => significant(bytesToHex(item)))
      )
    })
  }

  it("read hashes and parts as well, without senders", async () => {
    const { answer, bytes } = await made(Hardfork.Osaka)
    const parts = Result.getOrThrow(BlockRlp.split(bytes))
    const hashes = BlockRlp.transactionHashes(parts)
    const block = BlockRlp.assemble(parts, hashes)
    assert.deepStrictEqual(encodeBlock(block), {
      ...answer,
      transactions: Made.list(answer["transactions"]).map((one) => Made.object(one)["hash"]!)
    })
    assert.deepStrictEqual(
      parts.transactions.map((encoded) => Keccak256.hashHex(encoded)),
      [...hashes]
    )
  })

  it("count an uncle as a block without bodies, and leave its own uncles open if it had some", () => {
    const header = uncle(Hardfork.Berlin, 5n)
    const uncles = [header, uncle(Hardfork.Berlin, 6n, new Uint8Array(32).fill(7))]
    const bytes = RLP.encode([header.raw(), [], uncles.map((one) => one.raw())])
    const read = Result.getOrThrow(BlockRlp.decode(bytes)).uncles
    assert.strictEqual(read[0]!.size, BigInt(RLP.encode([header.raw(), [], []]).length))
    assert.deepStrictEqual([read[0]!.uncles, read[1]!.uncles], [[], undefined])
  })

  it("keep a transaction of a type that nobody knows, in its place", () => {
    const raw = Uint8Array.of(0x64, 0xc2, 1, 2)
    const header = uncle(Hardfork.Berlin, 5n)
    const bytes = RLP.encode([header.raw(), [raw], []])
    const { block, uncles } = Result.getOrThrow(BlockRlp.decode(bytes))
    const json = Made.object(Made.list(Made.object(encodeBlock(block))["transactions"])[0])
    assert.deepStrictEqual(json, {
      blockHash: bytesToHex(header.hash()),
      blockNumber: "0x5",
      transactionIndex: "0x0",
      hash: Keccak256.hashHex(raw),
      type: "0x64",
      raw: "0x64c20102"
    })
    assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode({ block, uncles })), bytes)
    const { raw: _, ...without } = json
    const lost = { ...block, transactions: [Made.decodeTransaction(without)] }
    const refused = BlockRlp.encode({ block: lost, uncles })
    assert.isTrue(Result.isFailure(refused) && refused.failure.check === "transactions[0].type")
  })

  it("refuse to write a block whose header is none", async () => {
    const { answer } = await made(Hardfork.Prague)
    const { withdrawalsRoot: _, ...hole } = answer
    for (const wrong of [hole, { ...answer, nonce: null }]) {
      const block = Made.decodeBlock(wrong) as Block.WithTransactions
      assert.isTrue(Result.isFailure(BlockRlp.encode({ block, uncles: [] })))
    }
  })
})

describe("BlockRlp.decodeTransaction", () => {
  it("reads every type of every fork as ethereumjs wrote it, with its sender", () => {
    for (const [hardfork] of Made.forks) {
      for (const transaction of Made.signed(hardfork)) {
        const bytes = transaction.serialize()
        const read = Result.getOrThrow(BlockRlp.decodeTransaction(bytes))
        const answer = Made.object(padded(Made.answerOf(transaction)))
        // the encoding does not hold the price that a pending transaction will pay
        if (transaction.type > 1) delete answer["gasPrice"]
        assert.deepStrictEqual(encodeTransaction(read), answer)
        assert.deepStrictEqual(BlockRlp.encodeTransaction(read), bytes)
      }
    }
  })

  it("takes a sender that is known", () => {
    const [transaction] = Made.signed(Hardfork.London)
    const from = Made.decodeTransaction(Made.answerOf(transaction!))["from"] as Transaction.KnownTransaction["from"]
    const other = `0x${"ab".repeat(20)}` as Transaction.KnownTransaction["from"]
    const bytes = transaction!.serialize()
    assert.strictEqual(Result.getOrThrow(BlockRlp.decodeTransaction(bytes, { from: other }))["from"], other)
    assert.strictEqual(Result.getOrThrow(BlockRlp.decodeTransaction(bytes))["from"], from)
  })

  it("says what is wrong, and where", () => {
    const legacy = Made.signed(Hardfork.Berlin)[0]!.raw() as ReadonlyArray<Uint8Array>
    const typed = Made.signed(Hardfork.Berlin)[3]!.raw() as Array<any>
    const setCode = Made.signed(Hardfork.Prague).at(-1)!.raw() as Array<any>
    const blob = Made.signed(Hardfork.Cancun).at(-1)!.raw() as Array<any>
    const ofType = (type: number, items: any) => Uint8Array.from([type, ...RLP.encode(items)])
    const byte = Uint8Array.of(1)
    const cases: ReadonlyArray<readonly [expected: string, bytes: Uint8Array]> = [
      ["transaction: expected a transaction, got no bytes", new Uint8Array(0)],
      ["transaction: expected a type from 0x01 to 0x7f, got 0x00", ofType(0, legacy)],
      ["transaction: expected a type from 0x01 to 0x7f, got 0x80", Uint8Array.of(0x80)],
      ["transaction: expected canonical RLP, got Empty at byte 0", Uint8Array.of(2)],
      [
        "transaction: expected canonical RLP, got TrailingBytes at byte",
        Uint8Array.from([...RLP.encode([...legacy]), 0])
      ],
      ["transaction: expected a list of 9 items, got a list of 8 items", RLP.encode(legacy.slice(1))],
      ["transaction: expected a list of 11 items, got a list of 12 items", ofType(1, [...typed, byte])],
      ["transaction.nonce: expected a number below 2^256", RLP.encode(legacy.with(0, Uint8Array.of(0, 1)))],
      [
        "transaction.gas: expected a byte string, got a list of 0 items",
        RLP.encode((legacy as Array<any>).with(2, []))
      ],
      ["transaction.to: expected 20 bytes, got 0x01", RLP.encode(legacy.with(3, byte))],
      ["transaction.value: expected a number below 2^256", RLP.encode(legacy.with(4, new Uint8Array(33).fill(1)))],
      ["transaction.s: expected a number below 2^256", RLP.encode(legacy.with(8, new Uint8Array(32)))],
      [
        "transaction.signature: expected one that some key can make, got none",
        RLP.encode(legacy.with(7, new Uint8Array(0)))
      ],
      ["transaction.signature: expected one that some key can make, got none", RLP.encode(legacy.with(6, byte))],
      ["transaction.accessList: expected a list, got 0x01", ofType(1, typed.with(7, byte))],
      [
        "transaction.accessList[0]: expected a list of 2 items, got a list of 1 items",
        ofType(1, typed.with(7, [[byte]]))
      ],
      ["transaction.accessList[0].address: expected 20 bytes, got 0x01", ofType(1, typed.with(7, [[byte, []]]))],
      [
        "transaction.accessList[0].storageKeys[1]: expected 32 bytes",
        ofType(1, typed.with(7, [[new Uint8Array(20), [new Uint8Array(32), byte]]]))
      ],
      ["transaction.yParity: expected a number below 2^256", ofType(1, typed.with(8, Uint8Array.of(0)))],
      ["transaction.blobVersionedHashes[0]: expected 32 bytes, got 0x01", ofType(3, blob.with(10, [byte]))],
      ["transaction.authorizationList[0]: expected a list of 6 items", ofType(4, setCode.with(9, [[byte]]))]
    ]
    for (const [expected, bytes] of cases) {
      const read = BlockRlp.decodeTransaction(bytes)
      assert(Result.isFailure(read), expected)
      assert.include(read.failure.message, expected)
    }
  })
})

describe("BlockRlp.decodeHeader", () => {
  it("says what is wrong, and where", async () => {
    const raw = uncle(Hardfork.London, 7n).raw() as Array<any>
    const cases: ReadonlyArray<readonly [expected: string, item: any]> = [
      ["header: expected a list, got 0x01", Uint8Array.of(1)],
      ["header: expected a list of 15, 16, 17, 20, 21 or 23 items, got a list of 14 items", raw.slice(0, 14)],
      ["header: expected a list of 15, 16, 17, 20, 21 or 23 items, got a list of 18 items", [...raw, raw[0], raw[8]]],
      ["header.parentHash: expected 32 bytes", raw.with(0, new Uint8Array(31))],
      ["header.miner: expected 20 bytes", raw.with(2, new Uint8Array(0))],
      ["header.logsBloom: expected 256 bytes", raw.with(6, new Uint8Array(255))],
      ["header.number: expected a number below 2^256", raw.with(8, Uint8Array.of(0))],
      ["header.nonce: expected 8 bytes", raw.with(14, new Uint8Array(9))],
      ["header.extraData: expected a byte string, got a list of 1 items", raw.with(12, [raw[0]])]
    ]
    for (const [expected, item] of cases) {
      const read = BlockRlp.decodeHeader(RLP.encode(item))
      assert(Result.isFailure(read), expected)
      assert.include(read.failure.message, expected)
    }
  })

  it("reads back what it wrote", () => {
    for (const [hardfork] of Made.forks.filter(([hardfork]) => mined(hardfork))) {
      const bytes = RLP.encode(uncle(hardfork, 9n).raw())
      const header = Result.getOrThrow(BlockRlp.decodeHeader(bytes))
      assert.strictEqual(header.hash, bytesToHex(uncle(hardfork, 9n).hash()))
      assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encodeHeader(header)), bytes)
    }
  })
})

describe("BlockRlp.split", () => {
  it("refuses blocks of other shapes", () => {
    const old = uncle(Hardfork.Berlin, 5n).raw()
    const shanghai = createBlockHeader(
      { number: 5n, withdrawalsRoot: new Uint8Array(32) },
      { common: Made.common(Hardfork.Shanghai) }
    ).raw()
    const withdrawal = [Uint8Array.of(1), Uint8Array.of(2), new Uint8Array(20), Uint8Array.of(3)]
    const cases: ReadonlyArray<readonly [expected: string, item: any]> = [
      ["expected a list of 3 or 4 items, got a list of 2 items", [old, []]],
      ["expected a list of 3 or 4 items, got a list of 5 items", [shanghai, [], [], [], []]],
      ["withdrawals: expected nothing: the header has no withdrawalsRoot, got a list", [old, [], [], []]],
      ["withdrawals: expected a list: the header has a withdrawalsRoot, got nothing", [shanghai, [], []]],
      ["withdrawals[1]: expected a list of 4 items", [shanghai, [], [], [withdrawal, []]]],
      ["withdrawals[0].address: expected 20 bytes", [shanghai, [], [], [withdrawal.with(2, Uint8Array.of(1))]]],
      ["transactions: expected a list, got 0x", [old, new Uint8Array(0), []]],
      ["transactions[0]: expected a list, or a type below 0x80", [old, [new Uint8Array(0)], []]],
      ["transactions[0]: expected a list, or a type below 0x80", [old, [Uint8Array.of(0xc0)], []]],
      ["uncles[0]: expected a list of 15", [old, [], [[]]]]
    ]
    for (const [expected, item] of cases) {
      const read = BlockRlp.split(RLP.encode(item))
      assert(Result.isFailure(read), expected)
      assert.include(read.failure.message, expected)
    }
  })

  it("knows one encoding of a block: whatever else it reads, it writes again to the byte", async () => {
    const { bytes } = await made(Hardfork.Osaka)
    const { bytes: old } = await made(Hardfork.London)
    let read = 0
    let refused = 0
    for (const original of [bytes, old]) {
      for (let at = 0; at < original.length; at++) {
        const changed = original.with(at, original[at]! ^ (1 << (at & 7)))
        const parts = BlockRlp.split(changed)
        if (Result.isFailure(parts)) {
          refused++
          continue
        }
        const from = `0x${"00".repeat(20)}` as Transaction.KnownTransaction["from"]
        const transactions = parts.success.transactions.map((encoded) => BlockRlp.decodeTransaction(encoded, { from }))
        if (!transactions.every(Result.isSuccess)) {
          refused++
          continue
        }
        read++
        const block = BlockRlp.assemble(
          parts.success,
          transactions.map((one) => one.success)
        )
        const again = BlockRlp.encode({ block, uncles: parts.success.uncles })
        assert.deepStrictEqual(Result.getOrThrow(again), changed, `byte ${at}`)
      }
    }
    assert.isAbove(read, 1000)
    assert.isAbove(refused, 100)
  })
})

/**
 * Blocks of the OP stack as op-geth makes them, in the form of each fork: proven, changed in every field, and encoded
 * again. `scripts/opStackChain.ts` recorded them. viem encodes the deposits independently.
 */
import { assert, describe, it } from "@effect/vitest"
import * as rlp from "@ethereumjs/rlp"
import { Hash32, Hex } from "@plumbline/codec"
import { Result, Schema } from "effect"
import { keccak256 } from "viem"
import { serializeTransaction } from "viem/op-stack"

import { Block, BlockRlp, EthEvidence, OnlyProven, Receipt, Transaction, Verify } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import { chains, type Recorded } from "../support/opStackChain.ts"

const succeed = Result.getOrThrow
const decodeBlock = Schema.decodeUnknownSync(Block.WithTransactions)
const decodeBlockResult = Schema.decodeUnknownResult(Block.WithTransactions)
const decodeReceipts = Schema.decodeUnknownSync(Schema.Array(Receipt.Receipt))
const decodeReceiptsResult = Schema.decodeUnknownResult(Schema.Array(Receipt.Receipt))
const hashOf = (block: Made.JsonObject) => Hash32.fromHexUnsafe(Made.string(block["hash"]))

const verify = (block: Made.JsonObject, asked: Made.JsonObject, chainId?: bigint) =>
  Verify.block(decodeBlock(block), hashOf(asked), { chainId })

const proven = (block: Made.JsonObject) => {
  const verdict = succeed(verify(block, block))
  assert(verdict._tag === "VERIFIED")
  return verdict
}

const fields = (claimed: ReadonlyArray<{ readonly field: string }>): Array<string> =>
  [...new Set(claimed.map(({ field }) => field.replaceAll(/\[\d+\]/gu, "[]")))].toSorted()

/** Returns another value of the same form. */
const changed = (value: Made.Json): Made.Json => {
  if (typeof value === "boolean") return !value
  if (value === null) return "0x1111111111111111111111111111111111111111"
  const text = Made.string(value)
  if (text === "0x") return "0x00"
  return text.slice(0, -1) + (text.endsWith("1") ? "2" : "1")
}

/** Returns the bytes in the trie. Between Regolith and Canyon, op-geth adds a nonce that the trie does not hold. */
const inTrie = (raw: Hex.Hex): Uint8Array => {
  const bytes = Hex.toBytesUnsafe(raw)
  if (bytes[0] !== 0x7e) return bytes
  const items = rlp.RLP.decode(bytes.subarray(1)) as ReadonlyArray<Uint8Array>
  return items.length === 5 ? new Uint8Array([0x7e, ...rlp.RLP.encode(items.slice(0, 4))]) : bytes
}

/** The fields of a receipt that no hash covers. */
const FEES = [
  "l1GasPrice",
  "l1GasUsed",
  "l1Fee",
  "l1FeeScalar",
  "l1BaseFeeScalar",
  "l1BlobBaseFee",
  "l1BlobBaseFeeScalar",
  "operatorFeeScalar",
  "operatorFeeConstant",
  "daFootprintGasScalar"
]

for (const { blocks, fork } of chains) {
  const since = (other: string): boolean => {
    const order = chains.map((chain) => chain.fork)
    return order.indexOf(fork) >= order.indexOf(other)
  }

  describe(`blocks of ${fork}`, () => {
    it("are proven whole, with receipts and no claim but the nonces and fees that no hash covers", () => {
      for (const { block, receipts } of blocks) {
        const verdict = proven(block)
        assert.deepStrictEqual(
          fields(verdict.claimed),
          since("canyon") ? ["transactions[].depositReceiptVersion", "transactions[].nonce"] : ["transactions[].nonce"]
        )
        const evidence = verdict.proven.map(({ sentence }) => sentence)
        assert.include(evidence, "senders: recovered from the signatures; those of 4 deposits are in their hashes")
        assert.strictEqual(verdict.proven.some(EthEvidence.NoWithdrawals.is), since("isthmus"))
        const list = succeed(Verify.receipts(decodeReceipts(receipts), verdict))
        assert(list._tag === "VERIFIED")
        const open = fields(list.claimed).map((field) => field.replace("receipts[].", ""))
        const may = new Set([...FEES, "blobGasUsed", ...(since("canyon") ? [] : ["depositNonce", "contractAddress"])])
        assert.deepStrictEqual(
          open.filter((field) => !may.has(field)),
          []
        )
        // each receipt alone too
        for (const receipt of list.value) {
          const [own] = decodeReceipts([receipts[Number(receipt.transactionIndex)]])
          assert.strictEqual(succeed(Verify.receipt(own!, receipt.transactionHash, list))._tag, "VERIFIED")
        }
      }
    })

    it("have their encodings of op-geth, and are read from them", () => {
      for (const { block, rawBlock, rawReceipts, receipts } of blocks) {
        const bytes = Hex.toBytesUnsafe(rawBlock)
        const whole = succeed(BlockRlp.decode(bytes))
        assert.deepStrictEqual(succeed(BlockRlp.encode(whole)), bytes)
        assert.deepStrictEqual(succeed(BlockRlp.encode({ block: decodeBlock(block), uncles: [] })), bytes)
        assert.strictEqual(whole.block.hash, block["hash"])
        const encoded = rawReceipts.map(inTrie)
        const read = succeed(BlockRlp.decodeReceipts(encoded, whole.block))
        const said = decodeReceipts(receipts)
        for (const [i, receipt] of read.entries()) {
          assert.deepStrictEqual(BlockRlp.encodeReceipt(receipt), encoded[i])
          assert.deepStrictEqual(BlockRlp.encodeReceipt(said[i]!), encoded[i])
          // every field that the bytes give is as op-geth says
          const fieldsOf: Readonly<Record<string, any>> = said[i]!
          for (const [name, value] of Object.entries(receipt)) {
            if (name === "logs" || (name === "contractAddress" && receipt.status === 0n)) continue
            assert.deepStrictEqual(fieldsOf[name], value, name)
          }
        }
      }
    })

    it("have deposits with the bytes and hash of viem", () => {
      let tried = 0
      for (const { block } of blocks) {
        for (const transaction of decodeBlock(block).transactions) {
          if (!Transaction.isDeposit(transaction)) continue
          const { from, gas, input, isSystemTx, mint, sourceHash, to, value } = transaction
          const raw = serializeTransaction({
            type: "deposit",
            sourceHash,
            from,
            gas,
            value,
            data: input,
            ...(to === null ? {} : { to }),
            ...(mint === undefined ? {} : { mint }),
            ...(isSystemTx === true ? { isSystemTx } : {})
          })
          assert.strictEqual(Hex.fromBytes(BlockRlp.encodeTransaction(transaction)!), raw)
          assert.strictEqual(transaction.hash, keccak256(raw))
          tried++
        }
      }
      assert.strictEqual(tried, 8)
    })

    it("are refuted, or claim the field, for each changed field of each transaction, with and without the chain's id", () => {
      const [{ block }] = blocks as readonly [(typeof blocks)[number]]
      const transactions = Made.list(block["transactions"]).map(Made.object)
      for (const [at, transaction] of transactions.entries()) {
        for (const name of Object.keys(transaction)) {
          if (typeof transaction[name] === "object" && transaction[name] !== null) continue
          const other = {
            ...block,
            transactions: transactions.with(at, { ...transaction, [name]: changed(transaction[name]!) })
          }
          if (Result.isFailure(decodeBlockResult(other))) continue
          for (const chainId of [undefined, 10n]) {
            const verdict = verify(other, block, chainId)
            if (Result.isSuccess(verdict)) {
              assert.strictEqual(verdict.success._tag, "VERIFIED", name)
              assert.oneOf(name, ["nonce", "depositReceiptVersion"])
              assert.include(fields(verdict.success.claimed), `transactions[].${name}`)
            } else assert.include(verdict.failure.check, `transactions[${at}]`, name)
          }
        }
      }
    })

    it("refuse a deposit that is left out, moved or doubled", () => {
      const [{ block }] = blocks as readonly [(typeof blocks)[number]]
      const [first, ...others] = Made.list(block["transactions"])
      for (const transactions of [others, [...others, first!], [first!, first!, ...others], [first!]]) {
        const verdict = verify({ ...block, transactions }, block)
        assert(Result.isFailure(verdict))
        assert.match(verdict.failure.check, /^transactions(?:Root|\[\d+\])/u)
      }
    })

    it("have receipts that are refuted, or claim the field, for each changed or missing field", () => {
      const [{ block, receipts }] = blocks as readonly [(typeof blocks)[number]]
      const base = proven(block)
      const truth = succeed(Verify.receipts(decodeReceipts(receipts), base)).value
      for (const [at, receipt] of receipts.entries()) {
        for (const name of Object.keys(receipt)) {
          const { [name]: value, ...without } = receipt
          const lies =
            typeof value === "object" && value !== null ? [without] : [without, { ...receipt, [name]: changed(value!) }]
          for (const lie of lies) {
            const decoded = decodeReceiptsResult(receipts.with(at, lie))
            if (Result.isFailure(decoded)) continue
            const verdict = Verify.receipts(decoded.success, base)
            if (Result.isFailure(verdict)) continue
            assert(verdict.success._tag === "VERIFIED", name)
            const field: Readonly<Record<string, any>> = verdict.success.value[at]!
            const right: Readonly<Record<string, any>> = truth[at]!
            if (field[name] === undefined || JSON.stringify(field[name], big) === JSON.stringify(right[name], big))
              continue
            assert.include(fields(verdict.success.claimed), `receipts[].${name}`, `${fork} ${at}`)
          }
        }
      }
    })
  })
}

const big = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value)

const chain = (fork: string): Recorded["blocks"][number] => chains.find((one) => one.fork === fork)!.blocks[0]!

describe("the receipt of a deposit", () => {
  const checkOf = (fork: string, change: (first: Made.JsonObject) => Made.JsonObject): string => {
    const { block, receipts } = chain(fork)
    const verdict = Verify.receipts(decodeReceipts(receipts.with(0, change(receipts[0]!))), proven(block))
    return Result.isFailure(verdict) ? verdict.failure.check : "no failure"
  }

  it("has nonce and version together or not at all since Canyon, and no version before", () => {
    const without =
      (...names: ReadonlyArray<string>) =>
      (first: Made.JsonObject) =>
        Object.fromEntries(Object.entries(first).filter(([name]) => !names.includes(name)))
    assert.strictEqual(checkOf("canyon", without("depositNonce")), "receipts[0].depositNonce")
    assert.strictEqual(checkOf("canyon", without("depositReceiptVersion")), "receiptsRoot")
    assert.strictEqual(checkOf("canyon", without("depositNonce", "depositReceiptVersion")), "receiptsRoot")
    assert.strictEqual(
      checkOf("canyon", (first) => ({ ...first, depositReceiptVersion: "0x2" })),
      "receiptsRoot"
    )
    assert.strictEqual(
      checkOf("canyon", (first) => ({ ...first, depositNonce: "0x77" })),
      "receiptsRoot"
    )
    for (const fork of ["bedrock", "regolith"]) {
      const both = { depositNonce: "0x1", depositReceiptVersion: "0x1" }
      assert.strictEqual(
        checkOf(fork, (first) => ({ ...first, ...both })),
        "receiptsRoot"
      )
      assert.strictEqual(
        checkOf(fork, (first) => ({ ...first, depositNonce: "0x77" })),
        "no failure"
      )
    }
  })
})

describe("a block without withdrawals under a root of storage", () => {
  it("is proven by its first transaction, whatever chain the caller names, with an empty list if it was left out", () => {
    for (const fork of ["isthmus", "jovian"]) {
      const { block } = chain(fork)
      const { withdrawals, ...without } = block
      assert.deepStrictEqual(withdrawals, [])
      for (const said of [block, without]) {
        for (const chainId of [undefined, 1n, 10n, 901n]) {
          const verdict = succeed(verify(said, block, chainId))
          assert(verdict._tag === "VERIFIED")
          assert.deepStrictEqual(verdict.value.withdrawals, [])
          assert.strictEqual(OnlyProven.from(verdict)._tag, "Proven")
        }
      }
      const withdrawal = { index: "0x1", validatorIndex: "0x1", address: `0x${"11".repeat(20)}`, amount: "0x1" }
      const lie = verify({ ...block, withdrawals: [withdrawal] }, block)
      assert(Result.isFailure(lie) && lie.failure.check === "withdrawalsRoot")
    }
  })

  it("stays a claim if only the hashes of the transactions are known", () => {
    const { block } = chain("isthmus")
    const hashes = Made.list(block["transactions"]).map((one) => Made.object(one)["hash"]!)
    const verdict = succeed(
      Verify.block(Schema.decodeUnknownSync(Block.Block)({ ...block, transactions: hashes }), hashOf(block))
    )
    assert.include(fields(verdict.claimed), "withdrawals")
    assert.isFalse(verdict.proven.some(EthEvidence.NoWithdrawals.is))
  })
})

describe("a deposit alone", () => {
  const [deposit] = Made.list(chain("jovian").block["transactions"]).map(Made.object)
  const alone = (json: Made.JsonObject) =>
    Verify.transaction(Made.decodeTransaction(json), Hash32.fromHexUnsafe(Made.string(deposit!["hash"])))

  it("is proven with its sender in all spellings of nodes", () => {
    const { gasPrice: _, r: __, s: ___, v: ____, nonce: _____, mint: ______, ...bare } = deposit!
    const nulls = { gasPrice: null, v: null, r: null, s: null, mint: null }
    const zeros = { gasPrice: "0x0", v: "0x0", r: `0x${"00".repeat(32)}`, s: "0x0", yParity: "0x0", mint: "0x0" }
    const spellings: ReadonlyArray<Made.JsonObject> = [
      bare,
      { ...bare, ...nulls },
      { ...bare, ...zeros, isSystemTx: false },
      { ...bare, isSystemTx: "false", type: "0x7E" },
      { ...bare, isSystemTx: "0x0" }
    ]
    for (const said of spellings) {
      const verdict = succeed(alone(said))
      assert(verdict._tag === "VERIFIED")
      assert.notInclude(fields(verdict.claimed), "from")
      assert.match(verdict.proven[0]!.sentence, /^the fields of the deposit, its sender among them, hash to/u)
      assert.isFalse(verdict.proven.some(EthEvidence.SignedBy.is))
    }
    const system = Made.list(chain("bedrock").block["transactions"]).map(Made.object)[0]!
    for (const isSystemTx of [true, "true", "0x1"]) {
      const said = Made.decodeTransaction({ ...system, isSystemTx })
      assert.strictEqual(succeed(Verify.transaction(said, said.hash))._tag, "VERIFIED")
    }
  })

  it("narrows by its type", () => {
    const transaction = Made.decodeTransaction(deposit!)
    switch (transaction.type) {
      case 0x7en: {
        const sourceHash: Hash32.Hash32 = transaction.sourceHash
        assert.strictEqual(sourceHash, deposit!["sourceHash"])
        break
      }
      default:
        assert.fail("not a deposit")
    }
  })

  it("is refuted as another type, and with a signature or a price", () => {
    const wrong: ReadonlyArray<readonly [Made.JsonObject, string]> = [
      [{ type: "0x64" }, "transaction.type"],
      [{ v: "0x1" }, "transaction.v"],
      [{ r: "0x1" }, "transaction.r"],
      [{ s: "0x1" }, "transaction.s"],
      [{ gasPrice: "0x1" }, "transaction.gasPrice"],
      [{ isSystemTx: true }, "transaction hash"],
      [{ mint: "0x1" }, "transaction hash"],
      // a lie in the dress of Mantle's deposits
      [{ ethTxValue: "0x1" }, "transaction.type"]
    ]
    for (const [change, check] of wrong) {
      const verdict = alone({ ...deposit!, ...change })
      assert.strictEqual(
        Result.isFailure(verdict) ? verdict.failure.check : "no failure",
        check,
        JSON.stringify(change)
      )
    }
  })

  it("of Mantle, whose hash covers two more values, is claimed", () => {
    const { RLP } = rlp
    const items = ["sourceHash", "from", "to"].map((name) => Made.string(deposit![name]))
    const body = ["0x", "0x", Made.string(deposit!["gas"]), "0x", "0x", Made.string(deposit!["input"])]
    for (const last of [[], ["0x"]]) {
      const raw = Hex.fromBytes(new Uint8Array([0x7e, ...RLP.encode([...items, ...body, ...last] as never)]))
      const said = Made.decodeTransaction({ ...deposit!, hash: keccak256(raw) })
      const verdict = succeed(Verify.transaction(said, said.hash))
      assert.strictEqual(verdict._tag, "CLAIMED")
      const read = succeed(BlockRlp.decodeTransaction(Hex.toBytesUnsafe(raw)))
      assert.isFalse(Transaction.isKnown(read))
      assert.deepStrictEqual(BlockRlp.encodeTransaction(read), Hex.toBytesUnsafe(raw))
    }
  })

  it("is none if it is a message of Scroll, which has the same type and other fields: the message is claimed", () => {
    const { RLP } = rlp
    const [from, to] = ["from", "to"].map((name) => Made.string(deposit![name]))
    const raw = new Uint8Array([0x7e, ...RLP.encode(["0x07", "0x5208", to!, "0x", "0x", from!])])
    const fields = { type: "0x7e", queueIndex: "0x7", from: from!, to: to!, gas: "0x5208", value: "0x0", input: "0x" }
    const place = { blockHash: null, blockNumber: null, transactionIndex: null }
    const said = Made.decodeTransaction({ ...place, ...fields, hash: keccak256(raw), nonce: "0x0", v: "0x0" })
    assert.isFalse(Transaction.isDeposit(said))
    assert.strictEqual(succeed(Verify.transaction(said, said.hash))._tag, "CLAIMED")
  })

  it("has one encoding: others are refused", () => {
    const { RLP } = rlp
    const raw = BlockRlp.encodeTransaction(Made.decodeTransaction(deposit!))!
    const items = RLP.decode(raw.subarray(1)) as Array<Uint8Array>
    const encoded = (at: number, bytes: ReadonlyArray<number>): Uint8Array =>
      new Uint8Array([0x7e, ...RLP.encode(items.with(at, Uint8Array.from(bytes)))])
    const wrong: ReadonlyArray<Uint8Array> = [
      new Uint8Array([...raw, 0]),
      raw.subarray(0, -1),
      encoded(0, [1]),
      encoded(1, []),
      encoded(2, [1]),
      encoded(3, [0]),
      encoded(4, [0, 1]),
      encoded(6, [0]),
      encoded(6, [2]),
      new Uint8Array([0x7e, ...RLP.encode(items.slice(1))])
    ]
    for (const bytes of wrong) assert.isTrue(Result.isFailure(BlockRlp.decodeTransaction(bytes)))
    assert.isTrue(Result.isSuccess(BlockRlp.decodeTransaction(raw)))
  })
})

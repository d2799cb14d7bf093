/** Claims whose number and names a node chooses, in an answer that is otherwise proven. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32, Hex } from "@plumbline/codec"
import { Trie } from "@plumbline/merkle-trie"
import { Result, Schema } from "effect"
import { keccak256, numberToHex } from "viem"
import { serializeTransaction } from "viem/op-stack"

import { Block, BlockRlp, OnlyProven, Verify } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import { chains } from "../support/opStackChain.ts"

const decodeBlock = Schema.decodeUnknownSync(Block.WithTransactions)

const [{ block }] = chains.at(-1)!.blocks as readonly [(typeof chains)[number]["blocks"][number]]
const recorded = Made.list(block["transactions"]).map(Made.object)
/** The deposits come first, so the last transaction is signed. */
const signed = recorded.at(-1)!

/** Returns a block of deposits with one signed transaction after them. `beside` are fields that no hash covers. */
const blockOf = (count: number, beside: (at: number) => Made.JsonObject): Made.JsonObject => {
  const deposits = Array.from({ length: count }, (_, at) => {
    const sourceHash = Hex.fromBytes(
      new Uint8Array(32)
        .fill(1)
        .with(30, at >> 8)
        .with(31, at & 255)
    )
    const raw = serializeTransaction({ type: "deposit", sourceHash, from: SENDER, to: SENDER, gas: 21_000n })
    const fields = { type: "0x7e", sourceHash, from: SENDER, to: SENDER, gas: "0x5208", value: "0x0", input: "0x" }
    const json = { ...fields, hash: keccak256(raw), nonce: "0x7", transactionIndex: numberToHex(at) }
    return { json, raw: Hex.toBytesUnsafe(raw) }
  })
  const last = BlockRlp.encodeTransaction(Made.decodeTransaction(signed))!
  const root = Trie.rootOfList([...deposits.map(({ raw }) => raw), last])
  const header: Record<string, unknown> = { ...block, transactionsRoot: Hex.fromBytes(root), transactions: [] }
  const encoded = Result.getOrThrow(BlockRlp.encodeHeader(Schema.decodeUnknownSync(Block.Block)(header)))
  const hash = keccak256(encoded)
  const { ["size"]: _, ...rest } = header
  const place = { blockHash: hash, blockNumber: block["number"]! }
  const transactions = [
    ...deposits.map(({ json }, at) => ({ ...json, ...place, ...beside(at) })),
    { ...signed, ...place, transactionIndex: numberToHex(count) }
  ]
  return { ...rest, hash, transactions }
}

const SENDER = "0x1111111111111111111111111111111111111111"

const provenOf = (json: Made.JsonObject) => {
  const verdict = Result.getOrThrow(Verify.block(decodeBlock(json), Hash32.fromHexUnsafe(Made.string(json["hash"]))))
  assert.strictEqual(verdict._tag, "VERIFIED")
  const outcome = OnlyProven.from(verdict)
  assert(outcome._tag === "Proven")
  return outcome.value
}

describe("claimed fields", () => {
  it(
    "are left out of a block of any size in time that grows with the answer",
    () => {
      const [count, fields] = [800, 300]
      const value = provenOf(
        blockOf(count, (at) =>
          Object.fromEntries(Array.from({ length: fields }, (_, field) => [`beside${at}of${field}`, "0x1"]))
        )
      )
      assert.lengthOf(value.transactions, count + 1)
      const names = new Set(value.transactions.slice(0, count).flatMap(Object.keys))
      assert.deepStrictEqual(
        [...names].filter((name) => name === "nonce" || name.startsWith("beside")),
        []
      )
      assert.isTrue("nonce" in value.transactions[count]!)
    }
    // With a walk through all claims for each field, this would take minutes.
  )

  it("are told apart by their whole names, which may look like paths", () => {
    const names = ["a.status", "[0].from", "x[3]", "", ".", "transactions[0].hash", "from.to", "a", "a.b", "status "]
    const beside = Object.fromEntries(names.map((name) => [name, "0x1"]))
    const value = provenOf(blockOf(2, (at) => (at === 0 ? beside : {})))
    const plain = provenOf(blockOf(2, () => ({})))
    assert.deepStrictEqual(value.transactions, plain.transactions)
  })

  it("refuse the answer if programs decide by a field of that name, on the one item that has it", () => {
    const json = blockOf(2, (at) => (at === 1 ? { status: "0x1" } : {}))
    const verdict = Result.getOrThrow(Verify.block(decodeBlock(json), Hash32.fromHexUnsafe(Made.string(json["hash"]))))
    const outcome = OnlyProven.from(verdict)
    assert(outcome._tag === "Unproven")
    assert.deepStrictEqual(
      outcome.claims.map(({ field }) => field),
      ["transactions[].status"]
    )
  })
})

/**
 * Peculiar answers of individual node clients, by name. Each answer is read as the node client means it, or refused.
 *
 * Proofs, receipts and uncles have such tests in separate files.
 */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { hexToBytes } from "@ethereumjs/util"
import { Hash32 } from "@plumbline/codec"
import { Result, Schema } from "effect"

import { Block, EthMethods, Verify } from "../../src/index.ts"
import { changes } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import * as Receipts from "../support/receipts.ts"

const verify = (json: Made.Json, hash: Made.Json | undefined) =>
  Verify.block(Made.decodeBlock(json), Hash32.fromHexUnsafe(Made.string(hash)), { senders: false })

const claimedBy = (json: Made.JsonObject): ReadonlyArray<string> =>
  Result.getOrThrow(verify(json, json["hash"]))
    .claimed.map(({ field }) => field)
    .filter((field) => field !== "transactions[].from")

const checkOf = (verdict: Result.Result<unknown, { readonly check: string }>): string | undefined =>
  Result.isFailure(verdict) ? verdict.failure.check : undefined

describe("blocks", () => {
  it("Nethermind and Besu say totalDifficulty, anvil says it is 0, geth and reth say nothing", async () => {
    const json = await Made.block(Hardfork.Paris)
    for (const totalDifficulty of ["0xc70d815d562d3cfa955", "0x0"]) {
      assert.deepStrictEqual(claimedBy({ ...json, totalDifficulty }), ["totalDifficulty"])
    }
    assert.deepStrictEqual(claimedBy({ ...json, totalDifficulty: null }), [])
    assert.deepStrictEqual(claimedBy(json), [])
  })

  it("some leave out size, uncles, and after the Merge the difficulty", async () => {
    const { difficulty: _, size: __, uncles: ___, ...json } = await Made.block(Hardfork.Paris)
    assert.deepStrictEqual(claimedBy(json), [])
  })

  it("anvil's genesis of before Cancun has blob fields without withdrawalsRoot, and is refused: names would prove nothing", async () => {
    const json = await Made.block(Hardfork.London, [])
    const { check } = Result.getOrThrow(
      Result.flip(verify({ ...json, blobGasUsed: "0x0", excessBlobGas: "0x0" }, json["hash"]))
    )
    assert.strictEqual(check, "header shape")
  })

  it("hardhat's genesis has the hash of no bytes for a transactionsRoot", async () => {
    const transactionsTrie = hexToBytes("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
    const json = await Made.block(Hardfork.Prague, [], [], { transactionsTrie })
    assert.deepStrictEqual(claimedBy(json), [])
    const transactions = Made.list((await Made.block(Hardfork.Prague))["transactions"])
    assert.strictEqual(checkOf(verify({ ...json, transactions }, json["hash"])), "transactionsRoot")
  })

  it("geth's pending block has nulls, anvil's has all fields and a state root of zeros: both are read", async () => {
    const json = await Made.block(Hardfork.Prague)
    const geth = { ...json, hash: null, nonce: null, miner: null, totalDifficulty: null }
    const old = { ...geth, number: null, logsBloom: null }
    const anvil = { ...json, stateRoot: Hash32.ZERO }
    for (const pending of [geth, old, anvil]) {
      assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(Block.WithTransactions)(pending)))
      assert.isTrue(Result.isFailure(verify(pending, json["hash"])))
    }
  })

  it("@ethereumjs/client counts in JSON numbers", () => {
    for (const method of [
      EthMethods.eth_getBlockTransactionCountByHash,
      EthMethods.eth_getBlockTransactionCountByNumber,
      EthMethods.eth_getUncleCountByBlockHash,
      EthMethods.eth_getUncleCountByBlockNumber
    ]) {
      const decode = Schema.decodeUnknownSync(method.result)
      assert.strictEqual(decode(2), 2n)
      assert.strictEqual(decode("0x2"), 2n)
      assert.isNull(decode(null))
      for (const wrong of [-1, 1.5, "2", true]) assert.throws(() => decode(wrong))
    }
  })

  for (const fork of [Hardfork.Cancun, Hardfork.Osaka] as const) {
    it(`anvil makes the transactionsRoot of blobs as well, and shows them: proven by that, in the form of ${fork}`, async () => {
      const { network, sidecar, transaction } = Made.withBlob(fork)
      const others = Made.signed(fork).slice(0, 3)
      const all = [others[0]!, transaction, others[1]!]
      const root = await Receipts.rootOf([others[0]!.serialize(), network, others[1]!.serialize()])
      const { size: _, ...json } = await Made.block(fork, all, [], { transactionsTrie: root })
      const [first, blob, last] = Made.list(json["transactions"]).map(Made.object)
      const shown = (changed: Made.JsonObject): Made.JsonObject => ({
        ...json,
        transactions: [first!, { ...blob, ...sidecar, ...changed }, last!]
      })
      const verdict = Result.getOrThrow(verify(shown({}), json["hash"]))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.sameMembers(
        [...claimedBy(shown({}))],
        Object.keys(sidecar).map((field) => `transactions[].${field}`)
      )
      // the block is refuted if the blobs are missing or changed
      assert.strictEqual(checkOf(verify(json, json["hash"])), "transactionsRoot")
      for (const field of Object.keys(sidecar)) {
        const list = Made.list(sidecar[field])
        const changed = list.with(0, `0x01${Made.string(list[0]).slice(4)}`)
        for (const wrong of [changed, list.slice(1), [...list, list[0]!], [1], "0x00"]) {
          assert.strictEqual(checkOf(verify(shown({ [field]: wrong }), json["hash"])), "transactionsRoot", field)
        }
      }
      for (const change of changes(blob!)) {
        const changed = shown(Made.object(change.json))
        if (Result.isFailure(Made.decodeBlockResult(changed))) continue
        // this test recovers no senders, so a changed sender is the only change that passes
        assert.strictEqual(Result.isSuccess(verify(changed, json["hash"])), change.path === "from", change.path)
      }
    })
  }

  it("anvil's blobs beside a transaction in a block of the right root are claimed", async () => {
    const { sidecar, transaction } = Made.withBlob(Hardfork.Cancun)
    const json = await Made.block(Hardfork.Cancun, [transaction])
    const shown = {
      ...json,
      transactions: Made.list(json["transactions"]).map((blob) => ({ ...Made.object(blob), ...sidecar }))
    }
    assert.sameMembers(
      [...claimedBy(shown)],
      Object.keys(sidecar).map((field) => `transactions[].${field}`)
    )
  })
})

describe("transactions", () => {
  const typed = Made.signed(Hardfork.Prague).filter((transaction) => transaction.type > 0)

  it("Besu leaves v out of all but legacy transactions; geth says v and yParity", () => {
    for (const transaction of typed) {
      const { v: _, ...besu } = Made.answerOf(transaction)
      const decoded = Made.decodeTransaction(besu)
      assert.strictEqual(Result.getOrThrow(Verify.transaction(decoded, decoded.hash))._tag, "VERIFIED")
    }
    const { v: _, ...legacy } = Made.answerOf(Made.signed(Hardfork.Prague)[0]!)
    assert.isTrue(Result.isFailure(Made.decodeTransactionResult(legacy)))
  })

  it("nodes of before 2023 say v and no yParity; execution-apis lets nodes pad yParity to a byte", () => {
    for (const transaction of typed) {
      const { yParity, ...old } = Made.answerOf(transaction)
      const parity = Made.string(yParity).slice(2)
      for (const json of [old, { ...old, yParity: `0x0${parity}`, v: `0x0${parity}` }]) {
        const decoded = Made.decodeTransaction(json)
        assert.strictEqual(Result.getOrThrow(Verify.transaction(decoded, decoded.hash))._tag, "VERIFIED")
      }
    }
  })

  it("refutes a v or yParity that is not the signature's, and a hash whose parity is said by neither", () => {
    for (const transaction of typed) {
      const json = Made.answerOf(transaction)
      const other = Made.string(json["v"]) === "0x0" ? "0x1" : "0x0"
      const { v: _, yParity: __, ...silent } = json
      const verdicts = [{ v: other }, { yParity: other }].map((wrong) => {
        const decoded = Made.decodeTransaction({ ...json, ...wrong })
        return checkOf(Verify.transaction(decoded, decoded.hash))
      })
      assert.deepStrictEqual(verdicts, ["transaction.v", "transaction hash"])
      const decoded = Made.decodeTransaction(silent)
      const expected = other === "0x0" ? "transaction hash" : undefined
      assert.strictEqual(checkOf(Verify.transaction(decoded, decoded.hash)), expected)
    }
  })

  it("anvil and geth leave leading zeros of r and s out, the interface and Erigon pad to 32 bytes", () => {
    const short = Made.shortSignature()
    const json = Made.answerOf(short)
    const lengths = [json["r"], json["s"]].map((scalar) => Made.string(scalar).length)
    assert.isBelow(Math.min(...lengths), 66)
    const pad = (scalar: Made.Json | undefined): string => `0x${Made.string(scalar).slice(2).padStart(64, "0")}`
    for (const spelled of [json, { ...json, r: pad(json["r"]), s: pad(json["s"]) }]) {
      const decoded = Made.decodeTransaction(spelled)
      assert.strictEqual(Result.getOrThrow(Verify.transaction(decoded, decoded.hash))._tag, "VERIFIED")
    }
  })

  it("anvil's mined transaction with blobs shows them: 262 kB of text are read, and claimed", () => {
    const { sidecar, transaction } = Made.withBlob(Hardfork.Osaka)
    const decoded = Made.decodeTransaction({ ...Made.answerOf(transaction), ...sidecar })
    const verdict = Result.getOrThrow(Verify.transaction(decoded, decoded.hash))
    assert.includeMembers(
      verdict.claimed.map(({ field }) => field),
      Object.keys(sidecar)
    )
  })
})

import { assert, describe, it } from "@effect/vitest"
import { createBlockHeader } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import type { RefutedError } from "@plumbline/verdict"
import { Result } from "effect"

import { type Block, type Transaction, Verify } from "../../src/index.ts"
import { changes, nulls, removals } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import * as Tamper from "../support/tamper.ts"

const verify = (json: Made.Json, hash: Made.Json | undefined) =>
  Verify.block(Made.decodeBlock(json), Hash32.fromHexUnsafe(Made.string(hash)))

/** Returns the refutation; throws if there is none. */
const refuted = (json: Made.Json, hash: Made.Json | undefined, what: string): RefutedError => {
  const verdict = verify(json, hash)
  return Result.isFailure(verdict) ? verdict.failure : assert.fail(`${what}: ${verdict.success._tag}`)
}

/** The test tries every n-th change. */
const STEP = Random.isWhole ? 1 : 4

describe("Verify.blockWithHashes", () => {
  for (const [fork] of Made.forks) {
    it(`gives the outcome of Verify.block for a block of ${fork} and for each change of it`, async () => {
      const whole = await Made.block(fork)
      const transactions = Made.list(whole["transactions"]).map((transaction) => Made.object(transaction)["hash"]!)
      const json: Made.Json = { ...whole, transactions }
      const hash = Hash32.fromHexUnsafe(Made.string(json["hash"]))
      const both = (changed: Made.Json) => {
        const block = Made.decodeBlock(changed) as Block.WithHashes
        return [Verify.blockWithHashes(block, hash), Verify.block(block, hash)] as const
      }
      const [verdict, same] = both(json)
      assert.strictEqual(Result.getOrThrow(verdict)._tag, "VERIFIED")
      assert.deepStrictEqual(verdict, same)
      let refutations = 0
      for (const [field, value] of Object.entries(json)) {
        if (typeof value !== "string" || !/^0x[0-9a-f]{64}$/.test(value)) continue
        const [lie, other] = both({ ...json, [field]: `0x${"5a".repeat(32)}` })
        assert.isTrue(Result.isFailure(lie), field)
        assert.deepStrictEqual(lie, other, field)
        refutations++
      }
      assert.isAbove(refutations, 5)
    })
  }
})

describe("Verify.block", () => {
  for (const [fork, fields] of Made.forks) {
    it(`proves a block of ${fork}, ${fields} header fields, with every type of transaction it has`, async () => {
      const json = await Made.block(fork)
      const verdict = Result.getOrThrow(verify(json, json["hash"]))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(verdict.claimed, [])
      assert.strictEqual(verdict.anchor?.hash, json["hash"])
    })

    it(`refutes every change of every field of a block of ${fork}, and names it`, async () => {
      const json = await Made.block(fork)
      const tried = [...changes(json)].filter(
        (change, index) => index % STEP === 0 && Result.isSuccess(Made.decodeBlockResult(change.json))
      )
      for (const change of tried) {
        const { check } = refuted(change.json, json["hash"], change.path)
        assert.include(expectedChecks(change.path, json), check, change.path)
      }
      assert.isAbove(tried.length, (fields + Made.list(json["transactions"]).length * 14) / STEP)
    })

    it(`refutes or claims every field that is left out of a block of ${fork}, or fills it in`, async () => {
      const json = await Made.block(fork)
      const hash = Hash32.fromHexUnsafe(Made.string(json["hash"]))
      const honest = Result.getOrThrow(Verify.block(Made.decodeBlock(json), hash, { senders: false }))
      let accepted = 0
      for (const change of [...removals(json), ...nulls(json)]) {
        const decoded = Made.decodeBlockResult(change.json)
        if (Result.isFailure(decoded)) continue
        const verdict = Verify.block(decoded.success, hash, { senders: false })
        if (Result.isFailure(verdict)) continue
        accepted++
        if (verdict.success._tag === "VERIFIED") {
          assert.deepStrictEqual(Tamper.fooled(verdict.success, honest.value), [], change.path)
        } else
          assert.match(change.path, /^(?:nonce|mixHash|slotNumber)$/, "a block without its seal or slot is claimed")
      }
      assert.isAbove(accepted, 4)
    })
  }

  it("adds the block's time to transactions without it, and refutes each change of them", async () => {
    const json = await Made.block(Hardfork.Prague)
    const transactions = Made.list(json["transactions"]).map((transaction) => {
      const { blockTimestamp: _, ...rest } = Made.object(transaction)
      return rest
    })
    const timeless = { ...json, transactions }
    const verdict = Result.getOrThrow(verify(timeless, json["hash"]))
    assert.deepStrictEqual(verdict.value, Result.getOrThrow(verify(json, json["hash"])).value)
    const tried = [...changes(timeless)].filter(
      ({ json, path }) => path.startsWith("transactions[") && Result.isSuccess(Made.decodeBlockResult(json))
    )
    for (const change of tried) {
      const { check } = refuted(change.json, json["hash"], change.path)
      assert.include(expectedChecks(change.path, json), check, change.path)
    }
    assert.isAbove(tried.length, transactions.length * 13)
  })

  it("refutes dropped, swapped, doubled and foreign transactions", async () => {
    const json = await Made.block(Hardfork.Prague)
    const transactions = Made.list(json["transactions"])
    const index = (list: ReadonlyArray<Made.Json>): Array<Made.Json> =>
      // a careful liar adjusts the indices
      list.map((transaction, i) => ({ ...Made.object(transaction), transactionIndex: `0x${i.toString(16)}` }))
    const cases: ReadonlyArray<readonly [string, Array<Made.Json>]> = [
      ["first dropped", transactions.slice(1)],
      ["last dropped", transactions.slice(0, -1)],
      ["all dropped", []],
      ["two swapped", [transactions[1]!, transactions[0]!, ...transactions.slice(2)]],
      ["one doubled", [transactions[0]!, ...transactions]],
      ["one replaced by another", [transactions[1]!, ...transactions.slice(1)]]
    ]
    for (const [what, changed] of cases) {
      for (const list of [changed, index(changed)]) {
        const { check } = refuted({ ...json, transactions: list }, json["hash"], what)
        assert.strictEqual(check, "transactionsRoot", what)
      }
    }
    const foreign = { ...json, transactions: [] }
    const empty = await Made.block(Hardfork.Prague, [])
    assert.strictEqual(refuted(foreign, json["hash"], "no transactions").check, "transactionsRoot")
    assert.strictEqual(refuted({ ...empty, transactions }, empty["hash"], "added").check, "transactionsRoot")
  })

  it("refutes hashes of transactions that are right only one after the other", async () => {
    const json = await Made.block(Hardfork.Prague)
    const block = Made.decodeBlock(json)
    const [first, second, ...rest] = block.transactions as ReadonlyArray<Transaction.Transaction>
    const cut = (text: string) => text as Hash32.Hash32
    const shifted = [
      { ...first!, hash: cut(first!.hash + second!.hash.slice(0, 2)) },
      { ...second!, hash: cut(second!.hash.slice(2)) },
      ...rest
    ]
    const verdict = Verify.block({ ...block, transactions: shifted }, block.hash!, { senders: false })
    assert.strictEqual(Result.getOrThrow(Result.flip(verdict)).check, "transactions[0].hash")
  })

  it("refutes dropped, doubled and added withdrawals", async () => {
    const json = await Made.block(Hardfork.Shanghai)
    const withdrawals = Made.list(json["withdrawals"])
    for (const list of [withdrawals.slice(1), [], [...withdrawals, withdrawals[0]!], withdrawals.toReversed()]) {
      assert.strictEqual(refuted({ ...json, withdrawals: list }, json["hash"], "withdrawals").check, "withdrawalsRoot")
    }
    const before = await Made.block(Hardfork.London)
    assert.strictEqual(refuted({ ...before, withdrawals: [] }, before["hash"], "added").check, "withdrawals")
  })

  it("claims the size where withdrawals are left out, whatever it is", async () => {
    const { withdrawals, ...json } = await Made.block(Hardfork.Shanghai)
    assert.isAbove(Made.list(withdrawals).length, 0)
    const size = BigInt(Made.string(json["size"]))
    for (const said of [size, size - 1n, 0n, size + 20n]) {
      const verdict = Result.getOrThrow(verify({ ...json, size: `0x${said.toString(16)}` }, json["hash"]))
      assert.sameMembers(
        verdict.claimed.map(({ field }) => field),
        ["withdrawals", "size"]
      )
    }
  })

  it("refutes uncles where sha3Uncles says none, and none where it says some; some alone it claims", async () => {
    const json = await Made.block(Hardfork.Istanbul)
    const uncle = `0x${"aa".repeat(32)}`
    assert.strictEqual(refuted({ ...json, uncles: [uncle] }, json["hash"], "invented").check, "uncles")
    // a block with one uncle; ethereumjs makes the uncle's header, and only its hash matters here
    const header = createBlockHeader({ number: 5n, gasLimit: 30_000_000n }, { common: Made.common(Hardfork.Istanbul) })
    const withUncle = await Made.block(Hardfork.Istanbul, [], [header])
    assert.strictEqual(refuted({ ...withUncle, uncles: [] }, withUncle["hash"], "hidden").check, "uncles")
    const verdict = Result.getOrThrow(verify(withUncle, withUncle["hash"]))
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.deepStrictEqual(
      verdict.claimed.map((claim) => claim.field),
      ["uncles", "size"]
    )
  })

  it("refutes another block's answer, whole and true in itself", async () => {
    const asked = await Made.block(Hardfork.Prague)
    const other = await Made.block(Hardfork.Cancun)
    assert.strictEqual(refuted(other, asked["hash"], "other").check, "block.hash")
    // the other block is also refuted if it claims the requested hash
    assert.strictEqual(refuted({ ...other, hash: asked["hash"]! }, asked["hash"], "disguised").check, "header hash")
    assert.strictEqual(refuted({ ...asked, hash: null }, asked["hash"], "pending").check, "block.hash")
  })

  it("refuses a header with a hole, whose fields could stand under other names", async () => {
    const json = await Made.block(Hardfork.Shanghai)
    const { withdrawals: _, withdrawalsRoot, ...rest } = json
    // the same RLP, so the same hash: only the field names are wrong
    const renamed = { ...rest, parentBeaconBlockRoot: withdrawalsRoot! }
    assert.strictEqual(refuted(renamed, json["hash"], "renamed").check, "header shape")
  })

  it("takes a missing difficulty for zero after London, as some nodes send it", async () => {
    const { difficulty: _, ...rest } = await Made.block(Hardfork.Paris)
    assert.strictEqual(Result.getOrThrow(verify(rest, rest["hash"]))._tag, "VERIFIED")
  })

  it("claims totalDifficulty, fields of later times, and anvil's size, and says why", async () => {
    const json = await Made.block(Hardfork.Prague)
    const claims = (changed: Made.Json, hash: Made.Json | undefined): ReadonlyArray<string> =>
      Result.getOrThrow(verify(changed, hash)).claimed.map((claim) => claim.field)
    assert.deepStrictEqual(claims({ ...json, totalDifficulty: "0x1" }, json["hash"]), ["totalDifficulty"])
    assert.deepStrictEqual(claims({ ...json, l1BlockNumber: "0x1" }, json["hash"]), ["l1BlockNumber"])
    // anvil's size is the only wrong size that is accepted: it counts the block without its withdrawals
    const size = Number(json["size"])
    const claimed = Array.from({ length: 120 }, (_, less) => `0x${(size - 1 - less).toString(16)}`).filter((short) =>
      Result.isSuccess(verify({ ...json, size: short }, json["hash"]))
    )
    assert.strictEqual(claimed.length, 1)
    assert.deepStrictEqual(claims({ ...json, size: claimed[0]! }, json["hash"]), ["size"])
  })

  it("proves the header alone when only hashes of transactions were asked for", async () => {
    const json = await Made.block(Hardfork.Osaka)
    const hashes = Made.list(json["transactions"]).map((transaction) => Made.object(transaction)["hash"]!)
    const verdict = Result.getOrThrow(verify({ ...json, transactions: hashes }, json["hash"]))
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.deepStrictEqual(
      verdict.claimed.map((claim) => claim.field),
      ["transactions", "size"]
    )
  })

  it("claims a block with a transaction of an unknown type, and refutes a known one in disguise", async () => {
    const json = await Made.block(Hardfork.Prague)
    const transactions = Made.list(json["transactions"])
    for (const [at, transaction] of transactions.entries()) {
      const disguised = transactions.with(at, { ...Made.object(transaction), type: "0x64" })
      const { check } = refuted({ ...json, transactions: disguised }, json["hash"], `disguised ${at}`)
      assert.strictEqual(check, `transactions[${at}].type`)
    }
    const unknown = { type: "0x64", hash: `0x${"77".repeat(32)}`, sourceHash: "0x55" }
    const verdict = Result.getOrThrow(verify({ ...json, transactions: [...transactions, unknown] }, json["hash"]))
    assert.strictEqual(verdict._tag, "CLAIMED")
    assert.strictEqual(verdict.claimed[0]?.field, "transactions")
  })

  it("leaves senders a claim when their recovery is not asked for", async () => {
    const json = await Made.block(Hardfork.Berlin)
    const decoded = Made.decodeBlock(json)
    const verdict = Result.getOrThrow(Verify.block(decoded, decoded.hash!, { senders: false }))
    assert.deepStrictEqual(
      verdict.claimed.map((claim) => claim.field),
      ["transactions[].from"]
    )
  })
})

/** Returns the checks that may catch a change of this field of this block. */
const expectedChecks = (path: string, json: Made.JsonObject): ReadonlyArray<string> => {
  if (path === "hash") return ["block.hash"]
  if (path === "size") return ["size"]
  if (path.startsWith("withdrawals[")) return ["withdrawalsRoot"]
  const found = /^transactions\[(\d+)\]\.(\w+)/.exec(path)
  if (found === null) return ["header hash"]
  const [, at, field] = found
  const transaction = Made.object(Made.list(json["transactions"])[Number(at)])
  const type = Number(transaction["type"])
  const [ofField, ofHash] = [`transactions[${at}].${field}`, `transactions[${at}] hash`]
  // with another known type, the hash differs; with an unknown type, the hash shows which known type is the true one
  if (field === "type") return [ofField, ofHash]
  // fields that repeat a part of the signature or of another field
  const said: Readonly<Record<string, boolean>> = { chainId: type === 0, gasPrice: type >= 2, v: type > 0 }
  const placed = ["hash", "from", "blockHash", "blockNumber", "blockTimestamp", "transactionIndex"]
  return placed.includes(field!) || said[field!] === true ? [ofField] : [ofHash]
}

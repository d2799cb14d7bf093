import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Result } from "effect"

import { Verify } from "../../src/index.ts"
import { changes, nulls, removals } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import * as Tamper from "../support/tamper.ts"

const verify = (json: Made.Json, hash: Made.Json | undefined) =>
  Verify.transaction(Made.decodeTransaction(json), Hash32.fromHexUnsafe(Made.string(hash)))

const inBlock = async (): Promise<ReadonlyArray<Made.JsonObject>> =>
  Made.list((await Made.block(Hardfork.Prague))["transactions"]).map(Made.object)

/** Fields that the hash does not cover: the place, and fields that follow from the place. */
const placeFields = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp"]

describe("Verify.transaction", () => {
  it("proves every type, mined and pending, and claims its place", async () => {
    for (const json of await inBlock()) {
      const verdict = Result.getOrThrow(verify(json, json["hash"]))
      assert.strictEqual(verdict._tag, "VERIFIED")
      const fields = verdict.claimed.map((claim) => claim.field)
      const price = Number(json["type"]) >= 2 ? ["gasPrice"] : []
      assert.deepStrictEqual(fields.toSorted(), [...placeFields, ...price].toSorted())
    }
    for (const transaction of Made.signed(Hardfork.Prague)) {
      const json = Made.answerOf(transaction)
      const verdict = Result.getOrThrow(verify(json, json["hash"]))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.strictEqual(verdict.claimed[0]?.reason.sentence, "that it is pending is the node's word")
    }
  })

  it("claims a field that no hash covers wherever it stands, before and after transactions without one", async () => {
    const claimedOf = (json: Made.JsonObject): ReadonlyArray<string> =>
      Result.getOrThrow(verify(json, json["hash"])).claimed.map((claim) => claim.field)
    for (const json of await inBlock()) {
      const usual = claimedOf(json)
      const stranges: ReadonlyArray<Made.JsonObject> = [
        { ...json, later: "0x1" },
        { later: "0x1", ...json }
      ]
      for (const strange of stranges) {
        assert.deepStrictEqual(claimedOf(strange), [...usual, "later"])
        // the same number of fields, but one field has another name
        const { blockTimestamp, ...rest } = strange
        assert.deepStrictEqual(
          claimedOf({ ...rest, laterToo: blockTimestamp! }).toSorted(),
          [...usual, "later", "laterToo"].toSorted()
        )
        assert.deepStrictEqual(claimedOf(json), usual)
      }
    }
  })

  it("refutes every change of every field that it does not claim", async () => {
    for (const json of await inBlock()) {
      for (const change of changes(json)) {
        if (Result.isFailure(Made.decodeTransactionResult(change.json))) continue
        const verdict = verify(change.json, json["hash"])
        if (Result.isSuccess(verdict)) {
          assert.include(
            verdict.success.claimed.map((claim) => claim.field),
            change.path,
            change.path
          )
        } else assert.match(verdict.failure.check, /^transaction(\.\w+| hash)$/, change.path)
      }
    }
  })

  it("refutes or claims every field that is left out, or fills it in", async () => {
    for (const json of await inBlock()) {
      const honest = Result.getOrThrow(verify(json, json["hash"]))
      for (const change of [...removals(json), ...nulls(json)]) {
        if (Result.isFailure(Made.decodeTransactionResult(change.json))) continue
        const verdict = verify(change.json, json["hash"])
        if (Result.isFailure(verdict)) continue
        assert(verdict.success._tag === "VERIFIED")
        assert.deepStrictEqual(Tamper.fooled(verdict.success, honest.value), [], change.path)
      }
    }
  })

  it("refutes another transaction, even under the hash that was asked for", async () => {
    const [first, second] = await inBlock()
    const other = verify(second!, first!["hash"])
    assert.strictEqual(Result.isFailure(other) && other.failure.check, "transaction.hash")
    const disguised = verify({ ...second, hash: first!["hash"]! }, first!["hash"])
    assert.strictEqual(Result.isFailure(disguised) && disguised.failure.check, "transaction hash")
  })

  it("claims the chain id of a legacy transaction whose signature names none", () => {
    const json = Made.answerOf(Made.signed(Hardfork.Chainstart)[0]!)
    const verdict = Result.getOrThrow(verify({ ...json, chainId: "0x5" }, json["hash"]))
    assert.include(
      verdict.claimed.map((claim) => claim.field),
      "chainId"
    )
  })

  it("reads chainID, the interface's other spelling, and refutes two that differ", () => {
    const json = Made.answerOf(Made.signed(Hardfork.London)[4]!)
    const { chainId, ...rest } = json
    assert.isTrue(Result.isSuccess(verify({ ...rest, chainID: chainId! }, json["hash"])))
    const wrong = verify({ ...json, chainID: "0x2" }, json["hash"])
    assert.strictEqual(Result.isFailure(wrong) && wrong.failure.check, "transaction.chainID")
    const none = verify(rest, json["hash"])
    assert.strictEqual(Result.isFailure(none) && none.failure.check, "transaction hash")
  })

  it("takes r and s padded to 32 bytes, as the interface has them, and without leading zeros", () => {
    for (const transaction of Made.signed(Hardfork.Prague)) {
      const json = Made.answerOf(transaction)
      const pad = (text: Made.Json | undefined): string => `0x${Made.string(text).slice(2).padStart(64, "0")}`
      const padded = { ...json, r: pad(json["r"]), s: pad(json["s"]) }
      assert.strictEqual(Result.getOrThrow(verify(padded, json["hash"]))._tag, "VERIFIED")
    }
  })

  it("refutes signatures that no key can make, instead of failing", () => {
    const json = Made.answerOf(Made.signed(Hardfork.London)[1]!)
    const n = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    for (const [r, s] of [
      ["0x0", "0x1"],
      ["0x1", "0x0"],
      [n, "0x1"],
      ["0x1", n],
      ["0x5", "0x1"]
    ] as const) {
      const decoded = Made.decodeTransaction({ ...json, r, s })
      // the changed transaction is checked again under its own hash, so that the check of the signature fails
      const own = Verify.transaction(decoded, decoded.hash)
      const got = Result.isFailure(own) ? own.failure.got : assert.fail("verified")
      const again = verify({ ...json, r, s, hash: got }, got)
      assert.strictEqual(Result.isFailure(again) && again.failure.check, "transaction signature", `${r} ${s}`)
    }
  })

  it("claims an unknown type whole", () => {
    const hash = `0x${"77".repeat(32)}`
    const verdict = Result.getOrThrow(verify({ type: "0x64", hash, mint: "0x1" }, hash))
    assert.strictEqual(verdict._tag, "CLAIMED")
    assert.strictEqual(verdict.claimed[0]?.field, "value")
  })
})

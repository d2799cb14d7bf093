/** Blocks of a fork that is not known here: claimed by name, never refuted. ethereumjs' RLP is the oracle of the hash. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import type { RefutedError } from "@plumbline/verdict"
import { Result } from "effect"

import { EthReason, Verify } from "../../src/index.ts"
import * as InventedFork from "../support/inventedFork.ts"
import * as Made from "../support/made.ts"

const verify = (json: Made.JsonObject, options?: Verify.BlockOptions) =>
  Verify.block(Made.decodeBlock(json), Hash32.fromHexUnsafe(Made.string(json["hash"])), options)

const fieldsOf = (verdict: ReturnType<typeof verify>): ReadonlyArray<string> => {
  const { _tag, claimed, proven } = Result.getOrThrow(verdict)
  assert.strictEqual(_tag, "CLAIMED")
  assert.deepStrictEqual(proven, [])
  assert.lengthOf(claimed, 1)
  const { reason } = claimed[0]!
  assert(EthReason.UnknownHeaderFields.is(reason), reason.sentence)
  return reason.fields
}

const refuted = (verdict: ReturnType<typeof verify>): RefutedError =>
  Result.isFailure(verdict) ? verdict.failure : assert.fail(verdict.success._tag)

describe("a header with fields of an unknown fork", () => {
  it("is claimed on every chain, and the reason names the fields", async () => {
    const block = await InventedFork.block(Hardfork.Amsterdam)
    for (const chainId of [undefined, 1n, 10n, 560_048n, 31_337n]) {
      const fields = fieldsOf(verify(block, { chainId }))
      assert.deepStrictEqual(fields, ["inventedRoot", "inventedCount", "inventedNote"])
    }
    const verdict = Result.getOrThrow(verify(block))
    assert.isUndefined(Verify.provenHeader(verdict))
    assert.include(verdict.claimed[0]!.reason.sentence, "(inventedRoot, inventedCount, inventedNote)")
  })

  it("is claimed after any older fork, except on a chain of Ethereum, whose older forms are known", async () => {
    for (const [fork] of Made.forks) {
      const block = await InventedFork.block(fork)
      assert.lengthOf(fieldsOf(verify(block)), 3, fork)
      if (fork === Hardfork.Amsterdam) continue
      assert.strictEqual(refuted(verify(block, { chainId: 1n })).check, "header hash", fork)
    }
  })

  it("is proven if the known fields give the hash: the others are then beside the header", async () => {
    const block = await Made.block(Hardfork.Amsterdam)
    const verdict = Result.getOrThrow(verify({ ...block, beside: "0x1" }))
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.deepStrictEqual(
      verdict.claimed.map(({ field }) => field),
      ["beside"]
    )
  })

  it("names few of many fields in the sentence, and little of a long name", async () => {
    const block = await InventedFork.block(Hardfork.Amsterdam)
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${"x".repeat(500)}${index}`, "0x"]))
    const verdict = Result.getOrThrow(verify({ ...block, ...many }))
    assert.isBelow(verdict.claimed[0]!.reason.sentence.length, 400)
    assert.include(verdict.claimed[0]!.reason.sentence, "and 99 more")
  })

  it("is refuted if the hash is not the requested one, and without unknown fields", async () => {
    const block = await InventedFork.block(Hardfork.Amsterdam)
    const decoded = Made.decodeBlock(block)
    assert.strictEqual(refuted(Verify.block(decoded, Hash32.ZERO)).check, "block.hash")
    const { inventedCount: _count, inventedNote: _note, inventedRoot: _root, ...known } = block
    assert.strictEqual(refuted(verify(known)).check, "header hash")
  })
})

describe("a header of Amsterdam without slotNumber", () => {
  it("is claimed, because nodes exist that do not show it", async () => {
    const { slotNumber: _slot, ...block } = await Made.block(Hardfork.Amsterdam)
    for (const chainId of [undefined, 1n]) {
      const verdict = Result.getOrThrow(verify(block, { chainId }))
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.isTrue(EthReason.SlotNotSent.is(verdict.claimed[0]!.reason))
      assert.isUndefined(Verify.provenHeader(verdict))
    }
  })
})

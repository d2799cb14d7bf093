/** Tests a real block access list against the hash of its header, and the headers around the fork Amsterdam. */
import { assert, it } from "@effect/vitest"
import { Keccak256 } from "@plumbline/codec"
import { Block, BlockAccessList, BlockRlp } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import { conformance, json } from "./support/fixtures.ts"

/** The blockAccessListHash of Sepolia's block 11856337, the first of Amsterdam. */
const HASH = "0xe6048b5d71a01b46691aa7d24238ba7880b789ae42173cab10a041b72e768a55"

const read = () =>
  Schema.decodeUnknownSync(BlockAccessList.BlockAccessList)(json("13-block-access-lists/sepolia-11856337.json").result)

const hashOf = (list: BlockAccessList.BlockAccessList): string => Keccak256.hashHex(BlockRlp.encodeAccessList(list))

conformance("block access lists", () => {
  it("the list of a block of Sepolia has the hash in its header, and survives its RLP", () => {
    const list = read()
    assert.lengthOf(list, 280)
    assert.strictEqual(hashOf(list), HASH)
    assert.deepStrictEqual(Result.getOrThrow(BlockRlp.decodeAccessList(BlockRlp.encodeAccessList(list))), list)
  })

  it("every account that is left out, and every changed value, gives another hash", () => {
    const list = read()
    for (const [at, account] of list.entries()) {
      assert.notStrictEqual(hashOf(list.toSpliced(at, 1)), HASH, account.address)
      const [first] = account.balanceChanges
      if (first === undefined) continue
      const richer = { ...account, balanceChanges: [{ ...first, value: first.value + 1n }] }
      assert.notStrictEqual(hashOf(list.with(at, richer)), HASH, account.address)
    }
  })

  it("the headers of the last block of Osaka's form and the first of Amsterdam's hash to themselves, and link", () => {
    const [before, after] = ["prague-191", "amsterdam-192"].map((name) => {
      const header = Schema.decodeUnknownSync(Block.Header)(json(`13-block-access-lists/headers/${name}.json`))
      const raw = Result.getOrThrow(BlockRlp.encodeHeader(header))
      assert.strictEqual(Keccak256.hashHex(raw), header.hash, name)
      assert.deepInclude(Result.getOrThrow(BlockRlp.decodeHeader(raw)), header, name)
      return header
    })
    assert.strictEqual(after!.parentHash, before!.hash)
    assert.isUndefined(before!.blockAccessListHash)
    assert.isDefined(after!.blockAccessListHash)
    assert.isDefined(after!.slotNumber)
  })
})

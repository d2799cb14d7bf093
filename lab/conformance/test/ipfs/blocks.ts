/**
 * The codec fixtures of IPLD. The name of each file is the CID of its block, and several codecs have the same value.
 */
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { Block, Cid } from "@plumbline/ipfs-client"
import { Result } from "effect"

import { bytes, files, json } from "../support/fixtures.ts"
import type { Tally } from "../support/tally.ts"

/** Bytes that are invalid in the codec, in hex. */
interface Negative {
  readonly name: string
  readonly hex: string
}

export const blocks = (tally: Tally): void => {
  it("checks and decodes every block, and refuses it when a bit of it is changed", () => {
    const linksOf = new Map<string, ReadonlyArray<string>>()
    for (const [codec, count] of [
      ["dag-cbor", 82],
      ["dag-json", 82],
      ["dag-pb", 12]
    ] as const) {
      const counter = tally.count(`blocks of ${codec}`)
      for (const file of files(`5-ipfs/codec-fixtures/fixtures/*/*.${codec}`)) {
        const block = { cid: Cid.fromTextUnsafe(path.basename(file, `.${codec}`)), bytes: bytes(file) }
        assert.isTrue(Result.isSuccess(Block.check(block.cid, block.bytes)), file)
        assert.isTrue(Result.isSuccess(Block.decode(block)), file)
        assert.strictEqual(Block.codecs.get(block.cid.code), codec, file)
        // A value has the same links in every codec.
        const links = Result.getOrThrow(Block.links(block))
          .map((cid) => Cid.toText(cid))
          .sort()
        const name = path.dirname(file)
        assert.deepStrictEqual(linksOf.get(name) ?? links, links, file)
        linksOf.set(name, links)
        const changed = block.bytes.slice()
        changed[changed.length >> 1]! ^= 1
        const refused = Block.check(block.cid, changed)
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "RefutedError", file)
        counter.verified()
      }
      counter.expect({ verified: count })
    }
  })

  it("decodes no block that the codec forbids", () => {
    for (const [codec, code, file, count] of [
      ["dag-pb", Block.DAG_PB, "dag-pb/decode/edges", 9],
      ["dag-json", Block.DAG_JSON, "dag-json/decode/duplicate-keys", 1]
    ] as const) {
      const counter = tally.count(`forbidden blocks of ${codec}`)
      const negatives: ReadonlyArray<Negative> = json(`5-ipfs/codec-fixtures/negative-fixtures/${file}.json`)
      for (const { hex, name } of negatives) {
        const block = { cid: Cid.make(code, 0x12, new Uint8Array(32)), bytes: Buffer.from(hex, "hex") }
        const decoded = Block.decode(block)
        assert.isTrue(Result.isFailure(decoded), name)
        counter.refuted(Result.isFailure(decoded) ? decoded.failure._tag : "none")
      }
      counter.expect({ refuted: { MalformedBlock: count } })
    }
  })
}

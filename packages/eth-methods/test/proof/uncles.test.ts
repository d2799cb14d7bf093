import { assert, describe, it } from "@effect/vitest"
import { createBlockHeader } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { type RefutedError, type Verdict } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { Block, Verify } from "../../src/index.ts"
import { changes, removals, reorderings } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import { proven } from "../support/receipts.ts"

const decode = Schema.decodeUnknownSync(Schema.Array(Block.Uncle))
const decodeResult = Schema.decodeUnknownResult(Schema.Array(Block.Uncle))

/** Makes a block with this number of uncles, and the answers about them. */
const make = async (count: number, fork: Hardfork = Hardfork.Istanbul) => {
  const headers = Array.from({ length: count }, (_, n) => Made.uncleHeader(fork, 10 * n))
  const block = await Made.block(fork, Made.signed(fork), headers)
  return { block, uncles: headers.map(Made.uncleOf), trusted: proven(block, { senders: false }) }
}

const refuted = (uncles: Made.Json, block: Verdict.Verified<Block.Block>, what?: string): RefutedError => {
  const verdict = Verify.uncles(decode(uncles), block)
  return Result.isFailure(verdict) ? verdict.failure : assert.fail(`${what ?? ""}: ${verdict.success._tag}`)
}

const claimedBy = (uncles: Made.Json, block: Verdict.Verified<Block.Block>): ReadonlyArray<string> =>
  Result.getOrThrow(Verify.uncles(decode(uncles), block)).claimed.map(({ field }) => field)

describe("Verify.uncles", () => {
  for (const [fork, fields] of [
    [Hardfork.Chainstart, 15],
    [Hardfork.Istanbul, 15],
    [Hardfork.London, 16]
  ] as const) {
    it(`proves one and two uncles of a block of ${fork}, ${fields} header fields each`, async () => {
      for (const count of [1, 2]) {
        const { block, trusted, uncles } = await make(count, fork)
        const verdict = Result.getOrThrow(Verify.uncles(decode(uncles), trusted))
        assert.deepStrictEqual(verdict.claimed, [])
        assert.strictEqual(verdict.anchor.hash, block["hash"])
      }
    })

    it(`refutes every change, removal and reordering of the uncles of a block of ${fork}`, async () => {
      const { trusted, uncles } = await make(2, fork)
      let tried = 0
      for (const change of [...changes(uncles), ...reorderings(uncles)]) {
        const decoded = decodeResult(change.json)
        if (Result.isFailure(decoded)) continue
        tried++
        assert.isTrue(Result.isFailure(Verify.uncles(decoded.success, trusted)), change.path)
      }
      assert.isAbove(tried, 60)
      for (const change of removals(uncles)) {
        const decoded = decodeResult(change.json)
        if (Result.isFailure(decoded) || Result.isFailure(Verify.uncles(decoded.success, trusted))) continue
        assert.match(change.path, /\.(size|uncles)$/, change.path)
      }
    })
  }

  it("names what is wrong", async () => {
    const { block, trusted, uncles } = await make(2)
    const [first, second] = uncles
    const change = (fields: Made.JsonObject): Array<Made.Json> => [{ ...first!, ...fields }, second!]
    const { size: _, difficulty: __, ...rest } = first!
    const cases: ReadonlyArray<readonly [string, Array<Made.Json>]> = [
      ["uncles", []],
      ["sha3Uncles", [first!]],
      ["sha3Uncles", [second!, first!]],
      ["uncles[0] hash", change({ timestamp: "0x1" })],
      ["uncles[0] hash", change({ hash: block["hash"]! })],
      ["uncles[0].hash", change({ hash: null })],
      ["uncles[0].header.number", change({ number: null })],
      ["uncles[0].header.difficulty", [rest, second!]],
      ["uncles[0].size", change({ size: "0x1" })],
      ["uncles[0].uncles", change({ uncles: [block["hash"]!] })]
    ]
    for (const [check, answer] of cases) assert.strictEqual(refuted(answer, trusted, check).check, check)
  })

  it("proves by sha3Uncles that there are none, whatever is offered", async () => {
    const { trusted } = await make(0)
    assert.deepStrictEqual(claimedBy([], trusted), [])
    const { uncles } = await make(1)
    assert.strictEqual(refuted(uncles, trusted).check, "uncles")
  })

  it("refutes a block's list of hashes that is not that of its uncles", async () => {
    const { block, uncles } = await make(1)
    const lie = proven({ ...block, uncles: [`0x${"aa".repeat(32)}`] }, { senders: false })
    assert.strictEqual(refuted(uncles, lie).check, "block.uncles[0]")
    const longer = proven({ ...block, uncles: [block["hash"]!, block["hash"]!] }, { senders: false })
    assert.strictEqual(refuted(uncles, longer).check, "block.uncles")
    // a node that omits the list states nothing
    const { uncles: _, ...silent } = block
    assert.deepStrictEqual(claimedBy(uncles, proven(silent, { senders: false })), [])
  })

  it("claims Besu's totalDifficulty of zero and empty transactions, Parity's author, and an uncle's own uncles", async () => {
    const { trusted, uncles } = await make(1)
    const besu = { ...uncles[0], totalDifficulty: "0x0", transactions: [] }
    assert.sameMembers([...claimedBy([besu], trusted)], ["uncles[].totalDifficulty", "uncles[].transactions"])
    assert.deepStrictEqual(claimedBy([{ ...uncles[0], author: uncles[0]!["miner"]! }], trusted), ["uncles[].author"])
    const parent = createBlockHeader(
      { ...Made.uncleHeader(Hardfork.Istanbul, 3).toJSON(), uncleHash: new Uint8Array(32).fill(9) },
      { common: Made.common(Hardfork.Istanbul), skipConsensusFormatValidation: true }
    )
    const block = await Made.block(Hardfork.Istanbul, [], [parent])
    assert.deepStrictEqual(claimedBy([Made.uncleOf(parent)], proven(block)), ["uncles[].uncles"])
  })
})

describe("Verify.block with uncles' headers", () => {
  it("proves uncles and size, and refutes a wrong size", async () => {
    for (const count of [0, 1, 2]) {
      const { block, uncles } = await make(count)
      const verify = (json: Made.Json) => {
        const decoded = Made.decodeBlock(json)
        return Verify.block(decoded, decoded.hash!, { senders: false, uncles: decode(uncles) })
      }
      const verdict = Result.getOrThrow(verify(block))
      assert.deepStrictEqual(
        verdict.claimed.map(({ field }) => field),
        ["transactions[].from"]
      )
      const size = Result.flip(verify({ ...block, size: "0x1" }))
      assert.strictEqual(Result.getOrThrow(size).check, "size")
    }
    const { block } = await make(2)
    const decoded = Made.decodeBlock(block)
    const hidden = Verify.block(decoded, decoded.hash!, { senders: false, uncles: [] })
    assert.strictEqual(Result.isFailure(hidden) && hidden.failure.check, "uncles")
  })
})

describe("Verify.uncle", () => {
  const decodeOne = Schema.decodeUnknownSync(Block.Uncle)

  it("proves one uncle through the whole list, and refutes every change of it", async () => {
    const { trusted, uncles } = await make(2)
    const all = Result.getOrThrow(Verify.uncles(decode(uncles), trusted))
    for (const [i, uncle] of uncles.entries()) {
      const one = Result.getOrThrow(Verify.uncle(decodeOne(uncle), BigInt(i), all))
      assert.deepStrictEqual(one.claimed, [])
      for (const change of changes(uncle)) {
        const decoded = Schema.decodeUnknownResult(Block.Uncle)(change.json)
        if (Result.isFailure(decoded)) continue
        const verdict = Verify.uncle(decoded.success, BigInt(i), all)
        assert.strictEqual(Result.isFailure(verdict) && verdict.failure.check, `uncle.${change.path}`)
      }
      const other = Verify.uncle(decodeOne(uncle), BigInt(1 - i), all)
      assert.isTrue(Result.isFailure(other))
    }
  })

  it("proves that there is none beyond the list, and refutes none where there is one", async () => {
    const { trusted, uncles } = await make(1)
    const all = Result.getOrThrow(Verify.uncles(decode(uncles), trusted))
    for (const index of [1n, 2n, 2n ** 200n]) {
      assert.isNull(Result.getOrThrow(Verify.uncle(null, index, all)).value)
      const invented = Verify.uncle(decodeOne(uncles[0]), index, all)
      assert.strictEqual(Result.isFailure(invented) && invented.failure.check, "uncle")
    }
    const hidden = Verify.uncle(null, 0n, all)
    assert.strictEqual(Result.isFailure(hidden) && hidden.failure.check, "uncle")
    const { trusted: none } = await make(0)
    const empty = Result.getOrThrow(Verify.uncles([], none))
    // anvil answers null for every block; for a block without uncles, this answer is proven
    assert.isNull(Result.getOrThrow(Verify.uncle(null, 0n, empty)).value)
  })

  it("refutes a field of the header that is left out, and fills in what follows from the header", async () => {
    const { trusted, uncles } = await make(1, Hardfork.London)
    const all = Result.getOrThrow(Verify.uncles(decode(uncles), trusted))
    const refuted: Array<string> = []
    for (const change of removals(uncles[0]!)) {
      const decoded = Schema.decodeUnknownResult(Block.Uncle)(change.json)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.uncle(decoded.success, 0n, all)
      if (Result.isFailure(verdict)) {
        assert.strictEqual(verdict.failure.check, `uncle.${change.path}`)
        refuted.push(change.path)
      } else {
        assert.include(["size", "uncles"], change.path)
        assert.deepEqual(verdict.success.value, all.value[0]!)
      }
    }
    // the decoder accepts a header without these fields
    assert.sameMembers(refuted, ["nonce", "mixHash", "difficulty", "baseFeePerGas"])
    const { size: _, uncles: __, ...short } = uncles[0]!
    assert.deepEqual(Result.getOrThrow(Verify.uncles(decode([short]), trusted)).value[0]!, all.value[0]!)
  })

  it("carries over what is claimed, as far as the answer says it", async () => {
    const { trusted, uncles } = await make(1)
    const besu = { ...uncles[0], totalDifficulty: "0x0" }
    const all = Result.getOrThrow(Verify.uncles(decode([besu]), trusted))
    const fields = (uncle: Made.Json) =>
      Result.getOrThrow(Verify.uncle(decodeOne(uncle), 0n, all)).claimed.map(({ field }) => field)
    assert.deepStrictEqual(fields(besu), ["totalDifficulty"])
    assert.deepStrictEqual(fields(uncles[0]!), [])
    assert.deepStrictEqual(fields({ ...uncles[0], author: "0x1" }), ["author"])
  })
})

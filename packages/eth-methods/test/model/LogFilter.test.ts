import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { Result, Schema } from "effect"

import { LogFilter } from "../../src/index.ts"

const address = Address.fromHexUnsafe(`0x${"aB".repeat(20)}`)
const other = Address.fromHexUnsafe(`0x${"12".repeat(20)}`)
const [a, b, c] = ["1", "2", "3"].map((digit) => Hash32.fromHexUnsafe(`0x${digit.repeat(64)}`)) as [
  Hash32.Hash32,
  Hash32.Hash32,
  Hash32.Hash32
]
const decode = Schema.decodeUnknownResult(LogFilter.LogFilter)

describe("LogFilter", () => {
  it("selects as execution-apis says: one or several addresses, topics by position, null and [] for any", () => {
    const log = { address, topics: [a, b] }
    const cases: ReadonlyArray<readonly [LogFilter.Selection, boolean]> = [
      [{}, true],
      [{ address: null, topics: null }, true],
      [{ address: [], topics: [] }, true],
      [{ address: Address.fromHexUnsafe(address.toLowerCase()) }, true],
      [{ address: other }, false],
      [{ address: [other, address] }, true],
      [{ topics: [a] }, true],
      [{ topics: [b] }, false],
      [{ topics: [a, b] }, true],
      [{ topics: [b, a] }, false],
      [{ topics: [null, b] }, true],
      [{ topics: [[], [b]] }, true],
      [{ topics: [[c, a], [c]] }, false],
      [
        {
          topics: [
            [c, a],
            [c, b]
          ]
        },
        true
      ],
      [{ address, topics: [a, b, c] }, false]
    ]
    for (const [filter, expected] of cases) {
      assert.strictEqual(LogFilter.selector(filter)(log), expected, JSON.stringify(filter))
    }
  })

  it("asks of a log at least as many topics as it has positions (geth, Nethermind, Besu), unless trimmed (reth, anvil)", () => {
    const log = { address, topics: [a] }
    for (const topics of [
      [a, null],
      [null, []],
      [a, null, null, null]
    ]) {
      assert.isFalse(LogFilter.selector({ topics })(log))
      assert.isTrue(LogFilter.selector(LogFilter.trimmed({ topics }))(log))
    }
    assert.deepStrictEqual(LogFilter.trimmed({ topics: [null, a, null], address }), { topics: [null, a], address })
    assert.deepStrictEqual(LogFilter.trimmed({ topics: null }), { topics: null })
    assert.deepStrictEqual(LogFilter.trimmed({}), {})
  })

  it("is about one block or a range, never both", () => {
    for (const good of [
      {},
      { blockHash: a },
      { fromBlock: "0x1" },
      { toBlock: "safe", address, topics: [null, [a]] }
    ]) {
      assert.isTrue(Result.isSuccess(decode(good)), JSON.stringify(good))
    }
    for (const bad of [{ blockHash: a, fromBlock: "0x1" }, { blockHash: a, toBlock: "latest" }, { blockHash: "0x1" }]) {
      assert.isTrue(Result.isFailure(decode(bad)), JSON.stringify(bad))
    }
  })

  it("is bounded as in geth", () => {
    assert.isTrue(Result.isSuccess(decode({ topics: Array.from({ length: 4 }, () => null) })))
    assert.isTrue(Result.isFailure(decode({ topics: Array.from({ length: 5 }, () => null) })))
    const many = (length: number) => Array.from({ length }, () => a)
    assert.isTrue(Result.isSuccess(decode({ topics: [many(1000)] })))
    assert.isTrue(Result.isFailure(decode({ topics: [many(1001)] })))
    assert.isTrue(Result.isFailure(decode({ address: Array.from({ length: 1001 }, () => address) })))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Address, Hash32 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

import { Log, type LogFilter, Verify } from "../../src/index.ts"
import { changes, nulls, removals, reorderings } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import * as Receipts from "../support/receipts.ts"

const decode = Schema.decodeUnknownSync(Schema.Array(Log.Log))
const decodeResult = Schema.decodeUnknownResult(Schema.Array(Log.Log))

const address = (n: number) => Address.fromBytesUnsafe(Receipts.address(n))
const topic = (n: number) => Hash32.fromBytesUnsafe(Receipts.topic(n))

/** Makes a block with its proven receipts, and all its logs in the form in which a node returns them. */
const make = async (options?: Receipts.Options) => {
  const { block, receipts } = await Receipts.make(Hardfork.Prague, options)
  const trusted = Receipts.proven(block)
  const verdict = Result.getOrThrow(Verify.receipts(Receipts.decode(receipts), trusted))
  assert(verdict._tag === "VERIFIED")
  const logs = receipts.flatMap((receipt) => Made.list(Made.object(receipt)["logs"]))
  return { block, receipts, trusted, proven: verdict, logs }
}

const filters: ReadonlyArray<LogFilter.Selection> = [
  {},
  { address: address(1) },
  { address: [address(0), address(2)], topics: [] },
  { topics: [topic(7)] },
  { topics: [null, [topic(4), topic(5)]] },
  { address: address(0), topics: [[topic(7)], null, null] }
]

/** Selects logs from their wire form by the rules of the filter, without code of the package. */
const expected = (logs: ReadonlyArray<Made.Json>, filter: LogFilter.Selection): Array<Made.Json> =>
  logs.filter((log) => {
    const { address: by, topics } = Made.object(log)
    const any = (wanted: unknown, got: unknown): boolean =>
      wanted == null || (Array.isArray(wanted) ? wanted.length === 0 || wanted.includes(got) : wanted === got)
    const positions = filter.topics ?? []
    return (
      any(filter.address, by) &&
      positions.length <= Made.list(topics).length &&
      positions.every((wanted, at) => any(wanted, Made.list(topics)[at]))
    )
  })

describe("Verify.logs", () => {
  it("proves exactly the logs that a filter selects", async () => {
    const { logs, proven, trusted } = await make()
    for (const filter of filters) {
      const answer = expected(logs, filter)
      assert.isAbove(answer.length, 0)
      const verdict = Result.getOrThrow(Verify.logs(decode(answer), filter, trusted, proven))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(verdict.claimed, [])
      assert.strictEqual(verdict.anchor, trusted.anchor)
    }
  })

  it("refutes every change of every field, and logs that are missing, doubled, swapped, replaced or foreign", async () => {
    const { logs, proven, trusted } = await make()
    for (const filter of filters) {
      const answer = expected(logs, filter)
      let tried = 0
      for (const change of [...changes(answer), ...reorderings(answer)]) {
        const decoded = decodeResult(change.json)
        if (Result.isFailure(decoded)) continue
        tried++
        assert.isTrue(Result.isFailure(Verify.logs(decoded.success, filter, trusted, proven)), change.path)
      }
      assert.isAbove(tried, answer.length * 10)
      const none = Verify.logs([], filter, trusted, proven)
      assert.strictEqual(Result.isFailure(none) && none.failure.check, "logs")
      const foreign = logs.find((log) => !answer.includes(log))
      if (foreign === undefined) continue
      for (const list of [
        [...answer, foreign],
        [foreign, ...answer]
      ]) {
        assert.isTrue(Result.isFailure(Verify.logs(decode(list), filter, trusted, proven)))
      }
    }
  })

  it("refutes what is left out of a log, or fills it in", async () => {
    const { logs, proven, trusted } = await make()
    const honest = Result.getOrThrow(Verify.logs(decode(logs), {}, trusted, proven))
    let filled = 0
    for (const change of [...removals(logs), ...nulls(logs)]) {
      const decoded = decodeResult(change.json)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.logs(decoded.success, {}, trusted, proven)
      if (Result.isFailure(verdict)) continue
      filled++
      assert.deepStrictEqual(verdict.success.value, honest.value, change.path)
      assert.deepStrictEqual(verdict.success.claimed, [])
    }
    // the time and `removed` of each log, left out or null
    assert.strictEqual(filled, 4 * logs.length)
  })

  it("proves the time of logs whose receipts do not say it, and claims fields that nothing covers", async () => {
    const { block, logs, receipts } = await make()
    const silent = receipts.map((receipt) => ({
      ...Made.object(receipt),
      logs: Made.list(Made.object(receipt)["logs"]).map((log) => {
        const { blockTimestamp: _, removed: __, ...rest } = Made.object(log)
        return rest
      })
    }))
    const trusted = Receipts.proven(block)
    const proven = Result.getOrThrow(Verify.receipts(Receipts.decode(silent), trusted))
    assert(proven._tag === "VERIFIED")
    assert.deepStrictEqual(Result.getOrThrow(Verify.logs(decode(logs), {}, trusted, proven)).claimed, [])
    const late = logs.with(0, { ...Made.object(logs[0]), blockTimestamp: "0x1" })
    assert.isTrue(Result.isFailure(Verify.logs(decode(late), {}, trusted, proven)))
    const removed = logs.with(0, { ...Made.object(logs[0]), removed: true })
    assert.isTrue(Result.isFailure(Verify.logs(decode(removed), {}, trusted, proven)))
    const parity = logs.map((log) => ({ ...Made.object(log), transactionLogIndex: "0x0" }))
    assert.deepStrictEqual(
      Result.getOrThrow(Verify.logs(decode(parity), {}, trusted, proven)).claimed.map(({ field }) => field),
      ["logs[].transactionLogIndex"]
    )
  })

  it("carries over that a transaction is known by its hash only", async () => {
    const { block, logs, receipts } = await make()
    const trusted = Receipts.proven(Receipts.withHashes(block))
    const proven = Result.getOrThrow(Verify.receipts(Receipts.decode(receipts), trusted))
    assert(proven._tag === "VERIFIED")
    const fields = (list: ReadonlyArray<Made.Json>, filter: LogFilter.Selection) =>
      Result.getOrThrow(Verify.logs(decode(list), filter, trusted, proven)).claimed.map(({ field }) => field)
    assert.deepStrictEqual(fields(logs, {}), ["logs[].transactionHash"])
    assert.deepStrictEqual(fields([], { address: address(1000) }), [])
  })

  it("takes both readings of last positions that take anything: geth's and Nethermind's, and reth's and anvil's", async () => {
    const { logs, proven, trusted } = await make()
    const filter = { topics: [null, null, null, null] }
    const long = logs.filter((log) => Made.list(Made.object(log)["topics"]).length === 4)
    assert.isAbove(long.length, 0)
    for (const answer of [long, logs]) {
      assert.strictEqual(Result.getOrThrow(Verify.logs(decode(answer), filter, trusted, proven))._tag, "VERIFIED")
    }
    const between = logs.slice(1)
    const verdict = Verify.logs(decode(between), filter, trusted, proven)
    assert.isTrue(Result.isFailure(verdict))
  })

  it("proves by the block's bloom alone that there are none, refutes logs that it excludes, and claims the rest", async () => {
    const { logs, trusted } = await make()
    const excluded = { address: address(77), topics: [topic(7)] }
    const none = Result.getOrThrow(Verify.logs([], excluded, trusted, null))
    assert.strictEqual(none._tag, "VERIFIED")
    const invented = Verify.logs(decode(logs), excluded, trusted, null)
    assert.strictEqual(Result.isFailure(invented) && invented.failure.check, "logs")
    for (const answer of [[], logs]) {
      const verdict = Result.getOrThrow(Verify.logs(decode(answer), { topics: [topic(7)] }, trusted, null))
      assert.strictEqual(verdict._tag, "CLAIMED")
    }
    const empty = await make({ logs: () => [] })
    assert.strictEqual(Result.getOrThrow(Verify.logs([], {}, empty.trusted, empty.proven))._tag, "VERIFIED")
  })

  it("agrees with the rules about random filters", async () => {
    const { logs, proven, trusted } = await make()
    const random = Random.make(11)
    const some = (make: (n: number) => Hash32.Hash32 | Address.Address, below: number) =>
      Array.from({ length: Random.int(random, 3) }, () => make(Random.int(random, below)))
    for (let run = 0; run < Random.runs(60); run++) {
      const filter = {
        address: some(address, 4),
        topics: Array.from({ length: Random.int(random, 4) }, () => some(topic, 12))
      } as LogFilter.Selection
      const answer = decode(expected(logs, filter))
      assert.isTrue(Result.isSuccess(Verify.logs(answer, filter, trusted, proven)), JSON.stringify(filter))
      if (answer.length > 0) {
        assert.isTrue(Result.isFailure(Verify.logs(answer.slice(1), filter, trusted, proven)), JSON.stringify(filter))
      }
    }
  })
})

/**
 * Tells the lies by omission through the readers on a wire: a field that is left out, null or empty must be filled in from
 * the proof, claimed with its reason, or refused. `lab/lies` tells them, and all others, to the library.
 */
import * as History from "@plumbline/lies/src/eth/history.ts"
import { liars, omissions } from "@plumbline/lies/src/eth/liars/liars.ts"
import * as Suite from "@plumbline/lies/src/eth/liars/liarSuite.ts"
import { isWhole } from "@plumbline/seeded/Random"
import { assert, describe, it } from "vitest"

import * as WireReaders from "../../src/lies/wireReaders.ts"

const TIMEOUT = 1_800_000

/** Block 67 has transactions of every type, and block 60 creates a contract. */
const blocks = isWhole ? [67, 60] : [67]

const all = Number(process.env["PLUMBLINE_RUNS"] ?? 0) >= 1000

/**
 * Each lie opens a gateway of its own, so a run tells it one of the three ways for each field; `PLUMBLINE_RUNS=1000`
 * tells all. The command starts a process for each question, so it gets a few lies.
 */
const FEW: ReadonlySet<string> = new Set([
  "transaction-gas-price-absent",
  "transaction-block-timestamp-null",
  "transaction-access-list-empty",
  "block-withdrawals-absent",
  "block-difficulty-null"
])

describe("an omission", () => {
  for (const [reader, lies, numbers] of [
    [WireReaders.proxy("refuse"), [...liars, ...omissions], blocks],
    [WireReaders.proxy("mark"), omissions, blocks],
    [
      WireReaders.gateway("refuse"),
      all ? omissions : omissions.filter((_, at) => at % 3 === Math.floor(at / 3) % 3),
      [67]
    ],
    [WireReaders.gateway("mark"), all ? omissions : omissions.filter((_, at) => at % 20 === 0), [67]],
    [WireReaders.command, all ? omissions : omissions.filter(({ name }) => FEW.has(name)), [67]]
  ] as const) {
    it.each([...numbers])(
      `never passes as proven through the ${reader.name}, in block %i`,
      async (number) => {
        const [world] = await History.worlds([number])
        const arena = await Suite.prepare(world!, { readers: [reader], trusts: ["pinned head"], isBrief: true })
        const { honest } = arena
        assert.deepStrictEqual(honest.false, [])
        assert.strictEqual(honest.true + honest.claimed, honest.answers)
        const counts = Suite.tally()
        for (const liar of lies) await Suite.attack(arena, liar, counts)
        console.log(Suite.summary(`${reader.name}, block ${number}`, counts))
        assert.deepStrictEqual(counts.false.slice(0, 5), [])
        assert.isAtLeast(counts.lies, reader === WireReaders.command ? FEW.size : 15)
        for (const outcome of [counts.refuted, counts.true]) assert.isAbove(outcome, counts.answers / 60)
        const { afterwards } = counts
        // whatever the reader kept must be the whole truth, and an honest node is believed again
        assert.deepStrictEqual(afterwards.false.slice(0, 5), [])
        assert.strictEqual(afterwards.true, afterwards.answers)
        if (reader.keeps === true) assert.strictEqual(afterwards.answers * 2, counts.answers)
      },
      TIMEOUT
    )
  }
})

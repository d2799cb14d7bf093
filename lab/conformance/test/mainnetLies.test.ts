/** Runs the liars of lab/lies on recorded mainnet blocks. */
import { assert, it } from "@effect/vitest"
import { liars } from "@plumbline/lies/src/eth/liars/liars.ts"
import * as Suite from "@plumbline/lies/src/eth/liars/liarSuite.ts"
import { isWhole } from "@plumbline/seeded/Random"

import { worlds } from "./mainnet/lies.ts"
import { conformance } from "./support/fixtures.ts"

/** For every liar, the verifier recovers every sender of a block repeatedly, and each recovery takes a millisecond. */
const TIMEOUT = 3_600_000

/** A block of London with a failed transaction and an uncle, and the last block of proof of work. */
const BLOCKS = [14_764_013, 15_537_393]

/** Outside CI, only the first block is tested, from a pinned head. */
const COUNT = isWhole ? undefined : 1
const TRUSTS: ReadonlyArray<Suite.Trust> = isWhole ? ["none", "pinned head"] : ["pinned head"]

/** A block of Cancun with withdrawals. It takes minutes, so it needs a `PLUMBLINE_RUNS` of 1000 or more. */
const MORE = Number(process.env["PLUMBLINE_RUNS"] ?? 0) >= 1000 ? [19_426_587] : []

conformance("nodes that lie about mainnet blocks", () => {
  for (const { number, read } of worlds([...BLOCKS, ...MORE]).slice(0, COUNT)) {
    it(
      `get no false leaf accepted about block ${number}`,
      async () => {
        const arena = await Suite.prepare(await read(), { trusts: TRUSTS })
        const { honest } = arena
        console.log(Suite.summary(`mainnet block ${number}, honest`, honest))
        assert.strictEqual(honest.refuted + honest.malformed + honest.moved + honest.failed, 0)
        assert.deepStrictEqual(honest.false, [])
        const counts = Suite.tally()
        for (const liar of liars) await Suite.attack(arena, liar, counts)
        console.log(Suite.summary(`mainnet block ${number}`, counts))
        assert.deepStrictEqual(counts.false.slice(0, 5), [])
        assert.isAbove(counts.lies, 43)
        assert.isAbove(counts.refuted, 0)
        assert.isAbove(counts.claimed, 0)
      },
      TIMEOUT
    )
  }
})

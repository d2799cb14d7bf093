/**
 * Checks that counts of operations stay below ceilings. The counts do not depend on the machine, so this test notices a
 * slower implementation where a test of time could not. If a change exceeds a ceiling on purpose, raise the ceiling in
 * the same commit and say why.
 */
import { execFile } from "node:child_process"
import * as path from "node:path"
import { promisify } from "node:util"

import { assert, describe, it } from "@effect/vitest"

import { trips } from "./support/trips.ts"

const program = path.join(import.meta.dirname, "../src/counts/main.ts")

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

const counted = promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", program]).then(
  ({ stdout }): Counts => JSON.parse(stdout)
)

/** The ceilings, about a tenth above the counts at the time of writing. `calls` are calls of JavaScript functions. */
const ceilings: Counts = {
  "account proof with a slot": { wasm: 8, ours: 430, effect: 6, parsers: 0 },
  "block of 200 transactions, typed": { wasm: 1310, ours: 22_800, effect: 20, parsers: 0 },
  "block of 200 transactions, verified": { wasm: 2460, ours: 60_000, effect: 46, parsers: 0 },
  // Of the calls of our functions, eight check the address and the key, which are plain text
  // (docs/decisions/ethereum-proofs.md), and one asks if there is a tracer, with eight calls of Effect.
  "slot through the client": { wasm: 4, ours: 66, effect: 80, parsers: 0 },
  "proven block, its calls": { calls: 1 },
  // Effect's are 36 and 41, of which 28 belong to the three parameters; the others read clocks or come with the answer.
  // On a busy machine, where a request takes more than 50 ms, the sync of SQLite's log adds up to 52.
  "request with limits and usage": { statements: 6, ours: 420, effect: 95 },
  "request to a node over HTTP": { ours: 490, effect: 100 },
  ...trips
}

describe("counts", () => {
  for (const [operation, most] of Object.entries(ceilings)) {
    it(`${operation}: ${Object.entries(most)
      .map(([unit, count]) => `${unit} <= ${count}`)
      .join(", ")}`, async () => {
      const found = (await counted)[operation]
      assert.isDefined(found, operation)
      for (const [unit, ceiling] of Object.entries(most)) {
        assert.isAtMost(found[unit]!, ceiling, unit)
      }
    })
  }

  it("has a ceiling for each count of requests", async () => {
    const found = Object.entries(await counted).filter(([, counts]) => "trips" in counts)
    assert.deepStrictEqual(found.map(([name]) => name).toSorted(), Object.keys(trips).toSorted())
  })

  it("are counts: a parser that is made in the operation is one, and so are a call and a statement", async () => {
    const { control } = await counted
    assert.isAbove(control!["parsers"]!, 0)
    assert.isAbove(control!["effect"]!, control!["parsers"]!)
    for (const unit of ["wasm", "ours"]) assert.isAbove((await counted)["account proof with a slot"]![unit]!, 0)
    assert.isAbove((await counted)["request with limits and usage"]!["statements"]!, 0)
  })
})

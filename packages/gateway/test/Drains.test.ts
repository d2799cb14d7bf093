/** Whole services that end while they are called. `pnpm drains` ends a hundred of each kind. */
import { assert, describe, it } from "@effect/vitest"

import * as Drains from "./support/drains.ts"
import * as Random from "./support/random.ts"

describe("a service that is told to end while it is called", () => {
  const cases = [
    ["callers", 200],
    ["callers", 0],
    ["sockets", 1500],
    ["sockets", 100]
  ] as const
  it.each(cases)(
    "loses nothing of %s, with %d ms of grace",
    async (kind, grace) => {
      const random = Random.make(7)
      for (let run = 0; run < Random.runs(1); run++) {
        const { answered, lost, processed } = await Drains.run(kind, grace, random)
        assert.isAbove(answered, 0)
        assert.strictEqual(lost, 0)
        // Calls without an answer to the client were not executed either.
        assert.strictEqual(processed, answered)
      }
    },
    60_000
  )
})

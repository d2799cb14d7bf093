/** A saturated service holds as much after many calls as after few. `pnpm lab saturation` is the long form. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import * as Saturation from "./support/saturation.ts"

describe("a saturated service", () => {
  it("holds nothing of a call that has ended", async () => {
    const windows: Array<Saturation.Window> = []
    await Saturation.run(Random.sized(20_000), (window) => windows.push(window) < 8)
    const calls = windows.at(-1)!.calls - windows[2]!.calls
    // The first windows fill caches and compile. An object that stays takes at least 16 bytes for each call.
    const grown = windows.at(-1)!.heap - windows[2]!.heap
    assert.isBelow(grown, Math.max(16 * calls, 1024 * 1024), JSON.stringify(windows))
  })
})

/** Tests the measure of growth, which decides whether memory stays flat. */
import { assert, describe, it } from "vitest"

import * as Slope from "../../src/chaos/slope.ts"

const samples = (value: (at: number) => number) => Array.from({ length: 120 }, (_, at) => ({ at, value: value(at) }))

describe("growth", () => {
  it("is the line's own slope and rise, without the warm-up", () => {
    const { mean, perMinute, rise } = Slope.of(samples((at) => (at < 30 ? 1e6 : 100 + 2 * at)))
    assert.approximately(perMinute, 120, 1e-6)
    // The last 30 of 90 samples begin 60 seconds after the first 30.
    assert.approximately(rise, 120, 1e-6)
    assert.approximately(mean, 100 + 2 * 74.5, 1e-6)
  })

  it("is none where a saw goes up and down", () => {
    const { rise } = Slope.of(samples((at) => 100 + (at % 10)))
    assert.approximately(rise, 0, 1e-6)
  })
})

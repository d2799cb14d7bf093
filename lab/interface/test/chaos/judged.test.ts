/** Tests the judgement of a scenario: each kind of fault makes the scenario fail. */
import { assert, describe, it } from "vitest"

import * as Scenario from "../../src/chaos/scenario.ts"

const good: Scenario.Finding = {
  sent: 10,
  right: 9,
  wrong: 0,
  refused: new Map([["503 service unavailable", 1]]),
  lost: new Map(),
  metered: 9,
  uncertain: 0,
  pause: 5,
  operator: [],
  measured: [],
  broken: []
}

describe("a scenario", () => {
  it("holds if all is answered, refused in a known way, and metered", () => {
    assert.deepEqual(Scenario.faultsOf(good), [])
  })

  it.each([
    ["a lost call", { lost: new Map([["ECONNRESET", 1]]) }],
    ["a wrong answer", { wrong: 1, metered: 10 }],
    ["an acknowledged call that is not metered", { metered: 8 }],
    ["a metered call that nobody got an answer to", { metered: 10 }],
    ["a broken promise", { broken: ["a key stayed good"] }],
    ["no call at all", { sent: 0, right: 0, metered: 0 }]
  ])("fails with %s", (_, change) => {
    assert.lengthOf(Scenario.faultsOf({ ...good, ...change }), 1)
  })

  it("holds if a refused call was metered where the documentation permits that", () => {
    assert.deepEqual(Scenario.faultsOf({ ...good, metered: 10, uncertain: 1 }), [])
  })
})

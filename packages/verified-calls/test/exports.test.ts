import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/verified-calls"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "CallBounds: defaults",
    "Hardforks: always at faultOf hasOwnContracts isSince names of ofRules rulesAt",
    "VerifiedCalls: layer make"
  ])
})

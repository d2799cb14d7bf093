import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/gateway-beacon"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "BeaconArchive: defaults fields make migrations",
    "BeaconMetrics: families",
    "BeaconProduct: make"
  ])
})

import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/tamper"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, ["Catalogue: byName lies omissions", "Lie: fault make", "Tamper: defaults make random"])
})

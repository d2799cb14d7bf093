import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/secp256k1"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(([name, value]) =>
    typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names.toSorted(), [
    "FastRecovery: layer make",
    "NativeRecovery: layer make",
    "RecoveryUnavailableError"
  ])
})

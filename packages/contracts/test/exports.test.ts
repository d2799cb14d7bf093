import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/contracts"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "AbiError: AbiArgumentError AbiDecodeError AbiSignatureError",
    "AbiFunction: encode selector signature",
    "AbiParameters: MAX_BYTES decode defaults encode",
    "AbiSignature: MAX_LENGTH parse",
    "AbiText: fromDecoded read toJson"
  ])
})

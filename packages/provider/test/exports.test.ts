import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/provider"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "Eip1193Provider: fromLayer make",
    "Policy: needsSession ruleOf rules",
    "ProviderReason: Accepted Configured NodesWord",
    "ProviderRpcError: ProviderRpcError",
    "ProvingNode: ProvingNode layer make",
    "ProvingTransport: layer",
    "Refusal: DISCONNECTED REFUTED UNAVAILABLE UNPROVEN UNSUPPORTED failed refuted unnamed unproven unsupported"
  ])
})

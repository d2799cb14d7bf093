import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/provider"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "Eip1193Provider: defaults fromLayer make",
    "Filters: defaults make",
    "Notice: ",
    "Policy: administers needsSession ruleOf rules",
    "ProviderReason: Absent Accepted Another Computed Configured Extends FeeRule Kept NoNews NodesWord Pending Removed",
    "ProviderRpcError: ProviderRpcError",
    "ProvingNode: ProvingNode defaults layer make",
    "ProvingTransport: layer",
    "ProviderRefusal: DISCONNECTED MISSED OUT_OF_BOUNDS REFUTED UNAVAILABLE UNPROVEN UNSUPPORTED administration anchorOf anchorOfQuestion failed isLate isOwn isUnavailable lost missed refuted unnamed unproven unsupported unsupportedSubscription verdictOf withVerdict"
  ])
})

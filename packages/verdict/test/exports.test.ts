import { assert, it } from "@effect/vitest"
import * as verdict from "@plumbline/verdict"

it("exports these names and no others", () => {
  const names = Object.entries(verdict).map(([module, members]) =>
    typeof members === "function" ? module : `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "Anchor: block cid equals isWeak joined lightClient operator quorum rollup toJson toText transaction unsettled",
    "Claim: equals of question toSentence whole",
    "Evidence: equals kind",
    "Kind: define equals",
    "Reason: All Derived RestsOn TwoAnchors equals isAccepted kind",
    "Verdict: claim claimAll getOrRefuse isAnchoredAt map match restOn sentences toJson weakAnchorOf weaken withClaim zip",
    "RefutedError",
    "refute",
    "UnprovenError"
  ])
})

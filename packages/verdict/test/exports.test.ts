import { assert, it } from "@effect/vitest"
import * as verdict from "@plumbline/verdict"

it("exports these names and no others", () => {
  const names = Object.entries(verdict).map(([module, members]) =>
    typeof members === "function" ? module : `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "Anchor: block cid equals lightClient transaction",
    "Claim: equals of question toSentence whole",
    "Evidence: equals kind",
    "Kind: define equals",
    "Reason: All Derived TwoAnchors equals kind",
    "Verdict: claim claimAll getOrRefuse isAnchoredAt map match sentences weaken withClaim zip",
    "Refuted",
    "refute",
    "Unproven"
  ])
})

import { assert, it } from "@effect/vitest"
import * as proofBundle from "@plumbline/proof-bundle"

it("exports these names and no others", () => {
  const names = Object.entries(proofBundle)
    .map(([name, value]) =>
      typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`.trimEnd()
    )
    .toSorted()
  assert.deepStrictEqual(names, [
    "BundleCall:",
    "BundleClient: NotInBundleError layer layerPlain make makeVerdicts",
    "BundleError",
    "BundleEvidence: BundleBlocks",
    "BundleIpfs: PublishError claimedBlock defaults fetch listOf publish",
    "BundleReason: HeaderNotMade RootNotMade RulesOfMaker",
    "CallReplay: run",
    "NotInBundleError: NotInBundleError fromError toJsonRpcError",
    "ProofBundle: BundleError claimedBlock defaults encode fromBlocks make open parts",
    "ProvenStorage: MAX_PLACES MAX_WORDS find",
    "PublishError"
  ])
})

import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/ens"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "CcipRead: defaults",
    "ContentHash: ContentHashError MAX_SIZE fromBytes toText",
    "ContentHashError: ContentHashError",
    "Ens: Ens defaults layer make",
    "EnsChain: mainnet of",
    "EnsError: EnsError",
    "EnsEvidence: Resolution",
    "EnsName: EnsNameError MAX_LABEL MAX_LENGTH fromNormalized fromOffset fromText fromTextUnsafe namehash toDns",
    "EnsNameError: EnsNameError",
    "EnsReason: FromGateway OtherBlock"
  ])
})

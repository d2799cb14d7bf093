import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/op-stack"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "ContractLayout: implementationSlot portalOf portalSlot registryOf versionOf",
    "DisputeGame: CLAIM_COUNT COUNT GAME_DATA STATE claimOf formOf idOf keyOf numberOf respectedAt respectedOf rootClaimSlot slotAt slotOf stateOf",
    "OpStackChain: evmForks evmOf forkAt forkNames fromJson",
    "OpStackChainError: OpStackChainError",
    "OpStackChains: all byId byName evmForks named similar",
    "OpStackEvidence: OutputClaimed OutputCommits OutputSettled",
    "OpStackReason: AnchorBack EmptySlot GameUnconfirmed L1Unproven L1Untrusted NewerThanSettled NoGame RegistryNotNamed SettledBlockUnknown SettledBlockUnproven UnknownImplementation UnsupportedGame WrongChain",
    "OpStackTrust: layer make",
    "OutputRoot: MESSAGE_PASSER of"
  ])
})

import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/contracts"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "AbiError: AbiArgumentError AbiDecodeError AbiEventError AbiJsonError AbiNameError AbiSignatureError",
    "AbiEvent: decode signature topic topics",
    "AbiFunction: call encode selector signature",
    "AbiJson: MAX_ITEMS parse",
    "AbiParameters: MAX_BYTES decode defaults encode",
    "AbiRevert: decode",
    "AbiSignature: MAX_LENGTH parse",
    "AbiText: fromDecoded read toJson",
    "AbiType: ",
    "Contract: all defaults make run",
    "ContractCall: make",
    "ContractError: HaltedError ReturnedDataError RevertedError",
    "Erc1155: abi at uriOf",
    "Erc20: abi at name symbol",
    "Erc721: abi at",
    "VerdictContract: all defaults make run"
  ])
})

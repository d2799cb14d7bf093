import { assert, it } from "@effect/vitest"
import * as storageLayout from "@plumbline/storage-layout"

it("exports these names and no others", () => {
  const names = Object.entries(storageLayout).map(([name, value]) =>
    typeof value === "function" ? name : `${name}: ${Object.keys(value).toSorted().join(" ")}`.trimEnd()
  )
  assert.deepStrictEqual(names, [
    "Accessor: make path value",
    "ContractStorage: ContractStorage MAX_SLOTS NoBlockError defaults layer make",
    "ValueDifference: between",
    "Entries: locate",
    "Erc1967: ADMIN BEACON IMPLEMENTATION layout",
    "Erc20: defaults openZeppelin openZeppelinUpgradeable4 openZeppelinUpgradeable5 read solmate uni weth9",
    "Erc7201: openZeppelin",
    "Erc721: defaults openZeppelin openZeppelinUpgradeable4 openZeppelinUpgradeable5 read solmate",
    "FlawedValueError: FlawedValueError",
    "Formula: make",
    "Generate: MARK typescript",
    "Layout: LayoutError fromSolc fromSolcOutput fromVyper openSolcOutput",
    "LayoutError: LayoutError",
    "Location: locate",
    "NoValueError: NoValueError",
    "Path: MAX_LENGTH PathError parse",
    "PathError: PathError",
    "Plan: defaults give start",
    "SlotPreimage: entries index ofPath",
    "Proxy: ERC1822 ZEPPELIN_OS defaults resolve",
    "Readable: leftOut locate variables",
    "Share: inSlot ofPath",
    "Slot: COUNT add data element erc7201 fixedBytesKey mappingEntry mappingEntryHex mappingEntryHexUnsafe numberKey packedElement vyperEntry",
    "StorageEvidence: AccountAtBoth SameStorageRoot StorageWords",
    "StorageReason: NodesWord ProxyConvention UnknownDelegation",
    "StorageType: isValueType slots",
    "Value: Flaw toJson"
  ])
})

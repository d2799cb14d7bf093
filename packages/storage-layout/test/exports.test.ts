import { assert, it } from "@effect/vitest"
import * as storageLayout from "@plumbline/storage-layout"

it("exports these names and no others", () => {
  const names = Object.entries(storageLayout).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "Accessor: make path value",
    "ContractStorage: ContractStorage MAX_SLOTS make",
    "Flawed: Flawed",
    "Layout: fromSolc fromSolcOutput fromVyper",
    "LayoutError: LayoutError",
    "Location: locate",
    "NoBlock: NoBlock",
    "NoValue: NoValue",
    "Path: MAX_LENGTH parse",
    "PathError: PathError",
    "Plan: DEFAULT_MAX_DEPTH DEFAULT_MAX_WORDS give start",
    "Slot: COUNT add data element erc7201 fixedBytesKey mappingEntry numberKey packedElement vyperEntry",
    "StorageType: isValueType slots",
    "Value: Flaw"
  ])
})

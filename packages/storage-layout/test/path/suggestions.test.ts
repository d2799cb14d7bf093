/** Suggestions for misspelt names in paths. */
import { assert, describe, it } from "@effect/vitest"
import { Layout, Location } from "@plumbline/storage-layout"
import { Result } from "effect"

const uint = { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
const layoutOf = (...names: ReadonlyArray<string>) =>
  Result.getOrThrow(
    Layout.fromSolc({
      storage: names.map((label, i) => ({ label, offset: 0, slot: String(i), type: "t_uint256" })),
      types: { t_uint256: uint }
    })
  )
const detailOf = (layout: Layout.Layout, path: string): string => {
  const found = Location.locate(layout, path)
  return Result.isFailure(found) ? found.failure.detail : "found"
}

describe("suggestions", () => {
  it("name the variable that is ninth in the layout, and no name twice", () => {
    const names = ["a", "bb", "ccc", "dddd", "owner", "owner", "symbol", "name", "decimals", "price"]
    const layout = layoutOf(...names)
    assert.strictEqual(detailOf(layout, "prise"), "the contract has no variable prise; did you mean price?")
    const none = detailOf(layout, "zzzzzzzz")
    assert.strictEqual(
      none,
      "the contract has no variable zzzzzzzz; it has a, bb, ccc, dddd, owner, symbol, name, decimals and others"
    )
  })

  it("name members, and namespaces too", () => {
    const struct = {
      encoding: "inplace",
      label: "struct Position",
      numberOfBytes: "64",
      members: ["amount", "owner"].map((label, i) => ({ label, offset: 0, slot: String(i), type: "t_uint256" }))
    }
    const layout = Result.getOrThrow(
      Layout.fromSolc({
        storage: [{ label: "first", offset: 0, slot: "0", type: "t_struct(Position)1_storage" }],
        namespaces: [{ id: "example.main", type: "t_struct(Position)1_storage" }],
        types: { "t_struct(Position)1_storage": struct, t_uint256: uint }
      })
    )
    assert.strictEqual(detailOf(layout, "first.amuont"), "struct Position has no member amuont; did you mean amount?")
    assert.match(detailOf(layout, 'erc7201("example.mian")'), /no namespace of this id; did you mean example\.main\?$/)
  })
})

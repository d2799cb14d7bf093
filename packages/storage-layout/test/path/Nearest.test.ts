/** Compares suggestions for misspelt names with a distance that is computed by another method. */
import { assert, describe, it } from "@effect/vitest"
import { Layout, Location, Nearest } from "@plumbline/storage-layout"
import { Result } from "effect"

/** Returns the smallest number of slips between two short words, by breadth-first search. */
const slipsBySearch = (from: string, to: string, most: number): number => {
  const letters = [...new Set(to)]
  let words = new Set([from])
  for (let slips = 0; slips <= most; slips++) {
    if (words.has(to)) return slips
    const next = new Set<string>()
    for (const word of words) {
      for (let i = 0; i <= word.length; i++) {
        const [head, tail] = [word.slice(0, i), word.slice(i)]
        if (tail !== "") next.add(head + tail.slice(1))
        if (tail.length > 1) next.add(head + tail[1] + tail[0] + tail.slice(2))
        for (const letter of letters) {
          next.add(head + letter + tail)
          if (tail !== "") next.add(head + letter + tail.slice(1))
        }
      }
    }
    words = next
  }
  return Infinity
}

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
  it("are those within a third of the letters, as a search through all slips finds them", () => {
    const names = ["price", "prices", "prize", "owner", "total", "eprice", "pirce", "rise", "apprise", "p"]
    for (const wanted of ["prise", "price", "pirce", "ownr", "totla", "x"]) {
      const allowed = names.filter((name) => {
        const length = Math.max(name.length, wanted.length)
        const most = length === 1 ? 0 : Math.max(1, Math.floor(length / 3))
        return slipsBySearch(wanted, name, 2) <= most
      })
      const found = Nearest.find(wanted, names)
      assert.deepStrictEqual(
        found.filter((name) => !allowed.includes(name)),
        [],
        wanted
      )
      assert.strictEqual(found.length, Math.min(3, allowed.length), wanted)
      const distances = found.map((name) => slipsBySearch(wanted, name, 2))
      assert.deepStrictEqual(
        distances,
        distances.toSorted((a, b) => a - b),
        wanted
      )
    }
  })

  it("come each once, in the order of declaration where they are equally near", () => {
    assert.deepStrictEqual(Nearest.find("a1", ["a3", "a2", "a3", "a2"]), ["a3", "a2"])
    assert.deepStrictEqual(Nearest.find("TOTALSUPPLY", ["totalSupply"]), ["totalSupply"])
    assert.deepStrictEqual(Nearest.find("tot", ["owner", "totalSupply"]), ["totalSupply"])
  })

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

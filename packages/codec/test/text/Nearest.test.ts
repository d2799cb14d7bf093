/** Compares suggestions for misspelt names with a distance that is computed by another method. */
import { assert, describe, it } from "@effect/vitest"
import { Nearest } from "@plumbline/codec"

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
})

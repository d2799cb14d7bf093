import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Layout, Location, Plan, Slot, Value } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Reading from "../support/reading.ts"
import * as Solidity from "../support/solidity.ts"

const { output } = Solidity.compile(`
  enum Color { Red, Green, Blue }
  struct Tree { Tree[] kids; }
  contract P {
    uint8 a; bool on; Color color; uint16 b;
    string name; bytes blob; uint256[] list; bool[] flags; string[] names; Tree tree;
    mapping(uint256 => uint256) map; mapping(uint256 => uint256)[3] maps; mapping(uint256 => uint256)[] moreMaps;
    struct OnlyMaps { mapping(uint256 => uint256) m; } OnlyMaps[] onlyMaps; uint256[2 ** 200] huge; uint256 last;
  }`)
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "P"))
const slotOf = (path: string) => Result.getOrThrow(Location.locate(layout, path)).slot

/** Returns storage in which all words that are not listed are zero. */
const storage = (words: ReadonlyArray<readonly [slot: bigint, word: bigint]>) => {
  const map = new Map(words)
  return (slot: bigint) => map.get(slot) ?? 0n
}

const start = (...paths: ReadonlyArray<string>) =>
  Plan.start(
    layout,
    paths.map((path) => Result.getOrThrow(Location.locate(layout, path)))
  )

const flaws = ({ flaws }: Value.DecodedValue) => flaws.map(({ path, reason }) => [path, reason])

describe("a plan", () => {
  it("asks for each word once, for all values together", () => {
    const plan = Result.getOrThrow(start("a", "on", "color", "b", "list[0]", "list.length", "list"))
    assert.strictEqual(plan._tag, "Want")
    const list = slotOf("list")
    assert.deepStrictEqual(plan._tag === "Want" && plan.slots, [slotOf("a"), list, Slot.data(list)])
  })

  it("asks in the next round for what it could not know, and never for what it has", () => {
    let plan = Result.getOrThrow(start("names"))
    const names = slotOf("names")
    const first = Slot.data(names)
    const long = 2n * 40n + 1n
    const words = storage([
      [names, 2n],
      [first, long],
      [first + 1n, (0x61n << 248n) | 2n]
    ])
    const asked: Array<ReadonlyArray<bigint>> = []
    while (plan._tag === "Want") {
      asked.push(plan.slots)
      plan = Plan.give(plan, words)
    }
    const content = Slot.data(first)
    assert.deepStrictEqual(asked, [[names], [first, first + 1n], [content, content + 1n]])
    assert.deepStrictEqual(plan.values, [{ value: ["\0".repeat(40), "a"], flaws: [] }])
    assert.deepStrictEqual(new Set(plan.words.keys()), new Set(asked.flat()))
  })

  it("of nothing is done at once", () => {
    assert.deepInclude(Result.getOrThrow(start()), { _tag: "Done", values: [] })
  })

  it("does not change when it is given words: the same plan may be given others", () => {
    const plan = Result.getOrThrow(start("last"))
    const value = (word: bigint) => {
      const done = plan._tag === "Want" ? Plan.give(plan, () => word) : plan
      return done._tag === "Done" ? done.values[0]?.value : undefined
    }
    assert.deepStrictEqual([value(1n), value(2n), value(1n), value(2n ** 256n + 3n)], [1n, 2n, 1n, 3n])
  })

  it("has no value for mappings and arrays of them", () => {
    for (const path of ["map", "maps", "maps[0]", "moreMaps"]) {
      const plan = start(path)
      assert.isTrue(Result.isFailure(plan) && plan.failure.path === path, path)
    }
    assert.isTrue(Result.isSuccess(start("moreMaps.length", "map[1]", "maps[0][1]")))
  })
})

describe("a corrupt word", () => {
  it("is flagged where it is, and the values beside it are read", async () => {
    // the values in this word: a = 9, on = 2, color = 3, b = 0x0102
    const { values } = await Reading.readMany(
      layout,
      ["a", "on", "color", "b"],
      storage([[slotOf("a"), 0x0102030209n]])
    )
    assert.deepStrictEqual(
      values.map(({ value }) => value),
      [9n, new Value.Flaw("NotABool", "on", "0x02"), new Value.Flaw("NotAMember", "color", "0x03"), 0x0102n]
    )
    assert.deepStrictEqual(values.map(flaws), [[], [["on", "NotABool"]], [["color", "NotAMember"]], []])
  })

  it("is flagged in arrays with the path of the element", async () => {
    const list = slotOf("flags")
    const decoded = await Reading.read(
      layout,
      "flags",
      storage([
        [list, 3n],
        [Slot.data(list), 0x010700n]
      ])
    )
    assert.deepStrictEqual(flaws(decoded), [["flags[1]", "NotABool"]])
    assert.deepStrictEqual((decoded.value as ReadonlyArray<Value.Value>)[2], true)
  })

  it("is a length of text that no program writes", async () => {
    const name = slotOf("name")
    const impossible = [
      // lengths of the short form that are too large: 32 and 127 bytes
      64n,
      254n,
      // lengths of the long form that are too small: 0 and 31 bytes
      1n,
      63n
    ]
    for (const word of impossible) {
      for (const path of ["name", "name.length", "blob"]) {
        const decoded = await Reading.read(
          layout,
          path,
          storage([
            [name, word],
            [slotOf("blob"), word]
          ])
        )
        assert.deepStrictEqual(flaws(decoded), [[path, "BadLength"]], `${path} of ${word}`)
      }
    }
    for (const [word, length] of [
      [0n, 0n],
      [62n, 31n],
      [65n, 32n]
    ] as const) {
      assert.strictEqual((await Reading.read(layout, "name.length", () => word)).value, length)
    }
  })

  it("is text that is not UTF-8, whose bytes are kept", async () => {
    const decoded = await Reading.read(layout, "name", storage([[slotOf("name"), (0xc328n << 240n) | 4n]]))
    assert.deepStrictEqual(decoded.value, new Value.Flaw("NotUtf8", "name", "0xc328"))
    const mark = await Reading.read(layout, "name", storage([[slotOf("name"), (0xefbbbfn << 232n) | 6n]]))
    assert.strictEqual(mark.value, "\ufeff")
  })
})

describe("an index", () => {
  it("beyond the array's length is not a value, whatever is there", async () => {
    const list = slotOf("list")
    const words = storage([
      [list, 2n],
      [Slot.data(list) + 1n, 7n],
      [Slot.data(list) + 2n, 8n]
    ])
    assert.strictEqual((await Reading.read(layout, "list[1]", words)).value, 7n)
    const beyond = await Reading.read(layout, "list[2]", words)
    assert.deepStrictEqual(flaws(beyond), [["list[2]", "OutOfRange"]])
    assert.deepStrictEqual(flaws(await Reading.read(layout, "tree.kids[0].kids[5].kids.length", words)), [
      ["tree.kids[0].kids[5].kids.length", "OutOfRange"]
    ])
  })
})

describe("hostile storage", () => {
  const asked = async (path: string, word: (slot: bigint) => bigint, options?: Plan.PlanOptions) => {
    let count = 0
    const decoded = await Reading.readMany(
      layout,
      [path],
      (slot) => {
        count++
        return word(slot)
      },
      options
    )
    return { count, flaws: flaws(decoded.values[0]!), rounds: decoded.rounds }
  }

  it("cannot make a plan read more words than it may", async () => {
    for (const path of ["list", "flags", "names", "name", "blob", "onlyMaps"]) {
      const { count, flaws } = await asked(path, (slot) => (slot === slotOf(path) ? 2n ** 256n - 1n : 0n))
      assert.deepStrictEqual([count, flaws], [1, [[path, "TooLarge"]]], path)
    }
    assert.deepStrictEqual(await asked("huge", () => 0n), { count: 0, flaws: [["huge", "TooLarge"]], rounds: 0 })
  })

  it("cannot make it so by many values that are each small enough", async () => {
    // `names` has 50 names of 50 words each, and the limit is 200 words
    const names = slotOf("names")
    const word = (slot: bigint) => (slot === names ? 50n : 2n * 32n * 50n + 1n)
    const { count, flaws } = await asked("names", word, { maxWords: 200 })
    assert.isAtMost(count, 200)
    assert.lengthOf(
      flaws.filter(([, reason]) => reason === "TooLarge"),
      50 - 2
    )
  })

  it("cannot make it so by what only later rounds show", async () => {
    // the second round asks for 90 words of each variable, and the third for 50 words of each of the 90 names
    const paths = ["names", "list"]
    const word = (slot: bigint) => (slot === slotOf("names") || slot === slotOf("list") ? 90n : 2n * 32n * 50n + 1n)
    let count = 0
    await Reading.readMany(layout, paths, (slot) => (count++, word(slot)), { maxWords: 200 })
    assert.isAtMost(count, 200)
  })

  it("cannot make it go down without end", async () => {
    // every word is 1, so every tree has one child, without end
    const { count, flaws, rounds } = await asked("tree", () => 1n)
    assert.deepStrictEqual(
      flaws.map(([, reason]) => reason),
      ["TooDeep"]
    )
    assert.isAtMost(rounds, Plan.defaults.maxDepth + 1)
    assert.isAtMost(count, Plan.defaults.maxDepth + 1)
  })

  it("of any words gives a value or flaws, within the bounds", async () => {
    const random = Random.make(11)
    const paths = [
      "a",
      "on",
      "color",
      "name",
      "blob",
      "list",
      "flags",
      "names",
      "tree",
      "onlyMaps",
      "list[3]",
      "name.length"
    ]
    for (let run = 0; run < Random.runs(200); run++) {
      const word = () =>
        Random.pick(random, [0n, 1n, 2n, 65n, 2n ** 256n - 1n, BigInt(Random.int(random, 1000)), 2n ** 200n + 5n])
      const { count, rounds } = await asked(Random.pick(random, paths), word, { maxWords: 100, maxDepth: 4 })
      assert.isTrue(count <= 101 && rounds <= 6, `${count} words in ${rounds} rounds`)
    }
  })
})

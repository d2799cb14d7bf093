/** Finds candidate keys in mappings. The contract's getters show which keys are present. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { type Entries, Layout } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"

import * as Evm from "../support/evm.ts"
import * as Solidity from "../support/solidity.ts"
import * as Storage from "../support/storage.ts"

const { contract, output } = Solidity.compile(`contract Book {
  enum Color { Red, Green, Blue }
  struct Item { uint64 price; bool sold; uint256[3] sizes; string note; mapping(uint8 => uint8) more; }
  mapping(address => uint256) public balances;
  mapping(address => mapping(uint256 => bool)) public visits;
  mapping(string => int16) public words;
  mapping(Color => string) public names;
  mapping(bytes4 => uint8[]) lists;
  mapping(uint256 => Item) items;
  mapping(bytes => bool) public blobs;
  struct Inside { mapping(bool => uint8) flags; } Inside inside;
  uint256[] notAMapping;
  function setBalance(address who, uint256 value) external { balances[who] = value; }
  function visit(address who, uint256 day) external { visits[who][day] = true; }
  constructor() {
    words["yes"] = -1; words["gone"] = 5; delete words["gone"]; names[Color.Blue] = "sky";
    lists[0x01020304].push(0); items[1].sizes[2] = 9; items[2].note = "n"; items[3].more[1] = 1;
    blobs[hex"00ff"] = true; inside.flags[false] = 7;
  }
}`)
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Book"))
const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`
const holders = Array.from({ length: 61 }, (_, i) => address(i))
const days = Array.from({ length: 30 }, (_, i) => [address(i % 6), Math.floor(i / 6)] as const)

/**
 * A contract with random content, and the results of its getters. They are called one after the other, because the
 * EVM requires that.
 */
const filled = (async () => {
  const book = await Evm.deploy(contract("Book"))
  const random = Random.make(5)
  for (let i = 0; i < 20; i++) {
    await book.call("setBalance", [address(1 + Random.int(random, 60)), Random.int(random, 3)])
    await book.call("visit", [address(1 + Random.int(random, 5)), Random.int(random, 5)])
  }
  const balances = new Map<string, bigint>()
  for (const holder of holders) balances.set(holder, await book.call("balances", [holder]))
  const visited: Array<string> = []
  for (const day of days) if (await book.call("visits", day)) visited.push(`visits[${day[0]}][${day[1]}]`)
  return { book, balances, visited }
})()

const started = Effect.flatMap(
  Effect.promise(() => filled),
  ({ book }) => Storage.start(book, layout)
)

const entries = (mapping: string, candidates: ReadonlyArray<Entries.EntryCandidate>) =>
  Effect.flatMap(started, ({ ask, node }) =>
    Effect.map(
      ask((storage, book) => storage.entries(book, mapping, candidates, { block: node.hash })),
      (verdict) => {
        assert.strictEqual(verdict._tag, "VERIFIED")
        return verdict.value
      }
    )
  )

describe("entries", () => {
  it.effect("are those of the candidates that the contract has, with their values", () =>
    Effect.gen(function* () {
      const { balances } = yield* Effect.promise(() => filled)
      const { absent, present } = yield* entries("balances", holders)
      const path = (holder: string) => `balances[${holder}]`
      assert.deepStrictEqual(
        present.map(({ path, value }) => [path, value]),
        [...balances].flatMap(([holder, value]) => (value === 0n ? [] : [[path(holder), value]]))
      )
      assert.deepStrictEqual(
        absent,
        [...balances].flatMap(([holder, value]) => (value === 0n ? [path(holder)] : []))
      )
      assert.isTrue(present.length > 3 && absent.length > 30)
    })
  )

  it.effect("of mappings within each other are found by tuples of keys", () =>
    Effect.gen(function* () {
      const { visited } = yield* Effect.promise(() => filled)
      const { absent, present } = yield* entries("visits", days)
      assert.deepStrictEqual(
        present.map(({ path }) => path),
        visited
      )
      assert.lengthOf(absent, days.length - visited.length)
    })
  )

  it.effect("have keys of every type", () =>
    Effect.gen(function* () {
      const found = (mapping: string, ...keys: ReadonlyArray<Entries.EntryCandidate>) =>
        Effect.map(entries(mapping, keys), ({ absent, present }) => [present.map(({ path }) => path), absent])
      assert.deepStrictEqual(yield* found("words", "yes", "gone", "0x12"), [
        [`words["yes"]`],
        [`words["gone"]`, `words["0x12"]`]
      ])
      assert.deepStrictEqual(yield* found("names", "Red", "Blue"), [["names[Blue]"], ["names[Red]"]])
      assert.deepStrictEqual(yield* found("lists", "0x01020304", "0x00000000"), [
        ["lists[0x01020304]"],
        ["lists[0x00000000]"]
      ])
      assert.deepStrictEqual(yield* found("blobs", "0x00FF", "0x"), [["blobs[0x00ff]"], ["blobs[0x]"]])
      assert.deepStrictEqual(yield* found("inside.flags", true, false), [
        ["inside.flags[false]"],
        ["inside.flags[true]"]
      ])
    })
  )

  it.effect("are there if any of their words in place is not zero", () =>
    Effect.gen(function* () {
      // the third entry counts as absent: only the mapping in it has values, and its own words are zero
      const { absent, present } = yield* entries("items", [1n, 2n, 3n, 4n])
      assert.deepStrictEqual(
        present.map(({ path }) => path),
        ["items[1]", "items[2]"]
      )
      assert.deepStrictEqual(absent, ["items[3]", "items[4]"])
    })
  )

  it.effect("are each named once, however their keys are written", () =>
    Effect.gen(function* () {
      const checksummed = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
      const { absent } = yield* entries("balances", [checksummed, checksummed.toLowerCase(), checksummed])
      assert.deepStrictEqual(absent, [`balances[${checksummed.toLowerCase()}]`])
      const numbers = yield* entries("items", [9, 9n, "9", "0x9"])
      assert.deepStrictEqual(numbers.absent, ["items[9]"])
    })
  )

  it.effect("are many in one call", () =>
    Effect.gen(function* () {
      const { ask, node, proofs } = yield* started
      const keys = Array.from({ length: 1024 }, (_, i) => address(i))
      yield* ask((storage, book) => storage.entries(book, "balances", keys, { block: node.hash, maxWords: 0 }))
      assert.deepStrictEqual(
        proofs().map(({ slots }) => slots.length),
        [1024]
      )
    })
  )

  it.effect("are refused with the character of the key that does not fit", () =>
    Effect.gen(function* () {
      const refused = (mapping: string, candidate: Entries.EntryCandidate) =>
        Effect.map(Effect.flip(entries(mapping, [candidate])), (error) =>
          error._tag === "PathError" ? `${error.reason}\n${error.pointer}` : error._tag
        )
      assert.strictEqual(yield* refused("balances", 7), "BadKey\nbalances[7]\n         ^")
      assert.strictEqual(
        yield* refused("visits", [address(1), "0]"]),
        `BadKey\nvisits[${address(1)}]["0]"]\n${" ".repeat(51)}^`
      )
      assert.strictEqual(
        yield* refused("visits", [address(1), 1.5]),
        `BadKey\nvisits[${address(1)}][1.5]\n${" ".repeat(51)}^`
      )
      assert.strictEqual(yield* refused("notAMapping", 1), "NoSuchStep\nnotAMapping\n           ^")
      assert.match(yield* refused("visits", [address(1), 1, 2]), /^NoSuchStep\nvisits/)
      assert.match(yield* refused("words", 1.5), /^BadKey\nwords\[1.5\]/)
      assert.match(yield* refused("words", "\ud800"), /^BadKey\nwords/)
      assert.strictEqual(yield* refused("visits", address(1)), "NoValueError")
    })
  )
})

/** RLPTests and TrieTests. */
import { assert, it } from "@effect/vitest"
import { Hex, Keccak256, Quantity, Rlp } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { json } from "../support/fixtures.ts"
import type { Tally } from "../support/tally.ts"

type Item = string | number | ReadonlyArray<Item>

/**
 * Converts an item of the vectors. They write strings as text, numbers as JSON numbers, and large numbers as `#` and
 * decimal digits.
 */
const itemOf = (item: Item): Rlp.Rlp => {
  if (typeof item === "number") return Quantity.toBytes(BigInt(item))
  if (typeof item !== "string") return item.map(itemOf)
  return item.startsWith("#") ? Quantity.toBytes(BigInt(item.slice(1))) : new TextEncoder().encode(item)
}

type Entries = ReadonlyArray<readonly [string, string | null]>

const bytes = (value: string): Uint8Array =>
  value.startsWith("0x") ? Hex.toBytesUnsafe(value) : new TextEncoder().encode(value)

/**
 * Returns the final entries. The vectors write one entry after another: a later entry replaces an earlier one, and null
 * deletes it.
 */
const entriesOf = (entries: Entries, secure: boolean): ReadonlyArray<readonly [Uint8Array, Uint8Array]> => {
  const last = new Map(entries.map(([key, value]) => [Hex.fromBytes(bytes(key)), value]))
  return [...last].map(([hex, value]) => {
    const key = Hex.toBytesUnsafe(hex)
    return [secure ? Keccak256.hash(key) : key, value === null ? new Uint8Array(0) : bytes(value)] as const
  })
}

export const rlp = (tally: Tally): void => {
  it("valid RLP is written and read as the vectors say, and invalid RLP is refused", () => {
    const valid = tally.count("RLP")
    const vectors: Readonly<Record<string, { in: Item; out: string }>> = json("2-ethereum-tests/RLPTests/rlptest.json")
    for (const [name, vector] of Object.entries(vectors)) {
      const item = itemOf(vector.in)
      assert.strictEqual(Hex.fromBytes(Rlp.encode(item)), vector.out.toLowerCase(), name)
      const decoded = Result.getOrThrow(Rlp.decode(Hex.toBytesUnsafe(vector.out)))
      assert.deepStrictEqual(Rlp.encode(decoded), Rlp.encode(item), name)
      valid.verified()
    }
    const invalid = tally.count("invalid RLP")
    const broken: Readonly<Record<string, { out: string }>> = json("2-ethereum-tests/RLPTests/invalidRLPTest.json")
    for (const [name, { out }] of Object.entries(broken)) {
      const decoded = Rlp.decode(Hex.toBytesUnsafe(out.startsWith("0x") ? out : `0x${out}`))
      invalid.refuted(Result.isFailure(decoded) ? decoded.failure._tag : assert.fail(`${name} was read`))
    }
    valid.expect({ verified: 28 })
    invalid.expect({ refuted: { RlpError: 26 } })
  })
}

export const tries = (tally: Tally): void => {
  it("tries have the roots of the vectors, and prove every key of them, deleted ones as absent", () => {
    const roots = tally.count("trie roots")
    const keys = tally.count("keys of tries, by proofs made and verified")
    for (const [file, secure] of [
      ["trietest", false],
      ["trieanyorder", false],
      ["trieanyorder_secureTrie", true]
    ] as const) {
      const vectors: Readonly<Record<string, { in: Entries | Record<string, string>; root: string }>> = json(
        `2-ethereum-tests/TrieTests/${file}.json`
      )
      for (const [name, vector] of Object.entries(vectors)) {
        const given = Array.isArray(vector.in) ? (vector.in as Entries) : Object.entries(vector.in as object)
        const entries = entriesOf(given, secure)
        assert.strictEqual<string>(Hex.fromBytes(Result.getOrThrow(Trie.rootOfMap(entries))), vector.root, name)
        roots.verified()
        const root = Hex.toBytesUnsafe(vector.root)
        const store = NodeStore.make(Result.getOrThrow(Trie.nodesOfMap(entries)).nodes)
        const proofs = entries.map(([key]) => ({
          key,
          nodes: Result.getOrThrow(TrieProof.make(store, root, key)).nodes
        }))
        for (const [at, outcome] of TrieProof.verifyAll(root, proofs).entries()) {
          const [, value] = entries[at]!
          assert.deepStrictEqual(
            Result.getOrThrow(outcome),
            value.length === 0 ? { _tag: "Absent" } : { _tag: "Included", value },
            name
          )
          keys.verified()
        }
      }
    }
    roots.expect({ verified: 19 })
    keys.expect({ verified: 82 })
    const order = tally.count("tests of a trie's order")
    for (const { tests } of Object.values<{ tests: ReadonlyArray<unknown> }>(
      json("2-ethereum-tests/TrieTests/trietestnextprev.json")
    )) {
      for (const _ of tests) order.outside("the next key of a trie is not a question of the interface")
    }
    order.expect({ outside: { "the next key of a trie is not a question of the interface": 12 } })
  })
}

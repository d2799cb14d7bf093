/** The trie vectors of ethereum/tests. */
import { assert, it } from "@effect/vitest"
import { Hex, Keccak256 } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { conformance, json } from "./support/fixtures.ts"

type Entries = ReadonlyArray<readonly [string, string | null]>

const bytes = (value: string): Uint8Array =>
  value.startsWith("0x") ? Hex.toBytesUnsafe(value) : new TextEncoder().encode(value)

/** The vectors write one entry after another: later ones replace earlier ones, null deletes. */
const entriesOf = (entries: Entries, secure: boolean): ReadonlyArray<readonly [Uint8Array, Uint8Array]> => {
  const last = new Map(entries.map(([key, value]) => [Hex.fromBytes(bytes(key)), value]))
  return [...last].map(([hex, value]) => {
    const key = Hex.toBytesUnsafe(hex)
    return [secure ? Keccak256.hash(key) : key, value === null ? new Uint8Array(0) : bytes(value)] as const
  })
}

conformance("trie vectors", () => {
  for (const [file, secure] of [
    ["trietest", false],
    ["trieanyorder", false],
    ["trieanyorder_secureTrie", true]
  ] as const) {
    const vectors: Readonly<Record<string, { in: Entries | Record<string, string>; root: string }>> = json(
      `2-ethereum-tests/TrieTests/${file}.json`
    )
    for (const [name, vector] of Object.entries(vectors)) {
      it(`${file} ${name}`, () => {
        const given = Array.isArray(vector.in) ? (vector.in as Entries) : Object.entries(vector.in as object)
        const entries = entriesOf(given, secure)
        assert.strictEqual<string>(Hex.fromBytes(Result.getOrThrow(Trie.rootOfMap(entries))), vector.root)
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
            value.length === 0 ? { _tag: "Absent" } : { _tag: "Included", value }
          )
        }
      })
    }
  }
})

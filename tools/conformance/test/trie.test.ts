/** The trie vectors of ethereum/tests. */
import { assert, it } from "@effect/vitest"
import { Hex, Keccak256 } from "@plumbline/codec"
import { Trie } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { conformance, json } from "./support/fixtures.ts"

type Entries = ReadonlyArray<readonly [string, string | null]>

const bytes = (value: string): Uint8Array =>
  value.startsWith("0x") ? Hex.toBytesUnsafe(value) : new TextEncoder().encode(value)

/** The vectors write one entry after another: later ones replace earlier ones, null deletes. */
const rootOf = (entries: Entries, secure: boolean): string => {
  const last = new Map(entries.map(([key, value]) => [Hex.fromBytes(bytes(key)), value]))
  return Hex.fromBytes(
    Result.getOrThrow(
      Trie.rootOfMap(
        [...last].map(([hex, value]) => {
          const key = Hex.toBytesUnsafe(hex)
          return [secure ? Keccak256.hash(key) : key, value === null ? new Uint8Array(0) : bytes(value)] as const
        })
      )
    )
  )
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
        const entries = Array.isArray(vector.in) ? (vector.in as Entries) : Object.entries(vector.in as object)
        assert.strictEqual(rootOf(entries, secure), vector.root)
      })
    }
  }
})

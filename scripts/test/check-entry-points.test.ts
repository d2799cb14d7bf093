import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test, type TestContext } from "vitest"

import { check } from "../check-entry-points.ts"
import { rewrite } from "../exports.ts"
import { root } from "../workspace.ts"

/** Makes a copy of a package's sources. `change` changes the `exports` of its manifest. */
const copy = ({ onTestFinished }: TestContext, change: (exports: Record<string, string | null>) => void = () => {}) => {
  const dir = mkdtempSync(path.join(tmpdir(), "plumbline-entry-points-copy-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const original = path.join(root, "packages/merkle-trie")
  for (const part of ["src", "package.json"])
    cpSync(path.join(original, part), path.join(dir, part), { recursive: true })
  cpSync(path.join(dir, "src/proof/TrieProof.ts"), path.join(dir, "src/rooms/Room.ts"))
  cpSync(path.join(dir, "src/proof/TrieProof.ts"), path.join(dir, "src/rooms/closet.ts"))
  const file = path.join(dir, "package.json")
  writeFileSync(file, rewrite(dir).after)
  const manifest = JSON.parse(readFileSync(file, "utf8"))
  change(manifest.exports)
  writeFileSync(file, JSON.stringify(manifest))
  return check({ name: "@plumbline/merkle-trie", dir, leads: "src" })
}

test("the manifest of the tree opens the public modules, in rooms too, and nothing else", (context) => {
  const { faults, tried } = copy(context)
  expect(faults).toEqual([])
  expect(tried).toBeGreaterThan(80)
})

test("a path that is opened is a fault", (context) => {
  const { faults } = copy(context, (exports) => {
    exports["./rooms/closet"] = "./src/rooms/closet.ts"
  })
  expect(faults).toEqual(["@plumbline/merkle-trie/rooms/closet is open: it leads to src/rooms/closet.ts"])
})

test("a pattern is a fault for each file that it opens", (context) => {
  const { faults } = copy(context, (exports) => {
    exports["./*"] = "./src/*.ts"
    exports["./internal/*"] = null
  })
  expect(faults.toSorted()).toEqual([
    "@plumbline/merkle-trie/index is open: it leads to src/index.ts",
    "@plumbline/merkle-trie/proof/suppliedNodes is open: it leads to src/proof/suppliedNodes.ts",
    "@plumbline/merkle-trie/proof/trieNode is open: it leads to src/proof/trieNode.ts",
    "@plumbline/merkle-trie/proof/trieWalk is open: it leads to src/proof/trieWalk.ts",
    "@plumbline/merkle-trie/rooms/closet is open: it leads to src/rooms/closet.ts",
    "@plumbline/merkle-trie/trie/buildTrie is open: it leads to src/trie/buildTrie.ts"
  ])
})

test("a public module that the manifest forgets, or that leads elsewhere, is a fault", (context) => {
  const { faults } = copy(context, (exports) => {
    delete exports["./trie/Trie"]
    exports["./rooms/Room"] = "./src/trie/Trie.ts"
  })
  expect(faults[1]).toBe("@plumbline/merkle-trie/trie/Trie is closed, and should lead to src/trie/Trie.ts")
  expect(faults[0]).toMatch(/rooms\/Room leads to .*src\/trie\/Trie\.ts, not to src\/rooms\/Room\.ts$/u)
  expect(faults).toHaveLength(2)
})

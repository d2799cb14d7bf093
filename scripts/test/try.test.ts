import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test } from "vitest"

import { find, importsOf, lintConfig, members, nearest, within } from "../try.ts"
import { root } from "../workspace.ts"

test("a package is found by its name, with or without the scope, and by its folder", () => {
  const all = members(root)
  for (const called of ["@plumbline/codec", "codec", "packages/codec", "packages/codec/"])
    expect(find(all, called)?.dir).toBe("packages/codec")
  for (const called of ["@plumbline/cli", "cli", "plumbline", "apps/plumbline"])
    expect(find(all, called)?.name).toBe("@plumbline/cli")
  expect(find(all, "nothing")).toBeUndefined()
})

test("a package of the laboratory is tested with the laboratory's configuration, unless `pnpm test` runs its tests", () => {
  const of = (called: string) => find(members(root), called)?.isLab
  expect(["lies", "faults", "conformance", "interface", "codec"].map(of)).toEqual([true, true, false, false, false])
})

test("the linter without types keeps the rules about imports", ({ onTestFinished }) => {
  const place = mkdtempSync(path.join(tmpdir(), "plumbline-try-"))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const file = path.join(place, "packages/codec/src/Planted.ts")
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'import * as fs from "node:fs"\n\nexport const planted = fs\n')
  const args = ["-c", lintConfig(), "--format=json", place]
  const { stdout } = spawnSync(path.join(root, "node_modules/.bin/oxlint"), args, { encoding: "utf8" })
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: ReadonlyArray<{ readonly code: string }> }
  expect(diagnostics.map(({ code }) => code)).toEqual(["eslint(no-restricted-imports)"])
})

test("the files of a package know what they import, also by the names that an index exports", () => {
  const imports = importsOf({ dir: "packages/codec", name: "@plumbline/codec" })
  expect(imports.get("src/hex/Hex.ts")).toContain("src/hex/HexError.ts")
  expect(imports.get("test/rlp/RlpTree.test.ts")).toContain("src/rlp/RlpTree.ts")
  expect(imports.get("test/rlp/RlpTree.test.ts")).not.toContain("src/index.ts")
})

const imports = new Map(
  Object.entries({
    "src/a.ts": ["src/b.ts"],
    "src/b.ts": [],
    "test/a.test.ts": ["src/a.ts"],
    "test/b.test.ts": ["src/b.ts"],
    "test/dear.test.ts": ["src/b.ts"],
    "test/none.test.ts": []
  }).map(([file, imported]) => [file, new Set(imported)])
)
const tests = ["test/none.test.ts", "test/a.test.ts", "test/dear.test.ts", "test/b.test.ts"]
const costOf = (test: string): number => (test.includes("dear") ? 5 : 2)

test("the tests nearest to a change come first, the cheaper of two that are as near", () => {
  expect(nearest(tests, imports, ["src/b.ts"], costOf)).toEqual([
    "test/b.test.ts",
    "test/dear.test.ts",
    "test/a.test.ts",
    "test/none.test.ts"
  ])
  expect(nearest(tests, imports, ["test/none.test.ts"], costOf)[0]).toBe("test/none.test.ts")
})

test("the tests stay within the budget, except a single one", () => {
  expect(within(["test/b.test.ts", "test/a.test.ts", "test/none.test.ts"], costOf, 4)).toHaveLength(2)
  expect(within(["test/dear.test.ts", "test/a.test.ts"], costOf, 4)).toEqual(["test/dear.test.ts"])
})

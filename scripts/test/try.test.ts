import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test } from "vitest"

import { find, lintConfig, members, selected } from "../try.ts"
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

test("tests of changed files run, unless all or others are asked for, or no test imports the changed sources", () => {
  const some = () => "[@plumbline/codec] packages/codec/test/exports.test.ts"
  const none = () => ""
  const source = " M packages/codec/src/hex/Hex.ts"
  expect(selected([], source, some)).toEqual(["--changed"])
  expect(selected([], source, none)).toEqual([])
  expect(selected([], " M packages/codec/README.md", none)).toEqual(["--changed"])
  expect(selected([], "", none)).toEqual([])
  expect(selected(["Units"], source, some)).toEqual(["Units"])
  expect(selected(["--all"], source, some)).toEqual([])
})

/** The comment of a module is its first token, or no page shows it: sorting imports can take it along. */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { expect, test } from "vitest"

import { root } from "../workspace.ts"

/** Imports and empty lines, and then a comment that an import follows. */
const BEHIND = /^(?:import\b[^"]*"[^"\n]+"[^\n]*\n|\n)+\/\*\*(?:[^*]|\*(?!\/))*\*\/\n+import\b/u

test("a module's comment stands before its imports", () => {
  const files = globSync("{apps,examples,lab,packages,scripts,tools}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: (name) => /(?:^|\/)(?:node_modules|dist)(?:\/|$)/u.test(name)
  })
  expect(files.length).toBeGreaterThan(1000)
  const behind = files.filter((file) => BEHIND.test(readFileSync(path.join(root, file), "utf8")))
  expect(behind).toEqual([])
})

test("a comment between imports is found, and one after them is not", () => {
  expect(BEHIND.test(`import a from "a"\n/** The module. */\nimport b from "b"\n`)).toBe(true)
  expect(BEHIND.test(`import {\n  a\n} from "a"\n\n/**\n * The module.\n */\nimport b from "b"\n`)).toBe(true)
  expect(BEHIND.test(`/** The module. */\nimport a from "a"\n\n/** A value. */\nexport const b = a\n`)).toBe(false)
})

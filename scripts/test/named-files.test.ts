/**
 * Comments and documents name files of this repository. Checks that each of these files exists, for example after a
 * move.
 */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { expect, test } from "vitest"

import { root } from "../workspace.ts"

const texts = globSync(["*.{ts,md}", "{apps,deploy,docs,examples,lab,packages,scripts,tools}/**/*.{ts,tsx,md}"], {
  cwd: root,
  exclude: (name) => /(?:^|\/)(?:node_modules|dist|templates)(?:\/|$)/u.test(name)
})

/** Returns the TypeScript files that a text names between backticks, without a leading `./` or `../`. */
const namedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`(?:\.{1,2}\/)*([\w./-]+\.tsx?)`/gu)].map(([, name]) => name!)

test("a text that names a file names one that exists", () => {
  expect(texts.length).toBeGreaterThan(1000)
  const files = texts.map((file) => `/${file.split(path.sep).join("/")}`)
  const tails = new Set(files.flatMap((file) => [...file.matchAll(/\//gu)].map(({ index }) => file.slice(index + 1))))
  const missing = texts.flatMap((file) =>
    namedIn(readFileSync(path.join(root, file), "utf8"))
      .filter((name) => !tails.has(name))
      .map((name) => `${file}: ${name}`)
  )
  expect(missing).toEqual([])
})

test("a name is found between backticks, with its folders", () => {
  expect(namedIn("see `pipeline/turns.ts`, `../workspace.ts` and `*.ts`, not y.ts")).toEqual([
    "pipeline/turns.ts",
    "workspace.ts"
  ])
})

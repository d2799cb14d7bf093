/**
 * Comments and documents name files of this repository. Checks that each of these files exists, for example after a
 * move.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
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

/** Returns the anchor of a heading, as GitHub and the site make it. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-")

/** A Markdown text without its programs. */
const proseOf = (file: string): string => readFileSync(path.join(root, file), "utf8").replaceAll(/^```[^]*?^```/gmu, "")

/** Returns the links of a page that lead to no file of the repository, or to no heading of it. */
const brokenIn = (file: string): ReadonlyArray<string> =>
  [...proseOf(file).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/gu)].flatMap(([, to, anchor]) => {
    const target = to === "" ? file : path.join(path.dirname(file), to!)
    if (!existsSync(path.join(root, target))) return [`${file}: ${to}`]
    if (anchor === undefined || !target.endsWith(".md")) return []
    const headings = [...proseOf(target).matchAll(/^#+ (.+)$/gmu)].map(([, heading]) => anchorOf(heading!))
    return headings.includes(anchor) ? [] : [`${file}: ${to}#${anchor}`]
  })

test("a link between pages leads to a file and a heading", () => {
  const pages = texts.filter((file) => file.endsWith(".md") && !/^packages\/[^/]+\/(?:AGENTS\.md|guides\/)/u.test(file))
  expect(pages.length).toBeGreaterThan(80)
  expect(pages.flatMap(brokenIn)).toEqual([])
})

test("a comment that names a page names one that exists", () => {
  const missing = texts
    .filter((file) => !file.endsWith(".md"))
    .flatMap((file) =>
      [...readFileSync(path.join(root, file), "utf8").matchAll(/\b(?:docs|lab)\/[a-z]+\/[\w-]+\.md/gu)]
        .filter(([page]) => !existsSync(path.join(root, page)))
        .map(([page]) => `${file}: ${page}`)
    )
  expect(missing).toEqual([])
})

test("a name is found between backticks, with its folders", () => {
  expect(namedIn("see `pipeline/stepScheduler.ts`, `../workspace.ts` and `*.ts`, not y.ts")).toEqual([
    "pipeline/stepScheduler.ts",
    "workspace.ts"
  ])
})

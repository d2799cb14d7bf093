import { expect, test } from "vitest"

import { inMarkdown, inSource, judge, partOf } from "../check-prose.ts"

test("a doc comment that begins with a word of a question is counted", () => {
  const text = `/** What it is. */
export const a = 1
/**
 * Whether it holds.
 */
export const b = 2
/** Whatsoever it is. Who knows. */
export const c = 3
/* What this is: no doc comment. */
// Of no concern
export const d = "/** How is a string. */"
`
  expect(inSource("packages/x/src/a.ts", text)).toEqual([
    { line: 1, rule: "start", text: "What it is." },
    { line: 3, rule: "start", text: "Whether it holds." }
  ])
})

test("a string of several words that begins so is counted in src, at its beginning only", () => {
  const text =
    'export const a = ["Whether it holds", "What", "Howto read it", `Who ${1} Where it is`]\nexport const b = "Whose it is"\n'
  const found = inSource("packages/x/src/a.ts", text).map(({ line, text }) => [line, text])
  expect(found).toEqual([
    [1, "Whether it holds"],
    [1, "Who "],
    [2, "Whose it is"]
  ])
  expect(inSource("packages/x/test/a.test.ts", text)).toEqual([])
})

test("shall is counted in comments everywhere, and in the strings of src", () => {
  const text =
    '// It shall be.\n/* and\n * this Shall too */\nexport const a = ["you shall not", `nor ${1} shall you`, "marshall"]\n'
  const lines = (file: string) => inSource(file, text).map(({ line }) => line)
  expect(lines("packages/x/src/a.ts")).toEqual([1, 3, 4, 4])
  expect(lines("packages/x/test/a.test.ts")).toEqual([1, 3])
})

test("shall is counted in Markdown", () => {
  expect(inMarkdown("# A\n\nIt shall be.\n")).toEqual([{ line: 3, rule: "shall", text: "# A It shall be." }])
})

test("a doc comment that begins with the most of something is counted", () => {
  const text = "/** The most bytes of it. */\nexport const a = 1\n/** The most recent one. */\nexport const b = 2\n"
  expect(inSource("packages/x/src/a.ts", text).map(({ line, rule }) => [line, rule])).toEqual([[1, "start"]])
})

test("pronouns that hide an actor are counted in comments, Markdown, and strings of packages and apps", () => {
  const text =
    '/* Nobody and\n * whoever, but not `nobody` */\n// made anew\nexport const a = ["for everybody", "newly"]\n'
  const lines = (file: string) =>
    inSource(file, text)
      .filter(({ rule }) => rule === "actor")
      .map(({ line }) => line)
  expect(lines("packages/x/src/a.ts")).toEqual([1, 2, 3, 4])
  expect(lines("tools/x/src/a.ts")).toEqual([1, 2, 3])
  expect(lines("packages/x/test/a.test.ts")).toEqual([1, 2, 3])
  expect(inMarkdown("# A\n\nFor somebody.\n\n```ts\nconst nobody = 1\n```\n").map(({ line }) => line)).toEqual([3])
})

test("is no before a noun is counted over line breaks, but neither there is no nor is no longer", () => {
  const text =
    "/** It is\n * no list, there is\n * no item, and it is no longer one. */\nexport const a = 1\n// what are no numbers\n"
  expect(inSource("packages/x/src/a.ts", text).map(({ line, rule }) => [line, rule])).toEqual([
    [1, "no"],
    [5, "no"]
  ])
  expect(inMarkdown("This is no list. There are no lists, and it is no more.\n")).toHaveLength(1)
})

test("a message that says want is counted in the strings of packages and apps", () => {
  const text = 'export const a = ["--port: want a number", `${1}: want it`, "I want it"]\n'
  expect(inSource("apps/x/src/a.ts", text).map(({ rule }) => rule)).toEqual(["want", "want"])
  expect(inSource("tools/x/src/a.ts", text)).toEqual([])
})

test("texts between the tags of JSX are counted", () => {
  const text = "export const A = () => <p>You shall ask nobody</p>\n"
  expect(inSource("apps/x/src/A.tsx", text).map(({ rule }) => rule)).toEqual(["shall", "actor"])
})

test("a file belongs to its package, or to its folder of the root", () => {
  expect(["packages/x/src/a.ts", "apps/y/README.md", "docs/decisions/a.md", "README.md"].map(partOf)).toEqual([
    "packages/x",
    "apps/y",
    "docs",
    "."
  ])
})

test("a part fails above its ceiling, and is told when it can be lowered", () => {
  const counts = new Map([
    ["packages/a", 3],
    ["packages/b", 1],
    ["packages/c", 1]
  ])
  const { faults, notes } = judge(counts, { "packages/a": 2, "packages/b": 2, "packages/d": 1 })
  expect(faults.map((fault) => fault.split(" ")[0])).toEqual(["packages/a", "packages/c"])
  expect(notes.map((note) => note.split(" ")[0])).toEqual(["packages/b", "packages/d"])
})

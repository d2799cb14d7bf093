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

import { expect, test } from "vitest"

import { applied, described, mutationsOf } from "../src/mutations.ts"

const mutants = (source: string): ReadonlyArray<string> =>
  mutationsOf("a.ts", source).map((mutation) => applied(source, mutation))

test.each<readonly [source: string, ...ReadonlyArray<string>]>([
  ["export const a = b < c", "export const a = b <= c", "export const a = b >= c"],
  ["export const a = b === c", "export const a = b !== c"],
  ["export const a = b - c", "export const a = b + c"],
  ["export const a = b && !c", "export const a = b || !c", "export const a = b && c"],
  ["export const a = b ?? 7", "export const a = b && 7", "export const a = b ?? 8"],
  ["export const a = Math.max(b, 0n)", "export const a = Math.min(b, 0n)", "export const a = Math.max(b, 1n)"],
  [
    "export const a = b ? true : c",
    "export const a = true ? true : c",
    "export const a = false ? true : c",
    "export const a = b ? false : c"
  ],
  ["a += b", ";", "a -= b"],
  ["a++", ";", "a--"],
  ['export const a = b("day")', 'export const a = b("")'],
  // types, names, imports and sentences do not count
  ['import * as a from "b"'],
  ['type A = "a" | 1'],
  ["export const a = { b: c.d }"],
  ['export const a = "a sentence" + b'],
  ["export const a = (b as 1 | 2) - c!", "export const a = (b as 1 | 2) + c!"]
])("%s", (source, ...expected) => {
  expect([...mutants(source)].sort()).toEqual([...expected].sort())
})

test("a mutation is described by its line", () => {
  const source = "const a = 1\nexport const b =\n  a < 2 ? a\n  : b\n"
  const first = mutationsOf("a.ts", source).find(({ text }) => text === "<=")
  expect(described(source, first!)).toEqual({ line: 3, before: "a < 2 ? a", after: "a <= 2 ? a" })
})

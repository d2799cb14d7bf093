/**
 * Reads a layout of 20,000 variables, and a layout in which variables of several contracts have the same name. Locates
 * all variables.
 */
import { Layout, Readable } from "@plumbline/storage-layout"
import { Result } from "effect"
import { expect, test } from "vitest"

const COUNT = 20_000
const types = { t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" } }
const layoutOf = (label: (i: number) => string) => ({
  storage: Array.from({ length: COUNT }, (_, i) => ({
    label: label(i),
    declaredIn: `C${i}`,
    offset: 0,
    slot: String(i),
    type: "t_uint256"
  })),
  types
})
const layouts = { "names of their own": layoutOf((i) => `v${i}`), "one name": layoutOf(() => "v") }

const located = (json: object) => Readable.variables(Result.getOrThrow(Layout.fromSolc(json)))

test("every variable of a large layout", async ({ bench }) => {
  expect(Object.values(layouts).map((json) => located(json).length)).toEqual([COUNT, COUNT])
  await bench.compare(
    ...(Object.entries(layouts).map(([name, json]) => bench(name, () => void located(json))) as [never, never]),
    { time: 500 }
  )
})

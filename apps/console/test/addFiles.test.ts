/** How files are put in order, and how far each of them is. */
import { expect, test } from "vitest"

import * as AddWithCids from "../src/ipfs/AddWithCids.ts"

const file = (path: string, size: number): AddWithCids.ChosenFile => ({
  path: path.split("/"),
  file: new File([new Uint8Array(size)], path)
})
const pathsOf = (given: ReadonlyArray<AddWithCids.ChosenFile>) => given.map(({ path }) => path.join("/"))

test("files are in the order in which they are hashed: those of a folder together", () => {
  const given = [
    file("a/one", 1),
    file("b", 1),
    file("a/c/two", 1),
    { path: ["d"], file: undefined },
    file("a/three", 1)
  ]
  expect(pathsOf(AddWithCids.ordered(given))).toEqual(["a/one", "a/c/two", "a/three", "b", "d"])
})

test("a part of all bytes says how far each file is", () => {
  const given = [file("one", 100), file("none", 0), file("two", 300)]
  expect(AddWithCids.partsOf(given, 0)).toEqual([0, 0, 0])
  expect(AddWithCids.partsOf(given, 0.125)).toEqual([0.5, 0, 0])
  expect(AddWithCids.partsOf(given, 0.25)).toEqual([1, 1, 0])
  expect(AddWithCids.partsOf(given, 0.625)).toEqual([1, 1, 0.5])
  expect(AddWithCids.partsOf(given, 1)).toEqual([1, 1, 1])
  expect(AddWithCids.partsOf([file("none", 0)], 1)).toEqual([1])
})

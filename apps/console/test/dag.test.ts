import * as Random from "@plumbline/seeded/Random"
import { expect, test } from "vitest"

import { linesBeside } from "../src/ipfs/dagLines.ts"

test("a line passes a block if a later block has the same parent as the block itself or as one above it", () => {
  expect(linesBeside([])).toEqual([])
  expect(linesBeside([0, 1, 2, 2, 1]).map((lines) => [...lines].sort((a, b) => a - b))).toEqual([
    [],
    [1],
    [1, 2],
    [1],
    []
  ])
  const random = Random.make(29)
  for (let run = 0; run < 300; run++) {
    const depths = [0]
    while (depths.length < 1 + Random.int(random, 30))
      depths.push(1 + Random.int(random, Math.min(9, depths.at(-1)! + 1)))
    // by the parents: the block `at`, or one of those above it, has a sibling further down
    const parentOf = (at: number): number => depths.findLastIndex((depth, i) => i < at && depth < depths[at]!)
    const passing = (at: number): ReadonlyArray<number> => {
      if (at === 0) return []
      const hasSibling = depths.some((depth, i) => i > at && depth === depths[at] && parentOf(i) === parentOf(at))
      return [...passing(parentOf(at)), ...(hasSibling ? [depths[at]!] : [])]
    }
    const expected = depths.map((_, at) => [...passing(at)].sort((a, b) => a - b))
    expect(linesBeside(depths).map((lines) => [...lines].sort((a, b) => a - b))).toEqual(expected)
  }
})

/** Tests that the command hides the warning about `node:sqlite`, and no other warning. */
import { expect, it } from "vitest"

import * as Warnings from "../../src/home/Warnings.ts"

it("drops the warning about SQLite, and no other", () => {
  const before = process.emitWarning.bind(process)
  const shown: Array<unknown> = []
  try {
    process.emitWarning = (...args: ReadonlyArray<unknown>) => void shown.push(args)
    Warnings.quiet()
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning")
    process.emitWarning("SQLite is an experimental feature")
    process.emitWarning("Another is an experimental feature", "ExperimentalWarning")
  } finally {
    process.emitWarning = before
  }
  expect(shown).toEqual([
    ["SQLite is an experimental feature"],
    ["Another is an experimental feature", "ExperimentalWarning"]
  ])
})

/** Reads the fixtures, which are in a folder beside the repository. */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../../../../../shared/fixtures")

const present = existsSync(path.join(root, "MANIFEST.json"))

if (!present && process.env["CI"] === "true") throw new Error("CI needs ../shared/fixtures beside the repository")

/**
 * Declares tests over the fixtures. Without fixtures, it declares one skipped test that says so. In CI, the fixtures
 * must be present.
 */
export const conformance = (name: string, tests: () => void): void => {
  describe(`conformance: ${name}`, () => {
    it.skipIf(!present)("finds ../shared/fixtures beside the repository (SKIPPED when there are none)", () => {
      assert.isTrue(present)
    })
    if (present) tests()
  })
}

export const text = (file: string): string => readFileSync(path.join(root, file), "utf8")

export const bytes = (file: string): Uint8Array => readFileSync(path.join(root, file))

export const json = (file: string): any => JSON.parse(text(file))

/** Returns the files of a pattern, sorted. Throws if there is none. */
export const files = (pattern: string): ReadonlyArray<string> => {
  const found = globSync(pattern, { cwd: root }).toSorted()
  if (found.length === 0) throw new Error(`no fixture matches ${pattern}`)
  return found
}

/** One request with its answer, from an execution-apis `.io` file. */
export interface Exchange {
  readonly file: string
  readonly request: { readonly method: string; readonly params?: ReadonlyArray<unknown> }
  readonly answer: { readonly result?: any; readonly error?: { readonly code: number; readonly message: string } }
}

/** All exchanges of a method. */
export const exchanges = (method: string): ReadonlyArray<Exchange> =>
  files(`1-execution-apis/tests/${method}/*.io`).flatMap((file) => {
    const lines = text(file).split("\n")
    return lines.flatMap((line, at) => {
      const next = lines[at + 1]
      if (!line.startsWith(">> ") || next === undefined || !next.startsWith("<< ")) return []
      return [{ file: path.basename(file), request: JSON.parse(line.slice(3)), answer: JSON.parse(next.slice(3)) }]
    })
  })

/** Returns a function that makes a value at its first call, and then keeps it. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

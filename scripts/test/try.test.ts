import { expect, test } from "vitest"

import { find, members } from "../try.ts"
import { root } from "../workspace.ts"

test("a package is found by its name, with or without the scope, and by its folder", () => {
  const all = members(root)
  for (const called of ["@plumbline/codec", "codec", "packages/codec", "packages/codec/"])
    expect(find(all, called)?.dir).toBe("packages/codec")
  for (const called of ["@plumbline/cli", "cli", "plumbline", "apps/plumbline"])
    expect(find(all, called)?.name).toBe("@plumbline/cli")
  expect(find(all, "nothing")).toBeUndefined()
})

test("a package of the laboratory is tested with the laboratory's configuration, unless `pnpm test` runs its tests", () => {
  const of = (called: string) => find(members(root), called)?.isLab
  expect(["lies", "faults", "conformance", "interface", "codec"].map(of)).toEqual([true, true, false, false, false])
})

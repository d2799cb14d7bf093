/** Checks the environments of users: each has a unique name, and every file of the folder is listed. */
import { globSync } from "node:fs"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import { environments } from "../environments/allEnvironments.ts"
import { modules } from "../environments/place.ts"

describe("the environments", () => {
  it("are one a file, each with a name of its own", () => {
    const shared = new Set(["page.ts", "strictest.ts"])
    const files = globSync("*/*.ts", { cwd: path.join(import.meta.dirname, "../environments") })
    const own = files.filter((file) => !shared.has(path.basename(file)))
    expect(environments.length).toBe(own.length)
    expect(new Set(environments.map(({ name }) => name)).size).toBe(environments.length)
  })

  it("have a fast half, which is not empty", () => {
    const fast = environments.filter(({ isFast }) => isFast)
    expect(fast.length).toBeGreaterThan(3)
    expect(fast.length).toBeLessThan(environments.length)
  })

  it("read every public module of the client packages", () => {
    expect(modules).toContain("@plumbline/codec")
    expect(modules).toContain("@plumbline/codec/hash/Keccak256")
    expect(modules.some((module) => module.startsWith("@plumbline/gateway"))).toBe(false)
  })
})

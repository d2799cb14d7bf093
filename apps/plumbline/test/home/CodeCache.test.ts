import { readdirSync, writeFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"

import * as CodeCache from "../../src/home/CodeCache.ts"
import * as Children from "../support/Children.ts"

const home = tmpdir()
const below = path.join("plumbline", "code")

/** Runs `--version` without the code cache that the tests' own Node process uses. */
const version = (env: Readonly<Record<string, string>>) =>
  Children.start(["--version"], { ...env, NODE_COMPILE_CACHE: "" })

describe("the folder of compiled code", () => {
  it("belongs to the user, and is never among the temporary files of all users", () => {
    expect(CodeCache.folderOf({}, home)).toBe(path.join(home, ".cache", below))
    expect(CodeCache.folderOf({ XDG_CACHE_HOME: "/cache" }, home)).toBe(path.join("/cache", below))
    expect(CodeCache.folderOf({ XDG_CACHE_HOME: "cache" }, home)).toBe(path.join(home, ".cache", below))
  })

  it("is none for a user without a home, under coverage, and where Node's variables decide", () => {
    expect(CodeCache.folderOf({}, "/nonexistent")).toBeUndefined()
    for (const name of ["NODE_V8_COVERAGE", "NODE_COMPILE_CACHE", "NODE_DISABLE_COMPILE_CACHE"]) {
      expect(CodeCache.folderOf({ [name]: "1" }, home), name).toBeUndefined()
    }
  })

  it("is filled by a first run", async () => {
    await using cache = await mkdtempDisposable(path.join(tmpdir(), "plumbline-"))
    const { code, stdout } = await version({ XDG_CACHE_HOME: cache.path }).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^plumbline v/u)
    expect(readdirSync(path.join(cache.path, below))).toHaveLength(1)
  })

  it("that cannot be made is no reason to fail", async () => {
    await using cache = await mkdtempDisposable(path.join(tmpdir(), "plumbline-"))
    const file = path.join(cache.path, "file")
    writeFileSync(file, "")
    const { code, stderr, stdout } = await version({ XDG_CACHE_HOME: file }).ended
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^plumbline v/u)
  })
})

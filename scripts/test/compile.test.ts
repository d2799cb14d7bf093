import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test } from "vitest"

import { read } from "../compile.ts"
import { root } from "../workspace.ts"

test("the lines of the compiler are progress, details or complaints", () => {
  const lines = [
    "10:20:30 PM - Projects in this build: ",
    "    * packages/codec/tsconfig.json",
    "",
    "10:20:30 PM - Project 'packages/codec/tsconfig.json' is being forcibly rebuilt",
    "10:20:31 PM - Building project 'packages/codec/tsconfig.json'...",
    "packages/codec/src/index.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
  ]
  expect(lines.map(read)).toEqual([
    { _tag: "Detail" },
    { _tag: "Listed" },
    { _tag: "Detail" },
    { _tag: "Detail" },
    { _tag: "Compiles", project: "packages/codec" },
    { _tag: "Complaint", text: lines[5] }
  ])
  // in a terminal
  const coloured = "[\u001B[90m08:14:32 PM\u001B[0m] Building project 'packages/codec/tsconfig.json'...\r"
  expect(read(coloured)).toEqual({ _tag: "Compiles", project: "packages/codec" })
  const fault = "\u001B[91merror\u001B[0m\u001B[90m TS6053: \u001B[0mFile not found."
  expect(read(fault)).toEqual({ _tag: "Complaint", text: fault })
})

test("a project is named while it is compiled, its fault is printed, and CI gets the fault alone", ({
  onTestFinished
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), "compile-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { types: [] }, files: ["a.ts"] }))
  writeFileSync(path.join(folder, "a.ts"), "export const a: number = 'b'\n")
  const run = (ci: string) => {
    const env = { ...process.env, CI: ci }
    return spawnSync(process.execPath, ["scripts/compile.ts", folder], { cwd: root, encoding: "utf8", env })
  }
  const seen = run("")
  expect(seen.status).not.toBe(0)
  const [first, second, fault, ...rest] = seen.stdout.trim().split("\n")
  expect(first).toBe("Checking types, for minutes in a fresh clone ...")
  expect(second).toMatch(/^Checking types: .*compile-.*, 1 of at most 1 projects$/u)
  expect(fault).toContain("error TS2322")
  expect(rest).toEqual([])
  const quiet = run("true")
  expect(quiet.status).not.toBe(0)
  expect(quiet.stdout.trim().split("\n")).toEqual([fault])
})

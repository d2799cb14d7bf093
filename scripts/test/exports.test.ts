import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test, type TestContext } from "vitest"

import { rewrite } from "../exports.ts"
import { isPublic } from "../workspace.ts"

const made = ({ onTestFinished }: TestContext, exports: Readonly<Record<string, string | null>>): string => {
  const dir = mkdtempSync(path.join(tmpdir(), "plumbline-exports-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const files = ["index", "Gateway", "cards/Card", "cards/rows", "internal/Secret", "cards/internal/Secret"]
  for (const file of [...files.map((each) => `src/${each}.ts`), "test/support/servers.ts"]) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true })
    writeFileSync(path.join(dir, file), "")
  }
  const manifest = { name: "x", exports, publishConfig: { exports: {}, access: "public" }, engines: { node: "22" } }
  writeFileSync(path.join(dir, "package.json"), JSON.stringify(manifest))
  return dir
}

test("a public module is a PascalCase file outside internal", () => {
  expect(isPublic("Hex.ts")).toBe(true)
  expect(isPublic("cards/Erc20.ts")).toBe(true)
  for (const file of ["index.ts", "cards/rows.ts", "internal/Hex.ts", "cards/internal/Hex.ts", "Hex.test.ts", "Hex.js"])
    expect(isPublic(file)).toBe(false)
})

test("the manifest gets one entry for each public module, in both conditions, and nothing else", (context) => {
  const dir = made(context, {
    "./*": "./src/*.ts",
    "./internal/*": null,
    "./support/servers": "./test/support/servers.ts"
  })
  const { after, before, faults } = rewrite(dir)
  expect(faults).toEqual([])
  expect(after).not.toBe(before)
  expect(JSON.parse(after)).toEqual({
    name: "x",
    exports: {
      "./package.json": "./package.json",
      ".": "./src/index.ts",
      "./Gateway": "./src/Gateway.ts",
      "./cards/Card": "./src/cards/Card.ts",
      "./support/servers": "./test/support/servers.ts"
    },
    publishConfig: {
      exports: {
        "./package.json": "./package.json",
        ".": "./dist/index.js",
        "./Gateway": "./dist/Gateway.js",
        "./cards/Card": "./dist/cards/Card.js"
      },
      access: "public"
    },
    engines: { node: "22" }
  })
  writeFileSync(path.join(dir, "package.json"), after)
  expect(rewrite(dir)).toEqual({ before: after, after, faults: [] })
  expect(readFileSync(path.join(dir, "package.json"), "utf8").endsWith("}\n")).toBe(true)
})

test("an entry by hand names one file that exists", (context) => {
  const dir = made(context, { "./support/*": "./test/support/*.ts", "./support/gone": "./test/support/gone.ts" })
  expect(rewrite(dir).faults).toEqual([
    "./support/* is a pattern. Name each file.",
    "./support/gone names ./test/support/gone.ts, which does not exist."
  ])
})

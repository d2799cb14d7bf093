/** Tests the published command: the files beside its code, its manual page, and its third-party notices. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it, type TestContext } from "vitest"

import * as Assets from "../../scripts/bundle/assets.ts"
import * as Manual from "../../scripts/bundle/manual.ts"
import * as Notices from "../../scripts/bundle/notices.ts"
import * as Reexports from "../../scripts/bundle/reexports.ts"
import * as Cli from "../../src/cli.ts"

/** Makes a folder with these files. */
const folderOf = ({ onTestFinished }: TestContext, files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-bundle-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  return folder
}

describe("files beside the code", () => {
  it("are copied below the name of their package, and found there", (context) => {
    const folder = folderOf(context, { "chain/package.json": "{}", "chain/state/chain.json": "[]" })
    const file = path.join(folder, "chain/src/node/read.ts")
    const before = `export const place = new URL("../../state/chain.json", import.meta.url)`
    expect(Assets.rewrite(before, file)).toEqual({
      source: `export const place = new URL("../assets/chain/state/chain.json", import.meta.url)`,
      assets: [{ file: path.join(folder, "chain/state/chain.json"), place: "chain/state/chain.json" }]
    })
  })

  it("is that of an entry of the bundle, if a thread begins there", (context) => {
    const folder = folderOf(context, { "app/package.json": "{}", "app/src/Thread.ts": "" })
    expect(Assets.rewrite(`new URL("./Thread.ts", import.meta.url)`, path.join(folder, "app/src/start.ts"))).toEqual({
      source: `new URL("./Thread.js", import.meta.url)`,
      assets: []
    })
  })

  it("must exist, and be named", (context) => {
    const folder = folderOf(context, { "chain/package.json": "{}" })
    const file = path.join(folder, "chain/src/read.ts")
    expect(() => Assets.rewrite(`new URL("../state.json", import.meta.url)`, file)).toThrow("does not exist")
    expect(() => Assets.rewrite("new URL(name, import.meta.url)", file)).toThrow("is not one fixed address")
  })
})

describe("the manual page", () => {
  it("has every command and its flags, in the form of man-pages(7)", async () => {
    const page = await Manual.page("1.2.3")
    expect(page.startsWith(`.TH PLUMBLINE 1 "" "plumbline 1.2.3" "Plumbline"\n.SH NAME\nplumbline \\- `)).toBe(true)
    for (const name of Object.keys(Cli.commands)) expect(page).toContain(`plumbline ${name.replaceAll("-", "\\-")}`)
    expect(page).toContain("\\fB\\-\\-checkpoint\\fR")
    // no line of text is read as a roff request by accident
    const requests = new Set(page.split("\n").flatMap((line) => /^[.'](\w+)/u.exec(line)?.[1] ?? []))
    expect([...requests].sort()).toEqual(["B", "EE", "EX", "PP", "RE", "RS", "SH", "SS", "TH", "TP"])
  })
})

describe("the notices", () => {
  const ours = { "packages/own/package.json": `{ "name": "own" }`, "packages/own/a.js": "" }
  it("give the licence of each package of others once, and of no other", (context) => {
    const folder = folderOf(context, {
      ...ours,
      "node_modules/@b/two/package.json": `{ "name": "@b/two", "version": "2.0.0", "license": "MIT", "author": "B" }`,
      "node_modules/one/package.json": `{ "name": "one", "version": "1.0.0", "license": "ISC" }`,
      "node_modules/one/LICENSE": "the text of ISC\n"
    })
    const used = ["packages/own/a.js", "node_modules/one/a.js", "node_modules/one/b.js", "node_modules/@b/two/c.js"]
    expect(Notices.of(used, folder)).toBe(
      "@b/two 2.0.0 (MIT)\n------------------\n\nMIT, by B\n\n\none 1.0.0 (ISC)\n---------------\n\nthe text of ISC\n"
    )
  })

  it("stop at a licence that asks for more than its text", (context) => {
    const folder = folderOf(context, {
      "node_modules/one/package.json": `{ "name": "one", "version": "1.0.0", "license": "GPL-3.0-only" }`
    })
    expect(() => Notices.of(["node_modules/one/a.js"], folder)).toThrow("one has the licence GPL-3.0-only")
  })
})

describe("names that a module takes over from a package", () => {
  const source = 'export * from "one";\nexport * from "./own.js";\n'

  it("are written out, without those that are not names", () => {
    const load = () => ({ Agent: 1, default: 2, "not-a-name": 3, $pool: 4 })
    expect(Reexports.named(source, load)).toBe('export { Agent, $pool } from "one";\nexport * from "./own.js";\n')
  })

  it("are noticed where they are left", () => {
    const file = (path: string, text: string) => ({ path, text, contents: new Uint8Array(), hash: "" })
    const files = [
      file("a.js", "__reExport(exports,require_one());"),
      file("b.js", "export{Agent};"),
      file("c.js", 'import"./a.js";\nexport default require_one();\n')
    ]
    expect(Reexports.unnamed(files)).toEqual(["a.js", "c.js"])
  })
})

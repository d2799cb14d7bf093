import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test } from "vitest"

import { made, write } from "../guides.ts"
import { published } from "../workspace.ts"

for (const { dir, name } of published()) {
  test(`${name} ships notes and guides, whose links lead somewhere`, ({ onTestFinished }) => {
    const folder = mkdtempSync(path.join(tmpdir(), "plumbline-guides-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(path.join(dir, "package.json"), path.join(folder, "package.json"))
    mkdirSync(path.join(folder, "guides"))
    write(folder)

    const files = ["AGENTS.md", ...globSync("guides/*.md", { cwd: folder })]
    expect(readFileSync(path.join(folder, "AGENTS.md"), "utf8")).toMatch(new RegExp(`^# ${name}, `))
    const broken = files.flatMap((file) =>
      [...readFileSync(path.join(folder, file), "utf8").matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target!)
        .filter((target) =>
          target.startsWith("https://")
            ? target.includes("..")
            : !existsSync(path.join(folder, path.dirname(file), target))
        )
    )
    expect(broken).toEqual([])
    // the guides must be small, because a program reads all of them
    expect(files.reduce((bytes, file) => bytes + statSync(path.join(folder, file)).size, 0)).toBeLessThan(42_000)
  })

  test(`${name} lists them, and makes them before it is packed`, () => {
    const manifest = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"))
    expect(manifest.files).toEqual(expect.arrayContaining(["AGENTS.md", "guides/*.md"]))
    expect(manifest.scripts.prepack).toMatch(/^node \.\.\/\.\.\/scripts\/guides\.ts(?: &&|$)/)
  })
}

test("git does not keep them", () => {
  const ignored = readFileSync(path.join(import.meta.dirname, "../../.gitignore"), "utf8").split("\n")
  expect(ignored).toEqual(
    expect.arrayContaining(["packages", "apps"].flatMap((place) => made.map((file) => `/${place}/*/${file}`)))
  )
})

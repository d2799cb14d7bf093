/**
 * Tests the changelogs of releases: changes are sorted by kind, and changes that readers cannot notice are left out.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import { entry, introduction, isReleased, prepend, read, STATED, write } from "../versions.ts"
import { published, root, versionOf } from "../workspace.ts"

const changeset = (kinds: Readonly<Record<string, string>>, text: string) =>
  read(
    `---\n${Object.entries(kinds)
      .map(([name, kind]) => `"${name}": ${kind}\n`)
      .join("")}---\n\n${text}\n`
  )

const subject = {
  name: "@a/b",
  version: "1.1.0",
  description: "Reads B.",
  readme: "# @a/b\n\nReads B.\n\n**When to use**: you have B. To write take [@a/c](../c/README.md).\n\nMore.\n",
  engines: { node: ">=22.19.0" },
  peerDependencies: { effect: "^4.1.0" }
}

const changes = [
  changeset({ "@a/b": "patch" }, "Fixed the first."),
  changeset({ "@a/b": "minor", "@a/c": "minor" }, "Added the second.\n\nIt has two paragraphs."),
  changeset({ "@a/b": "minor" }, "Renamed the third.\n\n| before | after |\n| --- | --- |\n| `a` | `b` |"),
  changeset({ "@a/b": "major" }, "Removed the fourth."),
  changeset({ "@a/c": "minor" }, "Changed something else.")
]

describe("a changelog", () => {
  it("tells the changes of its package by their kind, breaking ones first", () => {
    expect(entry(subject, changes)).toBe(`## 1.1.0

### Breaking

- Renamed the third.

  | before | after |
  | --- | --- |
  | \`a\` | \`b\` |
- Removed the fourth.

### New

- Added the second.

  It has two paragraphs.

### Fixed

- Fixed the first.`)
  })

  it("says of a package without changes that it has none", () => {
    expect(entry({ ...subject, name: "@a/d" }, changes)).toContain("did not change")
  })

  it("introduces a package, and tells no history, until a version without a suffix was released", () => {
    const first = write("", subject, changes)
    expect(first).toBe(
      `# @a/b\n\n## 1.1.0\n\nThe first release. Reads B.\n\n**When to use**: you have B. To write take [@a/c](../c/README.md).\n\nNeeds Node >=22.19.0, Effect ^4.1.0.\n`
    )
    const early = write("", { ...subject, version: "1.1.0-next.0" }, changes)
    expect(isReleased(early)).toBe(false)
    expect(write(early, subject, changes)).toContain("## 1.1.0\n\nThe first release.")
    expect(isReleased(first)).toBe(true)
    expect(write(first, { ...subject, version: "1.2.0" }, changes)).toContain("## 1.2.0\n\n### Breaking")
  })

  it("has the newest version on top, and one title", () => {
    const text = prepend(prepend("", "@a/b", "## 1.0.0\n\nOne."), "@a/b", "## 1.1.0\n\nTwo.")
    expect(text).toBe("# @a/b\n\n## 1.1.0\n\nTwo.\n\n## 1.0.0\n\nOne.\n")
  })

  it("refuses a file that is not a changeset", () => {
    expect(() => read("Added a thing.")).toThrow("not a changeset")
  })
})

describe("the packages", () => {
  const config: { readonly fixed: ReadonlyArray<ReadonlyArray<string>> } = JSON.parse(
    readFileSync(path.join(root, ".changeset/config.json"), "utf8")
  )

  it("have one version, all of them", () => {
    const names = published().map(({ name }) => name)
    expect(config.fixed.map((group) => [...group].sort())).toEqual([[...names].sort()])
    const versions = published().map(
      ({ dir }) => JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8")).version
    )
    expect(new Set(versions)).toEqual(new Set([versionOf()]))
  })

  it("can be introduced: each has a description and says when to use it", () => {
    for (const { dir } of published()) {
      const manifest = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"))
      const text = introduction({ ...manifest, readme: readFileSync(path.join(dir, "README.md"), "utf8") })
      expect(text, manifest.name).toMatch(
        /The first release\. [A-Z].*\.\n\n(?:\*\*When to use\*\*:|Use it|This package) /u
      )
      expect(text, manifest.name).toContain("Node >=22.19.0")
    }
  })
})

describe("the workflow of a release", () => {
  const text = readFileSync(path.join(root, ".github/workflows/release.yml"), "utf8")

  it("pins every action by its commit", () => {
    const actions = [...text.matchAll(/uses: (\S+)/gu)].map(([, action]) => action)
    expect(actions.length).toBeGreaterThan(0)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/u)
  })

  it("lets only the job that publishes prove its identity, after every check", () => {
    expect(text.match(/id-token: write/gu)).toHaveLength(1)
    const [checks, publish] = text.split("  publish:\n")
    expect(checks).toContain("bash .ci/run")
    expect(checks).not.toContain("id-token: write")
    expect(publish).toContain("needs: check")
    expect(publish).toContain("id-token: write")
  })

  it("runs scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))
    const called = [...text.matchAll(/pnpm run (\S+)/gu)].map(([, script]) => script!)
    expect(called.length).toBeGreaterThan(1)
    for (const script of called) expect(scripts).toHaveProperty([script])
  })
})

describe("the files that repeat the version", () => {
  it.each(Object.entries(STATED))("%s has the version of the packages, and nothing else changes", (file, place) => {
    const text = readFileSync(path.join(root, file), "utf8")
    const found = text.match(place) ?? []
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found)).toEqual(new Set([versionOf()]))
    const next = text.replaceAll(place, "1.2.3-next.4")
    expect(next.match(place)).toEqual(found.map(() => "1.2.3-next.4"))
    expect(next.replaceAll(place, versionOf())).toBe(text)
  })
})

/** Checks the fields that identify the project, which only the root's manifest defines. */
import { describe, expect, it } from "vitest"

import { copy, lacks, rewrite } from "../identity.ts"

const identity = {
  license: "MIT",
  author: "A",
  homepage: "https://code.example/a",
  bugs: { url: "https://code.example/a/issues" },
  repository: { type: "git", url: "git+https://code.example/a.git" },
  keywords: ["all"]
}
const manifest = {
  name: "@a/b",
  version: "1.0.0",
  description: "B.",
  license: "old",
  keywords: ["own"],
  type: "module"
}

describe("the identity of the packages", () => {
  it("is the root's in every manifest, with the folder of each", () => {
    expect(rewrite(manifest, identity, "packages/b")).toEqual({
      name: "@a/b",
      version: "1.0.0",
      description: "B.",
      keywords: ["all", "own"],
      homepage: "https://code.example/a/tree/main/packages/b#readme",
      bugs: identity.bugs,
      license: "MIT",
      author: "A",
      repository: { ...identity.repository, directory: "packages/b" },
      type: "module"
    })
  })

  it("stays the same when it is written again", () => {
    const once = copy(JSON.stringify(manifest), "packages/b")
    expect(copy(once, "packages/b")).toBe(once)
  })

  it("stops a release while a field is missing or holds a reserved domain", () => {
    expect(lacks(identity)).toEqual([])
    const { author: _, ...anonymous } = identity
    expect(lacks({ ...anonymous, bugs: { url: "https://example.invalid/issues" }, keywords: [] })).toEqual([
      "package.json: author is missing",
      "package.json: bugs holds a reserved domain",
      "package.json: keywords is missing"
    ])
  })
})

/** The bill of materials of the command is cut to what its notices name. */
import { describe, expect, it } from "vitest"

import { type Bom, cut, noticed } from "../sbom.ts"

const component = (name: string, version: string, group?: string) => ({
  "bom-ref": `pkg:npm/${name}@${version}`,
  ...(group === undefined ? {} : { group }),
  name,
  version
})

const bom: Bom = {
  metadata: { component: { "bom-ref": "root" } },
  components: [component("a", "1.0.0"), component("b", "2.0.0", "@x"), component("b", "3.0.0", "@x")],
  dependencies: [
    { ref: "root", dependsOn: ["pkg:npm/a@1.0.0", "pkg:npm/b@2.0.0"] },
    { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/b@3.0.0"] },
    { ref: "pkg:npm/b@3.0.0" }
  ]
}

describe("notices", () => {
  it("name their packages, those of the command and those of Vite", () => {
    const ofCommand = "@noble/hashes 2.4.0 (MIT)\n-------------------------\n\nCopyright (c) 2022 (the author)\n"
    expect(noticed(ofCommand)).toEqual(["@noble/hashes@2.4.0"])
    const ofVite = "# Licenses\n\n## @base-ui/react - 1.9.0 (MIT)\n\nMIT License\n\n## ms - 2.1.3 (MIT)\n"
    expect(noticed(ofVite)).toEqual(["@base-ui/react@1.9.0", "ms@2.1.3"])
  })
})

describe("a bill", () => {
  it("keeps the named components in their versions, and the edges between them", () => {
    const kept = cut(bom, new Set(["a@1.0.0", "@x/b@3.0.0"]))
    expect(kept.components.map(({ version }) => version)).toEqual(["1.0.0", "3.0.0"])
    expect(kept.dependencies).toEqual([
      { ref: "root", dependsOn: ["pkg:npm/a@1.0.0"] },
      { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/b@3.0.0"] },
      { ref: "pkg:npm/b@3.0.0", dependsOn: [] }
    ])
  })

  it("must explain every name", () => {
    expect(() => cut(bom, new Set(["a@1.0.0", "c@1.0.0"]))).toThrow("does not explain c@1.0.0")
  })
})

/** The text form of IPFS content fits the width of the terminal, and cannot control the terminal. */
import { stripVTControlCharacters } from "node:util"

import { describe, expect, it } from "@effect/vitest"
import type { CidText } from "@plumbline/ipfs-client/cid/Cid"

import * as ContentView from "../../src/ipfs/ContentView.ts"
import * as Style from "../../src/terminal/Style.ts"

const CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o" as CidText
const entries = [
  { name: "a name that is long enough to need a line of its own", cid: CID, size: 12, type: 2 },
  { name: "short", cid: CID, size: 0, type: 1 },
  { name: "l", cid: CID, size: 0, type: 4, target: "../short" }
] as const

describe("a table of CIDs", () => {
  it("has a name beside its CID where there is room for it, and else under it", () => {
    const style = { ...Style.plain, columns: 80 }
    expect(ContentView.listed(entries, style).join("\n")).toMatchInlineSnapshot(`
      "3 entries

        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o   12 bytes
          a name that is long enough to need a line of its own
        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o  directory  short/
        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o    symlink  l -> ../short"
    `)
    const wide = ContentView.listed(entries, Style.plain)
    expect(wide).toHaveLength(5)
    expect(wide.join("\n")).toMatchInlineSnapshot(`
      "3 entries

        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o   12 bytes  a name that is long enough to need a line of its own
        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o  directory  short/
        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o    symlink  l -> ../short"
    `)
  })

  it("is the same with colours", () => {
    const style = { ...Style.ansi, columns: 80 }
    const coloured = ContentView.listed(entries, style).join("\n")
    expect(stripVTControlCharacters(coloured)).toBe(
      ContentView.listed(entries, { ...Style.plain, columns: 80 }).join("\n")
    )
    expect(coloured).toContain("\u001b[36m")
  })

  it("shows what a name or a target would do to a terminal, and does not do it", () => {
    const evil = "\u001b[2J\u202eVERIFIED\r\n"
    const added = [{ name: evil, cid: CID, size: 1 }]
    const lines = [
      ...ContentView.added(added, Style.plain),
      ...ContentView.listed([{ name: evil, cid: CID, size: 0, type: 4, target: evil }], Style.plain),
      ...ContentView.pins([{ cid: CID, type: "recursive", name: evil }], Style.plain),
      ...ContentView.object({ links: [{ name: evil, cid: CID, size: 1 }], data: "" }, Style.plain),
      ...ContentView.written(evil, evil, { files: 1, directories: 0, symlinks: 0, size: 1 }, Style.plain)
    ]
    expect(lines.filter((line) => /[\p{Cc}\p{Bidi_Control}]/u.test(line))).toEqual([])
    expect(lines.filter((line) => line.includes("\\u001b[2J\\u202eVERIFIED\\u000d\\u000a"))).toHaveLength(6)
  })
})

describe("a dag-pb node", () => {
  it("shows its data where that is short, and how much it has", () => {
    const shown = (bytes: number) =>
      ContentView.object({ links: [], data: Buffer.alloc(bytes).toString("base64") }, Style.plain).join("\n")
    expect(shown(0)).toBe("A node with 0 bytes of data and 0 links\n\n  data  empty")
    expect(shown(1)).toBe("A node with 1 byte of data and 0 links\n\n  data  AA==")
    expect(shown(48)).toContain(`  data  ${"A".repeat(64)}`)
    expect(shown(50)).toBe(`A node with 50 bytes of data and 0 links\n\n  data  ${"A".repeat(32)}…  whole with --json`)
  })
})

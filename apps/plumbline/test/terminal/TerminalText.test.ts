import { describe, expect, it } from "@effect/vitest"

import * as Style from "../../src/terminal/Style.ts"
import * as TerminalText from "../../src/terminal/TerminalText.ts"
import * as TextTable from "../../src/terminal/TextTable.ts"

describe("texts of foreign origin", () => {
  it("cannot move the cursor, change colours or turn the direction of writing", () => {
    expect(TerminalText.printable("\u001b[32mVERIFIED\u001b[0m\r\n\u009b1A\u202egnp")).toBe(
      "\\u001b[32mVERIFIED\\u001b[0m\\u000d\\u000a\\u009b1A\\u202egnp"
    )
    expect(TerminalText.printable("plain text, with ünïcödé → 測鉛")).toBe("plain text, with ünïcödé → 測鉛")
  })

  it("mean the same in JSON", () => {
    const value = { "\u009b": ["\u202e", "\u001b[31m", "\u2028", "ok"] }
    const text = TerminalText.json(value)
    expect(JSON.parse(text)).toEqual(value)
    expect(text).toMatch(/^[\u0020-\u007e]*$/)
  })

  it("lose the URLs in them, and the keys", () => {
    expect(
      TerminalText.withoutUrls('unexpected "http://127.0.0.1:1/v3/0123abc" and wss://x.example/ws/v3/0123abc')
    ).toBe('unexpected "<url>" and <url>')
    expect(TerminalText.withoutKeys("POST /v3/0123abc?x=1 and /ws/v3/0123abc")).toBe(
      "POST /v3/<key>?x=1 and /ws/v3/<key>"
    )
  })
})

describe("the columns that a text takes", () => {
  // The expected widths are those of the C library's wcwidth. The widths of sequences follow from Unicode's UAX 29 and
  // 11.
  it.each([
    ["", 0],
    ["wallet", 6],
    ["Zürich", 6],
    ["Zu\u0308rich", 6],
    ["日本語", 6],
    ["プロジェクト", 12],
    ["ﾌﾛ", 2],
    ["한국어", 6],
    ["한국", 4],
    ["ＡＢ", 4],
    ["שלום", 4],
    ["🪺", 2],
    ["👩‍👩‍👧‍👦", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["→", 1]
  ])("of %j are %i", (text, columns) => {
    expect(TerminalText.width(text)).toBe(columns)
  })
})

describe("a table", () => {
  it("has its columns below each other, whatever is in them, also of very many rows", () => {
    const names = ["a", "日本語", "👩‍👩‍👧‍👦", "e\u0301", ...Array.from({ length: 200_000 }, () => "n")]
    const lines = TextTable.lines(
      [
        ["name", ([name]) => name],
        ["state", () => "on"],
        ["calls", ([, at]) => String(at % 10), "numbers"]
      ],
      names.map((name, at) => [name, at] as const),
      Style.plain
    )
    expect(new Set(lines.map(TerminalText.width))).toEqual(new Set([2 + 6 + 2 + 5 + 2 + 5]))
    expect(lines.slice(0, 3)).toEqual(["  name    state  calls", "  a       on         0", "  日本語  on         1"])
  })
})

describe("a sentence", () => {
  it("is broken between its words, none of which is lost or broken itself", () => {
    const hash = `0x${"ab".repeat(32)}`
    const text = `that block ${hash} is on the chain is the node's word`
    expect(TerminalText.wrap(text, 20)).toEqual(["that block", hash, "is on the chain is", "the node's word"])
    for (const width of [0, 1, 20, 68, 80, Infinity]) {
      const lines = TerminalText.wrap(text, width)
      expect(lines.join(" ")).toBe(text)
      for (const line of lines) expect(line.length <= width || !line.includes(" ")).toBe(true)
    }
    expect(TerminalText.wrap(text, Infinity)).toEqual([text])
    expect(TerminalText.wrap("", 10)).toEqual([""])
  })

  it("of parts is broken between the parts", () => {
    expect(TerminalText.flow(["nonce 7", "type 2", "one byte"], "  ", 15)).toEqual(["nonce 7  type 2", "one byte"])
    expect(TerminalText.flow([], "  ", 15)).toEqual([])
  })
})

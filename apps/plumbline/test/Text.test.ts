import { describe, expect, it } from "@effect/vitest"

import * as Text from "../src/view/Text.ts"

describe("texts of foreign origin", () => {
  it("cannot move the cursor, change colours or turn the direction of writing", () => {
    expect(Text.printable("\u001b[32mVERIFIED\u001b[0m\r\n\u009b1A\u202egnp")).toBe(
      "\\u001b[32mVERIFIED\\u001b[0m\\u000d\\u000a\\u009b1A\\u202egnp"
    )
    expect(Text.printable("plain text, with ünïcödé → 測鉛")).toBe("plain text, with ünïcödé → 測鉛")
  })

  it("mean the same in JSON", () => {
    const value = { "\u009b": ["\u202e", "\u001b[31m", "\u2028", "ok"] }
    const text = Text.json(value)
    expect(JSON.parse(text)).toEqual(value)
    expect(text).toMatch(/^[\u0020-\u007e]*$/)
  })

  it("lose the URLs in them, and the keys", () => {
    expect(Text.withoutUrls('unexpected "http://127.0.0.1:1/v3/0123abc" and wss://x.example/ws/v3/0123abc')).toBe(
      'unexpected "<url>" and <url>'
    )
    expect(Text.withoutKeys("POST /v3/0123abc?x=1 and /ws/v3/0123abc")).toBe("POST /v3/<key>?x=1 and /ws/v3/<key>")
  })
})

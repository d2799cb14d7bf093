import { assert, it } from "@effect/vitest"
import { Identifier, RequestTarget } from "@plumbline/redaction"

it("keeps of a request target only the known words", () => {
  const shown = RequestTarget.redactor(["v3", "ws", "health"])
  const cases = {
    "/v3/KEY": "/v3/<redacted>",
    "/ws/v3/KEY": "/ws/v3/<redacted>",
    "/V3/KEY": "/<redacted>/<redacted>",
    "/%76%33/KEY": "/<redacted>/<redacted>",
    "/v3?key=KEY": "/v3",
    "/v3#KEY": "/v3",
    "http://KEY@host/v3/KEY": "<redacted>//<redacted>/v3/<redacted>",
    "": ""
  }
  for (const [target, expected] of Object.entries(cases)) assert.strictEqual(shown(target), expected)
  assert.isBelow(shown("/KEY".repeat(10_000)).length, 100)
})

it("shows an identifier unless it holds a key", () => {
  const key = "0123456789ABCDEF0123456789abcdef"
  assert.strictEqual(Identifier.redact(`k-${key}`), "<redacted>")
  assert.strictEqual(Identifier.redact(key.slice(1)), key.slice(1))
})

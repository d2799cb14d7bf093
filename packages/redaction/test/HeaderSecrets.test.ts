import { assert, it } from "@effect/vitest"
import { FreeText, HeaderSecrets } from "@plumbline/redaction"

const shown = (name: string, value: string, text: string): string =>
  FreeText.redactor(HeaderSecrets.of([[name, value]]))(text)

it("finds the secrets of headers, and leaves what is none", () => {
  const basic = (pair: string, encoding: "latin1" | "utf8") => Buffer.from(pair, encoding).toString("base64")
  const cases = [
    ["Authorization", "Bearer abcd", "no abcd, no Bearer abcd", "no <redacted>, no <redacted>"],
    ["authorization", `Basic ${basic("user:p\u00e4ss", "utf8")}`, "user p\u00e4ss", "<redacted> <redacted>"],
    ["authorization", `basic ${basic("user:p\u00e4ss", "latin1")}`, "user p\u00e4ss", "<redacted> <redacted>"],
    ["authorization", `Basic ${basic(":word:with:colons", "utf8")}`, "word:with:colons", "<redacted>"],
    ["authorization", "Basic %%%%", "%%%%", "<redacted>"],
    ["x-api-key", "abcd", "abcd", "<redacted>"],
    ["Cookie", "session=abcd", "session=abcd", "<redacted>"],
    ["x-tenant", "tenant1", "tenant1", "<redacted>"],
    ["x-tenant", "a-long-name-here", "a-long-name-here", "<redacted>"],
    ["x-network", "mainnet", "mainnet", "mainnet"],
    ["te", "trailers", "trailers", "trailers"],
    ["User-Agent", "plumbline-tests/1", "plumbline-tests/1", "plumbline-tests/1"],
    ["Content-Type", "application/json", "application/json", "application/json"]
  ] as const
  for (const [name, value, text, expected] of cases) assert.strictEqual(shown(name, value, text), expected, value)
})

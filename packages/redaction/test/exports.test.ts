import { assert, it } from "@effect/vitest"
import * as redaction from "@plumbline/redaction"

it("exports these names and no others", () => {
  const names = Object.entries(redaction).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "FreeText: redactor withoutKeys withoutUrls",
    "HeaderSecrets: of",
    "Identifier: redact",
    "Placeholder: REDACTED",
    "PlatformError: causes codeOf isClosed isCode",
    "RequestTarget: redactor",
    "UrlSecrets: isSecret of shownOrigin"
  ])
})

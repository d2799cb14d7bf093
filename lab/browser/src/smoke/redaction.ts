/** Finds secrets and replaces them. Runs in the browser's realm, and from the packed packages in a rehearsal. */
import { FreeText, HeaderSecrets, Identifier, Placeholder, RequestTarget, UrlSecrets } from "@plumbline/redaction"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  const redact = FreeText.redactor([
    ...UrlSecrets.of("https://user:hunter2@node.example/v3/0123abcd?token=to%2Fken"),
    ...HeaderSecrets.of([["authorization", `Basic ${btoa("name:passw0rd")}`]])
  ])
  const said = `hunter2 0123abcd to%2Fken passw0rd ${btoa("hunter2")}`.split(" ").map(redact)
  for (const word of said.slice(0, 4)) expectSame("a secret", word, Placeholder.REDACTED)
  expectSame("base64", said[4]!.includes(btoa("hunter2")), false)
  expectSame("a name", redact("v3 of mainnet"), "v3 of mainnet")
  expectSame("a URL", FreeText.withoutUrls("no wss://node.example/key"), "no <redacted>")
  expectSame("a key", FreeText.withoutKeys("/v3/key"), "/v3/<redacted>")
  expectSame("a path", RequestTarget.redactor(["v3"])("/v3/key?x"), "/v3/<redacted>")
  expectSame("an identifier", Identifier.redact("f".repeat(32)), Placeholder.REDACTED)
  expectSame("an origin", UrlSecrets.shownOrigin("redis://:key@cache.example:6379/0"), "redis://cache.example:6379")
  return "secrets of a URL and of headers replaced"
}

/** No output contains a secret in any form. Texts without a secret stay unchanged. */
import { assert, describe, it } from "@effect/vitest"
import { FreeText, UrlSecrets } from "@plumbline/redaction"
import * as Random from "@plumbline/seeded/Random"
const SECRET = 'p\u00e4ss/w+rd "\\ 1'

/** The encodings in which a server could repeat a text. None of them is made by our code. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) => encodeURIComponent(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "in a form": (text) => new URLSearchParams({ text }).toString(),
  "in JSON": (text) => JSON.stringify({ text }),
  "in JSON within JSON": (text) => JSON.stringify({ text: JSON.stringify({ text }) }),
  "in JSON with escaped slashes": (text) => JSON.stringify({ text }).replaceAll("/", "\\/"),
  "in base64": (text) => Buffer.from(text).toString("base64"),
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in base64, percent-encoded": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "in base64, behind one byte": (text) => Buffer.from(`:${text}:`).toString("base64"),
  "in base64, behind two bytes": (text) => Buffer.from(`u:${text}: and more`).toString("base64")
}

/** True if decoders that are not ours find the secret in a text. */
const shows = (text: string, secret: string): boolean => {
  const unescaped = text.replaceAll("\\/", "/").replaceAll('\\"', '"').replaceAll("\\\\", "\\")
  // a text can be escaped twice; in HTML forms, a plus sign stands for a space
  const twice = unescaped.replaceAll('\\"', '"').replaceAll("\\\\", "\\")
  return [text, unescaped, twice, unescaped.replaceAll("+", " ")].some((start) => {
    let decoded = start
    for (let times = 0; times < 3; times++) {
      if (decoded.includes(secret)) return true
      for (const run of decoded.match(/[\w+/-]{6,}/g) ?? []) {
        if ([0, 1, 2, 3].some((skipped) => Buffer.from(run.slice(skipped), "base64").includes(secret))) return true
      }
      decoded = decoded.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
        Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8")
      )
    }
    return false
  })
}

describe("a redactor finds a secret", () => {
  for (const [name, encoding] of Object.entries(encodings)) {
    it(`that is ${name}`, () => {
      const text = `no project ${encoding(SECRET)} here`
      assert.isTrue(shows(text, SECRET), "the test can see it")
      const shown = FreeText.redactor([SECRET])(text)
      assert.isFalse(shows(shown, SECRET), shown)
      assert.include(shown, "<redacted>")
      assert.match(shown, /^no project .* here$/)
    })
  }

  it("in any random form, and keeps the text around it", () => {
    const random = Random.make(15)
    const all = Object.values(encodings)
    const letters = "abcXYZ019-_.~+/=%?&# '\"\\:@!*()\u00e9\u6f22".split("")
    for (let run = 0; run < Random.runs(2000); run++) {
      const secret = Array.from({ length: 8 + Random.int(random, 30) }, () => Random.pick(random, letters)).join("")
      const text = `before ${Random.pick(random, all)(secret)} after`
      const shown = FreeText.redactor([secret])(text)
      assert.isFalse(shows(shown, secret), JSON.stringify([secret, text, shown]))
      assert.match(shown, /^before .* after$/)
      assert.strictEqual(FreeText.redactor([secret])("before and after"), "before and after")
    }
  })

  it("that is percent-encoded where it is given", () => {
    const redact = FreeText.redactor(["to%2fken%21"])
    assert.strictEqual(redact("to/ken! to%2Fken! to%2fken%21"), "<redacted> <redacted> <redacted>")
    assert.strictEqual(FreeText.redactor(["100%zz"])("100%zz"), "<redacted>")
    assert.strictEqual(FreeText.redactor(["half \ud800"])("half \ud800"), "<redacted>")
  })

  it("within a longer one first", () => {
    assert.strictEqual(FreeText.redactor(["abcd", "abcdefgh"])("abcdefgh abcd"), "<redacted> <redacted>")
  })

  it("but none that is shorter than four characters", () => {
    assert.strictEqual(FreeText.redactor(["", "v3", "abc"])("abc of v3"), "abc of v3")
  })
})

it("leaves base64 alone that holds no secret", () => {
  const redact = FreeText.redactor(UrlSecrets.of("https://node.example/v3/0123456789abcdef"))
  const text = Buffer.from("The quick brown fox jumps over the lazy dog").toString("base64")
  assert.strictEqual(redact(text), text)
})

describe("without knowing the secrets", () => {
  it("URLs are taken out, encoded ones too", () => {
    const shown = {
      "fetch of https://user:KEY@node.example/v3/KEY?x=KEY failed": "fetch of <redacted> failed",
      "WSS://HOST/KEY, again": "<redacted> again",
      "://KEY": "<redacted>",
      'no "https://node.example/KEY" and <wss://KEY>': 'no "<redacted>" and <<redacted>>',
      "https://node.example/it's/KEY": "<redacted>",
      "to /login?next=https%3A%2F%2Fnode.example%2Fv3%2FKEY": "to /login?next=<redacted>",
      "nothing to hide": "nothing to hide",
      "at 12:30 // or later": "at 12:30 // or later"
    }
    for (const [text, expected] of Object.entries(shown)) assert.strictEqual(FreeText.withoutUrls(text), expected)
    assert.strictEqual(FreeText.withoutUrls("ws://a b", "$1<url>"), "$1<url> b")
  })

  it("keys are taken out of their places, and the rest stays", () => {
    const shown = {
      "POST /v3/KEY?x=1 and /ws/v3/KEY": "POST /v3/<key>?x=1 and /ws/v3/<key>",
      "POST %2Fv3%2FKEY": "POST %2Fv3%2F<key>",
      "https://KEY:KEY@node.example/rpc": "https://<key>@node.example/rpc",
      "https://KE'Y:KEY@node.example": "https://<key>@node.example",
      "https%3A%2F%2FKEY%3AKEY%40node.example": "https%3A%2F%2F<key>%40node.example",
      "GET /rpc?x=1&api-key=KEY&y=2": "GET /rpc?x=1&api-key=<key>&y=2",
      "GET /rpc?accessToken=KEY#top": "GET /rpc?accessToken=<key>#top",
      "next=%3Ftoken%3DKEY": "next=%3Ftoken%3D<key>",
      "authorization: Basic S0VZ": "authorization: Basic <key>",
      '{"Authorization":"Bearer KEY"}': '{"Authorization":"Bearer <key>"}',
      "Basic authentication wants a key": "Basic authentication wants a key",
      "mail a@b.example about /v2/eth": "mail a@b.example about /v2/eth"
    }
    for (const [text, expected] of Object.entries(shown)) {
      assert.strictEqual(FreeText.withoutKeys(text, "<key>"), expected)
    }
  })

  it("no text takes time that grows with its square", () => {
    const parts = ["a", "://", "%3a%2f%2f", "?key", "&key=", "authorization: ", "/v3/", '"', "%2fv3%2f", "'", "@", "\\"]
    for (const part of parts) {
      const text = part.repeat(Math.ceil(300_000 / part.length))
      // With quadratic time this would take minutes, and exceed the test's time limit.
      assert.isString(FreeText.withoutKeys(FreeText.withoutUrls(text)))
      assert.isString(FreeText.redactor([SECRET])(text))
    }
  })
})

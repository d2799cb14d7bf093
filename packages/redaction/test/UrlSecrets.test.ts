import { assert, describe, it } from "@effect/vitest"
import { FreeText, UrlSecrets } from "@plumbline/redaction"

const KEY = "0123456789abcdef0123456789abcdef"

describe("secrets of a URL", () => {
  it("are found in each of its parts", () => {
    const places = [
      `https://${KEY}@node.example/`,
      `https://user:${KEY}@node.example/`,
      `https://${KEY}.node.example/`,
      `https://node.example/v3/${KEY}`,
      `https://node.example/${KEY}/rpc`,
      `https://node.example/?key=${KEY}`,
      `https://node.example/?${KEY}`,
      `wss://node.example/ws/v3/${KEY}#part`,
      `/v3/${KEY}`,
      `rpc?${KEY}`,
      `redis://:${KEY}@node.example:6379/0`
    ]
    for (const url of places) {
      const redact = FreeText.redactor(UrlSecrets.of(url))
      assert.strictEqual(redact(`no project ${KEY} here`), "no project <redacted> here", url)
      assert.strictEqual(redact(`no ${url} here`), "no <redacted> here", url)
    }
  })

  it("are found as the URL has them encoded, and decoded", () => {
    const redact = FreeText.redactor(UrlSecrets.of("https://node.example/it's%2fkey 1/?key=it's+a%2fkey"))
    assert.strictEqual(redact("no it's/key 1, no it's%2fkey%201"), "no <redacted>, no <redacted>")
    assert.strictEqual(redact("no it's a/key, no it%27s+a%2fkey"), "no <redacted>, no <redacted>")
  })

  it("are not the names in it", () => {
    const redact = FreeText.redactor(UrlSecrets.of(`https://eth-mainnet.node.example/eth/v3/${KEY}`))
    assert.strictEqual(redact("eth-mainnet and v3 of eth"), "eth-mainnet and v3 of eth")
  })

  it("are the whole text that is not a URL", () => {
    assert.deepStrictEqual(UrlSecrets.of("http://[KEY/"), ["http://[KEY/"])
  })
})

describe("the shown origin", () => {
  it("is the scheme, the host and the port, and no key", () => {
    const shown = {
      "https://user:KEY@node.example:8545/v3/KEY?x=KEY#KEY": "https://node.example:8545",
      "redis://:KEY@127.0.0.1:6379/0": "redis://127.0.0.1:6379",
      "ws://[::1]:8546/": "ws://[::1]:8546",
      [`https://${KEY}.eth-mainnet.node.example/`]: "https://<redacted>.eth-mainnet.node.example"
    }
    for (const [url, expected] of Object.entries(shown)) assert.strictEqual(UrlSecrets.shownOrigin(url), expected)
  })
})

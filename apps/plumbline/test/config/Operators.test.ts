/** The operators of nodes: addresses that are one voice, and addresses that are two. */
import { assert, describe, it } from "@effect/vitest"

import * as Operators from "../../src/config/Operators.ts"

const isOne = (...urls: ReadonlyArray<string | undefined>): boolean =>
  new Set(
    Operators.of(
      urls.map((url) => ({ url })),
      urls.map((_, at) => `n${at}`)
    )
  ).size === 1

describe("nodes are one voice", () => {
  const pairs: ReadonlyArray<readonly [string, string]> = [
    ["http://10.0.0.7:8545", "http://10.0.0.7:8546"],
    ["http://127.0.0.1:8545", "http://localhost:9545"],
    ["http://[::1]:8545", "http://127.8.8.8"],
    ["http://node.localhost", "ws://127.0.0.1:1"],
    // other spellings of an address
    ["http://0x7f.1", "http://2130706433"],
    ["http://[::ffff:10.0.0.7]", "http://10.0.0.7"],
    ["https://eth.Provider.example/v3/key", "wss://ws.provider.example./v3/other"],
    ["https://a.provider.co.uk", "https://b.provider.co.uk"],
    ["http://geth:8545", "http://geth:8546"],
    // a suffix of strangers that is not in the list: they are counted once, which is safe
    ["https://one.pages.example", "https://two.pages.example"]
  ]
  for (const [one, other] of pairs) it(`at ${one} and ${other}`, () => assert.isTrue(isOne(one, other)))

  it("if they are embedded, or on this machine", () => assert.isTrue(isOne(undefined, "http://127.0.0.1:8545")))

  it("if the file says so, whatever their addresses", () => {
    const nodes = [
      { url: "https://a.one.example", operator: "us" },
      { url: "https://b.two.test", operator: "us" },
      { url: "https://c.one.example" }
    ]
    assert.deepStrictEqual(Operators.of(nodes, ["x", "y", "z"]), ["us", "us", "z"])
  })
})

describe("nodes are two voices", () => {
  const pairs: ReadonlyArray<readonly [string, string]> = [
    ["http://10.0.0.7", "http://10.0.0.8"],
    ["https://eth.one.example", "https://eth.two.test"],
    ["https://one.co.uk", "https://two.co.uk"],
    ["http://geth:8545", "http://reth:8545"],
    ["http://[2001:db8::1]", "http://[2001:db8::2]"]
  ]
  for (const [one, other] of pairs) it(`at ${one} and ${other}`, () => assert.isFalse(isOne(one, other)))

  it("if the file says so, at one address", () => {
    const nodes = [
      { url: "http://127.0.0.1:1", operator: "us" },
      { url: "http://127.0.0.1:2", operator: "them" }
    ]
    assert.deepStrictEqual(Operators.of(nodes, ["x", "y"]), ["us", "them"])
  })
})

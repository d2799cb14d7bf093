/** The smallest entries stay small in a bundle. */
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as BundleSize from "../bundleSize.ts"
import { root } from "../workspace.ts"

const codec = path.join(root, "packages/codec")
const ethMethods = path.join(root, "packages/eth-methods")

describe("bundles", () => {
  it("have Keccak-256 below 3 kB, smaller than the smallest of other libraries", async () => {
    const { gzip, min } = await BundleSize.bundle(
      BundleSize.exporting("*", "@plumbline/codec/hash/PlainKeccak"),
      codec,
      []
    )
    const noble = await BundleSize.bundle(BundleSize.exporting("{ keccak_256 }", "@noble/hashes/sha3.js"), codec, [])
    expect(min).toBeLessThan(3000)
    expect(gzip).toBeLessThan(noble.gzip)
  })

  it("leave Effect out or not, as they are asked", async () => {
    const without = await BundleSize.bundle(BundleSize.exporting("*", "@plumbline/codec/value/Address"), codec)
    const whole = await BundleSize.bundle(BundleSize.exporting("*", "@plumbline/codec/value/Address"), codec, [])
    expect(without.gzip * 2).toBeLessThan(whole.gzip)
    expect(without.names).toEqual(whole.names)
  })

  it("have one method of Ethereum without the others", async () => {
    const entry = "@plumbline/eth-methods/methods/EthMethods"
    const methodsIn = (text: string) => [...new Set(text.match(/\b(?:eth|net|web3)_\w+/gu))]
    const { names, text } = await BundleSize.bundle(BundleSize.exporting("*", entry), ethMethods)
    const methods = names.filter((name) => /^[a-z0-9]+_/u.test(name))
    expect(methodsIn(text).toSorted()).toEqual(methods.toSorted())
    const alone = (method: string) => BundleSize.bundle(BundleSize.exporting(`{ ${method} }`, entry), ethMethods)
    // A method that stays in every bundle is in the bundles of the other methods of its file.
    const some = methods.filter((_, at) => at % 4 === 0)
    const bundles = await Promise.all(some.map(alone))
    expect(bundles.map((each) => methodsIn(each.text))).toEqual(some.map((method) => [method]))
  })
})

/** The smallest entries stay small in a bundle. */
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as BundleSize from "../bundleSize.ts"
import { root } from "../workspace.ts"

const codec = path.join(root, "packages/codec")

describe("bundles", () => {
  it("have Keccak-256 below 3 kB, smaller than the smallest of other libraries", async () => {
    const { gzip, min } = await BundleSize.bundle("*", "@plumbline/codec/hash/PlainKeccak", codec, [])
    const noble = await BundleSize.bundle("{ keccak_256 }", "@noble/hashes/sha3.js", codec, [])
    expect(min).toBeLessThan(3000)
    expect(gzip).toBeLessThan(noble.gzip)
  })

  it("leave Effect out or not, as they are asked", async () => {
    const without = await BundleSize.bundle("*", "@plumbline/codec/value/Address", codec)
    const whole = await BundleSize.bundle("*", "@plumbline/codec/value/Address", codec, [])
    expect(without.gzip * 2).toBeLessThan(whole.gzip)
    expect(without.names).toEqual(whole.names)
  })
})

import * as crypto from "node:crypto"

import { assert, describe, it } from "@effect/vitest"

import * as PlatformHash from "../../src/cid/platformHash.ts"

describe("the platform's hash function", () => {
  it("is used with the names that every runtime knows", () => {
    // Deno's function refuses "SHA-256", which Node accepts
    const asDeno = (name: string, bytes: Uint8Array): Uint8Array => {
      if (!/^sha\d+$/u.test(name)) throw new Error(`Digest method not supported: ${name}`)
      return crypto.hash(name, bytes, "buffer")
    }
    assert.strictEqual(PlatformHash.working(asDeno), asDeno)
  })

  it("is left alone where it refuses or answers something else", () => {
    const refusing = () => {
      throw new Error("Digest method not supported")
    }
    assert.isUndefined(PlatformHash.working(refusing))
    assert.isUndefined(PlatformHash.working(() => new Uint8Array(20)))
    assert.isUndefined(PlatformHash.working(undefined))
  })
})

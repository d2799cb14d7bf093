/** Recovers a public key with each engine. */
import { createHash, generateKeyPairSync, sign } from "node:crypto"

import { expect, test } from "vitest"

import { engines } from "../test/support/engines.ts"

const message = Buffer.from("message")
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
const digest = new Uint8Array(createHash("sha256").update(message).digest())
const signature = new Uint8Array(sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" }))

test("public key of a signature", async ({ bench }) => {
  const [first, second, ...more] = engines.map(([name, engine]) =>
    bench(name, () => {
      engine.recover(digest, signature, 0)
    })
  )
  const result = await bench.compare(first!, second!, ...more, { time: 500 })
  expect(result).toBeDefined()
})

import { Hex } from "@plumbline/codec"
import { test } from "vitest"

import { bytes } from "./inputs.ts"

for (const [name, size] of [
  ["an address", 20],
  ["a hash", 32],
  ["a bloom filter", 256],
  ["the code of a contract", 24 * 1024]
] as const) {
  const value = bytes(size)
  const text = Hex.fromBytes(value)
  test(`Hex: ${name}`, async ({ bench }) => {
    await bench.compare(
      bench("fromBytes", () => Hex.fromBytes(value)),
      bench("toBytesUnsafe", () => Hex.toBytesUnsafe(text)),
      bench("isHex", () => Hex.isHex(text)),
      { time: 200 }
    )
  })
}

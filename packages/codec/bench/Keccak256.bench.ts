import { Keccak256 } from "@plumbline/codec"
import { test } from "vitest"

import { bytes } from "./inputs.ts"

for (const [name, size] of [
  ["a hash", 32],
  ["a mapping key", 64],
  ["a branch node", 532],
  ["the code of a contract", 24 * 1024]
] as const) {
  const values = Array.from({ length: 64 }, (_, i) => bytes(size, i + 1))
  test(`Keccak256: 64 times ${name}`, async ({ bench }) => {
    await bench.compare(
      bench("one by one", () => values.map((value) => Keccak256.hash(value))),
      bench("hashMany", () => Keccak256.hashMany(values)),
      { time: 200 }
    )
  })
}

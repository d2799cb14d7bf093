import { Rlp } from "@plumbline/codec"
import { test } from "vitest"

import { bytes } from "./inputs.ts"

const branch = [...Array.from({ length: 16 }, (_, i) => bytes(32, i + 1)), new Uint8Array(0)]
const account = [bytes(2), bytes(9), bytes(32), bytes(32, 2)]
const accessList = Array.from({ length: 20 }, (_, i) => [bytes(20, i + 1), [bytes(32), bytes(32, 2)]])

for (const [name, item] of [
  ["a branch node", branch],
  ["an account", account],
  ["an access list", accessList]
] as const) {
  const encoded = Rlp.encode(item)
  test(`Rlp: ${name}`, async ({ bench }) => {
    await bench.compare(
      bench("encode", () => Rlp.encode(item)),
      bench("decode", () => Rlp.decode(encoded)),
      { time: 200 }
    )
  })
}

/**
 * Compares the positions of mapping entries with viem; `pnpm bench:peers positions` compares them with other libraries.
 */
import { Layout, Location, Slot } from "@plumbline/storage-layout"
import { Result } from "effect"
import { encodeAbiParameters, keccak256 } from "viem"
import { expect, test } from "vitest"

const owner = "0x00000000219ab540356cbb839cbe05303d7705fa"
const types = [{ type: "address" }, { type: "uint256" }] as const
const layout = Result.getOrThrow(
  Layout.fromSolc({
    storage: [{ label: "balances", offset: 0, slot: "3", type: "t_balances" }],
    types: {
      t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
      t_balances: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_address", value: "t_uint256" },
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
    }
  })
)

const ways = {
  "the rule": () => Slot.mappingEntry(Slot.numberKey(BigInt(owner)), 3n),
  "the rule, as text": () => BigInt(Slot.mappingEntryHexUnsafe(owner, 3n)),
  "by its path": () => Result.getOrThrow(Location.locate(layout, `balances[${owner}]`)).slot,
  viem: () => BigInt(keccak256(encodeAbiParameters(types, [owner, 3n])))
}

test("the position of a mapping's entry", async ({ bench }) => {
  const slots = new Set(Object.values(ways).map((way) => way()))
  expect(slots.size).toBe(1)
  await bench.compare(...(Object.entries(ways).map(([name, way]) => bench(name, () => void way())) as [never, never]), {
    time: 200
  })
})

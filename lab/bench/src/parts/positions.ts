/**
 * Measures how fast the slot of a mapping's entry is computed: from the text of a key to the text of the slot that a
 * node accepts.
 */
import { StorageKey } from "@plumbline/eth-methods"
import { Layout, Location, Slot } from "@plumbline/storage-layout"
import { Result } from "effect"
import * as ethers from "ethers"
import { AbiParameters, Hash as OxHash, Hex as OxHex } from "ox"
import { Hash as OxWasmHash } from "ox/wasm"
import * as viem from "viem"

import { hexOf } from "../inputs/byteInput.ts"
import { part, type Row } from "../measure/measuredRow.ts"

const owner = "0x00000000219ab540356cbb839cbe05303d7705fa"
const spender = "0x52908400098527886e0f7030069857d2e4169ee7"
const name = "a name that is longer than a word of storage"
const ALLOWANCES = 3n
const NAMES = 5n

const oxWasm = await OxWasmHash.engine()
if (oxWasm.keccak256 === undefined) throw new Error("ox/wasm has no Keccak-256")
const oxKeccak256 = oxWasm.keccak256

const layout = Result.getOrThrow(
  Layout.fromSolc({
    storage: [
      { label: "allowances", offset: 0, slot: "3", type: "t_allowances" },
      { label: "names", offset: 0, slot: "5", type: "t_names" }
    ],
    types: {
      t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
      t_allowances: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_address", value: "t_balances" },
      t_balances: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_address", value: "t_uint256" },
      t_names: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_string", value: "t_uint256" },
      t_string: { encoding: "bytes", label: "string", numberOfBytes: "32" },
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
    }
  })
)
const located = (path: string) => StorageKey.fromSlot(Result.getOrThrow(Location.locate(layout, path)).slot)

const ofAddress = (holder: string, mapping: bigint) => Slot.mappingEntry(Slot.numberKey(BigInt(holder)), mapping)

const addressTypes = [{ type: "address" }, { type: "uint256" }] as const
const textTypes = ["string", "uint256"] as const

type Entry = (holder: viem.Hex, mapping: bigint | viem.Hex) => viem.Hex

/**
 * Functions of other libraries that return the slot of a mapping's entry as text. The mapping is a slot number, or such
 * a text for a mapping inside a mapping.
 */
const peers: Readonly<Record<string, Entry>> = {
  viem: (holder, mapping) => viem.keccak256(viem.encodeAbiParameters(addressTypes, [holder, BigInt(mapping)])),
  ethers: (holder, mapping) =>
    ethers.keccak256(ethers.AbiCoder.defaultAbiCoder().encode(["address", "uint256"], [holder, mapping])) as viem.Hex,
  ox: (holder, mapping) => OxHash.keccak256(AbiParameters.encode(addressTypes, [holder, BigInt(mapping)]))
}

/**
 * A buffer for a key and the slot number of a mapping, 32 bytes each. It is kept from call to call, so the slot number
 * is written only once.
 */
const kept = Buffer.alloc(64)
kept[63] = Number(ALLOWANCES)
/** A second buffer of this kind, for an entry of an inner mapping. */
const keptInner = Buffer.alloc(64)

/** Computes the slot from the kept buffer with the fastest hash of the peers, without an ABI and without any check. */
const digestByHand = (holder: viem.Hex): Uint8Array => {
  kept.write(holder.slice(2), 12, 20, "hex")
  return oxKeccak256(kept)
}

const byHand = (holder: viem.Hex): viem.Hex => hexOf(digestByHand(holder))

const nestedByHand = (inner: viem.Hex, outer: viem.Hex): viem.Hex => {
  keptInner.set(digestByHand(outer), 32)
  keptInner.write(inner.slice(2), 12, 20, "hex")
  return hexOf(oxKeccak256(keptInner))
}

/** Makes a row with the same work for all contenders. */
const row = (
  name: string,
  ours: () => unknown,
  run: (entry: Entry) => unknown,
  hand: () => unknown,
  goal?: number
): Row => ({
  name,
  ...(goal === undefined ? {} : { goal }),
  ours,
  peers: {
    "ox/wasm by hand": hand,
    ...Object.fromEntries(Object.entries(peers).map(([name, entry]) => [name, () => run(entry)]))
  }
})

const nested = (entry: Entry) => entry(spender, entry(owner, ALLOWANCES))

const rows: ReadonlyArray<Row> = [
  row(
    "an address",
    () => Slot.mappingEntryHexUnsafe(owner, ALLOWANCES),
    (entry) => entry(owner, ALLOWANCES),
    () => byHand(owner),
    2.4
  ),
  row(
    "two addresses",
    () => Slot.mappingEntryHexUnsafe(spender, Slot.mappingEntryHexUnsafe(owner, ALLOWANCES)),
    nested,
    () => nestedByHand(spender, owner),
    2.4
  ),
  row(
    "an address, by way of numbers",
    () => StorageKey.fromSlot(ofAddress(owner, ALLOWANCES)),
    (entry) => entry(owner, ALLOWANCES),
    () => byHand(owner)
  ),
  row(
    "two addresses, by their path in a layout",
    () => located(`allowances[${owner}][${spender}]`),
    nested,
    () => nestedByHand(spender, owner)
  ),
  {
    name: "a text",
    ours: () => StorageKey.fromSlot(Slot.mappingEntry(new TextEncoder().encode(name), NAMES)),
    peers: {
      viem: () => viem.keccak256(viem.encodePacked(textTypes, [name, NAMES])),
      ethers: () => ethers.solidityPackedKeccak256(textTypes, [name, NAMES]),
      ox: () => OxHash.keccak256(AbiParameters.encodePacked(textTypes, [name, NAMES]))
    }
  },
  {
    name: "where the content of a string begins",
    ours: () => StorageKey.fromSlot(Slot.data(NAMES)),
    peers: {
      viem: () => viem.keccak256(viem.toHex(NAMES, { size: 32 })),
      ethers: () => ethers.keccak256(ethers.toBeHex(NAMES, 32)),
      ox: () => OxHash.keccak256(OxHex.fromNumber(NAMES, { size: 32 }))
    }
  }
]

export const positions = part("positions", rows)

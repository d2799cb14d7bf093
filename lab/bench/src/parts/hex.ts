/** Measures the conversion of hex text to bytes and back. */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Hex } from "@plumbline/codec"
import * as ethers from "ethers"
import { Bytes as OxBytes, Hex as OxHex } from "ox"
import * as viem from "viem"

import { bytes, hexOf, show } from "../inputs/byteInput.ts"
import { part, type Row } from "../measure/measuredRow.ts"

const sizes = [
  { size: 32, name: "32 B", encode: 1.9, decode: 1.7 },
  { size: 256, name: "256 B", encode: 1.8, decode: 2 },
  { size: 24 * 1024, name: "24 KiB", encode: 1.6, decode: 2.3 }
]

const rows = sizes.flatMap(({ size, name, encode, decode }): Array<Row> => {
  const value = bytes(size)
  const text = hexOf(value)
  return [
    {
      name: `check ${name}`,
      ours: () => Hex.isHex(text),
      peers: {
        ox: () => OxHex.validate(text, { strict: true }),
        viem: () => viem.isHex(text),
        ethers: () => ethers.isHexString(text)
      }
    },
    {
      name: `encode ${name}`,
      goal: encode,
      show,
      ours: () => Hex.fromBytes(value),
      peers: {
        ox: () => OxHex.fromBytes(value),
        viem: () => viem.bytesToHex(value),
        ethers: () => ethers.hexlify(value),
        noble: () => `0x${bytesToHex(value)}`
      }
    },
    {
      name: `decode ${name}`,
      goal: decode,
      show,
      ours: () => Hex.toBytesUnsafe(text),
      peers: {
        ox: () => OxBytes.fromHex(text),
        viem: () => viem.hexToBytes(text),
        ethers: () => ethers.getBytes(text),
        noble: () => hexToBytes(text.slice(2))
      }
    }
  ]
})

export const hex = part("hex", rows)

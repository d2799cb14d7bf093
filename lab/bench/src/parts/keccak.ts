/** Keccak-256 of one message at a time, and of many messages at once. */
import { createHash } from "node:crypto"

import { keccak_256 } from "@noble/hashes/sha3.js"
import { Keccak256 } from "@plumbline/codec"
import * as ethers from "ethers"
import { Hash as OxWasmHash } from "ox/wasm"
import * as viem from "viem"

import { bytes, show } from "../inputs/byteInput.ts"
import { part, type Row } from "../measure/measuredRow.ts"

const oxWasm = await OxWasmHash.engine()
if (oxWasm.keccak256 === undefined) throw new Error("ox/wasm has no Keccak-256")
const oxKeccak256 = oxWasm.keccak256

const single = (name: string, size: number, goal: number): Row => {
  const value = bytes(size)
  return {
    name,
    goal,
    show,
    ours: () => Keccak256.hash(value),
    peers: {
      "ox/wasm": () => oxKeccak256(value),
      viem: () => viem.keccak256(value, "bytes"),
      ethers: () => ethers.keccak256(value),
      noble: () => keccak_256(value)
    },
    // OpenSSL's function uses the same permutation with other padding, and is written in assembly
    yardsticks: { "OpenSSL SHA3-256": () => createHash("sha3-256").update(value).digest() }
  }
}

const many = (name: string, size: number, goal: number): Row => {
  const values = Array.from({ length: 64 }, (_, i) => bytes(size, i + 1))
  return {
    name,
    goal,
    show,
    operations: values.length,
    ours: () => Keccak256.hashMany(values),
    peers: {
      "ox/wasm": () => values.map((value) => oxKeccak256(value)),
      viem: () => values.map((value) => viem.keccak256(value, "bytes")),
      ethers: () => values.map((value) => ethers.keccak256(value)),
      noble: () => values.map((value) => keccak_256(value))
    }
  }
}

export const keccak = part("keccak", [
  single("32 B", 32, 1.55),
  single("64 B", 64, 1.92),
  single("136 B", 136, 1.44),
  single("1 KiB", 1024, 1.34),
  single("128 KiB", 128 * 1024, 1.3),
  many("64 of 32 B, each", 32, 2.7),
  many("64 of 532 B, each", 532, 2.5)
])

/** Draws inputs of the precompiled contracts: half of them make sense, the others are wrong in one place or altogether. */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { bn254 } from "@noble/curves/bn254.js"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Random from "@plumbline/seeded/Random"
import { bytesToHex, concatHex, type Hex, hexToBytes, numberToHex, pad, sha256 } from "viem"

import { hex, precompile, someBytes, word } from "./values.ts"

/** A call of a precompiled contract. */
export interface PrecompileCall {
  readonly to: Hex
  readonly data: Hex
}

type Draw = (random: Random.Random) => Hex

const word32 = (value: bigint): Hex => pad(numberToHex(value), { size: 32 })
const times = (random: Random.Random, most: number, draw: Draw): Hex =>
  concatHex(Array.from({ length: Random.int(random, most + 1) }, () => draw(random)))

/** Draws a scalar that is not zero, small so that drawing stays quick. */
const scalar = (random: Random.Random): bigint => BigInt(1 + Random.int(random, 2 ** 24))
const secret = (random: Random.Random): Uint8Array => hexToBytes(word32(scalar(random)))

const ecrecover: Draw = (random) => {
  const message = Random.bytes(random, 32)
  const signature = secp256k1.sign(message, secret(random), { prehash: false, format: "recovered" })
  const [recovery, ...rest] = signature
  return concatHex([bytesToHex(message), word32(27n + BigInt(recovery!)), bytesToHex(Uint8Array.from(rest))])
}

const modexp: Draw = (random) => {
  const length = (): number => (Random.chance(random, 0.05) ? 1020 + Random.int(random, 8) : Random.int(random, 48))
  const lengths = [length(), Math.min(length(), 48), length()] as const
  return concatHex([...lengths.map((size) => word32(BigInt(size))), ...lengths.map((size) => hex(random, size))])
}

const bn1: Draw = (random) => {
  if (Random.chance(random, 0.1)) return pad("0x", { size: 64 })
  const { x, y } = bn254.G1.Point.BASE.multiply(scalar(random)).toAffine()
  return concatHex([word32(x), word32(y)])
}

const bn2: Draw = (random) => {
  if (Random.chance(random, 0.1)) return pad("0x", { size: 128 })
  const { x, y } = bn254.G2.Point.BASE.multiply(scalar(random)).toAffine()
  return concatHex([x.c1, x.c0, y.c1, y.c0].map(word32))
}

/** e(aP, Q) · e(-aP, Q) = 1. */
const bnPairing: Draw = (random) => {
  if (Random.chance(random, 0.5)) return times(random, 2, (random) => concatHex([bn1(random), bn2(random)]))
  const point = bn254.G1.Point.BASE.multiply(scalar(random))
  const other = bn2(random)
  return concatHex(
    [point, point.negate()].flatMap((point) => {
      const { x, y } = point.toAffine()
      return [word32(x), word32(y), other]
    })
  )
}

const blake2f: Draw = (random) =>
  concatHex([
    numberToHex(Random.int(random, 40), { size: 4 }),
    hex(random, 208),
    Random.pick(random, ["0x00", "0x01", "0x02"])
  ])

/** The proof that the polynomial zero is zero somewhere: commitment and proof are the point at infinity. */
const pointEvaluation: Draw = (random) => {
  const infinity: Hex = `0xc0${"00".repeat(47)}`
  const version: Hex = `0x01${sha256(infinity).slice(4)}`
  const place = word32(BigInt(hex(random, 31)))
  return concatHex([version, place, word32(Random.chance(random, 0.8) ? 0n : 1n), infinity, infinity])
}

const field = (value: bigint): Hex => pad(numberToHex(value), { size: 64 })

const bls1: Draw = (random) => {
  if (Random.chance(random, 0.1)) return pad("0x", { size: 128 })
  const { x, y } = bls12_381.G1.Point.BASE.multiply(scalar(random)).toAffine()
  return concatHex([field(x), field(y)])
}

const bls2: Draw = (random) => {
  if (Random.chance(random, 0.1)) return pad("0x", { size: 256 })
  const { x, y } = bls12_381.G2.Point.BASE.multiply(scalar(random)).toAffine()
  return concatHex([x.c0, x.c1, y.c0, y.c1].map(field))
}

const blsPairing: Draw = (random) => {
  const point = bls12_381.G1.Point.BASE.multiply(scalar(random))
  const other = bls2(random)
  return concatHex(
    [point, point.negate()].flatMap((point) => {
      const { x, y } = point.toAffine()
      return [field(x), field(y), other]
    })
  )
}

/** An element of the base field: below 2^376, so always canonical. */
const element: Draw = (random) => pad(hex(random, 47), { size: 64 })

const p256verify: Draw = (random) => {
  const message = Random.bytes(random, 32)
  const key = secret(random)
  const signature = p256.sign(message, key, { prehash: false })
  const point = p256.getPublicKey(key, false).slice(1)
  return concatHex([bytesToHex(message), bytesToHex(signature), bytesToHex(point)])
}

const scalarWord: Draw = (random) => word32(word(random))

/** The precompiled contracts of Osaka, by their addresses. */
const inputs: ReadonlyArray<readonly [address: number, draw: Draw]> = [
  [0x01, ecrecover],
  [0x02, (random) => someBytes(random)],
  [0x03, (random) => someBytes(random)],
  [0x04, (random) => someBytes(random)],
  [0x05, modexp],
  [0x06, (random) => concatHex([bn1(random), bn1(random)])],
  [0x07, (random) => concatHex([bn1(random), scalarWord(random)])],
  [0x08, bnPairing],
  [0x09, blake2f],
  [0x0a, pointEvaluation],
  [0x0b, (random) => concatHex([bls1(random), bls1(random)])],
  [0x0c, (random) => times(random, 3, (random) => concatHex([bls1(random), scalarWord(random)]))],
  [0x0d, (random) => concatHex([bls2(random), bls2(random)])],
  [0x0e, (random) => times(random, 2, (random) => concatHex([bls2(random), scalarWord(random)]))],
  [0x0f, blsPairing],
  [0x10, element],
  [0x11, (random) => concatHex([element(random), element(random)])],
  [0x100, p256verify]
]

/** The addresses of the precompiled contracts, as numbers. */
export const precompiles: ReadonlySet<bigint> = new Set(inputs.map(([number]) => BigInt(number)))

/** Changes one bit, cuts the end off, or adds to it. */
const spoiled = (random: Random.Random, input: Hex): Hex => {
  const bytes = hexToBytes(input)
  const kind = Random.int(random, 4)
  if (bytes.length === 0 || kind === 0) return concatHex([input, someBytes(random, 40)])
  if (kind === 1) return bytesToHex(bytes.slice(0, Random.int(random, bytes.length)))
  bytes[Random.int(random, bytes.length)]! ^= 1 << Random.int(random, 8)
  return bytesToHex(bytes)
}

/** The contracts whose input is points of a curve. */
const curves = inputs.filter(([number]) => (number >= 0x06 && number <= 0x08) || (number >= 0x0b && number <= 0x0f))

/** Draws a call whose input has the right size and one wrong bit, so that mostly a point is off its curve. */
export const offCurve = (random: Random.Random): PrecompileCall => {
  const [number, draw] = Random.pick(random, curves)
  const bytes = hexToBytes(draw(random))
  if (bytes.length > 0) bytes[Random.int(random, bytes.length)]! ^= 1 << Random.int(random, 8)
  return { to: precompile(number), data: bytesToHex(bytes) }
}

/** Draws a call of one of the precompiled contracts. */
export const precompileCall = (random: Random.Random): PrecompileCall => {
  const [number, draw] = Random.pick(random, inputs)
  const input = Random.chance(random, 0.1) ? someBytes(random) : draw(random)
  return { to: precompile(number), data: Random.chance(random, 0.35) ? spoiled(random, input) : input }
}

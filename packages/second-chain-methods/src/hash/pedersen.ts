/**
 * The Pedersen hash: the x coordinate of `shift + a_low A + a_high A' + b_low B + b_high B'`, where `low` are the first
 * 248 bits of a felt and `high` the last 4.
 *
 * The points come from tables with the multiples for every 4 bits, and are added in Jacobian coordinates. This is 6
 * times as fast as adding bit by bit. Making the tables takes 16 ms and 200 kB once, at the first hash.
 *
 * Sources: https://docs.starkware.co/starkex/crypto/pedersen-hash-function.html for the hash and its points,
 * https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian.html (madd) for the addition.
 */
import { Fp251, Point } from "@scure/starknet"

import { checkFelt } from "./felts.ts"
import * as Slices from "./slices.ts"

/** Returns the Pedersen hash of two felts. */
export const pedersen = (a: bigint, b: bigint): bigint => {
  checkFelt(a)
  checkFelt(b)
  const [tableA, tableB] = (tables ??= [tableOf(A_LOW, A_HIGH), tableOf(B_LOW, B_HIGH)])
  const sum: Jacobian = { x: SHIFT[0], y: SHIFT[1], z: 1n }
  addAll(sum, tableA, a)
  addAll(sum, tableB, b)
  // adding a table's point to itself would give z = 0 and throw here, but no such felts are known
  const inverse = Fp251.inv(sum.z)
  return Fp251.create(sum.x * inverse * inverse)
}

/** Returns the Pedersen hash of a list: `h(...h(h(0, first), second)..., length)`. */
export const pedersenOf = (felts: ReadonlyArray<bigint>): bigint => Slices.whole(pedersenSlices(felts, Infinity))

/** Computes the same hash, and yields after every `size` felts. */
export function* pedersenSlices(felts: ReadonlyArray<bigint>, size: number): Slices.Slices<bigint> {
  let hash = 0n
  for (let at = 0; at < felts.length; at++) {
    if (at > 0 && at % size === 0) yield
    hash = pedersen(hash, felts[at]!)
  }
  return pedersen(hash, BigInt(felts.length))
}

type Affine = readonly [x: bigint, y: bigint]

/** The point `(x / z^2, y / z^3)`. Its numbers may be negative, but their absolute values never exceed the prime. */
interface Jacobian {
  x: bigint
  y: bigint
  z: bigint
}

/** Adds the multiple of the points for each 4 bits of the felt. */
const addAll = (sum: Jacobian, table: ReadonlyArray<Affine>, felt: bigint): void => {
  const digits = felt.toString(16)
  for (let at = digits.length - 1, row = 0; at >= 0; at--, row += 15) {
    const digit = valueOf(digits.charCodeAt(at))
    if (digit !== 0) add(sum, table[row + digit - 1]!)
  }
}

const valueOf = (code: number): number => (code < 58 ? code - 48 : code - 87)

const P = Fp251.ORDER

const add = (sum: Jacobian, [x, y]: Affine): void => {
  const zz = (sum.z * sum.z) % P
  const h = (x * zz - sum.x) % P
  const r = (((y * zz) % P) * sum.z - sum.y) % P
  const hh = (h * h) % P
  const hhh = (h * hh) % P
  const v = (sum.x * hh) % P
  sum.x = (r * r - hhh - 2n * v) % P
  sum.y = (r * (v - sum.x) - sum.y * hhh) % P
  sum.z = (sum.z * h) % P
}

let tables: readonly [ReadonlyArray<Affine>, ReadonlyArray<Affine>] | undefined

/**
 * Returns 1 to 15 times the points at each power of 16: one row of 15 for each hex digit of a felt, lowest digit first.
 */
const tableOf = (low: Affine, high: Affine): ReadonlyArray<Affine> => {
  const points: Array<InstanceType<typeof Point>> = []
  let base = Point.fromAffine({ x: low[0], y: low[1] })
  for (let row = 0; row < 63; row++) {
    if (row === 62) base = Point.fromAffine({ x: high[0], y: high[1] })
    let multiple = base
    for (let times = 1; times < 16; times++, multiple = multiple.add(base)) points.push(multiple)
    base = multiple
  }
  const inverses = Fp251.invertBatch(points.map((point) => point.Z))
  return points.map((point, at) => {
    const { x, y } = point.toAffine(inverses[at])
    return [x, y] as const
  })
}

const SHIFT: Affine = [
  0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804n,
  0x3ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268an
]
const A_LOW: Affine = [
  0x234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47bn,
  0x3b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615n
]
const A_HIGH: Affine = [
  0x4fa56f376c83db33f9dab2656558f3399099ec1de5e3018b7a6932dba8aa378n,
  0x3fa0984c931c9e38113e0c0e47e4401562761f92a7a23b45168f4e80ff5b54dn
]
const B_LOW: Affine = [
  0x4ba4cc166be8dec764910f75b45f74b40c690c74709e90f3aa372f0bd2d6997n,
  0x40301cf5c1751f4b971e46c4ede85fcac5c59a5ce5ae7c48151f27b24b219cn
]
const B_HIGH: Affine = [
  0x54302dcb0e6cc1c6e44cca8f61a63bb2ca65048d53fb325d36ff12c49a58202n,
  0x1b77b3e37d13504b348046268d8ae25ce98ad783c25561a879dcc77e99c2426n
]

/**
 * The Poseidon hash of felts: the permutation Hades of three felts, 8 full and 83 partial rounds, S-box x^3, used as a
 * sponge of rate 2.
 *
 * This implementation is twice as fast as the general form, because the matrix (3 1 1; 1 -1 1; 1 1 -2) needs no
 * multiplication, and remainders are taken late. The round constants come from \@scure/starknet.
 *
 * Sources: https://docs.starknet.io (cryptography: Poseidon array hash), https://github.com/starkware-industries/poseidon
 * (parameters `poseidon3`).
 */
import { Fp251, poseidonSmall } from "@scure/starknet"

import { checkFelt } from "./felts.ts"
import * as Slices from "./slices.ts"

/** Returns the Poseidon hash of a list of any length. */
export const poseidonOf = (felts: ReadonlyArray<bigint>): bigint => Slices.whole(poseidonSlices(felts, Infinity))

/** Computes the same hash, and yields after every `size` felts. `size` must be even. */
export function* poseidonSlices(felts: ReadonlyArray<bigint>, size: number): Slices.Slices<bigint> {
  let state: State = [0n, 0n, 0n]
  // padding: a 1 after the list, and then a 0 if the length is odd
  for (let at = 0; at <= felts.length; at += 2) {
    if (at > 0 && at % size === 0) yield
    state = permute(state[0] + itemOf(felts, at), state[1] + itemOf(felts, at + 1), state[2])
  }
  return Fp251.create(state[0])
}

const itemOf = (felts: ReadonlyArray<bigint>, at: number): bigint => {
  const felt = felts[at]
  if (felt === undefined) return at === felts.length ? 1n : 0n
  checkFelt(felt)
  return felt
}

/** Three numbers that may be negative or several times the prime. Only their remainders matter. */
type State = readonly [bigint, bigint, bigint]

const permute = (x: bigint, y: bigint, z: bigint): State => {
  let a = x
  let b = y
  let c = z
  for (let round = 0; round < ROUNDS; round++) {
    const constants = poseidonSmall.roundConstants[round]!
    a += constants[0]!
    b += constants[1]!
    c = cube(c + constants[2]!)
    if (round < HALF || round >= ROUNDS - HALF) {
      a = cube(a)
      b = cube(b)
    } else if (round % 4 === 0) {
      // the partial rounds do not cube a and b, so they take no remainders of a and b, which grow by about 2 bits per
      // round
      a %= P
      b %= P
    }
    const sum = a + b + c
    a = sum + a + a
    b = sum - b - b
    c = sum - c - c - c
  }
  return [a, b, c]
}

const P = Fp251.ORDER
const ROUNDS = 8 + 83
/** Number of full rounds at the start, and also at the end. */
const HALF = 4

const cube = (x: bigint): bigint => (((x * x) % P) * x) % P

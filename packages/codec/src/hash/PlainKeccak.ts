/**
 * Keccak-256 in plain JavaScript, for small bundles: less than 1 kB compressed, without WebAssembly and Effect.
 *
 * Each lane of 64 bits is two numbers of 32 bits. The constants of the rounds and the offsets of the rotations are
 * computed by the rules of the specification, because tables of them take more bytes than the rules.
 */
import type { Hash32 } from "./Hash32.ts"

/** Bytes that are absorbed between two permutations. */
const RATE = 136

/** Offsets of the rotations (rho), in the order in which `pi` visits the lanes. `ORDER` is this order. */
const OFFSETS = new Uint8Array(24)
const ORDER = new Uint8Array(24)

/** The constants of the 24 rounds (iota): low halves, then high halves. */
const ROUNDS = new Uint32Array(48)

const prepare = (): void => {
  for (let i = 0, x = 1, y = 0; i < 24; i++) {
    ORDER[i] = x + 5 * y
    OFFSETS[i] = (((i + 1) * (i + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  // the bits of the constants come from a linear feedback shift register: x^8 + x^6 + x^5 + x^4 + 1
  for (let round = 0, register = 1; round < 24; round++) {
    for (let j = 0; j < 7; j++) {
      const bit = (1 << j) - 1
      if ((register & 1) === 1) ROUNDS[bit < 32 ? round : round + 24]! |= 1 << (bit % 32)
      register = (register << 1) ^ ((register >> 7) * 0x171)
    }
  }
}

/** Permutes the state: 25 lanes, the low half of lane `i` at `2 * i`. */
const permute = (state: Uint32Array): void => {
  const column = new Uint32Array(10)
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 10; x++)
      column[x] = state[x]! ^ state[x + 10]! ^ state[x + 20]! ^ state[x + 30]! ^ state[x + 40]!
    for (let x = 0; x < 10; x += 2) {
      const low = column[(x + 2) % 10]!
      const high = column[(x + 3) % 10]!
      const addLow = column[(x + 8) % 10]! ^ ((low << 1) | (high >>> 31))
      const addHigh = column[(x + 9) % 10]! ^ ((high << 1) | (low >>> 31))
      for (let y = x; y < 50; y += 10) {
        state[y]! ^= addLow
        state[y + 1]! ^= addHigh
      }
    }
    let low = state[2]!
    let high = state[3]!
    for (let i = 0; i < 24; i++) {
      // lane ORDER[i + 1] gets what was in lane ORDER[i], rotated
      const at = 2 * ORDER[(i + 1) % 24]!
      const by = OFFSETS[i]! % 32
      if (OFFSETS[i]! > 31) [low, high] = [high, low]
      const nextLow = state[at]!
      const nextHigh = state[at + 1]!
      state[at] = by === 0 ? low : (low << by) | (high >>> (32 - by))
      state[at + 1] = by === 0 ? high : (high << by) | (low >>> (32 - by))
      low = nextLow
      high = nextHigh
    }
    for (let y = 0; y < 50; y += 10) {
      const row = state.slice(y, y + 10)
      for (let x = 0; x < 10; x++) state[y + x]! ^= ~row[(x + 2) % 10]! & row[(x + 4) % 10]!
    }
    state[0]! ^= ROUNDS[round]!
    state[1]! ^= ROUNDS[round + 24]!
  }
}

/**
 * Returns the 32 bytes of the hash.
 *
 * `Keccak256.hash` returns the same bytes about ten times as fast. Use it unless the size of the bundle matters more.
 * The input can have any size.
 *
 * ```ts import.meta.vitest
 * import { PlainKeccak } from "@plumbline/codec"
 *
 * PlainKeccak.hash(new TextEncoder().encode("abc")).slice(0, 4) // => new Uint8Array([78, 3, 101, 122])
 * ```
 */
export const hash = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  if (ROUNDS[0] === 0) prepare()
  const state = new Uint32Array(50)
  const absorb = (at: number, byte: number): void => {
    state[at >> 2]! ^= byte << (8 * (at & 3))
  }
  let at = 0
  for (const byte of bytes) {
    absorb(at++, byte)
    if (at === RATE) {
      permute(state)
      at = 0
    }
  }
  // the padding of Keccak, which SHA-3 changed: one bit, zeros, one bit
  absorb(at, 1)
  absorb(RATE - 1, 0x80)
  permute(state)
  return Uint8Array.from({ length: 32 }, (_, i) => state[i >> 2]! >>> (8 * (i & 3)))
}

/**
 * Returns the hash as lower-case text with `0x`.
 *
 * ```ts import.meta.vitest
 * import { Keccak256, PlainKeccak } from "@plumbline/codec"
 *
 * PlainKeccak.hashHex(new Uint8Array(0)) // => Keccak256.EMPTY
 * ```
 */
export const hashHex = (bytes: Uint8Array): Hash32 => {
  let text = "0x"
  for (const byte of hash(bytes)) text += (byte + 256).toString(16).slice(1)
  return text as Hash32
}

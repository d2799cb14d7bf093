/** Starts the WebAssembly module of the curve, and reads and writes the numbers of the field in its memory. */
import { CURVE } from "./curveWasm.ts"

/** The functions of the module; see `scripts/curveWat.ts`. The arguments are positions in the memory. */
type CurveFunctions = {
  readonly multiply: (out: number, a: number, b: number) => void
  readonly square: (out: number, a: number) => void
  /** `out = i * a - j * b`, with `i` and `j` from 0 to 8. */
  readonly combine: (out: number, a: number, i: number, b: number, j: number) => void
  readonly double: () => void
  readonly add: (x: number, y: number, z: number) => void
  readonly addAffine: (x: number, y: number) => void
}

// apart from the functions, so that the declarations need no types of WebAssembly, which some programs do not have
type Exports = CurveFunctions & { readonly memory: WebAssembly.Memory }

/** The module, and its numbers of the field as whole numbers. */
export interface CurveModule extends CurveFunctions {
  /** Writes a number below 2^256. */
  readonly write: (at: number, value: bigint) => void
  /** Returns a number below the prime. */
  readonly read: (at: number) => bigint
  /** Copies numbers that follow each other. */
  readonly copy: (to: number, from: number, count: number) => void
}

/** Prime of the field. */
export const P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn

/** Number of bytes of a number in the memory. */
export const SIZE = 40

/** Bits of a number from the lowest: nine limbs of 26 bits, and the rest. */
const LIMB_BITS = 26n
const LIMB = 2n ** LIMB_BITS - 1n

/** Starts the module. Returns `undefined` if the platform has no WebAssembly, or refuses it. */
export const start = (): CurveModule | undefined => {
  try {
    const binary = Uint8Array.from(atob(CURVE), (character) => character.charCodeAt(0))
    // the generator and its test guarantee the names and types of the exports
    return over(new WebAssembly.Instance(new WebAssembly.Module(binary)).exports as Exports)
  } catch {
    return undefined
  }
}

const over = ({ memory, ...functions }: Exports): CurveModule => {
  // the memory does not grow, so the view never becomes stale
  const limbs = new Uint32Array(memory.buffer)
  return {
    ...functions,
    write: (at, value) => {
      let left = value
      for (let i = at / 4; i < at / 4 + 9; i++, left >>= LIMB_BITS) limbs[i] = Number(left & LIMB)
      limbs[at / 4 + 9] = Number(left)
    },
    read: (at) => {
      let value = 0n
      for (let i = at / 4 + 9; i >= at / 4; i--) value = (value << LIMB_BITS) + BigInt(limbs[i]!)
      return value % P
    },
    copy: (to, from, count) => void limbs.copyWithin(to / 4, from / 4, (from + count * SIZE) / 4)
  }
}

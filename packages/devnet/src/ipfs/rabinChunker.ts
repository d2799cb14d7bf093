/**
 * Cuts content at places that the content determines: after each window of bytes whose Rabin fingerprint ends in zeros.
 *
 * The window's bytes are the coefficients of a polynomial over two elements, and the fingerprint is its remainder by an
 * irreducible polynomial of degree 53. The chunks equal Kubo's, byte for byte: the search for an end restarts in each
 * chunk, as late as the minimum size of a chunk allows.
 *
 * Source of the numbers: boxo `chunker/rabin.go` (the polynomial) and whyrusleeping/chunker (the window, the start with a 1, and
 * the order of shifting in and out). Source of the method: M. O. Rabin, "Fingerprinting by Random Polynomials", 1981.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Stream from "effect/Stream"

/** Sizes of chunks, in bytes. `min` is at least 16, the size of the window. */
export interface ChunkSizes {
  readonly min: number
  readonly avg: number
  readonly max: number
}

/** The number of bytes in the window. */
const WINDOW = 16

const END: unique symbol = Symbol.for("@plumbline/devnet/End")

/**
 * Cuts content into at least one chunk; a chunk is empty only if the content is. The last chunk is emitted only if the
 * content ends without an error. `onHalt` of `Stream.mapAccum` would emit it before an error too.
 */
export const chunks = <E>(content: Stream.Stream<Uint8Array, E>, sizes: ChunkSizes): Stream.Stream<Uint8Array, E> =>
  Stream.mapAccum(
    Stream.concat(content, Stream.succeed<typeof END>(END)),
    (): State => ({ cutter: new Cutter(sizes), rest: [], isEmpty: true }),
    (state, piece) => {
      if (piece === END) {
        const { isEmpty, rest } = state
        return [state, isEmpty || rest.length > 0 ? [Bytes.join(rest)] : []] as const
      }
      const ready: Array<Uint8Array> = []
      if (piece.length === 0) return [state, ready] as const
      let from = 0
      for (let end = state.cutter.next(piece, from); end !== -1; end = state.cutter.next(piece, from)) {
        // a chunk within one piece is not copied
        state.rest.push(piece.subarray(from, end))
        ready.push(state.rest.length === 1 ? state.rest[0]! : Bytes.join(state.rest))
        state.rest = []
        from = end
      }
      if (from < piece.length) state.rest.push(piece.subarray(from))
      state.isEmpty = false
      return [state, ready] as const
    }
  )

/** The pieces of an unfinished chunk, and a flag that is true if no bytes have arrived yet. */
interface State {
  readonly cutter: Cutter
  rest: Array<Uint8Array>
  isEmpty: boolean
}

/** Finds the ends of chunks. A number of 53 bits is held in two halves. The lower half has 32 bits. */
class Cutter {
  readonly #sizes: ChunkSizes
  readonly #mask: number
  readonly #window = new Uint8Array(WINDOW)
  #at = 0
  #high = 0
  #low = 0
  /** Number of bytes of the chunk so far. */
  #count = 0

  constructor(sizes: ChunkSizes) {
    this.#sizes = sizes
    this.#mask = 2 ** Math.floor(Math.log2(sizes.avg)) - 1
    this.#begin()
  }

  #begin(): void {
    // each chunk begins as if a byte 1 came before it
    this.#window.fill(0)
    this.#window[0] = 1
    this.#at = 1
    this.#high = 0
    this.#low = 1
    this.#count = 0
  }

  /** Returns the end of the chunk in these bytes, searching from a position on; -1 if the chunk does not end there. */
  next(bytes: Uint8Array, from: number): number {
    const { max, min } = this.#sizes
    const window = this.#window
    // the first bytes of a chunk are skipped, because they have left the window before the earliest possible end
    const skipped = Math.max(0, Math.min(min - WINDOW - this.#count, bytes.length - from))
    let count = this.#count + skipped
    let high = this.#high
    let low = this.#low
    let at = this.#at
    for (let i = from + skipped; i < bytes.length; i++) {
      const byte = bytes[i]!
      const leaving = window[at]! * 2
      window[at] = byte
      at = (at + 1) % WINDOW
      high ^= LEAVING[leaving]!
      low ^= LEAVING[leaving + 1]!
      const top = (high >>> 13) * 2
      high = ((high << 8) | (low >>> 24)) ^ REDUCING[top]!
      low = ((low << 8) | byte) ^ REDUCING[top + 1]!
      count++
      if (count >= min && ((low & this.#mask) === 0 || count >= max)) {
        this.#begin()
        return i + 1
      }
    }
    this.#high = high
    this.#low = low
    this.#at = at
    this.#count = count
    return -1
  }
}

/** The polynomial that defines the fingerprints, irreducible and of degree 53. */
const POLYNOMIAL = 0x3d_f305_dfb2_a805n
const DEGREE = 53n

/** Returns the remainder of a polynomial. */
const rest = (polynomial: bigint): bigint => {
  let left = polynomial
  for (let degree = BigInt(left.toString(2).length - 1); degree >= DEGREE; degree--) {
    if (((left >> degree) & 1n) === 1n) left ^= POLYNOMIAL << (degree - DEGREE)
  }
  return left
}

/** Makes a table with one number for each byte. Each number is stored as two halves. */
const table = (entry: (byte: bigint) => bigint): Int32Array =>
  Int32Array.from({ length: 512 }, (_, index) => {
    const value = entry(BigInt(index >> 1))
    return Number(BigInt.asIntN(32, index % 2 === 0 ? value >> 32n : value))
  })

/** For each byte, the part of the fingerprint that is removed when the byte leaves the window. */
const LEAVING = table((byte) => rest(byte << BigInt(8 * (WINDOW - 1))))

/**
 * For each value of the byte above the degree of the polynomial: the terms that remove its eight bits and add their
 * remainder.
 */
const REDUCING = table((byte) => rest(byte << DEGREE) | (byte << DEGREE))

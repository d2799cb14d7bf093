/** Keccak-256 by WebAssembly and by @noble/hashes, behind one interface. */
import { keccak_256 } from "@noble/hashes/sha3.js"

import * as wasmMemory from "../wasm/memory.ts"
import { SCALAR, THREE_LANES } from "./wasm.ts"

type Digest = Uint8Array<ArrayBuffer>

/** One implementation of Keccak-256. */
export interface Engine {
  readonly name: "wasm" | "noble"
  readonly hash: (bytes: Uint8Array) => Digest
  readonly hashMany: (inputs: ReadonlyArray<Uint8Array>) => Array<Digest>
}

/** The fallback: plain JavaScript. */
export const noble: Engine = {
  name: "noble",
  hash: (bytes) => keccak_256(bytes),
  hashMany: (inputs) => inputs.map((input) => keccak_256(input))
}

/** The started modules and their memory; see `scripts/keccakWat.ts`. */
export interface KeccakModules {
  readonly memory: Uint8Array<ArrayBuffer>
  readonly absorb: (from: number, size: number, flags: number) => void
  /** Missing if the platform has no SIMD or refuses the larger module. */
  readonly hash3:
    | ((
        from0: number,
        from1: number,
        from2: number,
        blocks: number,
        size0: number,
        size1: number,
        size2: number,
        to0: number,
        to1: number,
        to2: number
      ) => void)
    | undefined
}

/** Starts the modules that the platform allows. Returns `undefined` if it allows none. */
export const load = (memory: WebAssembly.Memory | undefined): KeccakModules | undefined => {
  if (memory === undefined) return undefined
  const scalar = wasmMemory.instantiate(SCALAR, memory)
  if (scalar === undefined) return undefined
  const threeLanes = wasmMemory.instantiate(THREE_LANES, memory)
  // the generator and its test guarantee the names and types of the exports
  return {
    memory: new Uint8Array(memory.buffer),
    absorb: scalar["absorb"] as KeccakModules["absorb"],
    hash3: threeLanes === undefined ? undefined : (threeLanes["hash3"] as KeccakModules["hash3"])
  }
}

const BLOCK = 136
/** The most blocks of an input that is hashed with others: three such inputs must fit into the input area. */
const MAX_BLOCKS = 256

const NONE = new Uint8Array(0)

const DIGEST0 = wasmMemory.DIGEST
const DIGEST1 = DIGEST0 + 32
const DIGEST2 = DIGEST1 + 32

const CONTINUE = 1
const MORE = 2

const blocksOf = (bytes: Uint8Array): number => 1 + Math.floor(bytes.length / BLOCK)

const sameBlocks = (blocks: number, a: Uint8Array, b: Uint8Array): boolean =>
  blocksOf(a) === blocks && blocksOf(b) === blocks

/** Hashes by the started modules: one by one without SIMD, three at a time with it. */
export const fromWasm = ({ absorb, hash3, memory }: KeccakModules): Engine => {
  // `new Uint8Array(view)` makes a copy in 30 nanoseconds, a loop in 48, `slice` in 45
  const digests = [DIGEST0, DIGEST1, DIGEST2].map((at) => memory.subarray(at, at + 32))
  const [digest0, digest1, digest2] = digests as [Digest, Digest, Digest]

  const hash = (bytes: Uint8Array): Digest => {
    if (bytes.length > wasmMemory.INPUT_SIZE) return hashLong(bytes)
    memory.set(bytes, wasmMemory.INPUT)
    absorb(wasmMemory.INPUT, bytes.length, 0)
    return new Uint8Array(digest0)
  }

  const hashLong = (bytes: Uint8Array): Digest => {
    const size = bytes.length
    let from = 0
    for (; size - from > wasmMemory.INPUT_SIZE; from += wasmMemory.INPUT_SIZE) {
      memory.set(bytes.subarray(from, from + wasmMemory.INPUT_SIZE), wasmMemory.INPUT)
      absorb(wasmMemory.INPUT, wasmMemory.INPUT_SIZE, from === 0 ? MORE : MORE | CONTINUE)
    }
    memory.set(bytes.subarray(from), wasmMemory.INPUT)
    absorb(wasmMemory.INPUT, size - from, CONTINUE)
    return new Uint8Array(digest0)
  }

  if (hash3 === undefined) return { name: "wasm", hash, hashMany: (inputs) => inputs.map((input) => hash(input)) }

  /** For each number of blocks, up to two inputs that wait for a third: index + 1, or 0. */
  const first = new Uint32Array(MAX_BLOCKS + 1)
  const second = new Uint32Array(MAX_BLOCKS + 1)

  const hashMany = (inputs: ReadonlyArray<Uint8Array>): Array<Digest> => {
    first.fill(0)
    second.fill(0)
    let most = 0
    const out = inputs.map(() => NONE)
    let waiting = 0
    for (let i = 0; i < inputs.length; i++) {
      const input = inputs[i]!
      const blocks = blocksOf(input)
      const a = first[blocks]
      const b = second[blocks]
      if (a === undefined || b === undefined) out[i] = hash(input)
      else if (waiting === 0 && i + 2 < inputs.length && sameBlocks(blocks, inputs[i + 1]!, inputs[i + 2]!)) {
        // the usual case, without the tables
        three(blocks, input, inputs[i + 1]!, inputs[i + 2]!)
        out[i] = new Uint8Array(digest0)
        out[++i] = new Uint8Array(digest1)
        out[++i] = new Uint8Array(digest2)
      } else if (a === 0) {
        first[blocks] = i + 1
        waiting++
        if (blocks > most) most = blocks
      } else if (b === 0) {
        second[blocks] = i + 1
        waiting++
      } else {
        three(blocks, inputs[a - 1]!, inputs[b - 1]!, input)
        out[a - 1] = new Uint8Array(digest0)
        out[b - 1] = new Uint8Array(digest1)
        out[i] = new Uint8Array(digest2)
        first[blocks] = 0
        second[blocks] = 0
        waiting -= 2
      }
    }
    for (let blocks = 1; blocks <= most; blocks++) {
      const a = first[blocks]!
      const b = second[blocks]!
      if (b !== 0) {
        // hashing two leftovers in three lanes, one of them idle, costs less than hashing them one after the other
        three(blocks, inputs[a - 1]!, inputs[b - 1]!, NONE)
        out[a - 1] = new Uint8Array(digest0)
        out[b - 1] = new Uint8Array(digest1)
      } else if (a !== 0) out[a - 1] = hash(inputs[a - 1]!)
    }
    return out
  }

  const three = (blocks: number, a: Uint8Array, b: Uint8Array, c: Uint8Array): void => {
    const stride = BLOCK * blocks + 16
    const from0 = wasmMemory.INPUT
    const from1 = from0 + stride
    const from2 = from1 + stride
    memory.set(a, from0)
    memory.set(b, from1)
    memory.set(c, from2)
    hash3(from0, from1, from2, blocks, a.length, b.length, c.length, DIGEST0, DIGEST1, DIGEST2)
  }

  return { name: "wasm", hash, hashMany }
}

/** Returns the best engine that gives the right hash of no bytes on this platform. */
export const best = (modules: KeccakModules | undefined): Engine => {
  if (modules === undefined) return noble
  const engine = fromWasm(modules)
  const expected = noble.hash(NONE)
  const got = [engine.hash(NONE), ...engine.hashMany([NONE, NONE, NONE])]
  return got.every((digest) => digest.every((byte, i) => byte === expected[i])) ? engine : noble
}

let chosen: Engine | undefined

/** Returns the engine in use, chosen at the first call. */
export const get = (): Engine => (chosen ??= best(load(wasmMemory.get())))

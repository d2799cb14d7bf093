/** Keccak-256 by WebAssembly and by @noble/hashes, behind one interface. */
import { keccak_256 } from "@noble/hashes/sha3.js"

import * as WasmMemory from "../wasm/wasmMemory.ts"
import * as keccakHashJobs from "./hashJobs.ts"
import { SCALAR, THREE_LANES } from "./keccakWasm.ts"

type Digest = Uint8Array<ArrayBuffer>

/** One implementation of Keccak-256. */
export interface KeccakEngine {
  readonly name: "wasm" | "noble"
  readonly hash: (bytes: Uint8Array) => Digest
  readonly hashMany: (inputs: ReadonlyArray<Uint8Array>) => Array<Digest>
}

/** The fallback: plain JavaScript. */
export const noble: KeccakEngine = {
  name: "noble",
  hash: (bytes) => keccak_256(bytes),
  hashMany: (inputs) => inputs.map((input) => keccak_256(input))
}

/** The started modules and their memory; see `scripts/keccakWat.ts`. */
export interface KeccakModules {
  readonly memory: Uint8Array<ArrayBuffer>
  readonly absorb: (from: number, size: number, flags: number) => void
  /** Missing if the platform has no SIMD or refuses the larger module. */
  readonly hashList: ((list: number, count: number) => void) | undefined
}

/** Starts the modules that the platform allows. Returns `undefined` if it allows none. */
export const load = (memory: WasmMemory.WasmMemory | undefined): KeccakModules | undefined => {
  if (memory === undefined) return undefined
  const scalar = WasmMemory.instantiate(SCALAR, memory)
  if (scalar === undefined) return undefined
  const threeLanes = WasmMemory.instantiate(THREE_LANES, memory)
  // the generator and its test guarantee the names and types of the exports
  return {
    memory: new Uint8Array(memory.buffer),
    absorb: scalar["absorb"] as KeccakModules["absorb"],
    hashList: threeLanes === undefined ? undefined : (threeLanes["hashList"] as KeccakModules["hashList"])
  }
}

const NONE = new Uint8Array(0)

const CONTINUE = 1
const MORE = 2

/** Hashes by the started modules: one by one without SIMD, three at a time with it. */
export const fromWasm = (modules: KeccakModules): KeccakEngine => {
  const { absorb, memory } = modules
  // `new Uint8Array(view)` makes a copy in 30 nanoseconds, a loop in 48, `slice` in 45
  const digest = memory.subarray(WasmMemory.DIGEST, WasmMemory.DIGEST + DIGEST_SIZE)

  const hash = (bytes: Uint8Array): Digest => {
    if (bytes.length > WasmMemory.INPUT_SIZE) return hashLong(bytes)
    memory.set(bytes, WasmMemory.INPUT)
    absorb(WasmMemory.INPUT, bytes.length, 0)
    return new Uint8Array(digest)
  }

  const hashLong = (bytes: Uint8Array): Digest => {
    const size = bytes.length
    let from = 0
    for (; size - from > WasmMemory.INPUT_SIZE; from += WasmMemory.INPUT_SIZE) {
      memory.set(bytes.subarray(from, from + WasmMemory.INPUT_SIZE), WasmMemory.INPUT)
      absorb(WasmMemory.INPUT, WasmMemory.INPUT_SIZE, from === 0 ? MORE : MORE | CONTINUE)
    }
    memory.set(bytes.subarray(from), WasmMemory.INPUT)
    absorb(WasmMemory.INPUT, size - from, CONTINUE)
    return new Uint8Array(digest)
  }

  const jobs = keccakHashJobs.make(modules)
  if (jobs === undefined) return { name: "wasm", hash, hashMany: (inputs) => inputs.map((input) => hash(input)) }

  const digests = Array.from({ length: WasmMemory.MAX_DIGESTS }, (_, slot) => {
    const at = WasmMemory.DIGESTS + DIGEST_SIZE * slot
    return memory.subarray(at, at + DIGEST_SIZE)
  })

  const hashMany = (inputs: ReadonlyArray<Uint8Array>): Array<Digest> => {
    const out: Array<Digest> = []
    let slots = 0
    let at = WasmMemory.INPUT
    const run = (): void => {
      jobs.run()
      for (let slot = 0; slot < slots; slot++) out.push(new Uint8Array(digests[slot]!))
      slots = 0
      at = WasmMemory.INPUT
    }
    jobs.clear()
    for (const input of inputs) {
      const { length } = input
      if (length > LARGE) {
        run()
        out.push(hash(input))
        continue
      }
      const room = keccakHashJobs.roomOf(length)
      if (at + room > INPUT_END || slots === WasmMemory.MAX_DIGESTS) run()
      memory.set(input, at)
      jobs.add(at, length, WasmMemory.DIGESTS + DIGEST_SIZE * slots)
      slots++
      at += room
    }
    run()
    return out
  }

  return { name: "wasm", hash, hashMany }
}

const DIGEST_SIZE = 32
/** Maximum size in bytes of inputs that are hashed together. Three such inputs must fit into the input area. */
const LARGE = 136 * 256
const INPUT_END = WasmMemory.INPUT + WasmMemory.INPUT_SIZE

/** Returns the best engine that works on this platform: its hash of empty input must be right. */
export const best = (modules: KeccakModules | undefined): KeccakEngine => {
  if (modules === undefined) return noble
  const engine = fromWasm(modules)
  const expected = noble.hash(NONE)
  const got = [engine.hash(NONE), ...engine.hashMany([NONE, NONE, NONE])]
  return got.every((digest) => digest.every((byte, i) => byte === expected[i])) ? engine : noble
}

let chosen: KeccakEngine | undefined

/** Returns the engine in use, chosen at the first call. */
export const get = (): KeccakEngine => (chosen ??= best(load(WasmMemory.get())))

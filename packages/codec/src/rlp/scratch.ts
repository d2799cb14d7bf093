/** The part of linear memory that a borrowed writer writes to, and the functions that work on it in place. */
import * as keccakEngine from "../hash/engine.ts"
import * as keccakJobs from "../hash/jobs.ts"
import * as hexCodec from "../hex/convert.ts"
import * as wasmMemory from "../wasm/memory.ts"

/** Linear memory, as a writer uses it. */
export interface Scratch {
  /** The bytes to write to. 32 bytes after them are free as well. */
  readonly area: Uint8Array<ArrayBuffer>
  /** The position of the area in memory. */
  readonly base: number
  /** Writes the bytes of `0x` text to a position in memory, and overwrites up to 15 bytes after them. */
  readonly decodeAt: (text: string, at: number) => boolean
  /** Returns the `0x` text of at most 64 KiB at a position in memory. */
  readonly encodeAt: (at: number, size: number) => `0x${string}`
  readonly jobs: keccakJobs.Jobs
}

/** Number of bytes after the area, which decoding may overwrite. */
const SLACK = 32

/** Makes the scratch of a memory. Returns `undefined` if a module is missing or gives wrong hashes. */
export const make = (
  memory: wasmMemory.Memory | undefined,
  size: number = wasmMemory.RLP_SIZE
): Scratch | undefined => {
  const modules = keccakEngine.load(memory)
  const jobs = modules && keccakJobs.make(modules)
  const { decodeAt, encodeAt } = hexCodec.best(hexCodec.load(memory))
  if (modules === undefined || jobs === undefined || decodeAt === undefined || encodeAt === undefined) return undefined
  if (keccakEngine.best(modules).name !== "wasm") return undefined
  const area = modules.memory.subarray(wasmMemory.RLP, wasmMemory.RLP + size - SLACK)
  return { area, base: wasmMemory.RLP, decodeAt, encodeAt, jobs }
}

let chosen: { readonly scratch: Scratch | undefined } | undefined

/** Returns the scratch of this program, made at the first call. */
export const get = (): Scratch | undefined => (chosen ??= { scratch: make(wasmMemory.get()) }).scratch

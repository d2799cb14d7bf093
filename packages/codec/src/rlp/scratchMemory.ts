/** The part of linear memory that a borrowed writer writes to, and the functions that work on it in place. */
import * as keccakHashJobs from "../hash/hashJobs.ts"
import * as KeccakEngine from "../hash/keccakEngine.ts"
import * as hexCodec from "../hex/hexConversion.ts"
import { best as bestText } from "../hex/memoryText.ts"
import * as WasmMemory from "../wasm/wasmMemory.ts"

/** Linear memory, as a writer uses it. */
export interface ScratchMemory {
  /** The bytes to write to. The 32 bytes after them are free too. */
  readonly area: Uint8Array<ArrayBuffer>
  /** The position of the area in memory. */
  readonly base: number
  /** Writes the bytes of `0x` text to a position in memory, and overwrites up to 15 bytes after them. */
  readonly decodeAt: (text: string, at: number) => boolean
  /** Returns the `0x` text of at most 64 KiB at a position in memory. */
  readonly encodeAt: (at: number, size: number) => `0x${string}`
  /** Returns the `0x` texts of the hashes at these positions after `base`, as one text. */
  readonly encodeHashes: (positions: ReadonlyArray<number>, base: number) => string
  readonly jobs: keccakHashJobs.HashJobs
}

/** Number of bytes after the area, which decoding may overwrite. */
const SLACK = 32

/** Makes the scratch area of a memory. Returns `undefined` if a module is missing or gives wrong hashes. */
export const make = (
  memory: WasmMemory.WasmMemory | undefined,
  size: number = WasmMemory.RLP_SIZE
): ScratchMemory | undefined => {
  const modules = KeccakEngine.load(memory)
  const jobs = modules && keccakHashJobs.make(modules)
  const hex = hexCodec.load(memory)
  const { decodeAt, encodeAt } = hexCodec.best(hex)
  if (
    hex === undefined ||
    modules === undefined ||
    jobs === undefined ||
    decodeAt === undefined ||
    encodeAt === undefined
  )
    return undefined
  if (KeccakEngine.best(modules).name !== "wasm") return undefined
  const area = modules.memory.subarray(WasmMemory.RLP, WasmMemory.RLP + size - SLACK)
  return { area, base: WasmMemory.RLP, decodeAt, encodeAt, encodeHashes: hashEncoder(hex), jobs }
}

/** Bytes of a hash, and characters of its text. */
const DIGEST = 32
const DIGEST_TEXT = 66

/** Number of hashes whose texts are made at a time. Their texts fit into the text area. */
const AT_A_TIME = 1024

/** Makes the function that reads the texts of many hashes at once, because reading a single text takes as long. */
const hashEncoder = ({ memory, tohex }: hexCodec.HexModule): ScratchMemory["encodeHashes"] => {
  const { read } = bestText(memory)
  return (positions, base) => {
    let texts = ""
    for (let from = 0; from < positions.length; from += AT_A_TIME) {
      const to = Math.min(from + AT_A_TIME, positions.length)
      let end = WasmMemory.TEXT
      for (let i = from; i < to; i++) {
        // writing the previous text also overwrote the bytes after it, so `0x` is written only now
        memory[end] = 0x30
        memory[end + 1] = 0x78
        tohex(base + positions[i]!, DIGEST, end + 2)
        end += DIGEST_TEXT
      }
      texts += read(WasmMemory.TEXT, end)
    }
    return texts
  }
}

let chosen: { readonly scratch: ScratchMemory | undefined } | undefined

/** Returns the scratch area of this program, made at the first call. */
export const get = (): ScratchMemory | undefined => (chosen ??= { scratch: make(WasmMemory.get()) }).scratch

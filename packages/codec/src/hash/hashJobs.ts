/**
 * Hashes messages in place in linear memory. The caller first lists the messages, then hashes all of them with one
 * call.
 */
import * as WasmMemory from "../wasm/wasmMemory.ts"

/** Messages that are hashed together. */
export interface HashJobs {
  /**
   * Adds the message of `size` bytes at `from`. Its hash is written to the 32 bytes at `to`, which may overlap the
   * message. The message must have room for its padding, `roomOf` bytes in all. `from` and `to` must be multiples of 4.
   */
  readonly add: (from: number, size: number, to: number) => void
  /** Hashes all messages that were added, and forgets them. */
  readonly run: () => void
  /** Forgets the messages that were added, such as those of a caller that failed. */
  readonly clear: () => void
}

/** The functions of the started modules, on one memory. */
export interface JobModules {
  readonly memory: Uint8Array<ArrayBuffer>
  readonly absorb: (from: number, size: number, flags: number) => void
  readonly hashList: ((list: number, count: number) => void) | undefined
}

const BLOCK = 136

const blocksOf = (size: number): number => 1 + ((size / BLOCK) | 0)

/** Returns the bytes that a message and its padding take: whole blocks, and 16 bytes that padding may overwrite. */
export const roomOf = (size: number): number => BLOCK * blocksOf(size) + 16

/** Messages of this many blocks or more count as equally long. */
const LONG = 63

/** Words of 4 bytes of one job. */
const JOB = 3

/** Makes a list in the memory of the modules. Returns `undefined` without the module that hashes lists. */
export const make = ({ absorb, hashList, memory }: JobModules): HashJobs | undefined => {
  if (hashList === undefined) return undefined
  const words = new Int32Array(memory.buffer)
  const list = WasmMemory.JOBS >> 2
  const unsorted = new Int32Array(JOB * WasmMemory.MAX_JOBS)
  const blocks = new Uint8Array(WasmMemory.MAX_JOBS)
  /**
   * Linked lists of jobs, one list for each number of blocks. The head of a list is the index of the list's newest job
   * + 1, or 0 for an empty list. Each job links to the job before it in the list.
   */
  const newest = new Int32Array(LONG + 1)
  const before = new Int32Array(WasmMemory.MAX_JOBS)
  let count = 0
  let isMixed = false

  const clear = (): void => {
    count = 0
    isMixed = false
  }

  const add = (from: number, size: number, to: number): void => {
    if (count === WasmMemory.MAX_JOBS) run()
    const at = list + JOB * count
    words[at] = from
    words[at + 1] = size
    words[at + 2] = to
    const own = blocksOf(size)
    blocks[count] = own < LONG ? own : LONG
    if (blocks[count] !== blocks[0]) isMixed = true
    count++
  }

  const run = (): void => {
    if (isMixed) sort()
    if (count === 1) one(words[list]!, words[list + 1]!, words[list + 2]!)
    else if (count > 1) hashList(WasmMemory.JOBS, count)
    clear()
  }

  /** Puts the longest messages first, so that no lane works alone on a long one at the end. */
  const sort = (): void => {
    newest.fill(0)
    unsorted.set(words.subarray(list, list + JOB * count))
    for (let job = 0; job < count; job++) {
      before[job] = newest[blocks[job]!]!
      newest[blocks[job]!] = job + 1
    }
    let at = list
    for (let size = LONG; size > 0; size--) {
      for (let job = newest[size]!; job > 0; job = before[job - 1]!) {
        const from = JOB * (job - 1)
        words[at++] = unsorted[from]!
        words[at++] = unsorted[from + 1]!
        words[at++] = unsorted[from + 2]!
      }
    }
  }

  const one = (from: number, size: number, to: number): void => {
    absorb(from, size, 0)
    // a loop over eight words is faster than `copyWithin`
    const digest = WasmMemory.DIGEST >> 2
    for (let i = 0; i < 8; i++) words[(to >> 2) + i] = words[digest + i]!
  }

  return { add, run, clear }
}

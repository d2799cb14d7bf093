/** Hashes items of a `HexBatch` where they lie, three of the same number of blocks at a time. */
import type { HexBatch } from "../hex/batch.ts"
import * as wasmMemory from "../wasm/memory.ts"
import * as keccakEngine from "./engine.ts"

/** Hashes items, and writes each hash before its item. */
export type HashItems = (batch: HexBatch, items: ReadonlyArray<number>) => void

/** Returns the function of the started modules, if they give right hashes, three at a time. */
export const best = (modules: keccakEngine.KeccakModules | undefined): HashItems | undefined =>
  modules?.hash3 === undefined || keccakEngine.best(modules).name !== "wasm" ? undefined : make(modules, modules.hash3)

const BLOCK = 136
const DIGEST = 32
const MAX_BLOCKS = Math.floor(wasmMemory.TEXT_BYTES / BLOCK) + 1

const make = (
  { absorb, memory }: keccakEngine.KeccakModules,
  hash3: NonNullable<keccakEngine.KeccakModules["hash3"]>
): HashItems => {
  const words = new Int32Array(memory.buffer)
  /** For each number of blocks, up to two items that wait for a third: item + 1, or 0. */
  const first = new Int32Array(MAX_BLOCKS + 1)
  const second = new Int32Array(MAX_BLOCKS + 1)
  /** For each item, the number of the last run of `hash` that took it. */
  const taken: Array<number> = []
  let run = 0
  /** True if a run ended early and left items waiting. */
  let isLeft = false

  const hash: HashItems = ({ count, ends, starts }, items) => {
    if (isLeft) {
      first.fill(0)
      second.fill(0)
    }
    isLeft = true
    run++
    let most = 0
    for (const item of items) {
      if (!(item >= 0 && item < count())) throw new RangeError(`the batch has no item ${item}`)
      if (taken[item] === run) continue
      taken[item] = run
      const blocks = blocksOf(ends[item]! - starts[item]!)
      const a = first[blocks]!
      const b = second[blocks]!
      if (a === 0) {
        first[blocks] = item + 1
        if (blocks > most) most = blocks
      } else if (b === 0) second[blocks] = item + 1
      else {
        three(blocks, starts[a - 1]!, starts[b - 1]!, starts[item]!, ends[a - 1]!, ends[b - 1]!, ends[item]!)
        first[blocks] = 0
        second[blocks] = 0
      }
    }
    for (let blocks = 1; blocks <= most; blocks++) {
      const a = first[blocks]!
      const b = second[blocks]!
      if (b !== 0) two(blocks, starts[a - 1]!, starts[b - 1]!, ends[a - 1]!, ends[b - 1]!)
      else if (a !== 0) one(starts[a - 1]!, ends[a - 1]!)
      first[blocks] = 0
      second[blocks] = 0
    }
    isLeft = false
  }

  const three = (blocks: number, at0: number, at1: number, at2: number, to0: number, to1: number, to2: number): void =>
    hash3(at0, at1, at2, blocks, to0 - at0, to1 - at1, to2 - at2, at0 - DIGEST, at1 - DIGEST, at2 - DIGEST)

  /** Hashes two items in three lanes: with one of them idle, that costs less than one after the other. */
  const two = (blocks: number, at0: number, at1: number, to0: number, to1: number): void =>
    three(blocks, at0, at1, at1, to0, to1, to1)

  const one = (start: number, end: number): void => {
    absorb(start, end - start, 0)
    // items start at whole words, and a loop over eight words is faster than `copyWithin`
    const from = wasmMemory.DIGEST >> 2
    const to = (start - DIGEST) >> 2
    for (let i = 0; i < DIGEST / 4; i++) words[to + i] = words[from + i]!
  }

  return hash
}

const blocksOf = (size: number): number => 1 + Math.floor(size / BLOCK)

let chosen: { readonly hash: HashItems | undefined } | undefined

/** Returns the function in use, chosen at the first call. */
export const get = (): HashItems | undefined => (chosen ??= { hash: best(keccakEngine.load(wasmMemory.get())) }).hash

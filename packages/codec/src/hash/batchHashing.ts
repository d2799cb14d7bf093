/** Hashes items of a `HexBatch` in place, three at a time. */
import type { HexBatch } from "../hex/batchMemory.ts"
import * as WasmMemory from "../wasm/wasmMemory.ts"
import * as keccakHashJobs from "./hashJobs.ts"
import * as KeccakEngine from "./keccakEngine.ts"

/** Hashes items, and writes each hash before its item. */
export type HashItems = (batch: HexBatch, items: ReadonlyArray<number>) => void

/**
 * Returns the function that hashes with the started modules, or `undefined` if they cannot hash three messages at a
 * time or give wrong hashes.
 */
export const best = (modules: KeccakEngine.KeccakModules | undefined): HashItems | undefined => {
  const jobs = modules && keccakHashJobs.make(modules)
  return modules === undefined || jobs === undefined || KeccakEngine.best(modules).name !== "wasm"
    ? undefined
    : make(jobs)
}

const DIGEST = 32

const make = (jobs: keccakHashJobs.HashJobs): HashItems => {
  /** For each item, the number of the last run that hashed it. */
  const taken: Array<number> = []
  let run = 0

  return ({ count, ends, starts }, items) => {
    run++
    jobs.clear()
    for (const item of items) {
      if (!(item >= 0 && item < count())) throw new RangeError(`the batch has no item ${item}`)
      if (taken[item] === run) continue
      taken[item] = run
      const start = starts[item]!
      jobs.add(start, ends[item]! - start, start - DIGEST)
    }
    jobs.run()
  }
}

let chosen: { readonly hash: HashItems | undefined } | undefined

/** Returns the function in use, chosen at the first call. */
export const get = (): HashItems | undefined => (chosen ??= { hash: best(KeccakEngine.load(WasmMemory.get())) }).hash

/** Hashes items of a `HexBatch` in place, three at a time. */
import type { HexBatch } from "../hex/batch.ts"
import * as wasmMemory from "../wasm/memory.ts"
import * as keccakEngine from "./engine.ts"
import * as keccakJobs from "./jobs.ts"

/** Hashes items, and writes each hash before its item. */
export type HashItems = (batch: HexBatch, items: ReadonlyArray<number>) => void

/**
 * Returns the function that hashes with the started modules, or `undefined` if they cannot hash three messages at a
 * time or give wrong hashes.
 */
export const best = (modules: keccakEngine.KeccakModules | undefined): HashItems | undefined => {
  const jobs = modules && keccakJobs.make(modules)
  return modules === undefined || jobs === undefined || keccakEngine.best(modules).name !== "wasm"
    ? undefined
    : make(jobs)
}

const DIGEST = 32

const make = (jobs: keccakJobs.Jobs): HashItems => {
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
export const get = (): HashItems | undefined => (chosen ??= { hash: best(keccakEngine.load(wasmMemory.get())) }).hash

/**
 * The second tier of the cache of proven answers: on disk, or in a database that several processes share.
 */
import type * as Effect from "effect/Effect"

/**
 * Stores proven answers by key. The store may delete any answer at any time. It never fails: while its database is
 * down, it finds no answers.
 */
export interface AnswerStore {
  /** Returns the stored answer of a key, after it has checked that `put` stored this answer under this key. */
  readonly get: (key: string) => Effect.Effect<Uint8Array | undefined>
  /** Queues an answer, to be written later. */
  readonly put: (key: string, answer: Uint8Array) => void
  readonly stats: () => StoreStats
}

/** The defaults of a store. */
export const defaults: { readonly bytes: number } = { bytes: 1024 ** 3 }

/** Counts of the outcomes of a store's reads and writes. */
export interface StoreStats {
  readonly hits: number
  /** Number of rows that did not match their authentication code. Such rows are not used. */
  readonly corrupt: number
  /** Number of answers that were not stored, because they were too large or too many answers waited to be written. */
  readonly dropped: number
}

/**
 * The second tier of proven answers: on disk, or in a database that several processes share.
 */
import type * as Effect from "effect/Effect"

/**
 * A store of proven answers by their keys. It may forget any of them. It never fails: a store that is down has nothing.
 */
export interface AnswerStore {
  /** Returns the answer, checked to be the one that was put under this key. */
  readonly get: (key: string) => Effect.Effect<Uint8Array | undefined>
  /** Queues an answer to be stored. The caller does not wait for the write. */
  readonly put: (key: string, answer: Uint8Array) => void
  readonly stats: () => StoreStats
}

/** The defaults of a store. */
export const defaults: { readonly bytes: number } = { bytes: 1024 ** 3 }

/** The outcomes of reads and writes of a store. */
export interface StoreStats {
  readonly hits: number
  /** Number of rows that did not match their authentication code. They were not used. */
  readonly corrupt: number
  /** Answers that were not kept, because too many waited to be written. */
  readonly dropped: number
}

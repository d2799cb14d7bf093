/**
 * The second tier of the cache of proven answers: on disk, or in a database that several processes share.
 */
import type * as Effect from "effect/Effect"

import * as Setting from "../schema/Setting.ts"

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

/** The setting of the size of a store. */
export const bytes = Setting.defaulted(
  Setting.bytes({
    description:
      "Proven answers in the state: in a file of the data folder, or in Postgres, where processes share them; 0 keeps none.",
    default: "1GiB"
  })
)

/** The defaults of a store. */
export const defaults: { readonly bytes: number } = { bytes: Setting.usualOf(bytes.to) }

/** Counts of the outcomes of a store's reads and writes. */
export interface StoreStats {
  readonly hits: number
  /** Number of rows that did not match their authentication code. Such rows are not used. */
  readonly corrupt: number
  /** Number of answers that were not stored, because they were too large or too many answers waited to be written. */
  readonly dropped: number
}

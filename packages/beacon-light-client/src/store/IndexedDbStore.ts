/** A store in the IndexedDB of a browser. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { StoreError } from "./StoreError.ts"
import { TrustStore } from "./TrustStore.ts"

/** The database, and the factory that opens it. */
export interface IndexedDbStoreOptions {
  /** The name of the database. Default: `plumbline-light-client`. */
  readonly database?: string | undefined
  /** The factory that opens the database. Default: `indexedDB` of the platform. */
  readonly factory?: IndexedDbFactory | undefined
}

/** The platform's `IDBFactory`. A program that is compiled without the dom library has no such type. */
export type IndexedDbFactory = typeof globalThis extends { readonly indexedDB: infer F } ? F : never

/** The defaults of the options. */
export const defaults: { readonly database: string } = { database: "plumbline-light-client" }

/** The object store that holds the records, by network. */
const RECORDS = "records"

/**
 * Keeps records in an object store of IndexedDB. Each record is written in one transaction.
 *
 * A page in private mode may have no IndexedDB: then reads and writes fail with `StoreError`.
 */
export const layer = (options?: IndexedDbStoreOptions): Layer.Layer<TrustStore> =>
  Layer.sync(TrustStore, () => {
    const name = options?.database ?? defaults.database
    const within = <A>(
      operation: StoreError["operation"],
      mode: IDBTransactionMode,
      work: (records: IDBObjectStore) => IDBRequest<A>
    ): Effect.Effect<A, StoreError> =>
      Effect.tryPromise({
        try: async () => {
          const database = await open(options?.factory ?? globalThis.indexedDB, name)
          try {
            const transaction = database.transaction(RECORDS, mode)
            const result = settled(work(transaction.objectStore(RECORDS)))
            await Promise.all([result, complete(transaction)])
            return await result
          } finally {
            database.close()
          }
        },
        catch: (error) => new StoreError({ operation, detail: `IndexedDB failed (${nameOf(error)})` })
      })
    return {
      load: (network) =>
        Effect.map(
          within("load", "readonly", (records) => records.get(network)),
          (value: unknown) => (value instanceof Uint8Array ? value : undefined)
        ),
      save: (network, record) =>
        Effect.asVoid(within("save", "readwrite", (records) => records.put(record.slice(), network)))
    }
  })

const open = (factory: IDBFactory, name: string): Promise<IDBDatabase> => {
  const request = factory.open(name, 1)
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(RECORDS))
  return settled(request)
}

const settled = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result))
    request.addEventListener("error", () => reject(request.error ?? new Error("failed")))
  })

const complete = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve())
    for (const event of ["abort", "error"]) {
      transaction.addEventListener(event, () => reject(transaction.error ?? new Error("failed")))
    }
  })

/** Returns the name of a DOMException, such as `QuotaExceededError`. The exception's text may contain anything. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "unknown")

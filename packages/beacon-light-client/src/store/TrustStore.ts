/**
 * The place where a light client keeps what it has proven, so that it need not start from its checkpoint again.
 *
 * One record per network, as bytes: see `TrustRecord`. Any program that can write to this place can replace the trust,
 * so keep it like a configuration file.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KeyValueStore from "effect/persistence/KeyValueStore"

import type { RecordError } from "./RecordError.ts"
import { StoreError } from "./StoreError.ts"

/**
 * The service. A record is replaced as a whole: after a crash the old or the new one is there, unless a layer says
 * otherwise.
 */
export class TrustStore extends Context.Service<
  TrustStore,
  {
    /**
     * Returns the record of a network, or undefined if there is none. Fails with `RecordError` for stored bytes that are
     * too large for a record.
     */
    readonly load: (network: string) => Effect.Effect<Uint8Array | undefined, StoreError | RecordError>
    readonly save: (network: string, record: Uint8Array) => Effect.Effect<void, StoreError>
    /** Returns the place of a network's record, such as a path, for the errors about the record. */
    readonly placeOf?: ((network: string) => string) | undefined
  }
>()("@plumbline/beacon-light-client/TrustStore") {}

/**
 * Keeps records in memory, for the life of the layer.
 *
 * ```ts import.meta.vitest
 * import { TrustStore } from "@plumbline/beacon-light-client"
 * import { Effect } from "effect"
 *
 * const program = TrustStore.TrustStore.use((store) =>
 *   Effect.andThen(store.save("mainnet", Uint8Array.of(1, 2)), store.load("mainnet"))
 * )
 * Effect.runSync(Effect.provide(program, TrustStore.layerMemory())) // => Uint8Array.of(1, 2)
 * ```
 */
export const layerMemory = (): Layer.Layer<TrustStore> => memory

const memory = /* @__PURE__ */ Layer.sync(TrustStore, () => {
  const records = new Map<string, Uint8Array>()
  return {
    load: (network) => Effect.sync(() => records.get(network)?.slice()),
    save: (network, record) => Effect.sync(() => void records.set(network, record.slice()))
  }
})

/**
 * Keeps records in the `KeyValueStore` of the program, such as a table of SQLite. Each key is `light-client/` followed
 * by the name of the network. The guarantees are those of the `KeyValueStore`.
 */
export const layerKeyValueStore = (): Layer.Layer<TrustStore, never, KeyValueStore.KeyValueStore> =>
  Layer.effect(
    TrustStore,
    Effect.map(KeyValueStore.KeyValueStore, (values) => {
      const failed = (operation: StoreError["operation"]) =>
        Effect.mapError(() => new StoreError({ operation, detail: "the key-value store failed" }))
      return {
        load: (network) => values.getUint8Array(keyOf(network)).pipe(failed("load")),
        save: (network, record) => values.set(keyOf(network), record.slice()).pipe(failed("save"))
      }
    })
  )

const keyOf = (network: string): string => `light-client/${network}`

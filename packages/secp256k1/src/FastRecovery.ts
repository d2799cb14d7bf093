/** Chooses the fastest engine that this platform can run: native, else WebAssembly, else the default engine. */
import { type RecoveryEngine, SenderRecovery } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { first } from "./firstEngine.ts"
import * as NativeRecovery from "./NativeRecovery.ts"
import { RecoveryUnavailableError } from "./RecoveryUnavailableError.ts"

/** The engine in WebAssembly. Its module (244 kB) is loaded only when this effect runs. */
const wasm: Effect.Effect<RecoveryEngine, RecoveryUnavailableError> = /* @__PURE__ */ Effect.flatten(
  Effect.tryPromise({
    try: async () => (await import("./WasmRecovery.ts")).make,
    catch: () => new RecoveryUnavailableError({ engine: "libsecp256k1 in WebAssembly", reason: "it cannot be loaded" })
  })
)

/** Returns the fastest engine. WebAssembly is loaded only if there is no native engine. */
export const make: Effect.Effect<RecoveryEngine> = /* @__PURE__ */ first([NativeRecovery.make, wasm])

/**
 * Provides the fastest engine to the proving clients.
 *
 * ```ts import.meta.vitest
 * import { SenderRecovery, VerdictEthClient } from "@plumbline/eth-methods"
 * import { FastRecovery } from "@plumbline/secp256k1"
 * import { Effect, Layer } from "effect"
 *
 * const eth = Layer.provide(VerdictEthClient.layerUrl("https://node.example/v3/<API_KEY>"), FastRecovery.layer())
 * Layer.isLayer(eth) // => true
 *
 * const engine = await Effect.runPromise(Effect.provide(SenderRecovery.SenderRecovery, FastRecovery.layer()))
 * engine?.name === SenderRecovery.noble.name // => false
 * ```
 */
export const layer = (): Layer.Layer<never> => Layer.effect(SenderRecovery, make)

/** Chooses the fastest engine that this platform can run: native, else the default engine. */
import { type RecoveryEngine, SenderRecovery, standard } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as NativeRecovery from "./NativeRecovery.ts"

/** Returns the fastest engine. */
export const make: Effect.Effect<RecoveryEngine> = /* @__PURE__ */ Effect.orElseSucceed(
  NativeRecovery.make,
  () => standard
)

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

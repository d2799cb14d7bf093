/** The fastest engine that this platform runs: native, else WebAssembly, else the default one. */
import { type Engine, noble, SenderRecovery } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as NativeRecovery from "./NativeRecovery.ts"

/** Returns the fastest engine. WebAssembly is loaded only where there is no native one. */
export const make: Effect.Effect<Engine> = /* @__PURE__ */ Effect.catch(NativeRecovery.make, () =>
  Effect.promise(() => import("./WasmRecovery.ts")).pipe(
    Effect.flatMap((module) => module.make),
    Effect.catch(() => Effect.succeed(noble))
  )
)

/**
 * Provides the fastest engine to the proving clients.
 *
 * ```ts import.meta.vitest
 * import { SenderRecovery, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { FastRecovery } from "@plumbline/secp256k1"
 * import { Effect, Layer } from "effect"
 *
 * const eth = VerdictEthClient.layerUrl("https://node.example/v3/<API_KEY>").pipe(Layer.provide(FastRecovery.layer))
 * Layer.isLayer(eth) // => true
 *
 * const engine = Effect.provide(SenderRecovery.SenderRecovery, FastRecovery.layer)
 * ;(await Effect.runPromise(engine)).name === SenderRecovery.noble.name // => false
 * ```
 */
export const layer: Layer.Layer<never> = /* @__PURE__ */ Layer.effect(SenderRecovery, make)

/**
 * The native engine: libsecp256k1 from the package `secp256k1`.
 *
 * It recovers a key in less than half of the time of the default engine. Its package has binaries for Linux on x64,
 * macOS on arm64 and Windows on x64. On other platforms the engine runs if the package's install script was allowed to
 * compile it.
 */
import { createRequire } from "node:module"

import { type RecoveryEngine, SenderRecovery } from "@plumbline/eth-methods/sender/SenderRecovery"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import type { RecoveryUnavailableError } from "./RecoveryUnavailableError.ts"
import { start } from "./startEngine.ts"

const NAME = "libsecp256k1, native"

/** The part of the package that this engine uses. */
interface Bindings {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recovery: number,
    digest: Uint8Array,
    isCompressed: boolean,
    output: Uint8Array
  ) => Uint8Array
}

const load = (): RecoveryEngine => {
  // the package's main module would silently fall back to slow JavaScript; the binding alone does not
  const { ecdsaRecover } = createRequire(import.meta.url)("secp256k1/bindings.js") as Bindings
  return {
    name: NAME,
    recover: (digest, signature, parity) => {
      const key = new Uint8Array(UNCOMPRESSED)
      try {
        ecdsaRecover(signature, parity, digest, false, key)
      } catch {
        // the binding throws plain errors for invalid points
        return undefined
      }
      return key.subarray(1)
    }
  }
}

/** Number of bytes of a key with its prefix 0x04. */
const UNCOMPRESSED = 65

/** Loads the engine. Fails with `RecoveryUnavailableError` if there is no binary for this platform. */
export const make: Effect.Effect<RecoveryEngine, RecoveryUnavailableError> = /* @__PURE__ */ start(NAME, load)

/** Provides the engine to the proving clients. */
export const layer = (): Layer.Layer<never, RecoveryUnavailableError> => Layer.effect(SenderRecovery, make)

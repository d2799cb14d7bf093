/**
 * The engine that recovers the public key of a signature, and with it the sender of a transaction.
 *
 * Nearly all the time of a block that is proven with its senders goes into this arithmetic. The default engine is
 * plain JavaScript and needs no further package. `@plumbline/secp256k1` has faster ones.
 *
 * **When to use**
 *
 * Provide another engine to `VerdictEthClient.layer` or `ProvenEthClient.layer` by this reference, or pass it to
 * `Verify.block` as the option `recovery`. An engine is trusted: a wrong key is a wrong sender.
 *
 * Source: SEC 1, section 4.1.6.
 */
import * as Context from "effect/Context"

import * as Curve from "./curve.ts"

/** An engine that recovers public keys on the curve secp256k1. */
export interface Engine {
  /** Name of the engine, for people. */
  readonly name: string
  /**
   * Returns the public key whose signature this is: `x` and `y`, 32 bytes each. Returns undefined if there is no such
   * key.
   *
   * `digest` has the 32 bytes that were signed. `signature` has `r` and `s`, 32 bytes each, big-endian, both at
   * least 1 and below the order of the curve: the caller has checked that. `parity` selects the point with an even (0)
   * or odd (1) `y` whose `x` is `r`. A high `s` is valid. The engine must keep none of its arguments, because the caller
   * reuses them.
   */
  readonly recover: (digest: Uint8Array, signature: Uint8Array, parity: 0 | 1) => Uint8Array | undefined
}

/** The default engine: JavaScript, by @noble/curves. */
export const noble: Engine = {
  name: "@noble/curves",
  recover: (digest, signature, parity) => {
    try {
      return Curve.recover(digest, signature, parity)
    } catch {
      // noble throws plain errors for points that no signature has
      return undefined
    }
  }
}

/**
 * The engine that the proving clients use. Default: `noble`.
 *
 * ```ts import.meta.vitest
 * import { SenderRecovery } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const name = Effect.map(SenderRecovery.SenderRecovery, (engine) => engine.name)
 * Effect.runSync(name) // => "@noble/curves"
 * ```
 */
export const SenderRecovery: Context.Reference<Engine> = /* @__PURE__ */ Context.Reference<Engine>(
  "@plumbline/eth-methods/SenderRecovery",
  { defaultValue: () => noble }
)

/** The interface of engines that recover public keys, and the engine in plain JavaScript. */
import * as Secp256k1Curve from "./secp256k1Curve.ts"

/** An engine that recovers public keys on the curve secp256k1. */
export interface RecoveryEngine {
  /** Name of the engine for display. */
  readonly name: string
  /**
   * Returns the public key that made the signature: `x` and `y`, 32 bytes each. Returns undefined if there is no such
   * key.
   *
   * `digest` has the 32 bytes that were signed. `signature` has `r` and `s`, 32 bytes each, big-endian. The caller has
   * checked that both are at least 1 and below the order of the curve. Two points have `r` as their `x`: `parity`
   * selects the one with an even `y` (0) or with an odd `y` (1). A high `s` is valid. The engine must keep none of its
   * arguments, because the caller reuses them.
   */
  readonly recover: (digest: Uint8Array, signature: Uint8Array, parity: 0 | 1) => Uint8Array | undefined
}

/** The engine in plain JavaScript, by @noble/curves. It takes about nine times the time of the default engine. */
export const noble: RecoveryEngine = {
  name: "@noble/curves",
  recover: (digest, signature, parity) => {
    try {
      return Secp256k1Curve.recover(digest, signature, parity)
    } catch {
      // noble throws plain errors if the signature has no valid point
      return undefined
    }
  }
}

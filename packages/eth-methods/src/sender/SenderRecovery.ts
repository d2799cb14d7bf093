/**
 * The engine that recovers the public key of a signature, which gives the sender of a transaction.
 *
 * This arithmetic takes most of the time of proving a block with its senders. The default engine, `standard`, is a small
 * WebAssembly module that starts at the first recovery, in Node and in browsers. `@plumbline/secp256k1` has a native one.
 *
 * **When to use**
 *
 * To use another engine, provide it as this reference to `VerdictEthClient.layer` or `ProvenEthClient.layer`, or pass
 * it to `Verify.block` as the option `recovery`. The engine is trusted: a wrong key gives a wrong sender.
 *
 * Source: SEC 1, section 4.1.6.
 */
import * as Context from "effect/Context"

import type { RecoveryEngine } from "./recoveryEngine.ts"

export { works } from "./engineTest.ts"
export { type RecoveryEngine, noble } from "./recoveryEngine.ts"
export { standard } from "./standardEngine.ts"

/**
 * The engine that the proving clients use. Default: undefined, which means `standard`. The clients load it when they first
 * recover a sender, so a page that reads only state never loads it.
 *
 * ```ts import.meta.vitest
 * import { SenderRecovery } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const name = Effect.map(SenderRecovery.SenderRecovery, (engine) => engine?.name)
 * Effect.runSync(name) // => undefined
 * Effect.runSync(Effect.provideService(name, SenderRecovery.SenderRecovery, SenderRecovery.noble)) // => "@noble/curves"
 * ```
 */
export const SenderRecovery: Context.Reference<RecoveryEngine | undefined> = /* @__PURE__ */ Context.Reference<
  RecoveryEngine | undefined
>("@plumbline/eth-methods/SenderRecovery", { defaultValue: () => undefined })

/**
 * The engine that checks the signatures of sync committees.
 *
 * Nearly all the time of an update goes into this arithmetic. The default engine is plain JavaScript and needs no
 * additional package. `BlstEngine` is a native engine for Node.
 *
 * **When to use**
 *
 * Pass another engine to `LightClientStore.process` as its option, or provide it as the reference `Bls` to the modules
 * that follow a chain. An engine is trusted: a signature that it accepts is a signed header.
 *
 * Source: IETF draft-irtf-cfrg-bls-signature, with proofs of possession and keys in G1.
 */
import * as Context from "effect/Context"

import * as noblePoints from "./noblePoints.ts"
import { type BlsEngine, engine } from "./signatureEngine.ts"

export type { BlsEngine, CommitteeSignature } from "./signatureEngine.ts"

/** The default engine: JavaScript, by @noble/curves. */
export const noble: BlsEngine = /* @__PURE__ */ engine(noblePoints.points)

/**
 * The engine that light clients use. Default: `noble`.
 *
 * ```ts import.meta.vitest
 * import { Bls } from "@plumbline/beacon-light-client"
 * import { Effect } from "effect"
 *
 * const name = Effect.map(Bls.Bls, (engine) => engine.name)
 * Effect.runSync(name) // => "@noble/curves"
 * ```
 */
export const Bls: Context.Reference<BlsEngine> = /* @__PURE__ */ Context.Reference<BlsEngine>(
  "@plumbline/beacon-light-client/Bls",
  { defaultValue: () => noble }
)

/**
 * The engine that checks the signatures of sync committees.
 *
 * The engine is blst if it is installed for this platform. blst takes a tenth of the time of the JavaScript engine. In
 * a command the JavaScript engine starts cold, and takes a quarter of the time of `plumbline block latest` (decision
 * 71).
 */
import * as Bls from "@plumbline/beacon-light-client/bls/Bls"
import * as BlstEngine from "@plumbline/beacon-light-client/bls/BlstEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Provides blst, or the JavaScript engine where blst does not run. */
export const layer: Layer.Layer<never> = Layer.effect(
  Bls.Bls,
  Effect.orElseSucceed(
    BlstEngine.make(() => import("@chainsafe/blst")),
    () => Bls.noble
  )
)

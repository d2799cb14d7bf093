/** The trusted block on which the proofs of a network are based, in the form for operators. */
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Effect from "effect/Effect"

import type { TrustedAnchor } from "../networks/Network.ts"

/** Returns the finalized block of a source of trust, or the reason why there is none. */
export const of = (trust: TrustedBlock["Service"]): Effect.Effect<TrustedAnchor> =>
  Effect.match(trust.resolve("finalized"), {
    onFailure: (error): TrustedAnchor => ({
      _tag: "None",
      // the message is left out, because a node may have written it
      problem: error._tag === "RefutedError" ? `a check refuted it: ${error.check}` : "the nodes do not name it"
    }),
    onSuccess: (trusted): TrustedAnchor =>
      trusted._tag === "Nothing"
        ? { _tag: "None", problem: trusted.reason.sentence }
        : { _tag: "Block", hash: trusted.hash, by: trusted.by, finality: trusted.anchor?.finality }
  })

/** The trusted block on which the proofs of a network are based, in the form for operators. */
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type * as Anchor from "@plumbline/verdict/Anchor"
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
        : { _tag: "Block", hash: trusted.hash, by: trusted.by, finality: finalityOf(trusted.anchor) }
  })

/** Returns the finality of a light client's head: for a block of a rollup, that of the head of L1. */
const finalityOf = (anchor: Anchor.RollupAnchor["l1"] | undefined): Anchor.LightClientAnchor["finality"] | undefined =>
  anchor?._tag === "Rollup" ? finalityOf(anchor.l1) : anchor?._tag === "LightClient" ? anchor.finality : undefined

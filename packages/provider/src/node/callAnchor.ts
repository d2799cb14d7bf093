/**
 * Notes the anchor on which a call rests, for the error of a call whose answer is refuted. A verdict has its anchor, but
 * a failed check has none.
 */
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The note of one call. */
export interface CallAnchor {
  /** The anchor, as `Anchor.toText` writes it; undefined if no block was named, by the caller or by trust. */
  anchor: string | undefined
}

/** The note of the current call. It is in the context of the fiber, because all calls use one source of trust. */
export const Current: Context.Reference<CallAnchor> = Context.Reference<CallAnchor>("@plumbline/provider/Rest", {
  defaultValue: () => ({ anchor: undefined })
})

/** Returns the source of trust, with a note of each block that it names. */
export const noting = ({ resolve }: TrustedBlock["Service"]): TrustedBlock["Service"] => ({
  resolve: (block) =>
    Effect.tap(resolve(block), (trusted) =>
      trusted._tag === "Nothing"
        ? Effect.void
        : Effect.map(Current, (rest) => {
            // a block that the caller named by its hash needs no other trust
            rest.anchor ??= Anchor.toText(trusted.weak ?? trusted.anchor ?? Anchor.block(trusted.hash))
          })
    )
})

/**
 * The error of a refused event or a refused change of billing cards.
 */
import * as Schema from "effect/Schema"

/**
 * An event or a change of cards was refused. Nothing was stored. The error contains no part of the event or its
 * signature.
 *
 * - `NotSigned`: the signature is missing or wrong, or its time differs from the clock by more than
 *   `BillingCards.TOLERANCE`.
 * - `NotUnderstood`: the event is signed, but does not have the expected form.
 * - `CardNumber`: a value to store looks like the number of a card.
 */
export class BillingCardsError extends Schema.TaggedError<BillingCardsError>()("BillingCardsError", {
  problem: Schema.Literals(["NotSigned", "NotUnderstood", "CardNumber"])
}) {
  override get message(): string {
    switch (this.problem) {
      case "NotSigned":
        return "the event has no valid signature of the provider, or its signature is too old or too new"
      case "NotUnderstood":
        return "the event does not have the form of its type"
      case "CardNumber":
        return "the event holds what looks like a card number, in a field that must not have one"
    }
  }
}

/**
 * The error of an event of the payment provider that is refused.
 */
import * as Schema from "effect/Schema"

/**
 * An event or a change of cards that was refused. The store is unchanged, and the error holds no part of the event or
 * its signature.
 *
 * - `NotSigned`: the signature is missing, wrong, or older or newer than `BillingCards.TOLERANCE`.
 * - `NotUnderstood`: the event is signed and of a known kind, but its form is wrong.
 * - `CardNumber`: a value to be stored looks like the number of a card.
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

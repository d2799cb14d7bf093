/**
 * The error of an event of the payment provider that is not taken.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Nothing was changed. It holds nothing of the event, nor of its signature.
 *
 * - `NotSigned`: the signature is missing, wrong, or older or newer than `BillingCards.TOLERANCE`.
 * - `NotUnderstood`: signed, and of a kind that is known, but not of its form.
 * - `CardNumber`: what would have been stored looks like the number of a card.
 *
 * @since 0.1.0
 */
export class BillingCardsError extends Schema.TaggedError<BillingCardsError>()("BillingCardsError", {
  problem: Schema.Literals(["NotSigned", "NotUnderstood", "CardNumber"])
}) {
  override get message(): string {
    switch (this.problem) {
      case "NotSigned":
        return "the event is not signed by the provider, or not now"
      case "NotUnderstood":
        return "the event does not have the form of its type"
      case "CardNumber":
        return "the event holds what looks like the number of a card, where none belongs"
    }
  }
}

/**
 * The stored details of an account's billing card. The number of the card is never among them.
 */
import * as Schema from "effect/Schema"

/**
 * A card that is stored at the payment provider, with enough details for its owner to recognise it.
 */
export const Card = Schema.TaggedStruct("Card", {
  provider: Schema.Literal("stripe"),
  /** The provider's id of the card. Only the provider can use this id to charge the card. */
  token: Schema.NonEmptyString,
  /** The brand as the provider spells it: `visa`, `mastercard`, `amex`. */
  brand: Schema.NonEmptyString,
  /** The last four digits of the card's number. */
  last4: Schema.String.check(Schema.isPattern(/^[0-9]{4}$/u)),
  /** The month of expiry, 1 to 12. */
  expiryMonth: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  /** The year of expiry, with four digits. */
  expiryYear: Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 9999 }))
})

export type Card = typeof Card.Type

/**
 * The status of an account's card:
 *
 * - `Card`: the provider has a card that has not expired. If it has several, this is the card that was added last.
 * - `Manual`: an operator states that the account has a card, and the provider has none.
 * - `None`: the account has no card.
 */
export const CardStatus = Schema.Union([Schema.TaggedStruct("None", {}), Schema.TaggedStruct("Manual", {}), Card])

export type CardStatus = typeof CardStatus.Type

/**
 * Returns the time from which a card has expired, in milliseconds since 1970 UTC. A card is valid to the end of the
 * month printed on it. The card names no time zone, so it is valid until the month has ended in every time zone: noon
 * UTC on the first day of the next month.
 *
 * ```ts import.meta.vitest
 * import { BillingCard } from "@plumbline/gateway-admin"
 *
 * BillingCard.endsAt({ expiryMonth: 12, expiryYear: 2030 }) // => Date.parse("2031-01-01T12:00:00Z")
 * ```
 */
export const endsAt = ({ expiryMonth, expiryYear }: Pick<Card, "expiryMonth" | "expiryYear">): number =>
  Date.UTC(expiryYear, expiryMonth, 1, 12)

/**
 * The known details of an account's billing card. They never include its number.
 */
import * as Schema from "effect/Schema"

/**
 * A card that the payment provider keeps, with enough details for its owner to recognise it.
 */
export const Card = Schema.TaggedStruct("Card", {
  provider: Schema.Literal("stripe"),
  /** The provider's id of the card. Only the provider can charge the card with it. */
  token: Schema.NonEmptyString,
  /** The brand as the provider spells it: `visa`, `mastercard`, `amex`. */
  brand: Schema.NonEmptyString,
  /** The last four digits of its number. */
  last4: Schema.String.check(Schema.isPattern(/^[0-9]{4}$/u)),
  /** 1 to 12. */
  expiryMonth: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  /** The year of expiry, with four digits. */
  expiryYear: Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 9999 }))
})

export type Card = typeof Card.Type

/**
 * The reason why an account has a card, or that it has none:
 *
 * - `Card`: the provider keeps one that has not expired. If there are several, it is the one added last.
 * - `Manual`: an operator said so, and the provider keeps none.
 * - `None`: the account has no card.
 */
export const Status = Schema.Union([Schema.TaggedStruct("None", {}), Schema.TaggedStruct("Manual", {}), Card])

export type Status = typeof Status.Type

/**
 * Returns the time from which a card has expired, in milliseconds since 1970 UTC. A card is good to the end of the
 * month printed on it. The card does not say in which time zone, so the latest one counts: noon of the next day in UTC.
 *
 * ```ts import.meta.vitest
 * import { BillingCard } from "@plumbline/gateway"
 *
 * BillingCard.endsAt({ expiryMonth: 12, expiryYear: 2030 }) // => Date.parse("2031-01-01T12:00:00Z")
 * ```
 */
export const endsAt = ({ expiryMonth, expiryYear }: Pick<Card, "expiryMonth" | "expiryYear">): number =>
  Date.UTC(expiryYear, expiryMonth, 1, 12)

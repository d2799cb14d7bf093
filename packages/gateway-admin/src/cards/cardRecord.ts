/**
 * The record of one card at the provider, and how events change the record.
 *
 * The provider does not guarantee an order of events, and may send an event several times. So the final record does not
 * depend on the order of events or on repetitions: the newest description stays, and a detachment is permanent. A
 * detached card "can no longer be used for a payment or re-attached to a customer"
 * (docs.stripe.com/api/payment_methods/detach).
 */
import * as BillingCard from "./BillingCard.ts"
import type { StripeFact } from "./stripeEvents.ts"

/** The record of a card. Times come from the provider, in seconds since 1970 UTC. */
export interface CardRecord {
  readonly token: string
  readonly customer: string | null
  /** Time of the event that set `customer`. */
  readonly customerAt: number
  readonly card: Extract<StripeFact, { _tag: "Described" }>["card"] | null
  /** Time of the event that set `card`. */
  readonly toldAt: number
  /** A text that sorts events of the same second. */
  readonly toldBy: string
  /** Time at which the card was last added to its customer, or set up again. */
  readonly addedAt: number
  readonly detached: boolean
}

export type CardFact = Exclude<StripeFact, { readonly _tag: "Deleted" }>

/** Returns the record of an unknown card. */
export const blank = (token: string): CardRecord => ({
  token,
  customer: null,
  customerAt: 0,
  card: null,
  toldAt: 0,
  toldBy: "",
  addedAt: 0,
  detached: false
})

/** Returns the record of a detached card. Its details are dropped, because it can never belong to a customer again. */
export const gone = (token: string): CardRecord => ({ ...blank(token), detached: true })

/** Adds a fact to a record. Returns the same record if the fact adds nothing. */
export const add = (record: CardRecord, fact: CardFact): CardRecord => {
  if (record.detached) return record
  switch (fact._tag) {
    case "Detached":
      return gone(record.token)
    case "SetUp":
      return added(owned(record, fact), fact.at)
    case "Described":
      return described(fact.added ? added(owned(record, fact), fact.at) : owned(record, fact), fact)
  }
}

/**
 * Returns the time from which the card has expired, in milliseconds since 1970 UTC; null if no event has described the
 * card yet.
 */
export const endsAt = ({ card }: CardRecord): number | null => (card === null ? null : BillingCard.endsAt(card))

const added = (record: CardRecord, at: number): CardRecord =>
  at > record.addedAt ? { ...record, addedAt: at } : record

const owned = (
  record: CardRecord,
  { at, customer }: { readonly at: number; readonly customer: string | null }
): CardRecord =>
  customer !== null && isAfter([at, customer], [record.customerAt, record.customer ?? ""])
    ? { ...record, customer, customerAt: at }
    : record

const described = (record: CardRecord, fact: Extract<StripeFact, { _tag: "Described" }>): CardRecord => {
  // If a card is attached and updated in the same second, the update counts as later.
  const toldBy = `${fact.added ? "0" : "1"} ${fact.event}`
  return isAfter([fact.at, toldBy], [record.toldAt, record.toldBy])
    ? { ...record, card: fact.card, toldAt: fact.at, toldBy }
    : record
}

type EventPosition = readonly [at: number, by: string]

const isAfter = (a: EventPosition, b: EventPosition): boolean => (a[0] === b[0] ? a[1] > b[1] : a[0] > b[0])

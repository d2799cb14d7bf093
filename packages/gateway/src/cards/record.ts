/**
 * The record of one card of the provider, and how an event adds to it.
 *
 * The provider promises no order of events, and may send each several times. So a record takes events in any order and
 * any number with the same result: of two descriptions the newer one stays, and what cannot be undone is remembered. A
 * card that was detached "can no longer be used for a payment or re-attached to a customer"
 * (docs.stripe.com/api/payment_methods/detach).
 */
import * as BillingCard from "./BillingCard.ts"
import type { Fact } from "./event.ts"

/** A record. Times are those of the provider, in seconds since 1970 UTC. */
export interface Record {
  readonly token: string
  readonly customer: string | null
  /** Time of the event that named the customer. */
  readonly customerAt: number
  readonly card: Extract<Fact, { _tag: "Described" }>["card"] | null
  /** Time of the event that described the card. */
  readonly toldAt: number
  /** Orders events of the same second. */
  readonly toldBy: string
  /** Time at which the card was last added to its customer, or set up again. */
  readonly addedAt: number
  readonly detached: boolean
}

export type CardFact = Exclude<Fact, { readonly _tag: "Deleted" }>

/** Returns the record of an unknown card. */
export const blank = (token: string): Record => ({
  token,
  customer: null,
  customerAt: 0,
  card: null,
  toldAt: 0,
  toldBy: "",
  addedAt: 0,
  detached: false
})

/** Returns the record of a card that belongs to no customer, and never will again. No further detail is needed. */
export const gone = (token: string): Record => ({ ...blank(token), detached: true })

/** Adds a fact to a record. Returns the same record if the fact adds nothing. */
export const add = (record: Record, fact: CardFact): Record => {
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
 * Returns the time from which the card has expired, in milliseconds since 1970 UTC; null if the card is not described
 * yet.
 */
export const endsAt = ({ card }: Record): number | null => (card === null ? null : BillingCard.endsAt(card))

const added = (record: Record, at: number): Record => (at > record.addedAt ? { ...record, addedAt: at } : record)

const owned = (record: Record, { at, customer }: { readonly at: number; readonly customer: string | null }): Record =>
  customer !== null && isAfter([at, customer], [record.customerAt, record.customer ?? ""])
    ? { ...record, customer, customerAt: at }
    : record

const described = (record: Record, fact: Extract<Fact, { _tag: "Described" }>): Record => {
  // The update of a card follows its attachment, even within one second.
  const toldBy = `${fact.added ? "0" : "1"} ${fact.event}`
  return isAfter([fact.at, toldBy], [record.toldAt, record.toldBy])
    ? { ...record, card: fact.card, toldAt: fact.at, toldBy }
    : record
}

type Place = readonly [at: number, by: string]

const isAfter = (a: Place, b: Place): boolean => (a[0] === b[0] ? a[1] > b[1] : a[0] > b[0])

/**
 * Reads the provider's events about cards, and drops the details that are not needed.
 *
 * Source: docs.stripe.com/api/events/types, docs.stripe.com/api/payment_methods/object.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { BillingCardsError } from "./BillingCardsError.ts"
import * as CardNumber from "./cardNumber.ts"

/** The content of an event. Times come from the provider, in seconds since 1970 UTC. */
export type StripeFact =
  | {
      readonly _tag: "Described"
      readonly token: string
      /**
       * The customer. Null if the event names none, for example if a card is updated after its customer was deleted.
       */
      readonly customer: string | null
      readonly card: {
        readonly brand: string
        readonly last4: string
        readonly expiryMonth: number
        readonly expiryYear: number
      }
      /** True if this event added the card to the customer. */
      readonly added: boolean
      readonly at: number
      readonly event: string
    }
  | { readonly _tag: "SetUp"; readonly token: string; readonly customer: string; readonly at: number }
  | { readonly _tag: "Detached"; readonly token: string }
  | { readonly _tag: "Deleted"; readonly customer: string }

/** Parses the body of an event whose signature was verified. Returns undefined if the event is not about cards. */
export const parse = (payload: Uint8Array): Result.Result<StripeFact | undefined, BillingCardsError> => {
  const text = textOf(payload)
  const kind = decodeKind(text)
  if (Result.isFailure(kind)) return notUnderstood
  const read = FACTS.get(kind.success.type)
  // Events of other types are not decoded, because some have another form.
  if (read === undefined) return Result.succeed(undefined)
  const event = decodeEvent(text)
  if (Result.isFailure(event)) return notUnderstood
  const fact = read(event.success)
  if (Result.isFailure(fact)) return notUnderstood
  const found = fact.success
  return found !== undefined && stringsOf(found).some(CardNumber.isIn) ? cardNumber : Result.succeed(found)
}

/** An id that the provider issued. The provider uses only these characters. */
export const Id = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,255}$/u))

/** A reference to an object: its id, or the whole object if the provider is set to expand it. */
const Reference = Schema.Union([Id, Schema.Struct({ id: Id })])

const Maybe = Schema.optionalKey(Schema.NullOr(Reference))

const Kind = Schema.fromJsonString(Schema.Struct({ type: Schema.String }))

const Event = Schema.fromJsonString(
  Schema.Struct({
    id: Id,
    created: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e11 })),
    data: Schema.Struct({ object: Schema.Unknown })
  })
)

const PaymentMethod = Schema.Struct({
  id: Id,
  type: Schema.String,
  customer: Maybe,
  card: Schema.optionalKey(Schema.Unknown)
})

const Card = Schema.Struct({
  brand: Schema.String.check(Schema.isPattern(/^[a-z0-9 _-]{1,64}$/iu)),
  last4: Schema.String.check(Schema.isPattern(/^[0-9]{4}$/u)),
  exp_month: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  exp_year: Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 9999 }))
})

const SetupIntent = Schema.Struct({ customer: Maybe, payment_method: Maybe })

const Customer = Schema.Struct({ id: Id })

const decodeKind = Schema.decodeUnknownResult(Kind)
const decodeEvent = Schema.decodeUnknownResult(Event)
const decodeMethod = Schema.decodeUnknownResult(PaymentMethod)
const decodeCard = Schema.decodeUnknownResult(Card)
const decodeSetup = Schema.decodeUnknownResult(SetupIntent)
const decodeCustomer = Schema.decodeUnknownResult(Customer)

const described = (
  event: typeof Event.Type,
  { card, customer, id, type }: typeof PaymentMethod.Type,
  added: boolean
): Result.Result<StripeFact | undefined, unknown> =>
  type === "card"
    ? Result.map(decodeCard(card), ({ brand, exp_month, exp_year, last4 }) => ({
        _tag: "Described",
        token: id,
        customer: customer == null ? null : idOf(customer),
        card: { brand, last4, expiryMonth: exp_month, expiryYear: exp_year },
        added,
        at: event.created,
        event: event.id
      }))
    : Result.succeed(undefined)

type Read = (event: typeof Event.Type) => Result.Result<StripeFact | undefined, unknown>

const updated: Read = (event) =>
  Result.flatMap(decodeMethod(event.data.object), (method) => described(event, method, false))

/** The function that reads each type of event. */
const FACTS: ReadonlyMap<string, Read> = new Map<string, Read>([
  [
    "payment_method.attached",
    (event) => Result.flatMap(decodeMethod(event.data.object), (method) => described(event, method, true))
  ],
  ["payment_method.updated", updated],
  ["payment_method.automatically_updated", updated],
  [
    "payment_method.detached",
    (event) =>
      Result.map(decodeMethod(event.data.object), ({ id, type }) =>
        type === "card" ? { _tag: "Detached", token: id } : undefined
      )
  ],
  [
    "setup_intent.succeeded",
    (event) =>
      Result.map(decodeSetup(event.data.object), ({ customer, payment_method: method }) =>
        customer == null || method == null
          ? undefined
          : { _tag: "SetUp", token: idOf(method), customer: idOf(customer), at: event.created }
      )
  ],
  [
    "customer.deleted",
    (event) => Result.map(decodeCustomer(event.data.object), ({ id }) => ({ _tag: "Deleted", customer: id }))
  ]
])

const idOf = (reference: typeof Reference.Type): string => (typeof reference === "string" ? reference : reference.id)

const stringsOf = (value: object): ReadonlyArray<string> =>
  Object.values(value).flatMap((member: unknown) =>
    typeof member === "string" ? [member] : typeof member === "object" && member !== null ? stringsOf(member) : []
  )

/** Decodes UTF-8. Invalid bytes give an empty text, which is not JSON either. */
const textOf = (payload: Uint8Array): string => {
  try {
    return utf8.decode(payload)
  } catch {
    return ""
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const notUnderstood = Result.fail(new BillingCardsError({ problem: "NotUnderstood" }))
const cardNumber = Result.fail(new BillingCardsError({ problem: "CardNumber" }))

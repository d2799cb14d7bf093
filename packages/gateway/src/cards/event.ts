/**
 * Reads the provider's events about cards. Everything else in an event is dropped.
 *
 * Source: docs.stripe.com/api/events/types, docs.stripe.com/api/payment_methods/object.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { BillingCardsError } from "./BillingCardsError.ts"
import * as CardNumber from "./cardNumber.ts"

/** The content of an event. Times are those of the provider, in seconds since 1970 UTC. */
export type Fact =
  | {
      readonly _tag: "Described"
      readonly token: string
      /** Null if the event does not say: a card may be updated after its customer was deleted. */
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

/** Parses the body of an event whose signature was verified. Undefined if the event is not about cards. */
export const parse = (payload: Uint8Array): Result.Result<Fact | undefined, BillingCardsError> => {
  const text = textOf(payload)
  const kind = decodeKind(text)
  if (Result.isFailure(kind)) return notUnderstood
  const read = FACTS.get(kind.success.type)
  // An event of another type is not decoded: some types have another form.
  if (read === undefined) return Result.succeed(undefined)
  const event = decodeEvent(text)
  if (Result.isFailure(event)) return notUnderstood
  const fact = read(event.success)
  if (Result.isFailure(fact)) return notUnderstood
  const found = fact.success
  return found !== undefined && stringsOf(found).some(CardNumber.isIn) ? cardNumber : Result.succeed(found)
}

/** An id of the provider. None of its ids has other characters. */
export const Id = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,255}$/u))

/** An id, or the object itself, which an event holds only on request. */
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
): Result.Result<Fact | undefined, unknown> =>
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

type Read = (event: typeof Event.Type) => Result.Result<Fact | undefined, unknown>

const updated: Read = (event) =>
  Result.flatMap(decodeMethod(event.data.object), (method) => described(event, method, false))

/** The reader of an event, by the event's type. */
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

/** Bytes that are not UTF-8 become a text that is not JSON. */
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

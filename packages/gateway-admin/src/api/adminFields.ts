/**
 * The fields of the admin API's model, and of its queries. `description` is always the text in the OpenAPI document.
 */
import * as Account from "@plumbline/gateway/accounts/Account"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * Returns the schema of a time: `2026-11-21T20:45:00.000Z`, with any offset, or `2026-11-21` for the beginning of that
 * day in UTC.
 */
export const time = (description: string) =>
  Schema.String.annotate({ description: `${description}: an ISO 8601 time` })
    .check(Schema.makeFilter((text) => (isTime(text) ? undefined : "must be a time such as 2026-11-21T20:45:00Z")))
    .pipe(
      Schema.decodeTo(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })),
        SchemaTransformation.transform({
          decode: (text) => Date.parse(text),
          encode: (millis) => new Date(millis).toISOString()
        })
      )
    )

/** A time, described only as "When". */
export const Time = time("When")

const isTime = (text: string): boolean => {
  const [, day] = ISO.exec(text) ?? []
  // JavaScript parses a day that does not exist, such as February 31, as a day of the next month.
  return (
    day !== undefined && !Number.isNaN(Date.parse(text)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  )
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/u

/**
 * Returns the schema of a count, 0 to 2^63 - 1.
 */
export const count = (description: string) =>
  Schema.String.check(Schema.isPattern(/^\d{1,19}$/u))
    .annotate({ description: `${description}, as decimal digits` })
    .pipe(Schema.decodeTo(Schema.BigInt, SchemaTransformation.transform({ decode: BigInt, encode: String })))

/**
 * The form of a whole number in a query.
 */
export const DIGITS = /^\d{1,15}$/u

/**
 * Returns a schema of a whole number in a query, in decimal digits.
 */
export const whole = (minimum: number, maximum: number, description: string) =>
  Schema.String.check(Schema.isPattern(DIGITS))
    .annotate({ description: `${description}: a whole number from ${minimum} to ${maximum}` })
    .pipe(
      Schema.decodeTo(
        Schema.Int.check(Schema.isBetween({ minimum, maximum })),
        SchemaTransformation.transform({ decode: Number, encode: String })
      )
    )

/**
 * Returns a schema of an id that the service has given.
 */
export const id: (description: string) => typeof Account.Name = Account.named

/**
 * Selects a page of a list that is sorted by id: the rows after an id, and their maximum number (default: 100).
 */
export const Page = {
  after: Schema.optionalKey(id("The id after which the page begins: next of the previous page")),
  limit: Schema.optionalKey(whole(1, 1000, "Maximum number, by default 100"))
}

/**
 * The value of `after` for the next page; null on the last page.
 */
export const next = Schema.NullOr(Schema.String).annotate({
  description: "The value of after for the next page; null on the last page"
})

/** A value, or null if the service has none. */
export const orNull = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

/** An optional field: services of an earlier version do not send it. */
export const later = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(orNull(schema, description))

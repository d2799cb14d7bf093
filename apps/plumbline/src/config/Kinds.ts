/**
 * The kinds of values in the configuration file. Each kind describes valid values in a sentence that never contains the
 * actual value, which may be a secret.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The purpose of a setting and its default, for editors and the reference. */
export interface About {
  readonly description: string
  readonly default?: unknown
}

/** Returns the annotations of a Schema. A default is written as in the file; no type can check that form. */
const noted = (about: About, message: string): { readonly description: string; readonly message: string } => ({
  ...about,
  message
})

/** `false` or `true`. */
export const flag = (about: About) => Schema.Boolean.annotate(noted(about, "must be true or false"))

/** A whole number within bounds. */
export const whole = (minimum: number, maximum: number, about: About) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate(
    noted(about, `must be a whole number from ${minimum} to ${maximum}`)
  )

/** A text that is not empty. */
export const text = (about: About) =>
  Schema.String.check(Schema.isMinLength(1)).annotate(noted(about, "must be a text that is not empty"))

/** A text that matches a pattern. */
export const formed = (form: RegExp, sentence: string, about: About) =>
  Schema.String.check(Schema.isPattern(form)).annotate(noted(about, sentence))

/** One of a few words. */
export const word = <const Words extends ReadonlyArray<string>>(words: Words, about: About) =>
  Schema.Literals(words).annotate(noted(about, `must be ${list(words, "or")}`))

/** A time, such as `30s`: see `millisOf`. */
export const time = (about: About) => formed(TIME, "must be a time such as 250ms, 30s, 5m, 12h or 8d", about)

/** A number of bytes, or a text such as `5MiB`: see `bytesOf`. */
export const bytes = (about: About) =>
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    Schema.String.check(Schema.isPattern(BYTES))
  ]).annotate(noted(about, "must be a number of bytes, or a text such as 64KiB, 5MiB or 2GiB"))

/** A URL with one of these schemes. */
export const url = (schemes: ReadonlyArray<string>, about: About) =>
  formed(
    new RegExp(`^(?:${schemes.join("|")})://[^\\s]+$`, "u"),
    `must be a URL with ${list(
      schemes.map((scheme) => `${scheme}://`),
      "or"
    )}`,
    about
  )

/** A group of settings, all of which may be left out. */
export const group = <const Fields extends Schema.Struct.Fields>(fields: Fields, description: string) =>
  Schema.Struct(fields).annotate({
    description,
    message: `must be a group of settings: ${Object.keys(fields).join(", ")}`
  })

/** A list. */
export const listOf = <Item extends Schema.Constraint>(item: Item, about: About) =>
  Schema.Array(item).annotate(noted(about, "must be a list"))

/** A setting that is optional. */
export const may: typeof Schema.optionalKey = Schema.optionalKey

/** The largest bound that the gateway accepts. */
export const COUNT = 1_000_000_000

/** A count, from 1. */
export const count = (description: string, fallback?: number) =>
  may(whole(1, COUNT, withDefault(description, fallback)))

/** A number of bytes. */
export const size = (description: string, fallback?: number) => may(bytes(withDefault(description, fallback)))

/** A number of bytes that null removes. */
export const sizeOrNone = (description: string, fallback: number) =>
  may(
    Schema.NullOr(bytes({ description })).annotate({
      description: `${description} null means no bound.`,
      default: fallback,
      message: "must be a number of bytes, a text such as 64KiB, 5MiB or 2GiB, or null"
    })
  )

/** A span of time. */
export const wait = (description: string, fallback?: Duration.Input) =>
  may(time(withDefault(description, fallback === undefined ? undefined : shortened(fallback))))

/** A bound that null removes. `number` describes the count that is bounded. */
export const bound = (
  minimum: number,
  maximum: number,
  about: { readonly number: string; readonly description: string; readonly default: number | undefined }
) => {
  const { default: fallback, description, number } = about
  return may(
    Schema.NullOr(whole(minimum, maximum, { description: number })).annotate({
      description,
      default: fallback,
      message: `must be a whole number from ${minimum} to ${maximum}, or null`
    })
  )
}

const withDefault = (description: string, fallback: unknown): About =>
  fallback === undefined ? { description } : { description, default: fallback }

/** Entries with names that the file chooses. */
export const entries = <Value extends Schema.Constraint>(value: Value, about: About) =>
  Schema.Record(Schema.String, value).annotate(noted(about, "must be entries by name"))

/** Joins words as in a sentence: `a, b or c`. */
export const list = (words: ReadonlyArray<string>, last: "and" | "or"): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`

const TIME = /^(\d{1,12}(?:\.\d{1,6})?) ?(ms|s|m|h|d)$/u

const BYTES = /^(\d{1,12}(?:\.\d{1,6})?) ?(B|KiB|MiB|GiB|TiB)$/u

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40
}

/** Returns the milliseconds of a time that has passed its Schema. */
export const millisOf = (time: string): number => measured(TIME, time)

/** Returns the bytes of a size that has passed its Schema. */
export const bytesOf = (size: number | string): number => (typeof size === "number" ? size : measured(BYTES, size))

const measured = (form: RegExp, text: string): number => {
  const [, number, unit] = form.exec(text)!
  return Math.round(Number(number) * units[unit!]!)
}

/** Writes milliseconds as the file has them: in the largest unit that gives a whole number. */
export const timeOf = (millis: number): string => {
  for (const unit of ["d", "h", "m", "s"]) {
    const count = millis / units[unit]!
    if (count > 0 && Number.isInteger(count)) return `${count}${unit}`
  }
  return `${millis}ms`
}

/** Writes a duration in the form of the file: Effect's `30 seconds` becomes `30s`. */
export const shortened = (duration: Duration.Input): string =>
  timeOf(Duration.toMillis(Duration.fromInputUnsafe(duration)))

/**
 * Schemas of settings. One Schema defines a setting: its form in a configuration file, its unit, its bounds, its default
 * and its description. A file and the options of a layer are checked by the same Schema.
 *
 * The encoded side is the form in a file (`30s`, `5MiB`), and the decoded side is the value that the code uses:
 * milliseconds, bytes, redacted secrets. Each Schema has a sentence about valid values. No sentence contains a value,
 * because a value may be a secret.
 */
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"

import { GatewayError } from "../errors/GatewayError.ts"
import { SettingError } from "../errors/SettingError.ts"
import * as SettingShape from "./SettingShape.ts"

/** The purpose of a setting, and its default in the form of a file. */
export interface SettingAnnotation {
  readonly description: string
  readonly default?: unknown
}

/** Milliseconds. Options of a layer also accept every `Duration.Input` for them. */
export type Millis = number & { readonly "~unit"?: "ms" }

/**
 * The options of a layer for decoded settings: each may be left out, a time may be any `Duration.Input`, and a secret
 * may be a plain text.
 */
export type OptionsOf<A> = { readonly [Name in keyof A]?: OptionOf<A[Name]> | undefined }

type OptionOf<A> = A extends unknown
  ? string extends keyof A // entries by name
    ? A
    : "~unit" extends keyof A
      ? Duration.Input
      : A extends Redacted.Redacted
        ? string | A
        : A extends ReadonlyArray<unknown>
          ? A
          : A extends object
            ? OptionsOf<A>
            : A
  : never

/** Returns the annotations of a Schema. A default is written as in the file; no type can check that form. */
const noted = (
  about: SettingAnnotation,
  message: string
): { readonly description: string; readonly message: string } => ({
  ...about,
  message
})

/** `false` or `true`. */
export const boolean = (about: SettingAnnotation) => Schema.Boolean.annotate(noted(about, "must be true or false"))

/** A whole number within bounds. */
export const integer = (minimum: number, maximum: number, about: SettingAnnotation) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate(
    noted(about, `must be a whole number from ${minimum} to ${maximum}`)
  )

/** The largest count that is accepted. */
export const COUNT = 1_000_000_000

/** A count, from 1. */
export const count = (about: SettingAnnotation) => integer(1, COUNT, about)

/** A text that is not empty. */
export const text = (about: SettingAnnotation) =>
  Schema.String.check(Schema.isMinLength(1)).annotate(noted(about, "must be a text that is not empty"))

/** A text that matches a pattern. `sentence` describes valid texts. */
export const pattern = (form: RegExp, sentence: string, about: SettingAnnotation) =>
  Schema.String.check(Schema.isPattern(form)).annotate(noted(about, sentence))

/** A text for which `isValid` is true. `sentence` describes such texts. */
export const textThat = (isValid: (text: string) => boolean, sentence: string, about: SettingAnnotation) =>
  // the JSON Schema has the annotations of the text only, because no keyword says what the function checks
  Schema.String.annotate(noted(about, sentence)).check(Schema.makeFilter(isValid, noted(about, sentence)))

/** One of a few words. */
export const literal = <const Words extends ReadonlyArray<string>>(words: Words, about: SettingAnnotation) =>
  Schema.Literals(words).annotate(noted(about, `must be ${list(words, "or")}`))

/** The largest time that a timer of Node takes: a timer counts in 32 bits, and fires at once for a longer time. */
const TIMER = 0x7fff_ffff

/**
 * A time, such as `30s`, as milliseconds. The bounds are in milliseconds. By default they are those of a timer of Node.
 * With `most: Infinity` there are none.
 */
export const duration = ({
  most = TIMER,
  least = most === Infinity ? 0 : 1,
  ...about
}: SettingAnnotation & { readonly least?: number; readonly most?: number }) => {
  const bounds = `must be a time from ${timeOf(least)} to ${most === TIMER ? "24d" : timeOf(most)}`
  return pattern(TIME, "must be a time such as 250ms, 30s, 5m, 12h or 8d", about).pipe(
    Schema.decodeTo(
      Schema.Number.pipe(
        Schema.refine((millis): millis is Millis => millis >= least && millis <= most, { message: bounds })
      ),
      { decode: SchemaGetter.transform((time: string) => millisOf(time)), encode: SchemaGetter.transform(timeOf) }
    )
  )
}

/** A number of bytes, or a text such as `5MiB`, as a number of bytes. */
export const bytes = ({ least = 0, ...about }: SettingAnnotation & { readonly least?: 0 | 1 }) =>
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    Schema.String.check(Schema.isPattern(BYTES))
  ])
    .annotate(noted(about, BYTES_SENTENCE))
    .pipe(
      Schema.decodeTo(
        Schema.Number.check(
          Schema.isGreaterThanOrEqualTo(least, { message: "must be above zero" }),
          Schema.isLessThanOrEqualTo(Number.MAX_SAFE_INTEGER, { message: "must be below 8192TiB" })
        ),
        {
          decode: SchemaGetter.transform((size: number | string) => bytesOf(size)),
          encode: SchemaGetter.transform((bytes: number) => bytes)
        }
      )
    )

const BYTES_SENTENCE = "must be a number of bytes, or a text such as 64KiB, 5MiB or 2GiB"

/** A whole number within bounds, or null, which removes a limit. `number` describes the number. */
export const limit = (
  minimum: number,
  maximum: number,
  { number, ...about }: SettingAnnotation & { readonly number: string }
) =>
  Schema.NullOr(integer(minimum, maximum, { description: number })).annotate(
    noted(about, `must be a whole number from ${minimum} to ${maximum}, or null`)
  )

/** A number of bytes, or null, which removes a limit. */
export const bytesLimit = ({ description, ...about }: SettingAnnotation) =>
  Schema.NullOr(bytes({ description })).annotate(
    noted(
      { ...about, description: `${description} null means no bound.` },
      "must be a number of bytes, a text such as 64KiB, 5MiB or 2GiB, or null"
    )
  )

/**
 * The further forms of a URL's setting.
 */
export interface UrlForms {
  /** Words, or patterns of words, that may stand in place of a URL. */
  readonly words?: ReadonlyArray<string>
  /** Reasons why a text is not valid, looked for before those of every URL. */
  readonly flaws?: ReadonlyArray<{ readonly message: string; readonly isSound: (text: string) => boolean }>
}

/**
 * A URL with one of these schemes, or one of the words in its place. Each flaw has a sentence of its own, so that a
 * wrong port is not reported as a wrong scheme.
 */
export const url = (
  schemes: ReadonlyArray<string>,
  { flaws = [], words = [], ...about }: SettingAnnotation & UrlForms
) => {
  const urls = `a URL with ${list(
    schemes.map((scheme) => `${scheme}://`),
    "or"
  )}`
  const start = new RegExp(`^(?:${schemes.join("|")})://`, "u")
  const flaw = (message: string, isSound: (text: string) => boolean) =>
    Schema.makeFilter((text: string) => !start.test(text) || isSound(text), { message })
  const form = [...words, `(?:${schemes.join("|")})://[^\\s]+`].join("|")
  return Schema.String.check(
    flaw("is a URL with a blank in it", (text) => !/\s/u.test(text)),
    ...flaws.map(({ isSound, message }) => Schema.makeFilter((text: string) => isSound(text), { message })),
    ...URL_FLAWS.map(({ isSound, message }) =>
      flaw(message, (text) => URL.canParse(text) || isSound(authorityOf(text), text))
    ),
    flaw("is not a URL", (text) => URL.canParse(text)),
    // the last check has the annotations of the setting, and is the only one that a JSON Schema can express
    Schema.isPattern(new RegExp(`^(?:${form})$`, "u"))
  ).annotate(noted(about, words.length === 0 ? `must be ${urls}` : `must be ${words.join(", ")}, or ${urls}`))
}

/** The part of a URL between its scheme and its path: `host` can have brackets, and `port` is undefined without one. */
interface UrlAuthority {
  readonly host: string
  readonly port: string | undefined
}

const authorityOf = (url: string): UrlAuthority => {
  const [, text = ""] = /^[^:]+:\/\/([^/?#\\]*)/u.exec(url) ?? []
  const [, host = "", port] = /^(\[[^\]]*\]?|[^:]*)(?::(.*))?$/u.exec(text.slice(text.lastIndexOf("@") + 1)) ?? []
  return { host, port }
}

/** The reasons why a text that begins as a URL is none, in the order in which they are looked for. */
const URL_FLAWS: ReadonlyArray<{
  readonly message: string
  readonly isSound: (authority: UrlAuthority, url: string) => boolean
}> = [
  {
    // the first / ends the authority, so a password with one looks like a port
    message: "is a URL whose user or password has a /, ? or #: write it percent-encoded",
    isSound: ({ port }, url) => isPort(port) || !/[/?#].*@/u.test(url.slice(url.indexOf("//") + 2))
  },
  { message: "is a URL without a host", isSound: ({ host }) => host !== "" },
  {
    message: "is a URL whose host is no host name and no IP address",
    isSound: ({ host }) => URL.canParse(`http://${host}`)
  },
  { message: "is a URL whose port is no number from 0 to 65535", isSound: ({ port }) => isPort(port) }
]

const isPort = (port: string | undefined): boolean => /^\d*$/u.test(port ?? "") && Number(port ?? 0) <= 65_535

/** Shown in place of a secret. */
export const SECRET = "<secret>"

/** A text that is never shown. Encoded, it is `<secret>`. */
export const secret = (form: Schema.Codec<string>) =>
  form.pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String), {
      decode: SchemaGetter.transform((text: string) => Redacted.make(text)),
      encode: SchemaGetter.transform(() => SECRET)
    })
  )

/** A URL that may contain a key. Encoded, it is only the scheme and the host, without a key in the host. */
export const secretUrl = (form: Schema.Codec<string>) =>
  form.pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String), {
      decode: SchemaGetter.transform((text: string) => Redacted.make(text)),
      encode: SchemaGetter.transform((url: Redacted.Redacted) => hostOf(url))
    })
  )

/** Returns the scheme and the host of a URL, without a key in the host. The rest of the URL may be a secret. */
export const hostOf = (url: Redacted.Redacted): string => UrlSecrets.shownOrigin(Redacted.value(url))

/** A list. */
export const array = <Item extends Schema.Constraint>(item: Item, about: SettingAnnotation) =>
  Schema.Array(item).annotate(noted(about, "must be a list"))

/** Settings with names that the file chooses. */
export const record = <Value extends Schema.Constraint>(value: Value, about: SettingAnnotation) =>
  Schema.Record(Schema.String, value).annotate(noted(about, "must be entries, each after its own name and a colon"))

/** A group of settings. */
export const struct = <const Fields extends Schema.Struct.Fields>(fields: Fields, description: string) =>
  Schema.Struct(fields).annotate({
    description,
    message: `must be a group of settings: ${Object.keys(fields).join(", ")}`
  })

/** A setting that may be left out. Its default, if it names one, depends on other settings. */
export const optional = <S extends Schema.Constraint>(setting: S): Schema.optionalKey<S> => Schema.optionalKey(setting)

/** A setting that may be left out, and then has the default that it names. */
export const defaulted = <S extends Schema.Constraint>(setting: S): Schema.withDecodingDefaultKey<S> => {
  const usual = SettingShape.annotationOf(setting.ast, "default") as S["Encoded"]
  return Schema.withDecodingDefaultKey<S>(Effect.succeed(usual))(setting)
}

/** A group that may be left out, and then has the defaults of its settings. */
export const group = <const Fields extends Schema.Struct.Fields>(fields: Fields, description: string) =>
  withDefaults(struct(fields, description))

/** A group as it is, which may be left out, and then has the defaults of its settings. */
export const withDefaults = <Group extends Schema.Constraint>(group: Group): Schema.withDecodingDefaultKey<Group> =>
  Schema.withDecodingDefaultKey<Group>(Effect.succeed({}))(group)

/** Joins words as in a sentence: `a, b or c`. */
export const list = (words: ReadonlyArray<string>, last: "and" | "or"): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`

/** Settings that decode without services, and without the options that an object has beside them. */
export type SettingsOf<A> = Schema.Codec<A, any>

/**
 * Decodes the options of a layer by the Schema of its settings. Fails with the first option that is invalid, whose name
 * begins with the path `within`. Other members of the options are ignored.
 */
export const resolve = <A>(
  settings: SettingsOf<A>,
  options: OptionsOf<A>,
  within: SettingShape.SettingPath = []
): Result.Result<A, GatewayError> =>
  Result.mapError(checkOptions(settings, options), ({ path, problem }) =>
    badOption({ path: [...within, ...path], problem })
  )

/** Decodes options, as `resolve` does. Fails with the mistake, for a layer that has another error. */
export const checkOptions = <A>(
  settings: SettingsOf<A>,
  options: OptionsOf<A>
): Result.Result<A, SettingShape.SettingMistake> => check(settings, inFile(settings.ast, options))

/** Decodes settings in the form of a file. Fails with the first setting that is invalid. */
export const check = <A>(settings: SettingsOf<A>, value: unknown): Result.Result<A, SettingShape.SettingMistake> =>
  Result.mapError(
    Schema.decodeUnknownResult(settings, { onExcessProperty: "error" })(value),
    ({ issue }) => SettingShape.mistakes(settings.ast, issue)[0]!
  )

/** Returns the error for a setting, in a layer whose errors are not those of a gateway. */
export const settingError = ({ path, problem }: SettingShape.SettingMistake): SettingError =>
  new SettingError({
    setting: path
      .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`))
      .join(""),
    problem
  })

/** Returns the default of each setting that has one. */
export const defaultsOf = <A>(settings: SettingsOf<A>): A => Schema.decodeUnknownSync(settings)({})

/** Returns the default that a setting names. */
export const usualOf = <A>(setting: SettingsOf<A>): A =>
  Schema.decodeUnknownSync(setting)(SettingShape.annotationOf(setting.ast, "default"))

/** Returns settings in the form of a file, without secrets. */
export const encode = <A>(settings: SettingsOf<A>, value: A): unknown =>
  // a secret is encoded as a text that its own checks refuse
  Schema.encodeUnknownSync(settings, { disableChecks: true })(value)

/** Returns the error of an option. */
export const badOption = ({ path, problem }: SettingShape.SettingMistake): GatewayError =>
  new GatewayError({ reason: { _tag: "BadOption", option: path.join("."), problem } })

/** Returns options in the form of a file. */
const inFile = (ast: SchemaAST.AST, option: unknown): unknown => {
  if (Redacted.isRedacted(option)) return Redacted.value(option)
  const shape = SettingShape.at(ast, [])
  if (shape?.isTime === true) {
    const time = Duration.fromInput(option as Duration.Input)
    return Option.isSome(time) ? timeOf(Duration.toMillis(time.value)) : option
  }
  if (shape?.isGroup !== true || typeof option !== "object" || option === null) return option
  const members = Object.entries(option).flatMap(([name, member]) => {
    const within = SettingShape.find(ast, [name])
    return member === undefined || within === undefined ? [] : [[name, inFile(within, member)] as const]
  })
  return Object.fromEntries(members)
}

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
const millisOf = (time: string): number => measured(TIME, time)

/** Returns the bytes of a size that has passed its Schema. */
const bytesOf = (size: number | string): number => (typeof size === "number" ? size : measured(BYTES, size))

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

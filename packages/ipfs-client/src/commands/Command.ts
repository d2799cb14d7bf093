/**
 * A command of the IPFS HTTP API as a value: its arguments, its options, its answer, and the part of the answer that
 * can be proven.
 *
 * The client, the service's routes, its checks and its documentation all read it from this one value.
 */
import type * as Schema from "effect/Schema"

/**
 * A Schema between a JSON value and a domain value. It needs no services and must not wait, because it runs
 * synchronously.
 */
export type Codec = Schema.Codec<any, any>

/**
 * An argument. Arguments of the type `string` are `arg` of the query, in their order; those of the type `file` are
 * parts of the body.
 */
export interface Argument {
  readonly name: string
  readonly kind: "string" | "file"
  readonly required: boolean
  /** True if there may be several. Only the last argument may be variadic. */
  readonly variadic: boolean
  readonly doc: string
}

/** The types of options, by the names that Kubo's errors have for them. A `duration` is written as Go does. */
export interface OptionTypes {
  readonly bool: boolean
  readonly int: number
  readonly uint: number
  readonly string: string
  readonly duration: string
}

/** An option of the query. */
export interface Option<Type extends keyof OptionTypes, Local extends boolean = boolean> {
  readonly type: Type
  readonly doc: string
  /** An alternative name of the option, of one character or more. */
  readonly alias: string | undefined
  /** The server's value if the option is left out; undefined if the server chooses it. */
  readonly default: OptionTypes[Type] | undefined
  /** True if the option only changes what the command line prints: the server accepts and ignores it. */
  readonly local: Local
}

/** Any option. */
export type AnyOption = Option<keyof OptionTypes>

/** Options by name. */
export type Options = Readonly<Record<string, AnyOption>>

/**
 * A handwritten decoder for the forms that nodes send most. It returns the same value as the Schema, or undefined for
 * any other form, which the Schema then decodes.
 */
export type Quick<A = any> = (value: unknown) => A | undefined

/**
 * The form of a command's answer: one JSON value, one JSON value per line, or bytes.
 *
 * `contentType` is the type that Kubo gives the bytes. `hasLength` is true if Kubo counts them in `X-Content-Length`.
 */
export type Answer =
  | { readonly kind: "json"; readonly schema: Codec }
  | { readonly kind: "lines"; readonly schema: Codec; readonly quick?: Quick | undefined }
  | { readonly kind: "bytes"; readonly contentType: string; readonly hasLength: boolean }

/**
 * The part of an answer that hashing can verify, given the requested CID.
 *
 * `proven`: the whole answer can be checked. `partial`: some of it. `claimed`: none of it.
 */
export type Verification = "proven" | "partial" | "claimed"

/** A command. Its path is `/api/v0/` and its name. */
export interface Command<
  Name extends string,
  Args extends ReadonlyArray<Argument>,
  O extends Options,
  A extends Answer
> {
  readonly name: Name
  readonly args: Args
  readonly options: O
  readonly answer: A
  readonly doc: string
  readonly verification: Verification
  /** True if calling it twice has the same effect as calling it once. */
  readonly idempotent: boolean
  /** Differences between the nodes of today, if there are any. */
  readonly note: string | undefined
}

/** Any command. */
export type Any = Command<string, ReadonlyArray<Argument>, Options, Answer>

/** The name of an option as a program writes it: `rawLeaves` for `raw-leaves`. */
export type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name

/** The options of a command that a program may give. Those of the command line's output are left out. */
export type OptionsOf<C extends Any> = {
  readonly [Name in keyof C["options"] & string as C["options"][Name]["local"] extends true ? never : Camel<Name>]?:
    | OptionTypes[C["options"][Name]["type"]]
    | undefined
}

/** The type of one value of the answer: the JSON value, the value of a line, or a piece of the bytes. */
export type AnswerOf<C extends Any> = C["answer"] extends { readonly schema: infer S extends Codec }
  ? S["Type"]
  : Uint8Array

/** A command whose answer is of this kind. */
export type Answering<Kind extends Answer["kind"]> = Command<
  string,
  ReadonlyArray<Argument>,
  Options,
  Extract<Answer, { readonly kind: Kind }>
>

/** Settings of an argument. Default: it is required, and single. */
export interface ArgumentSettings {
  readonly optional?: boolean | undefined
  readonly variadic?: boolean | undefined
}

/** An argument in the query. It is required and single unless said otherwise. */
export const argument = (name: string, doc: string, settings: ArgumentSettings = {}): Argument => ({
  name,
  kind: "string",
  required: settings.optional !== true,
  variadic: settings.variadic ?? false,
  doc
})

/** An argument in the body. It is required and single unless said otherwise. */
export const file = (name: string, doc: string, settings: ArgumentSettings = {}): Argument => ({
  ...argument(name, doc, settings),
  kind: "file"
})

/** Settings of an option: another name, and its default. */
export interface OptionSettings<Type extends keyof OptionTypes> {
  readonly alias?: string | undefined
  readonly default?: OptionTypes[Type] | undefined
}

const option =
  <Type extends keyof OptionTypes>(type: Type) =>
  (doc: string, settings: OptionSettings<Type> = {}): Option<Type, false> => ({
    type,
    doc,
    alias: settings.alias,
    default: settings.default,
    local: false
  })

/** A switch. */
export const bool = /* @__PURE__ */ option("bool")

/** A whole number. */
export const int = /* @__PURE__ */ option("int")

/** A whole number, zero or more. */
export const uint = /* @__PURE__ */ option("uint")

/** A text. */
export const string = /* @__PURE__ */ option("string")

/** A span of time as Go writes it, such as `30s` or `1m30s`. */
export const duration = /* @__PURE__ */ option("duration")

/** An option that only changes what the command line prints. */
export const local = <Type extends keyof OptionTypes>(option: Option<Type>): Option<Type, true> => ({
  ...option,
  local: true
})

/** One JSON value. */
export const json = <S extends Codec>(schema: S): { readonly kind: "json"; readonly schema: S } => ({
  kind: "json",
  schema
})

/** One JSON value per line. `quick` is tried before the Schema. */
export const lines = <S extends Codec>(
  schema: S,
  quick?: Quick<S["Type"]>
): { readonly kind: "lines"; readonly schema: S; readonly quick: Quick<S["Type"]> | undefined } => ({
  kind: "lines",
  schema,
  quick
})

/** Bytes, as they come. */
export const bytes = (
  contentType: string,
  settings: { readonly hasLength?: boolean | undefined } = {}
): { readonly kind: "bytes"; readonly contentType: string; readonly hasLength: boolean } => ({
  kind: "bytes",
  contentType,
  hasLength: settings.hasLength ?? false
})

/**
 * A command.
 *
 * `doc` is one line. `verification` defaults to `claimed`, and `idempotent` to true, which is right for commands that
 * read.
 *
 * ```ts import.meta.vitest
 * import { Command } from "@plumbline/ipfs-client"
 * import { Schema } from "effect"
 *
 * const count = Command.make("count", {
 *   args: [Command.argument("ipfs-path", "What to count.", { variadic: true })],
 *   options: { "only-leaves": Command.bool("Count leaves only.", { default: false }) },
 *   answer: Command.json(Schema.Number),
 *   doc: "Counts the blocks of something."
 * })
 * count.name // => "count"
 * count.options["only-leaves"].type // => "bool"
 * count.idempotent // => true
 * ```
 */
export const make = <
  const Name extends string,
  const Args extends ReadonlyArray<Argument>,
  const O extends Options,
  A extends Answer
>(
  name: Name,
  settings: {
    readonly args: Args
    readonly options: O
    readonly answer: A
    readonly doc: string
    readonly verification?: Verification | undefined
    readonly idempotent?: boolean | undefined
    readonly note?: string | undefined
  }
): Command<Name, Args, O, A> => ({
  name,
  args: settings.args,
  options: settings.options,
  answer: settings.answer,
  doc: settings.doc,
  verification: settings.verification ?? "claimed",
  idempotent: settings.idempotent ?? true,
  note: settings.note
})

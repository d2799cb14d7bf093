/**
 * A command of the IPFS HTTP API as a value: its arguments, its options, its answer, and the part of the answer that
 * can be proven.
 *
 * The client, the service's routes, its checks and its documentation are all made from this value.
 */
import type * as Schema from "effect/Schema"

/**
 * A Schema between a JSON value and a domain value. It needs no services and must not wait, because it runs
 * synchronously.
 */
export type CommandCodec = Schema.Codec<any, any>

/**
 * An argument. Arguments of the type `string` are sent as `arg` in the query, in order; arguments of the type `file`
 * are parts of the body.
 */
export interface CommandArgument {
  readonly name: string
  readonly kind: "string" | "file"
  readonly required: boolean
  /** True if the argument may be repeated. Only the last argument may be variadic. */
  readonly variadic: boolean
  readonly doc: string
}

/** The types of options, under the names that Kubo's errors use. A `duration` is text in Go's form, such as `30s`. */
export interface OptionTypes {
  readonly bool: boolean
  readonly int: number
  readonly uint: number
  readonly string: string
  readonly duration: string
}

/** An option of the query. */
export interface CommandOption<Type extends keyof OptionTypes, Local extends boolean = boolean> {
  readonly type: Type
  readonly doc: string
  /** An alternative name of the option, of one character or more. */
  readonly alias: string | undefined
  /** The server's value if the caller omits the option; undefined if the server chooses it. */
  readonly default: OptionTypes[Type] | undefined
  /** True if the option only changes the output of the command line. The server accepts and ignores it. */
  readonly local: Local
}

/** Any option. */
export type AnyCommandOption = CommandOption<keyof OptionTypes>

/** Options by name. */
export type CommandOptions = Readonly<Record<string, AnyCommandOption>>

/**
 * A handwritten decoder for the forms that nodes send most. It returns the same value as the Schema, or undefined for
 * any other form, which the Schema then decodes.
 */
export type QuickDecoder<A = any> = (value: unknown) => A | undefined

/**
 * The form of a command's answer: one JSON value, one JSON value per line, or bytes.
 *
 * `contentType` is the type that Kubo gives the bytes. `hasLength` is true if Kubo counts them in `X-Content-Length`.
 */
export type CommandAnswer =
  | { readonly kind: "json"; readonly schema: CommandCodec }
  | { readonly kind: "lines"; readonly schema: CommandCodec; readonly quick?: QuickDecoder | undefined }
  | { readonly kind: "bytes"; readonly contentType: string; readonly hasLength: boolean }

/**
 * The part of an answer that hashing can verify, if the requested CID is known.
 *
 * `proven`: the whole answer. `partial`: a part of the answer. `claimed`: nothing.
 */
export type CommandVerification = "proven" | "partial" | "claimed"

/** A command. Its path is `/api/v0/` and its name. */
export interface Command<
  Name extends string,
  Args extends ReadonlyArray<CommandArgument>,
  O extends CommandOptions,
  A extends CommandAnswer
> {
  readonly name: Name
  readonly args: Args
  readonly options: O
  readonly answer: A
  readonly doc: string
  readonly verification: CommandVerification
  /** True if calling it twice has the same effect as calling it once. */
  readonly idempotent: boolean
  /** Differences between current nodes, if there are any. */
  readonly note: string | undefined
}

/** Any command. */
export type AnyCommand = Command<string, ReadonlyArray<CommandArgument>, CommandOptions, CommandAnswer>

/** The name of an option as a program writes it: `rawLeaves` for `raw-leaves`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** The options of a command that a program may pass. Options of the command line's output are left out. */
export type OptionsOf<C extends AnyCommand> = {
  readonly [
    Name in keyof C["options"] & string as C["options"][Name]["local"] extends true ? never : CamelCase<Name>
  ]?: OptionTypes[C["options"][Name]["type"]] | undefined
}

/** The type of one value of the answer: the JSON value, the value of a line, or a piece of the bytes. */
export type AnswerOf<C extends AnyCommand> = C["answer"] extends { readonly schema: infer S extends CommandCodec }
  ? S["Type"]
  : Uint8Array

/** A command whose answer is of this kind. */
export type AnsweringCommand<Kind extends CommandAnswer["kind"]> = Command<
  string,
  ReadonlyArray<CommandArgument>,
  CommandOptions,
  Extract<CommandAnswer, { readonly kind: Kind }>
>

/** Settings of an argument. By default it is required and not repeated. */
export interface CommandArgumentSettings {
  readonly optional?: boolean | undefined
  readonly variadic?: boolean | undefined
}

/** Defines an argument in the query. By default it is required and not repeated. */
export const argument = (name: string, doc: string, settings: CommandArgumentSettings = {}): CommandArgument => ({
  name,
  kind: "string",
  required: settings.optional !== true,
  variadic: settings.variadic ?? false,
  doc
})

/** Defines an argument in the body. By default it is required and not repeated. */
export const file = (name: string, doc: string, settings: CommandArgumentSettings = {}): CommandArgument => ({
  ...argument(name, doc, settings),
  kind: "file"
})

/** Settings of an option: an alternative name, and its default. */
export interface CommandOptionSettings<Type extends keyof OptionTypes> {
  readonly alias?: string | undefined
  readonly default?: OptionTypes[Type] | undefined
}

const option =
  <Type extends keyof OptionTypes>(type: Type) =>
  (doc: string, settings: CommandOptionSettings<Type> = {}): CommandOption<Type, false> => ({
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

/** Marks an option that only changes the output of the command line. */
export const local = <Type extends keyof OptionTypes>(option: CommandOption<Type>): CommandOption<Type, true> => ({
  ...option,
  local: true
})

/** Defines an answer of one JSON value. */
export const json = <S extends CommandCodec>(schema: S): { readonly kind: "json"; readonly schema: S } => ({
  kind: "json",
  schema
})

/** Defines an answer of one JSON value per line. `quick` is tried before the Schema. */
export const lines = <S extends CommandCodec>(
  schema: S,
  quick?: QuickDecoder<S["Type"]>
): { readonly kind: "lines"; readonly schema: S; readonly quick: QuickDecoder<S["Type"]> | undefined } => ({
  kind: "lines",
  schema,
  quick
})

/** Defines an answer of bytes. */
export const bytes = (
  contentType: string,
  settings: { readonly hasLength?: boolean | undefined } = {}
): { readonly kind: "bytes"; readonly contentType: string; readonly hasLength: boolean } => ({
  kind: "bytes",
  contentType,
  hasLength: settings.hasLength ?? false
})

/**
 * Defines a command.
 *
 * `doc` is one line. `verification` defaults to `claimed`. `idempotent` defaults to true, which is right for commands
 * that read.
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
  const Args extends ReadonlyArray<CommandArgument>,
  const O extends CommandOptions,
  A extends CommandAnswer
>(
  name: Name,
  settings: {
    readonly args: Args
    readonly options: O
    readonly answer: A
    readonly doc: string
    readonly verification?: CommandVerification | undefined
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

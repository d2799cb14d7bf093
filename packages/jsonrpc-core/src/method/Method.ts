/**
 * A method as a value: its name, its parameters, its result, what it costs, and what its answer is worth.
 *
 * Everything that has to know a method (the typed client, the server, its checks, its documentation, its price) reads
 * it from this one value.
 */
import type * as Schema from "effect/Schema"

/** A Schema between a JSON value and a domain value, needing nothing. It must not wait: it is run synchronously. */
export type Codec = Schema.Codec<any, any>

/** One positional parameter. */
export interface Param<Name extends string, S extends Codec, Optional extends boolean> {
  readonly name: Name
  readonly schema: S
  readonly optional: Optional
  readonly doc: string
  /**
   * The most values inside an argument: members of objects and elements of arrays, at any depth. Infinity: not bounded.
   * A server refuses more with -32602 before the schema sees any of them.
   */
  readonly values: number
}

/** Whatever parameter. */
export type AnyParam = Param<string, Codec, boolean>

/**
 * What mathematics can say about an answer, given one trusted hash.
 *
 * `proven`: the whole answer can be checked. `partial`: some of its fields. `claimed`: none.
 */
export type Verification = "proven" | "partial" | "claimed"

/** How long an answer stays the same: `immutable` for ever, `block` until the next block, `none` not at all. */
export type CachePolicy = "immutable" | "block" | "none"

/** A method. `cost` is in credits, the unit of metering. */
export interface Method<Name extends string, Params extends ReadonlyArray<AnyParam>, R extends Codec> {
  readonly name: Name
  readonly params: Params
  readonly result: R
  readonly doc: string
  readonly cost: number
  readonly verification: Verification
  readonly cache: CachePolicy
  /** Whether calling it twice does no more than calling it once. */
  readonly idempotent: boolean
}

/** Whatever method. */
export type Any = Method<string, ReadonlyArray<AnyParam>, Codec>

/** The arguments of a method as a tuple of domain values; trailing optional parameters may be left out. */
export type Args<M extends Any> = ArgsOf<M["params"]>

/** The arguments that a list of parameters asks for. */
export type ArgsOf<Params extends ReadonlyArray<AnyParam>> = Params extends readonly [
  infer Head extends AnyParam,
  ...infer Tail extends ReadonlyArray<AnyParam>
]
  ? [
      ...(Head["optional"] extends true
        ? [argument?: Head["schema"]["Type"] | undefined]
        : [argument: Head["schema"]["Type"]]),
      ...ArgsOf<Tail>
    ]
  : Params extends readonly []
    ? []
    : Array<any>

/** The result of a method as a domain value. */
export type Result<M extends Any> = M["result"]["Type"]

/**
 * A parameter.
 *
 * An optional parameter may be left out, or be `null` on the wire where something follows it. Give `values` to each
 * parameter of a method that strangers may call: what a schema costs grows with them. The default is Infinity.
 */
export const param: {
  <const Name extends string, S extends Codec>(
    name: Name,
    schema: S,
    options: { readonly optional: true; readonly doc?: string | undefined; readonly values?: number | undefined }
  ): Param<Name, S, true>
  <const Name extends string, S extends Codec>(
    name: Name,
    schema: S,
    options?: {
      readonly optional?: false | undefined
      readonly doc?: string | undefined
      readonly values?: number | undefined
    }
  ): Param<Name, S, false>
} = <Name extends string, S extends Codec>(
  name: Name,
  schema: S,
  options?: {
    readonly optional?: boolean | undefined
    readonly doc?: string | undefined
    readonly values?: number | undefined
  }
): Param<Name, S, any> => ({
  name,
  schema,
  optional: options?.optional ?? false,
  doc: options?.doc ?? "",
  values: options?.values ?? Infinity
})

/**
 * A method.
 *
 * `doc` is one line. `cost` defaults to 1 credit, `verification` to `claimed`, `cache` to `none`: the careful side.
 * `idempotent` defaults to true, because methods that read are. Give false to one that must not be sent again.
 *
 * ```ts import.meta.vitest
 * import { Method } from "@plumbline/jsonrpc-core"
 * import { Schema } from "effect"
 *
 * const subtract = Method.make("subtract", {
 *   params: [Method.param("minuend", Schema.Number), Method.param("subtrahend", Schema.Number)],
 *   result: Schema.Number,
 *   doc: "The difference of two numbers."
 * })
 * subtract.params.map((param) => param.name) // => ["minuend", "subtrahend"]
 * subtract.verification // => "claimed"
 * ```
 */
export const make = <const Name extends string, const Params extends ReadonlyArray<AnyParam>, R extends Codec>(
  name: Name,
  options: {
    readonly params: Params
    readonly result: R
    readonly doc?: string | undefined
    readonly cost?: number | undefined
    readonly verification?: Verification | undefined
    readonly cache?: CachePolicy | undefined
    readonly idempotent?: boolean | undefined
  }
): Method<Name, Params, R> => ({
  name,
  params: options.params,
  result: options.result,
  doc: options.doc ?? "",
  cost: options.cost ?? 1,
  verification: options.verification ?? "claimed",
  cache: options.cache ?? "none",
  idempotent: options.idempotent ?? true
})

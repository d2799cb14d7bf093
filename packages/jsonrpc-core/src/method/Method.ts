/**
 * A method as a value: its name, its parameters, its result, its cost, and how far its answer can be verified.
 *
 * Everything about a method (the typed client, the server, its checks, its documentation, its price) follows from this
 * one value.
 */
import type * as Schema from "effect/Schema"

import type { ValuePath } from "../error/JsonRpcError.ts"

/** A Schema between a JSON value and a domain value. It needs no services, and must be synchronous. */
export type JsonCodec = Schema.Codec<any, any>

/** The fault of an argument: its path inside the argument, and a sentence that ends with advice. */
export interface ArgumentFault {
  readonly path: ValuePath
  readonly detail: string
}

/** One positional parameter. */
export interface Param<Name extends string, S extends JsonCodec, Optional extends boolean> {
  readonly name: Name
  readonly schema: S
  readonly optional: Optional
  readonly doc: string
  /**
   * Maximum number of values inside an argument: members of objects and elements of arrays, at any depth. Infinity
   * means no bound. A server refuses a larger argument with -32602 before the schema sees it.
   */
  readonly values: number
  /** The JSON value that a server reads for `null`, as geth reads the empty value of some types. Default: none. */
  readonly byNull?: unknown
  /**
   * Returns the fault of an argument that the schema accepts but that a client refuses to send, such as an address with
   * a wrong checksum. A server does not run this check.
   */
  readonly check: ((argument: any) => ArgumentFault | undefined) | undefined
}

/** Any parameter. */
export type AnyParam = Param<string, JsonCodec, boolean>

/**
 * The part of an answer that can be proven from one trusted hash.
 *
 * `proven`: the whole answer. `partial`: some of its fields. `claimed`: nothing.
 */
export type Verification = "proven" | "partial" | "claimed"

/**
 * The time for which an answer stays the same. `immutable`: for ever. `block`: until the next block. `none`: the answer
 * may change at once.
 */
export type CachePolicy = "immutable" | "block" | "none"

/** A method. `cost` is in credits, the unit of metering. */
export interface Method<Name extends string, Params extends ReadonlyArray<AnyParam>, R extends JsonCodec> {
  readonly name: Name
  readonly params: Params
  readonly result: R
  readonly doc: string
  readonly cost: number
  readonly verification: Verification
  readonly cache: CachePolicy
  /** True if calling it twice has the same effect as calling it once. */
  readonly idempotent: boolean
  /**
   * Returns a result with its repeated arguments as the caller wrote them. Both are JSON values. Absent if the results
   * repeat no argument, or repeat it in its canonical form. Servers that put parameters in canonical form call it.
   */
  readonly echo?: ((params: unknown, result: unknown) => unknown) | undefined
  /**
   * Returns an answer with the members that some servers leave out, and that repeat an argument. Both are JSON values.
   * Clients call it before they decode the answer.
   */
  readonly complete?: ((params: ReadonlyArray<unknown>, result: unknown) => unknown) | undefined
  /** True if servers of this protocol take parameters by position only. */
  readonly isPositional?: boolean | undefined
  /**
   * Returns an argument in the spelling that the schema accepts, or the argument itself if it has that spelling
   * already. Servers call it for an argument that the schema refuses. Absent if this protocol has one spelling.
   */
  readonly respell?: ((argument: unknown) => unknown) | undefined
}

/** Any method. */
export type Any = Method<string, ReadonlyArray<AnyParam>, JsonCodec>

/** The arguments of a method as a tuple of domain values; trailing optional parameters may be left out. */
export type Args<M extends Any> = ArgsOf<M["params"]>

/** The arguments for a list of parameters. */
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
 * Makes a parameter.
 *
 * An optional parameter may be left out, or be `null` on the wire if another argument follows it. If untrusted callers
 * can reach the method, give `values` to each parameter: the cost of a schema grows with the number of values. The
 * default is Infinity.
 *
 * `check` finds mistyped arguments that a server would accept. A client runs it before it sends the call.
 */
export const param: {
  <const Name extends string, S extends JsonCodec>(
    name: Name,
    schema: S,
    options: {
      readonly optional: true
      readonly doc?: string | undefined
      readonly values?: number | undefined
      readonly byNull?: unknown
      readonly check?: ((argument: any) => ArgumentFault | undefined) | undefined
    }
  ): Param<Name, S, true>
  <const Name extends string, S extends JsonCodec>(
    name: Name,
    schema: S,
    options?: {
      readonly optional?: false | undefined
      readonly doc?: string | undefined
      readonly values?: number | undefined
      readonly byNull?: unknown
      readonly check?: ((argument: any) => ArgumentFault | undefined) | undefined
    }
  ): Param<Name, S, false>
} = <Name extends string, S extends JsonCodec>(
  name: Name,
  schema: S,
  options?: {
    readonly optional?: boolean | undefined
    readonly doc?: string | undefined
    readonly values?: number | undefined
    readonly byNull?: unknown
    readonly check?: ((argument: any) => ArgumentFault | undefined) | undefined
  }
): Param<Name, S, any> => ({
  name,
  schema,
  optional: options?.optional ?? false,
  doc: options?.doc ?? "",
  values: options?.values ?? Infinity,
  byNull: options?.byNull,
  check: options?.check
})

/**
 * Makes a method.
 *
 * `doc` is one line. `cost` defaults to 1 credit, `verification` to `claimed`, `cache` to `none`, which are the safe
 * choices. `idempotent` defaults to true, because methods that read are idempotent. Give false for a method that must
 * not be sent again.
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
export const make = <const Name extends string, const Params extends ReadonlyArray<AnyParam>, R extends JsonCodec>(
  name: Name,
  options: {
    readonly params: Params
    readonly result: R
    readonly doc?: string | undefined
    readonly cost?: number | undefined
    readonly verification?: Verification | undefined
    readonly cache?: CachePolicy | undefined
    readonly idempotent?: boolean | undefined
    readonly echo?: ((params: unknown, result: unknown) => unknown) | undefined
    readonly complete?: ((params: ReadonlyArray<unknown>, result: unknown) => unknown) | undefined
    readonly isPositional?: boolean | undefined
    readonly respell?: ((argument: unknown) => unknown) | undefined
  }
): Method<Name, Params, R> => ({
  name,
  params: options.params,
  result: options.result,
  doc: options.doc ?? "",
  cost: options.cost ?? 1,
  verification: options.verification ?? "claimed",
  cache: options.cache ?? "none",
  idempotent: options.idempotent ?? true,
  ...(options.echo === undefined ? {} : { echo: options.echo }),
  ...(options.complete === undefined ? {} : { complete: options.complete }),
  ...(options.isPositional === undefined ? {} : { isPositional: options.isPositional }),
  ...(options.respell === undefined ? {} : { respell: options.respell })
})

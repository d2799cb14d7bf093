/**
 * An Ethereum method as a value: a `Method` that also says how clients offer it, and how far they trust its answer.
 *
 * The plain client, the checks of arguments, the proving clients, the policy of the provider, and the gateway's cache and
 * allowlist follow from this value. So a new method is written once here, once as a line of `EthClient.Client`, and, if
 * its answer is proven, once where it is proven.
 */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import type * as Effect from "effect/Effect"

/**
 * The treatment of an answer by a client that returns only proven answers.
 *
 * - `proven`: hashes prove the answer, or the client can compute it. Such a client has a check for each of these reads.
 * - `fact`: a statement about the chain that nothing here proves. Such a client refuses it.
 * - `advice`: a suggestion of the node, or a statement about itself. It passes, because it cannot mislead about the chain.
 */
export type ReadTrust = "proven" | "fact" | "advice"

/**
 * The thing that an argument names. Caches find the block of a call by it, and allowlists its addresses.
 *
 * `slots` is one storage key or a list of them; `slotsByAccount` is a record of such lists.
 */
export type ParamNames =
  | "nothing"
  | "block"
  | "transaction"
  | "logs"
  | "account"
  | "slots"
  | "slotsByAccount"
  | "call"
  | "simulation"
  | "accountOverrides"
  | "blockOverrides"

/** A parameter of an Ethereum method. `Default` is undefined if clients have no default for it. */
export interface EthParam<
  Name extends string,
  S extends Method.JsonCodec,
  Optional extends boolean,
  Default
> extends Method.Param<Name, S, Optional> {
  readonly names: ParamNames
  /** The argument that a client sends if the caller omits it, because not every node has a default. */
  readonly byDefault: Default
}

/** Any parameter. */
export type AnyEthParam = EthParam<string, Method.JsonCodec, boolean, unknown>

/** An Ethereum method. `read` is its name in the clients. */
export interface EthMethod<
  Name extends string,
  Params extends ReadonlyArray<AnyEthParam>,
  R extends Method.JsonCodec,
  Read extends string,
  T extends ReadTrust
> extends Method.Method<Name, Params, R> {
  readonly read: Read
  readonly trust: T
}

/** Any Ethereum method. */
export type AnyEthMethod = EthMethod<string, ReadonlyArray<AnyEthParam>, Method.JsonCodec, string, ReadTrust>

/** The client names of the methods with this trust. */
export type ReadName<M extends AnyEthMethod, T extends ReadTrust = ReadTrust> = M extends { readonly trust: T }
  ? M["read"]
  : never

/** The arguments of a read. An argument with a default may be left out. */
export type ReadArguments<Params extends ReadonlyArray<AnyEthParam>> = Params extends readonly [
  infer Head extends AnyEthParam,
  ...infer Tail extends ReadonlyArray<AnyEthParam>
]
  ? [
      ...(Head["optional"] extends true
        ? [argument?: Head["schema"]["Type"] | undefined]
        : Head["byDefault"] extends undefined
          ? [argument: Head["schema"]["Type"]]
          : [argument?: Head["schema"]["Type"] | undefined]),
      ...ReadArguments<Tail>
    ]
  : []

/** The read that a client offers for a method: a function, or an effect if the method has no parameters. */
export type ClientRead<M extends AnyEthMethod, E = JsonRpcError> = M["params"] extends readonly []
  ? Effect.Effect<Method.Result<M>, E>
  : (...args: ReadArguments<M["params"]>) => Effect.Effect<Method.Result<M>, E>

/** The options of a parameter: those of `Method.param`, with `names` and `byDefault`. */
export interface EthParamOptions<Argument> {
  readonly names: ParamNames
  readonly doc: string
  readonly values: number
  readonly optional?: true | undefined
  readonly byDefault?: Argument | undefined
  readonly byNull?: unknown
  readonly check?: ((argument: any) => Method.ArgumentFault | undefined) | undefined
}

/** True for the options of a parameter that may be left out on the wire. */
export type IsOptional<Options> = Options extends { readonly optional: true } ? true : false

/** The default in the options of a parameter; undefined if there is none. */
export type DefaultOf<Options> = Options extends { readonly byDefault: infer Default } ? Default : undefined

/** Makes a parameter. */
export const param = <
  const Name extends string,
  S extends Method.JsonCodec,
  const Options extends EthParamOptions<S["Type"]>
>(
  name: Name,
  schema: S,
  options: Options
): EthParam<Name, S, IsOptional<Options>, DefaultOf<Options>> => ({
  ...(Method.param(name, schema, options as {}) as Method.Param<Name, S, any>),
  names: options.names,
  byDefault: options.byDefault as any
})

/**
 * Returns an argument with `0x` in place of `0X`, in its texts and in its names, or the argument itself if nothing
 * begins with `0X`. geth reads both in every hash, address, quantity and piece of data.
 *
 * ```ts import.meta.vitest
 * import { EthMethod } from "@plumbline/eth-methods"
 *
 * EthMethod.respell([{ to: "0XAB" }, "latest"]) // => [{ to: "0xAB" }, "latest"]
 * ```
 */
export const respell = (argument: unknown): unknown => {
  if (typeof argument === "string") return argument.startsWith("0X") ? `0x${argument.slice(2)}` : argument
  if (typeof argument !== "object" || argument === null) return argument
  if (Array.isArray(argument)) {
    const items = argument.map(respell)
    return items.every((item, index) => item === argument[index]) ? argument : items
  }
  const members = Object.entries(argument)
  const respelled = members.map(([name, inside]) => [respell(name), respell(inside)] as const)
  const isSame = respelled.every(
    ([name, inside], index) => name === members[index]![0] && inside === members[index]![1]
  )
  return isSame ? argument : Object.fromEntries(respelled)
}

/** The form of requests on Ethereum, as geth reads them. */
export const requests = { isPositional: true, respell } as const

/**
 * Makes a method. The options are those of `Method.make`, but `doc`, `cost` and `cache` must be given, and so must
 * `verification` if the answer is proven. Nothing of a fact or of advice is proven.
 *
 * ```ts import.meta.vitest
 * import { EthMethod } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const method = EthMethod.make("eth_newThing", {
 *   read: "newThing",
 *   trust: "advice",
 *   params: [],
 *   result: Schema.String,
 *   doc: "A new thing.",
 *   cost: 80,
 *   cache: "none"
 * })
 * method.verification // => "claimed"
 * ```
 */
export const make = <
  const Name extends string,
  const Params extends ReadonlyArray<AnyEthParam>,
  R extends Method.JsonCodec,
  const Read extends string,
  const T extends ReadTrust
>(
  name: Name,
  options: {
    readonly read: Read
    readonly trust: T
    readonly params: Params
    readonly result: R
    readonly doc: string
    readonly cost: number
    readonly cache: Method.CachePolicy
    readonly idempotent?: boolean | undefined
    readonly echo?: Method.Any["echo"]
    readonly complete?: Method.Any["complete"]
  } & (T extends "proven" ? { readonly verification: Method.Verification } : { readonly verification?: never })
): EthMethod<Name, Params, R, Read, T> => ({
  ...Method.make<Name, Params, R>(name, { ...options, ...requests }),
  read: options.read,
  trust: options.trust
})

/**
 * Returns the arguments by position, with the defaults of those that the caller omits.
 */
export const withDefaults = (method: AnyEthMethod, args: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  method.params.map(({ byDefault }, at) => (args[at] === undefined ? byDefault : args[at]))

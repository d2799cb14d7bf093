/**
 * The types of an ABI, and the types of values that follow from it.
 *
 * They are written here, and accept the ABIs of viem and abitype, so that a program that exports what it infers from an ABI
 * names no package that it does not install.
 *
 * ```ts import.meta.vitest
 * import type { AbiType } from "@plumbline/contracts"
 *
 * type Point = AbiType.ValueOf<{
 *   readonly type: "tuple[]"
 *   readonly components: readonly [{ readonly name: "x"; readonly type: "uint8" }, { readonly name: "y"; readonly type: "int256" }]
 * }>
 * const points: Point = [{ x: 1, y: -2n }]
 * points.length // => 1
 * ```
 */
import type * as Hex from "@plumbline/codec/hex/Hex"

/** A parameter: its type, as in a signature, and the members of a tuple. */
export interface AbiParameter {
  readonly type: string
  readonly name?: string | undefined
  readonly internalType?: unknown
  readonly components?: ReadonlyArray<AbiParameter> | undefined
}

/** A parameter of an event. An indexed one is in a topic. */
export interface AbiEventParameter extends AbiParameter {
  readonly indexed?: boolean | undefined
}

/** A function. */
export interface AbiFunction {
  readonly type: "function"
  readonly name: string
  readonly stateMutability: "pure" | "view" | "nonpayable" | "payable"
  readonly inputs: ReadonlyArray<AbiParameter>
  readonly outputs: ReadonlyArray<AbiParameter>
}

/** An event. */
export interface AbiEvent {
  readonly type: "event"
  readonly name: string
  readonly inputs: ReadonlyArray<AbiEventParameter>
  readonly anonymous?: boolean | undefined
}

/** An error with which a contract reverts. */
export interface AbiError {
  readonly type: "error"
  readonly name: string
  readonly inputs: ReadonlyArray<AbiParameter>
}

/** An item that no module here reads. */
export interface OtherItem {
  readonly type: "constructor" | "fallback" | "receive"
}

/** The interface of a contract. Write it `as const`, or by viem's `parseAbi`, for inferred types. */
export type Abi = ReadonlyArray<AbiFunction | AbiEvent | AbiError | OtherItem>

/** Splits the type of an array into that of its items and its length, which is empty if it varies; undefined for others. */
type ArrayOf<
  Type extends string,
  Before extends string = ""
> = Type extends `${infer Item}[${infer Length}]${infer Rest}`
  ? Rest extends ""
    ? readonly [item: `${Before}${Item}`, length: Length]
    : ArrayOf<Rest, `${Before}${Item}[${Length}]`>
  : undefined

/** A list of this length; of any length above 32. */
type ListOf<Item, Length extends string, List extends ReadonlyArray<Item> = readonly []> = List["length"] extends 33
  ? ReadonlyArray<Item>
  : `${List["length"]}` extends Length
    ? List
    : ListOf<Item, Length, readonly [...List, Item]>

/** The sizes of integers that are numbers. Larger ones are bigints. */
type SmallBits = "8" | "16" | "24" | "32" | "40" | "48"

/** The value of a parameter. */
export type ValueOf<P extends AbiParameter> = string extends P["type"]
  ? unknown
  : ArrayOf<P["type"]> extends readonly [infer Item extends string, infer Length extends string]
    ? Length extends ""
      ? ReadonlyArray<ValueOf<{ readonly type: Item; readonly components: P["components"] }>>
      : ListOf<ValueOf<{ readonly type: Item; readonly components: P["components"] }>, Length>
    : P["type"] extends "tuple"
      ? P["components"] extends infer Members extends ReadonlyArray<AbiParameter>
        ? MembersOf<Members>
        : never
      : P["type"] extends "address" | `bytes${string}`
        ? Hex.Hex
        : P["type"] extends "string"
          ? string
          : P["type"] extends "bool"
            ? boolean
            : P["type"] extends `int${SmallBits}` | `uint${SmallBits}`
              ? number
              : P["type"] extends `int${string}` | `uint${string}`
                ? bigint
                : never

/** The values of parameters, in their order. */
export type ValuesOf<Parameters extends ReadonlyArray<AbiParameter>> = {
  readonly [At in keyof Parameters]: ValueOf<Parameters[At]>
}

/** True if one of the parameters has no name. */
type HasUnnamed<Parameters extends ReadonlyArray<AbiParameter>> = Parameters extends readonly [
  infer First extends AbiParameter,
  ...infer Rest extends ReadonlyArray<AbiParameter>
]
  ? First["name"] extends infer Name extends string
    ? Name extends ""
      ? true
      : HasUnnamed<Rest>
    : true
  : false

/** The members of a tuple: an object if all have names, otherwise a list. */
type MembersOf<Parameters extends ReadonlyArray<AbiParameter>> =
  HasUnnamed<Parameters> extends true
    ? ValuesOf<Parameters>
    : { [P in Parameters[number] as P["name"] & string]: ValueOf<P> }

/** The items of an ABI of one kind with one name. In an ABI that is not known yet, an item has any name. */
type ItemOf<A extends Abi, Type extends string, Name = string> = NamedItem<A[number], Type, Name>

type NamedItem<Item, Type, Name> = Item extends { readonly type: Type; readonly name: infer Own }
  ? string extends Own
    ? Item
    : Own extends Name
      ? Item
      : never
  : never

/** The name of a function of an ABI. */
export type FunctionName<A extends Abi> = ItemOf<A, "function">["name"]

/** The arguments of a function, as a tuple. Overloads give several. */
export type FunctionArgs<A extends Abi, Name extends FunctionName<A>> =
  ItemOf<A, "function", Name> extends infer Item ? (Item extends AbiFunction ? ValuesOf<Item["inputs"]> : never) : never

/** The name of a function that can be called without arguments. */
export type BareFunctionName<A extends Abi> = {
  readonly [Name in FunctionName<A>]: readonly [] extends FunctionArgs<A, Name> ? Name : never
}[FunctionName<A>]

/** The value of a function: nothing, the one value that it returns, or several as a tuple. */
export type FunctionValue<A extends Abi, Name extends FunctionName<A>, Args = FunctionArgs<A, Name>> =
  ItemOf<A, "function", Name> extends infer Item
    ? Item extends AbiFunction
      ? Args extends ValuesOf<Item["inputs"]>
        ? ReturnedOf<ValuesOf<Item["outputs"]>>
        : never
      : never
    : never

type ReturnedOf<Values extends ReadonlyArray<unknown>> = number extends Values["length"]
  ? unknown
  : Values extends readonly []
    ? void
    : Values extends readonly [infer One]
      ? One
      : Values

/** The name of an error of an ABI. */
export type ErrorName<A extends Abi> = ItemOf<A, "error">["name"]

/** The arguments of an error, as a tuple. */
export type ErrorArgs<A extends Abi, Name extends ErrorName<A>> =
  ItemOf<A, "error", Name> extends infer Item ? (Item extends AbiError ? ValuesOf<Item["inputs"]> : never) : never

/** The name of an event of an ABI. */
export type EventName<A extends Abi> = ItemOf<A, "event">["name"]

type EventInputs<A extends Abi, Name extends EventName<A>> =
  ItemOf<A, "event", Name> extends infer Item ? (Item extends AbiEvent ? Item["inputs"] : never) : never

/** Arguments by name, or by place. */
type AnyArgs = ReadonlyArray<unknown> | Readonly<Record<string, unknown>>

/**
 * Values of the indexed arguments of an event, by which logs are selected: one value, a list of alternatives, or undefined
 * for any. They are an object by name, or a list if an argument has no name.
 */
export type EventSelection<A extends Abi, Name extends EventName<A>> =
  EventInputs<A, Name> extends infer Inputs extends ReadonlyArray<AbiEventParameter>
    ? number extends Inputs["length"]
      ? AnyArgs
      : HasUnnamed<Inputs> extends true
        ? ReadonlyArray<unknown>
        : {
            readonly [P in Extract<Inputs[number], { readonly indexed: true }> as P["name"] & string]?:
              | ValueOf<P>
              | ReadonlyArray<ValueOf<P>>
              | null
              | undefined
          }
    : never

/** The value of an argument in a log. An indexed one of a type without fixed size is only known by its hash. */
type EventValueOf<P extends AbiEventParameter> = P["indexed"] extends true
  ? P["type"] extends "string" | "bytes" | "tuple" | `${string}]`
    ? Hex.Hex
    : ValueOf<P>
  : ValueOf<P>

/** The arguments of an event in a log: an object if all of them have names, otherwise a list. */
export type EventArgs<A extends Abi, Name extends EventName<A>> =
  EventInputs<A, Name> extends infer Inputs extends ReadonlyArray<AbiEventParameter>
    ? number extends Inputs["length"]
      ? AnyArgs
      : Inputs extends readonly []
        ? readonly []
        : HasUnnamed<Inputs> extends true
          ? { readonly [At in keyof Inputs]: EventValueOf<Inputs[At]> }
          : { [P in Inputs[number] as P["name"] & string]: EventValueOf<P> }
    : never

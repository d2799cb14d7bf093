/** The types of typed paths. They are separate, so that tsc instantiates each one only if it is used. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"

import type { ExternalFunction } from "../value/Value.ts"

/** The key of a reference. Its name appears in the compiler's error if a mapping is used as a value. */
export const ValueInStorage: unique symbol = Symbol.for("@plumbline/storage-layout/Ref")

/** A reference to a value of the type `A`. */
export interface Ref<out A> {
  readonly [ValueInStorage]: { readonly path: string; readonly value?: A }
}

/** The fields that a struct's member and a variable share. */
export interface ItemLike {
  readonly label: string
  readonly type: string
}

/** A variable. `path` is the start of its paths, if that differs from its label. */
export interface VariableLike extends ItemLike {
  readonly path?: string
}

/** A namespace of ERC-7201. */
export interface NamespaceLike {
  readonly id: string
  readonly type: string
}

/** A type of solc's layout, with the additional fields of `Generate`. */
export interface TypeLike {
  readonly encoding: string
  readonly label: string
  readonly key?: string
  readonly value?: string
  readonly base?: string
  readonly members?: ReadonlyArray<ItemLike>
  readonly underlying?: string
  readonly enumMembers?: ReadonlyArray<string>
}

/** A layout of solc with the additional fields of `Generate`, as far as the types need it. */
export interface LayoutLike {
  readonly storage: ReadonlyArray<VariableLike>
  readonly namespaces?: ReadonlyArray<NamespaceLike>
  readonly types: Readonly<Record<string, TypeLike>> | null
}

/** The starts of paths: variables and namespaces. */
export type AccessorRoot<L extends LayoutLike> =
  | L["storage"][number]
  | (L extends { readonly namespaces: ReadonlyArray<infer Namespace extends NamespaceLike> } ? Namespace : never)

/** The text at the start of a root's paths. */
export type PathStart<R> = R extends { readonly path: infer Path extends string }
  ? Path
  : R extends { readonly label: infer Label extends string }
    ? Label
    : R extends { readonly id: infer Id extends string }
      ? `erc7201("${Id}")`
      : never

/** The value type of an elementary type. */
type Elementary<Label> = Label extends "bool"
  ? boolean
  : Label extends `uint${number}` | `int${number}`
    ? bigint
    : Label extends `address${string}` | `contract ${string}`
      ? Address.Address
      : Label extends "string" | "decimal" | `String[${string}`
        ? string
        : Label extends `function ${string} external${string}`
          ? ExternalFunction
          : Label extends `enum ${string}`
            ? bigint
            : Hex.Hex

/**
 * `Seen` has the structs that contain this value. Their types have names, because TypeScript writes `any` into
 * declarations where a type without a name contains itself.
 */
type ValueOfType<L extends LayoutLike, Id, T, Seen> = T extends { readonly enumMembers: ReadonlyArray<infer Name> }
  ? Name
  : T extends { readonly underlying: infer Label }
    ? Elementary<Label>
    : T extends { readonly members: infer Members extends ReadonlyArray<ItemLike> }
      ? Id extends Seen
        ? StructValue<L, Id>
        : {
            readonly [M in Members[number] as HasValue<L, M["type"]> extends true ? M["label"] : never]: ValueOf<
              L,
              M["type"],
              Seen | Id
            >
          }
      : T extends { readonly base: infer Base }
        ? ReadonlyArray<ValueOf<L, Base, Seen>>
        : T extends { readonly label: infer Label }
          ? Elementary<Label>
          : never

type TypeOf<L extends LayoutLike, Id> = Id extends keyof L["types"] ? L["types"][Id] : never

type MemberOf<L extends LayoutLike, Id> =
  TypeOf<L, Id> extends { readonly members: ReadonlyArray<infer Member extends ItemLike> } ? Member : never

type ValueOf<L extends LayoutLike, Id, Seen = never> = ValueOfType<L, Id, TypeOf<L, Id>, Seen>

/** The value of a struct inside a struct of the same type. */
export type StructValue<L extends LayoutLike, Id> = {
  readonly [M in MemberOf<L, Id> as HasValue<L, M["type"]> extends true ? M["label"] : never]: ValueOf<L, M["type"], Id>
}

/** True unless the type is a mapping or an array of mappings, which have no value. */
type HasValue<L extends LayoutLike, Id> =
  TypeOf<L, Id> extends { readonly encoding: "mapping" }
    ? false
    : TypeOf<L, Id> extends { readonly base: infer Base }
      ? HasValue<L, Base>
      : true

/**
 * The key type of a mapping whose keys cannot be hashed, because the layout lacks their type. No value has this type.
 */
export interface UnknownKey {
  readonly "what this key stands for is only in the syntax tree": never
}

/** The type of a key. The brand of an address is optional. */
type KeyOf<L extends LayoutLike, Id> = Id extends `t_userDefinedValueType${string}`
  ? TypeOf<L, Id> extends { readonly underlying: infer Label }
    ? Written<Elementary<Label>>
    : UnknownKey
  : Written<ValueOf<L, Id>>

type Written<Value> = Value extends Hex.Hex ? Hex.Hex : Value

type RefIfValue<L extends LayoutLike, Id> = HasValue<L, Id> extends true ? Ref<ValueOf<L, Id>> : unknown

/** A mapping: only its entries have values. */
export interface MappingRef<Key, Entry> {
  readonly get: (key: Key) => Entry
}

/** An array of a fixed length. */
export interface ArrayRef<Element> {
  readonly at: (index: number | bigint) => Element
}

/** An array or bytes with a length in storage. */
export interface LengthRef {
  readonly length: Ref<bigint>
}

/** The type that stands for a variable, or for a part of a variable. `Seen` has the structs that contain it. */
export type AccessorNode<L extends LayoutLike, Id, Seen = never> = NodeOfType<L, Id, TypeOf<L, Id>, Seen>

/** A struct inside a struct of the same type. */
export type StructRef<L extends LayoutLike, Id> = Ref<ValueOf<L, Id>> & {
  readonly [M in MemberOf<L, Id> as M["label"]]: AccessorNode<L, M["type"], Id>
}

type NodeOfType<L extends LayoutLike, Id, T, Seen> = T extends { readonly key: infer Key; readonly value: infer Entry }
  ? MappingRef<KeyOf<L, Key>, AccessorNode<L, Entry, Seen>>
  : T extends { readonly members: infer Members extends ReadonlyArray<ItemLike> }
    ? Id extends Seen
      ? StructRef<L, Id>
      : Ref<ValueOf<L, Id>> & { readonly [M in Members[number] as M["label"]]: AccessorNode<L, M["type"], Seen | Id> }
    : T extends { readonly base: infer Base; readonly encoding: "dynamic_array" | "bounded_array" }
      ? RefIfValue<L, Id> & ArrayRef<AccessorNode<L, Base, Seen>> & LengthRef
      : T extends { readonly base: infer Base }
        ? RefIfValue<L, Id> & ArrayRef<AccessorNode<L, Base, Seen>>
        : T extends { readonly encoding: "bytes" | "bounded_bytes" }
          ? Ref<ValueOf<L, Id>> & LengthRef
          : Ref<ValueOf<L, Id>>

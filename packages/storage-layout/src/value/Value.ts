/**
 * Values: the meaning of words of storage.
 *
 * | type                                     | value                                                           |
 * | ---------------------------------------- | --------------------------------------------------------------- |
 * | `bool`                                   | `boolean`                                                       |
 * | `uintN`, `intN`                          | `bigint`                                                        |
 * | Vyper's `decimal`                        | its exact decimal text, such as `-1.5`                          |
 * | `address`, contracts, interfaces         | lower-case `0x` text of 20 bytes                                |
 * | `bytesN`, `bytes`                        | lower-case `0x` text                                            |
 * | `string`                                 | text                                                            |
 * | enums                                    | the member's name; without the syntax tree its number, `bigint` |
 * | user-defined value types                 | as what they stand for; without the syntax tree `0x` text       |
 * | external functions                       | `{ address, selector }`                                         |
 * | internal functions                       | `0x` text, whose meaning depends on the compiler                |
 * | structs                                  | an object of the members, without those that are mappings       |
 * | arrays                                   | an array                                                        |
 * | lengths                                  | `bigint`                                                        |
 * | what the type does not allow             | a {@link Flaw}                                                  |
 */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"

/** A function of a contract. */
export interface ExternalFunction {
  readonly address: Address.Address
  /** 4 bytes. */
  readonly selector: Hex.Hex
}

/** The value of a struct, keyed by the names of its members. */
export interface StructValue {
  readonly [member: string]: Value
}

/** A value of any type. */
export type Value = boolean | bigint | string | ExternalFunction | Flaw | StructValue | ReadonlyArray<Value>

/**
 * A value that could not be decoded: its words do not fit the type, or were not read.
 *
 * - `NotABool`, `NotAMember`: a number above 1, or above an enum's last member. `bytes` is the part of the word.
 * - `NotPadded`: Vyper gives a value a word of its own, and the rest of this word is not the value's padding.
 * - `BadLength`: a length that no program writes: of a short text above 31, of a long one below 32, of a bounded one
 *   above the bound. `bytes` is the word.
 * - `NotUtf8`: a string whose bytes are not text. `bytes` is all of them.
 * - `OutOfRange`: the path uses an index that the array does not have.
 * - `TooLarge`, `TooDeep`: more words, or more levels, than the limits of the reading.
 */
export class Flaw {
  readonly _tag = "Flaw"
  readonly reason: FlawReason
  /** The path of the value, starting at the variable. */
  readonly path: string
  /** The bytes in storage that were read. */
  readonly bytes: Hex.Hex | undefined

  constructor(reason: FlawReason, path: string, bytes?: Hex.Hex) {
    this.reason = reason
    this.path = path
    this.bytes = bytes
  }
}

/** See {@link Flaw}. */
export type FlawReason =
  | "NotABool"
  | "NotAMember"
  | "NotPadded"
  | "BadLength"
  | "NotUtf8"
  | "OutOfRange"
  | "TooLarge"
  | "TooDeep"

/** A value, and the flaws anywhere in it. */
export interface Decoded {
  readonly value: Value
  readonly flaws: ReadonlyArray<Flaw>
}

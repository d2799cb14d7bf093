/**
 * The values that words of storage encode.
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
 * | user-defined value types                 | the underlying type; without the syntax tree `0x` text          |
 * | external functions                       | `{ address, selector }`                                         |
 * | internal functions                       | `0x` text, whose meaning depends on the compiler                |
 * | structs                                  | an object of the members, without those that are mappings       |
 * | arrays                                   | an array                                                        |
 * | lengths                                  | `bigint`                                                        |
 * | a word that does not fit its type        | a {@link Flaw}                                                  |
 */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"

/** A function of a contract. */
export interface ExternalFunction {
  readonly address: Address.Address
  /** The selector, 4 bytes. */
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
 * - `NotABool`: a number above 1. `bytes` is the part of the word.
 * - `NotAMember`: a number above an enum's last member. `bytes` is the part of the word.
 * - `NotPadded`: the rest of the word is not the padding of the value. Vyper stores each value in a separate word.
 * - `BadLength`: a length that no program writes: above 31 for a short text, below 32 for a long text, or above the
 *   bound for a bounded text. `bytes` is the word.
 * - `NotUtf8`: a string whose bytes are not UTF-8. `bytes` is the whole string.
 * - `OutOfRange`: the path uses an index that the array does not have.
 * - `TooLarge`: the value has more words than the limits of the reading allow.
 * - `TooDeep`: the value has more levels than the limits of the reading allow.
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
export interface DecodedValue {
  readonly value: Value
  readonly flaws: ReadonlyArray<Flaw>
}

/**
 * Returns the value as data for `JSON.stringify`. It is the `encode` of `Verdict.toJson` for a variable.
 *
 * An integer is decimal text, because JSON's numbers are exact only up to 2^53. Structs are objects. A flaw is
 * `{ "flaw": reason, "bytes": hex }`, except that a string that is not UTF-8 is its `0x` text, and an index beyond an
 * array is null.
 *
 * ```ts import.meta.vitest
 * import { Value } from "@plumbline/storage-layout"
 *
 * Value.toJson({ supply: 2n ** 64n, paused: false, names: ["a"] }) // => { supply: "18446744073709551616", paused: false, names: ["a"] }
 * Value.toJson(new Value.Flaw("NotABool", "paused", "0x02")) // => { flaw: "NotABool", bytes: "0x02" }
 * ```
 */
export const toJson = (value: Value): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (typeof value !== "object") return value
  if (value instanceof Flaw) return flawToJson(value)
  if (Array.isArray(value)) return value.map(toJson)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member as Value)]))
}

const flawToJson = ({ bytes, reason }: Flaw): unknown => {
  if (reason === "OutOfRange") return null
  if (reason === "NotUtf8") return bytes
  return { flaw: reason, ...(bytes === undefined ? {} : { bytes }) }
}

/** The errors of coding by an ABI. They have a module of their own, because bundlers keep classes. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Data from "effect/Data"

/**
 * Arguments do not fit the types. The error does not repeat the values.
 *
 * ```ts import.meta.vitest
 * import { AbiError } from "@plumbline/contracts"
 *
 * const reason = { _tag: "Value", position: 1, type: "uint8", form: undefined } as const
 * new AbiError.AbiArgumentError({ types: "(bool,uint8)", reason }).message // => "argument 2 of (bool,uint8) must be uint8"
 * ```
 */
export class AbiArgumentError extends Data.TaggedError("AbiArgumentError")<{
  /** The types of all arguments, as in a signature. */
  readonly types: string
  readonly reason:
    | { readonly _tag: "Count"; readonly expected: number; readonly given: number }
    | {
        readonly _tag: "Value"
        /** The position of the argument, from 0. */
        readonly position: number
        readonly type: string
        /** The form in which a text gives such a value; undefined if the argument was not a text. */
        readonly form: string | undefined
      }
}> {
  override get message(): string {
    const { reason, types } = this
    if (reason._tag === "Count") {
      return `${types} takes ${reason.expected} argument${reason.expected === 1 ? "" : "s"}, and ${reason.given} ${reason.given === 1 ? "is" : "are"} given`
    }
    const form = reason.form === undefined ? "" : `: ${reason.form}`
    return `argument ${reason.position + 1} of ${types} must be ${reason.type}${form}`
  }
}

/**
 * The fault of bytes:
 *
 * | fault | meaning |
 * | --- | --- |
 * | `Empty` | there are no bytes, and the types need some |
 * | `TooLong` | there are more bytes than `AbiParameters.MAX_BYTES` |
 * | `OutOfData` | a value reaches beyond the end of the bytes |
 * | `NotCanonical` | an encoder writes the value in another way: bits that its type has no place for, or an offset to another place |
 * | `NotUtf8` | the bytes of a text are not UTF-8 |
 * | `TrailingBytes` | bytes follow the values, where none may |
 * | `UnsupportedType` | the type is unknown here, or has no size, as `uint256[0]` |
 * | `NotHex` | the text is not `0x` and an even number of hex digits |
 */
export type AbiFault =
  | "Empty"
  | "TooLong"
  | "OutOfData"
  | "NotCanonical"
  | "NotUtf8"
  | "TrailingBytes"
  | "UnsupportedType"
  | "NotHex"

const SENTENCES: Readonly<Record<AbiFault, string>> = {
  Empty: "there are none",
  TooLong: "there are too many",
  OutOfData: "they end within a value",
  NotCanonical: "an encoder writes this value in another way",
  NotUtf8: "a text is not UTF-8",
  TrailingBytes: "more bytes follow the values",
  UnsupportedType: "the type is not supported",
  NotHex: "they are not hex"
}

/**
 * Bytes are not the encoding of values of these types. The bytes are in `data`, so nothing is lost.
 *
 * ```ts import.meta.vitest
 * import { AbiParameters } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const wrong = Result.getOrThrow(Result.flip(AbiParameters.decode([{ type: "bool" }], `0x${"00".repeat(31)}02`)))
 * wrong.fault // => "NotCanonical"
 * wrong.message // => "the bytes are no values of (bool), at [0]: an encoder writes this value in another way"
 * ```
 */
export class AbiDecodeError extends Data.TaggedError("AbiDecodeError")<{
  /** The types of all values, as in a signature. */
  readonly types: string
  readonly data: Hex.Hex
  readonly fault: AbiFault
  /** The place of the faulty value, such as `[0].owner`; empty if the fault is of the whole. */
  readonly path: string
}> {
  override get message(): string {
    const at = this.path === "" ? "" : `, at ${this.path}`
    return `the bytes are no values of ${this.types}${at}: ${SENTENCES[this.fault]}`
  }
}

/** The reason why a log is not decoded. */
export type AbiEventFault =
  /** The ABI has no event whose signature has the hash that is the first topic. An anonymous event has no such hash. */
  | { readonly _tag: "UnknownEvent" }
  /** The event has another number of indexed arguments. ERC-20 and ERC-721 differ so in `Transfer`. */
  | { readonly _tag: "Topics"; readonly expected: number; readonly given: number }
  /** A topic or the data holds no values of the event's types. */
  | { readonly _tag: "Values"; readonly cause: AbiDecodeError }

/** A log is not an event of the ABI. */
export class AbiEventError extends Data.TaggedError("AbiEventError")<{
  /** The event with the same signature, such as `Transfer(address,address,uint256)`; undefined if there is none. */
  readonly event: string | undefined
  readonly fault: AbiEventFault
}> {
  override get message(): string {
    const { event, fault } = this
    switch (fault._tag) {
      case "UnknownEvent":
        return "the ABI has no event with the log's first topic"
      case "Topics":
        return `${event} has ${fault.expected} topics, and the log has ${fault.given}`
      case "Values":
        return `the log is no ${event}: ${fault.cause.message}`
    }
  }
}

/** A name stands for no item of the ABI, or no indexed argument of an event, or for several items that fit. */
export class AbiNameError extends Data.TaggedError("AbiNameError")<{
  readonly kind: "function" | "event" | "argument"
  /** The name that was given. */
  readonly wanted: string
  /** The signatures that the name stands for, if there are several and the arguments do not choose one of them. */
  readonly overloads: ReadonlyArray<string>
  /** Names that differ from this one by a few letters, nearest first. */
  readonly nearest: ReadonlyArray<string>
}> {
  override get message(): string {
    const { kind, nearest, overloads, wanted } = this
    if (overloads.length > 0) {
      return `the arguments fit none or several of ${overloads.join(", ")}. Make the call with an ABI that has one of them.`
    }
    const hint = nearest.length === 0 ? "" : `. Did you mean ${nearest.join(" or ")}?`
    const none = kind === "argument" ? "the event has no indexed argument" : `the ABI has no ${kind}`
    return `${none} ${wanted.slice(0, 64)}${hint}`
  }
}

/** A text is not the signature of a function. */
export class AbiSignatureError extends Data.TaggedError("AbiSignatureError")<{}> {
  override get message(): string {
    return "the signature must be a name and types, such as balanceOf(address)(uint256)"
  }
}

/**
 * A value is not an ABI.
 *
 * ```ts import.meta.vitest
 * import { AbiJson } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(Result.flip(AbiJson.parse({ bytecode: "0x" }))).message // => "the value is no ABI: it is no list"
 * ```
 */
export class AbiJsonError extends Data.TaggedError("AbiJsonError")<{
  /** The place of the fault, such as `[0].inputs[1].type`; empty if it is of the whole. */
  readonly path: string
  readonly detail: string
}> {
  override get message(): string {
    const { detail, path } = this
    return path === "" ? `the value is no ABI: ${detail}` : `the ABI is wrong at ${path}: ${detail}`
  }
}

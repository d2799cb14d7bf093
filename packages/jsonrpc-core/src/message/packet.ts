/** The parts of a packet that a server reads: ids and messages, and the bounds of a packet. */
import type * as Brand from "effect/Brand"

import type * as ErrorObject from "../error/ErrorObject.ts"

/** A request's id: the raw JSON text of a string, a number or `null`. */
export type Id = string & Brand.Brand<"Id">

/** The parameters of a message: by position, by name, or absent. */
export type Params = ReadonlyArray<unknown> | Readonly<Record<string, unknown>> | undefined

/**
 * One message of a packet, after reading.
 *
 * `Invalid` must be answered with its error. `Response` is a message with a result or an error and no method. If both
 * ends send requests, a server that answers a `Response` can start an exchange that never ends.
 */
export type PacketEntry =
  | { readonly _tag: "Request"; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: Params }
  | { readonly _tag: "Invalid"; readonly id: Id; readonly error: ErrorObject.ErrorObject }
  | { readonly _tag: "Response"; readonly id: Id }

/** The content of one body or frame. `Refused` must be answered with one error for the whole packet. */
export type Packet =
  | { readonly _tag: "Single"; readonly entry: PacketEntry }
  | { readonly _tag: "Batch"; readonly entries: ReadonlyArray<PacketEntry> }
  | { readonly _tag: "Refused"; readonly id: Id; readonly error: ErrorObject.ErrorObject }

/** Bounds of a packet. */
export interface PacketLimits {
  /** Maximum number of bytes of UTF-8. */
  readonly maxBytes: number
  /** Maximum number of messages in a batch. */
  readonly maxBatch: number
  /**
   * Maximum number of levels of nested arrays and objects, counted from the whole packet. Example: in a batch, a call
   * with a list among its parameters has four levels.
   */
  readonly maxDepth: number
  /**
   * Maximum number of values of one message: members of objects and elements of arrays, at any depth. An empty array or
   * object counts as two.
   */
  readonly maxValues: number
}

/** Reads one packet in steps, so that a server can do other work between them. */
export interface PacketSteps {
  /**
   * Does the next step, and returns the packet once it is read. Never throws. Do not call it again after it has
   * returned the packet.
   *
   * A step scans up to 256 KiB, or parses messages until it has parsed at least 64 KiB.
   */
  readonly step: () => Packet | undefined
  /**
   * Returns the number of bytes of each message of a batch, in order, once the packet is read. Empty unless the packet
   * is a `Batch` that was read to its end.
   */
  readonly sizes: () => ReadonlyArray<number>
  /** Returns the number of scanned bytes. A scan ends at the first excess over the limits. */
  readonly scanned: () => number
  /** Returns the number of messages that were passed to `JSON.parse`. */
  readonly parsed: () => number
}

/** The longest name of a method, in UTF-16 code units. */
export const MAX_METHOD_LENGTH = 2048

/** The id of the answer when the id of the message could not be read. */
export const NULL_ID = "null" as Id

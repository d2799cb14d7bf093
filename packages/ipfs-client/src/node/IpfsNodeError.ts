/**
 * The error of a command that an IPFS node did not carry out. Its tagged reason names the side at fault.
 *
 * | reason | side at fault | meaning |
 * | --- | --- | --- |
 * | `InvalidRequest` | the caller | an invalid path, option or data |
 * | `NotSupported` | the node | a valid request that this node does not support |
 * | `NotFound` | none | the node has no such block |
 * | `NoLink` | none | no link at this point of the path has the next name |
 * | `WrongKind` | the caller | a directory where a file is needed, or the other way round |
 * | `Malformed` | the maker of the content | a block matches its CID, but contradicts its codec or other blocks |
 * | `Damaged` | the disk, or an upstream | the bytes do not match their CID; they are not returned |
 * | `PinRefused` | the caller | the current pins do not allow the command |
 * | `QuotaExceeded` | the caller | the caller's project would store, send or read more than its quota |
 * | `StorageFull` | the node | its disk has less free space than its operator keeps in reserve |
 * | `Failed` | the node | its disk or its own upstream failed |
 * | `TimedOut` | the node | the node gave no answer in time |
 *
 * `message` is Kubo's text if Kubo has this error, because clients compare messages. No error contains a folder or a
 * URL.
 */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Schema from "effect/Schema"

import type * as DagError from "../block/DagError.ts"
import { sentenceOf } from "../cid/unprovenContent.ts"

/**
 * A path, an option or data is invalid. `what` names the invalid part, unless the detail is a sentence of Kubo, which
 * already names it.
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  what: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return KUBOS.test(this.detail) ? this.detail : `invalid ${this.what}: ${this.detail}`
  }
}

/**
 * Beginnings of Kubo's sentences. Source: kubo, `core/commands` (`cat.go`, `pin/pin.go`, `block.go`) and `cmdutils`.
 */
const KUBOS =
  /^(?:cannot specify negative |invalid type '|produced block is over |unable to use |raw-leaves can't be used |option "mtime-nsecs" |mtime nanoseconds |pin name is |pin-name option requires )/u

/** The request is valid, but this node does not support it. */
export class NotSupported extends Schema.TaggedError<NotSupported>()("NotSupported", { what: Schema.String }) {
  override get message(): string {
    return `this node does not support ${this.what}`
  }
}

/** The node has no such block, and does not ask other nodes for it. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { cid: Schema.String }) {
  override get message(): string {
    return `block was not found locally (offline): ipld: could not find ${this.cid}`
  }
}

/** The content under the CID has no entry with the next name of the path. */
export class NoLink extends Schema.TaggedError<NoLink>()("NoLink", { cid: Schema.String, name: Schema.String }) {
  override get message(): string {
    return `no link named ${JSON.stringify(this.name)} under ${this.cid}`
  }
}

/** The content under the CID is not of the requested kind. */
export class WrongKind extends Schema.TaggedError<WrongKind>()("WrongKind", {
  cid: Schema.String,
  expected: Schema.Literals(["file", "directory"]),
  got: Schema.String
}) {
  override get message(): string {
    if (this.got === "directory") return "this dag node is a directory"
    // the sentence of go-ipld-prime for a path that goes on below a file
    return this.expected === "directory"
      ? 'func called on wrong kind: "LookupBySegment" called on a data.Bytes node (kind: bytes), but only makes sense on map or list'
      : `${this.cid} is a ${this.got}, not a ${this.expected}`
  }
}

/**
 * The block matches its CID, but cannot be read, because it contradicts its codec or its parent, or exceeds a bound.
 */
export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", {
  cid: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.cid}: ${this.detail}`
  }
}

/** The disk or an upstream returned bytes that do not match their CID. Digests are hex without `0x`. */
export class Damaged extends Schema.TaggedError<Damaged>()("Damaged", {
  cid: Schema.String,
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `block in storage has different hash than requested: ${this.cid}: expected ${this.expected}, got ${this.got}`
  }
}

/**
 * The current pins do not allow the command.
 *
 * | problem | meaning |
 * | --- | --- |
 * | `NotPinned` | the caller asked about a path that is neither pinned nor reached by a pin |
 * | `NotPinnedHere` | the content cannot be unpinned: it has no pin itself |
 * | `Recursive` | a direct pin cannot be removed: the pin is recursive |
 * | `AlreadyRecursive` | the content cannot be pinned directly: it is pinned recursively |
 * | `FromNotPinned` | the pin cannot be replaced: it is not a recursive pin |
 * | `Pinned` | the block cannot be removed: it is pinned in this way |
 * | `PinnedThrough` | the block cannot be removed: this pin reaches it |
 */
export class PinRefused extends Schema.TaggedError<PinRefused>()("PinRefused", {
  /** The CID; for `NotPinned`, the path; for `Pinned`, the kind of the pin. */
  subject: Schema.String,
  problem: Schema.Literals([
    "NotPinned",
    "NotPinnedHere",
    "Recursive",
    "AlreadyRecursive",
    "FromNotPinned",
    "Pinned",
    "PinnedThrough"
  ])
}) {
  override get message(): string {
    switch (this.problem) {
      case "NotPinned":
        return `path '${this.subject}' is not pinned`
      case "NotPinnedHere":
        return "not pinned or pinned indirectly"
      case "Recursive":
        return `${this.subject} is pinned recursively`
      case "AlreadyRecursive":
        return `${this.subject} already pinned recursively`
      case "FromNotPinned":
        return "'from' cid was not recursively pinned already"
      case "Pinned":
        return `pinned: ${this.subject}`
      case "PinnedThrough":
        return `pinned via ${this.subject}`
    }
  }
}

/**
 * The request would exceed a quota of the project: the sum of `used` and the requested bytes is more than `limit`.
 *
 * | quota | what it counts |
 * | --- | --- |
 * | `stored` | the sizes of the project's pins |
 * | `uploaded` | bytes sent on this day (UTC) |
 * | `downloaded` | bytes read on this day (UTC) |
 */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  quota: Schema.Literals(["stored", "uploaded", "downloaded"]),
  limit: Schema.Number,
  used: Schema.Number
}) {
  override get message(): string {
    const when = this.quota === "stored" ? "" : " today"
    return `quota exceeded: ${this.used} of ${this.limit} bytes are ${this.quota}${when}, and this is more than the rest`
  }
}

/** The node stores nothing more, because its disk has fewer free bytes than the reserve. Reading still works. */
export class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", {
  free: Schema.Number,
  reserve: Schema.Number
}) {
  override get message(): string {
    return `the disk is almost full: ${this.free} bytes are free, and ${this.reserve} are kept in reserve. Try again later, or ask the operator`
  }
}

/** The node failed. `detail` is safe to print: a system code such as `ENOSPC`, or the text of an upstream. */
export class Failed extends Schema.TaggedError<Failed>()("Failed", { doing: Schema.String, detail: Schema.String }) {
  override get message(): string {
    return `${this.doing}: ${this.detail}`
  }
}

/** The node gave no answer within `milliseconds`. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {
  doing: Schema.String,
  milliseconds: Schema.Number
}) {
  override get message(): string {
    return `${this.doing}: no answer within ${this.milliseconds / 1000} seconds`
  }
}

/** The reasons, as a Schema. */
export const Reason = Schema.Union([
  InvalidRequest,
  NotSupported,
  NotFound,
  NoLink,
  WrongKind,
  Malformed,
  Damaged,
  PinRefused,
  QuotaExceeded,
  StorageFull,
  Failed,
  TimedOut
])

/** The reason of a failure. */
export type Reason = typeof Reason.Type

/**
 * A command that the node did not carry out.
 *
 * Handle one reason with `Effect.catchReason("IpfsNodeError", "NotFound", ...)`.
 *
 * ```ts import.meta.vitest
 * import { IpfsNodeError } from "@plumbline/ipfs-client"
 *
 * const reason = new IpfsNodeError.PinRefused({ subject: "Qm...", problem: "NotPinnedHere" })
 * new IpfsNodeError.IpfsNodeError({ reason }).message // => "not pinned or pinned indirectly"
 * ```
 */
export class IpfsNodeError extends Schema.TaggedError<IpfsNodeError>()("IpfsNodeError", { reason: Reason }) {
  override get message(): string {
    return this.reason.message
  }
}

/** The errors of checking and reading blocks. */
export type BlockError =
  | RefutedError
  | UnprovenError
  | DagError.MalformedBlock
  | DagError.LimitExceeded
  | DagError.WrongKind
  | DagError.NoSuchEntry

/**
 * Returns the `IpfsNodeError` of a block that a node cannot check or read. An `IpfsNodeError` is returned unchanged.
 */
export const fromBlockError = (error: BlockError | IpfsNodeError): IpfsNodeError =>
  error._tag === "IpfsNodeError" ? error : new IpfsNodeError({ reason: reasonOf(error) })

const reasonOf = (error: BlockError): Reason => {
  switch (error._tag) {
    case "RefutedError":
      return new Damaged({ cid: error.subject ?? "", expected: error.expected, got: error.got })
    case "UnprovenError":
      return new Malformed({ cid: error.subject, detail: sentenceOf(error) })
    case "MalformedBlock":
      return new Malformed({ cid: error.cid, detail: error.detail })
    case "LimitExceeded":
      return new Malformed({ cid: error.cid, detail: `beyond ${error.bound}, which is ${error.limit}` })
    case "WrongKind":
      return new WrongKind({ cid: error.cid, expected: error.expected, got: error.got })
    case "NoSuchEntry":
      return new NoLink({ cid: error.cid, name: error.name })
  }
}

/** The reasons about logs and ranges of logs. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Reason from "@plumbline/verdict/Reason"

/** The bloom filter allows logs of this kind, and the receipts that would decide are not known or not proven. */
export const LogsMayBe: Reason.ReasonKind<
  "LogsMayBe",
  {
    /** The reason why the receipts are not proven; undefined if they are not known. */
    readonly cause?: Reason.Reason | undefined
  }
> = /* @__PURE__ */ Reason.kind("LogsMayBe", ({ cause }) => {
  const open = "the block's logsBloom does not exclude the filter, and its receipts are not"
  return cause === undefined ? `${open} known` : `${open} proven: ${cause.sentence}`
})

/** The logs of one block in the range could not be proven. */
export const LogsOfBlock: Reason.ReasonKind<"LogsOfBlock", { readonly number: bigint; readonly cause: Reason.Reason }> =
  /* @__PURE__ */ Reason.kind("LogsOfBlock", ({ cause, number }) => `block ${number}: ${cause.sentence}`)

/**
 * Proving the logs of a range needs more work or time than the client has for one read. `maxLogWork` and `maxLogTime` are
 * the bounds.
 *
 * The blocks after `next` were read, and `next` is the first block to go on from, downwards. A range from `from` to
 * `within` has as many blocks as were read, so it is likely to be within the bound. If `next` is `to`, none was read: the
 * headers alone are beyond the bound, and the range to `within` has half as many, or the time was over.
 */
export const RangeTooLong: Reason.ReasonKind<
  "RangeTooLong",
  {
    readonly from: bigint
    readonly to: bigint
    readonly bound: "work" | "time"
    /** The bound: headers, receipts, and kilobytes of logs; or milliseconds. */
    readonly max: number
    readonly next: bigint
    readonly within: bigint
  }
> = /* @__PURE__ */ Reason.kind("RangeTooLong", ({ bound, from, max, next, to, within }) => {
  const most = bound === "work" ? `${max} headers, receipts and kilobytes of logs` : `${max} milliseconds`
  return `blocks ${from} to ${to} need more than the maximum of ${most} in one read, which was reached at block ${next}. Try with this block range [0x${from.toString(16)}, 0x${within.toString(16)}]`
})

/** The range ends before it begins. */
export const RangeReversed: Reason.ReasonKind<"RangeReversed", { readonly from: bigint; readonly to: bigint }> =
  /* @__PURE__ */ Reason.kind("RangeReversed", ({ from, to }) => `the range ends at ${to}, before it begins at ${from}`)

/** The node does not know the parent of a block of the range. */
export const ParentUnknown: Reason.ReasonKind<
  "ParentUnknown",
  { readonly number: bigint; readonly hash: Hash32.Hash32 }
> = /* @__PURE__ */ Reason.kind(
  "ParentUnknown",
  ({ hash, number }) => `the node does not know block ${number}, ${hash}`
)

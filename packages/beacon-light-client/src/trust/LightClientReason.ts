/** The reasons why a light client does not prove a block. */
import * as Reason from "@plumbline/verdict/Reason"
import * as Duration from "effect/Duration"

/** The block is newer than the newest block that a sync committee signed. */
export const NewerThanHead: Reason.ReasonKind<
  "NewerThanHead",
  {
    readonly number: bigint
    /** The number of the optimistic head's execution block. */
    readonly head: bigint
  }
> = /* @__PURE__ */ Reason.kind(
  "NewerThanHead",
  ({ head, number }) => `block ${number} is newer than block ${head}, the newest that the light client knows`
)

/** The head is a beacon block from before Capella, whose header has no data of the execution chain. */
export const NoExecutionBlock: Reason.ReasonKind<"NoExecutionBlock", { readonly slot: bigint }> =
  /* @__PURE__ */ Reason.kind(
    "NoExecutionBlock",
    ({ slot }) => `the light client's header of slot ${slot} names no execution block, as all before Capella`
  )

/** Fewer members of the sync committee signed the head than the reader requires. */
export const ThinHead: Reason.ReasonKind<
  "ThinHead",
  {
    readonly slot: bigint
    readonly signed: number
    /** The number of members. */
    readonly size: number
    /** Minimum number of signers. */
    readonly needed: number
  }
> = /* @__PURE__ */ Reason.kind(
  "ThinHead",
  ({ needed, signed, size, slot }) =>
    `only ${signed} of ${size} members of the sync committee signed the newest head, slot ${slot}: fewer than ${needed}`
)

/** The head that a tag means: the optimistic head for `latest`, and the finalized head for `finalized` and `safe`. */
export type HeadTag = "newest" | "finalized"

/** The head is older than the reader allows: the beacon nodes have nothing newer, or they withhold it. */
export const StaleHead: Reason.ReasonKind<
  "StaleHead",
  {
    readonly head: HeadTag
    readonly slot: bigint
    /** Seconds since the beginning of the slot. */
    readonly age: number
    /** Maximum age, in seconds. */
    readonly maxAge: number
  }
> = /* @__PURE__ */ Reason.kind(
  "StaleHead",
  ({ age, head, maxAge, slot }) =>
    `the light client's ${head} head, slot ${slot}, is ${timeOf(age)} old, and at most ${timeOf(maxAge)} are allowed`
)

/** The newer updates, or the checkpoint, are of a fork that this version does not know. */
export const UnknownFork: Reason.ReasonKind<
  "UnknownFork",
  {
    /** The name of the fork, according to a beacon node or to the network's file. */
    readonly fork: string
    /** The head that cannot move, and the seconds since the beginning of its slot. Undefined without a head. */
    readonly head?: { readonly slot: bigint; readonly age: number }
  }
> = /* @__PURE__ */ Reason.kind("UnknownFork", ({ fork, head }) => {
  const stays = head === undefined ? "" : `, so the light client stays at slot ${head.slot}, ${timeOf(head.age)} ago`
  return `the fork ${fork} is not known to this version${stays}`
})

const timeOf = (seconds: number): string => Duration.format(Duration.seconds(seconds))

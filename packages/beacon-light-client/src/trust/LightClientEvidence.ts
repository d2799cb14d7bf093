/** The kinds of evidence that a light client gives for the block that it names. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Anchor from "@plumbline/verdict/Anchor"
import * as Evidence from "@plumbline/verdict/Evidence"

/** Signatures of sync committee members prove that a beacon block is the head or is finalized. */
export const CommitteeSigned: Evidence.EvidenceKind<
  "CommitteeSigned",
  {
    /** The slot of the beacon block that names the execution block. */
    readonly slot: bigint
    /** The slot of the block that was signed. It is later than `slot` if `slot` is finalized. */
    readonly attestedSlot: bigint
    /** The beginning of the signed block's slot, in seconds since 1970. */
    readonly attestedAt: bigint
    readonly finality: Exclude<Anchor.LightClientAnchor["finality"], "checkpoint">
    /** The number of members that signed. */
    readonly signed: number
    /** The number of members. */
    readonly size: number
    /** The seats that signed, as `SyncCommittee.seats` reads them; undefined if the store kept only their number. */
    readonly bits: Hex.Hex | undefined
    /** The name of the beacon node that sent the header, or `store`. The node is not trusted. */
    readonly by: string
  }
> = /* @__PURE__ */ Evidence.kind(
  "CommitteeSigned",
  ({ attestedAt, attestedSlot, by, finality, signed, size, slot }) => {
    const when = timeOf(1000n * attestedAt)
    const few = 3 * signed < 2 * size ? ", fewer than two thirds," : ""
    const members = `${signed} of ${size} members of the sync committee${few} signed slot ${attestedSlot} (${when})`
    const rest = {
      optimistic: ", which can still be reorganised",
      finalized: `, whose state has slot ${slot} as finalized`,
      forced: `; slot ${slot} counts as finalized by force, because nothing was finalized for a period`
    }[finality]
    return `${members}${rest}; brought by ${by}`
  }
)

/** The light client started from a checkpoint that the reader named. */
export const FromCheckpoint: Evidence.EvidenceKind<
  "FromCheckpoint",
  {
    /** The root of the checkpoint's beacon block. */
    readonly checkpoint: Hash32.Hash32
    /** The time at which a light client first started from this checkpoint, in milliseconds since 1970. */
    readonly givenAt: number
  }
> = /* @__PURE__ */ Evidence.kind(
  "FromCheckpoint",
  ({ checkpoint, givenAt }) => `every committee follows from checkpoint ${checkpoint}, given ${timeOf(BigInt(givenAt))}`
)

/** A beacon node lied, and another beacon node told the truth. */
export const BeaconLie: Evidence.EvidenceKind<
  "BeaconLie",
  {
    /** The name of the beacon node that lied. */
    readonly by: string
    /** The check that refuted its last lie. */
    readonly check: string
    /** Number of its answers that were refuted since the start. */
    readonly count: number
  }
> = /* @__PURE__ */ Evidence.kind(
  "BeaconLie",
  ({ by, check, count }) =>
    `${by} was refuted ${count === 1 ? "once" : `${count} times`}, the last time by ${check}; another beacon node told the truth`
)

/** Returns a time as text, to the second. The argument is in milliseconds since 1970. */
const timeOf = (millis: bigint): string => new Date(Number(millis)).toISOString().replace(/\.\d+Z$/, "Z")

/** The evidence for a block of a rollup that L1 settles, or that a game claims. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Evidence from "@plumbline/verdict/Evidence"

/** Storage of the rollup's contracts, proven from a block of L1, names an output root. */
export const OutputSettled: Evidence.EvidenceKind<
  "OutputSettled",
  {
    readonly outputRoot: Hash32.Hash32
    readonly state: "settled" | "starting"
    /** The game that claimed the root. Undefined for a starting root. */
    readonly game:
      | {
          readonly address: string
          readonly gameType: number
          /** Times in seconds since 1970. */
          readonly createdAt: bigint
          readonly resolvedAt: bigint
        }
      | undefined
    /** The versions of the contracts, by name. */
    readonly contracts: Readonly<Record<string, string>>
    readonly l1: { readonly number: bigint; readonly timestamp: bigint }
  }
> = /* @__PURE__ */ Evidence.kind("OutputSettled", ({ contracts, game, l1, outputRoot }) => {
  const by =
    game === undefined
      ? "as the starting root, which the owner set"
      : `by game ${game.address} of type ${game.gameType}, which its defender won ${timeOf(game.resolvedAt)}`
  return `block ${l1.number} of the parent chain (${timeOf(l1.timestamp)}) has the output root ${outputRoot} ${by}; contracts: ${versionsOf(contracts)}`
})

/** Storage of the rollup's contracts, proven from a block of L1, has a game that claims an output root. Nothing settles it. */
export const OutputClaimed: Evidence.EvidenceKind<
  "OutputClaimed",
  {
    readonly outputRoot: Hash32.Hash32
    readonly state: "resolved" | "proposed"
    readonly game: {
      readonly address: string
      readonly gameType: number
      /** Times in seconds since 1970. `resolvedAt` is zero for an open game. */
      readonly createdAt: bigint
      readonly resolvedAt: bigint
    }
    readonly contracts: Readonly<Record<string, string>>
    readonly l1: { readonly number: bigint; readonly timestamp: bigint }
  }
> = /* @__PURE__ */ Evidence.kind("OutputClaimed", ({ contracts, game, l1, outputRoot, state }) => {
  const status =
    state === "resolved"
      ? `its defender won ${timeOf(game.resolvedAt)}, and the guardian can still void it`
      : "it is open, and no party disputes it yet"
  return `at block ${l1.number} of the parent chain (${timeOf(l1.timestamp)}) game ${game.address} of type ${game.gameType}, created ${timeOf(game.createdAt)}, claims the output root ${outputRoot}: ${status}; contracts: ${versionsOf(contracts)}`
})

const versionsOf = (contracts: Readonly<Record<string, string>>): string =>
  Object.entries(contracts)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")

/** An output root commits to a block. */
export const OutputCommits: Evidence.EvidenceKind<
  "OutputCommits",
  {
    readonly chainId: bigint
    readonly number: bigint
    readonly timestamp: bigint
    /** Seconds from the block to the block of L1. */
    readonly lag: bigint
  }
> = /* @__PURE__ */ Evidence.kind(
  "OutputCommits",
  ({ chainId, lag, number, timestamp }) =>
    `the output root commits to block ${number} of chain ${chainId} (${timeOf(timestamp)}), ${lag} seconds before that block of the parent chain`
)

/** Returns a time as text. The argument is in seconds since 1970; a time beyond the calendar is left as a number. */
const timeOf = (seconds: bigint): string =>
  seconds > 8_640_000_000_000n
    ? `second ${seconds}`
    : new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/u, "Z")

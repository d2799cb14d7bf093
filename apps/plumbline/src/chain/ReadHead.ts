/** Runs `plumbline head`. Loaded when the command is called. */
import { LightClient } from "@plumbline/beacon-light-client/follow/LightClient"
import type * as LightClientHeads from "@plumbline/beacon-light-client/follow/LightClientHeads"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import type * as Anchor from "@plumbline/verdict/Anchor"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as AnswerFields from "../answer/AnswerFields.ts"
import * as Print from "../answer/Print.ts"
import type * as BeaconFlags from "../beacon/BeaconFlags.ts"
import * as BeaconSettings from "../beacon/BeaconSettings.ts"
import * as BeaconTrust from "../beacon/BeaconTrust.ts"
import type * as ChainFlags from "../node/ChainFlags.ts"
import * as ChainNode from "../node/ChainNode.ts"
import * as RetryPolicy from "../node/RetryPolicy.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import { UsageError } from "../terminal/UsageError.ts"

interface HeadFlags extends ChainFlags.ChainFlags, BeaconFlags.BeaconFlags {
  readonly json: boolean
  readonly forks: Option.Option<string>
}

/** Follows the chain, and prints its heads. Ends with `PrintedError` and code 2 when a beacon node's answer is refuted. */
export const run = Effect.fnUntraced(function* (flags: HeadFlags) {
  const settings = yield* BeaconSettings.resolve(flags)
  if (settings === undefined) {
    return yield* new UsageError({ problem: "head needs a chain to follow. Name it with --checkpoint and --beacon" })
  }
  const forks = yield* LaterForksFile.ofFlag(flags.forks)
  const follow = Effect.gen(function* () {
    const { heads, network } = yield* LightClient
    const { checkpoint, finalized, optimistic, period } = yield* heads
    return {
      network: network.name,
      finalized: yield* shownOf(finalized, network, flags, forks),
      optimistic: yield* shownOf(optimistic, network, flags, forks),
      period: String(period),
      checkpoint: checkpoint.root
    }
  })
  const show = Effect.flatMap(follow, (found) =>
    flags.json
      ? Console.log(TerminalText.json(found))
      : Effect.flatMap(Style.current, (style) => Console.log(view(found, style).join("\n")))
  )
  yield* show.pipe(
    Effect.provide(BeaconTrust.client(settings, { isQuiet: flags.json })),
    RetryPolicy.whole(flags),
    Effect.catchIf(
      (error) => error instanceof RefutedError,
      (refuted) => Print.beaconLie(flags, refuted)
    )
  )
})

/** A head, in the forms for JSON and for text. */
interface PrintableHead {
  readonly slot: string
  readonly beaconRoot: string
  readonly blockHash: string | null
  readonly blockNumber: string | null
  readonly timestamp: string | null
  /**
   * Finality of the block, as in a verdict's anchor. For `checkpoint`, the reader named the block and no member has
   * signed it yet.
   */
  readonly finality: Anchor.LightClientAnchor["finality"]
  /** The members that signed, and the size of the committee. */
  readonly participation: readonly [signed: number, size: number]
}

const shownOf = Effect.fnUntraced(function* (
  head: LightClientHeads.FollowedHead,
  { syncCommitteeSize }: Network.Network,
  flags: HeadFlags,
  forks: LaterForks.LaterForks | undefined
) {
  const { beaconRoot, blockHash, header, support } = head
  const { number, timestamp } = yield* executionOf(head, flags, forks)
  const shown: PrintableHead = {
    slot: String(header.beacon.slot),
    beaconRoot,
    blockHash: blockHash ?? null,
    blockNumber: number === null ? null : String(number),
    timestamp: timestamp === null ? null : String(timestamp),
    finality: LightClientTrust.finalityOf(support),
    participation: [support._tag === "Checkpoint" ? 0 : support.signed, syncCommitteeSize]
  }
  return shown
})

/**
 * Returns the number and the time of a head's execution block. From Gloas on, the head does not contain them, so they
 * come from a node's block with the hash that the head names.
 */
const executionOf = Effect.fnUntraced(function* (
  { blockHash, header }: LightClientHeads.FollowedHead,
  flags: HeadFlags,
  forks: LaterForks.LaterForks | undefined
) {
  if (header._tag === "WithPayload") {
    return { number: header.execution.blockNumber, timestamp: header.execution.timestamp }
  }
  if (blockHash === undefined) return { number: null, timestamp: null }
  const eth = yield* Effect.provide(EthClient.make, yield* ChainNode.transport(flags))
  return (yield* LightClientTrust.blockOf(blockHash, eth, { forks })) ?? { number: null, timestamp: null }
})

const signedBy = (finality: PrintableHead["finality"], [signed, size]: PrintableHead["participation"]): string => {
  const members = `${signed} of ${size} members`
  if (finality === "checkpoint") return "no member yet: it is the checkpoint that you named"
  return finality === "forced" ? `${members}, and forced: nothing was finalized for a period` : members
}

const view = (
  found: {
    readonly network: string
    readonly finalized: PrintableHead
    readonly optimistic: PrintableHead
    readonly period: string
    readonly checkpoint: string
  },
  style: Style.Style
): ReadonlyArray<string> => {
  const { checkpoint, finalized, network, optimistic, period } = found
  const rowsOf = (shown: PrintableHead) => {
    const { beaconRoot, blockHash, blockNumber, finality, participation, slot, timestamp } = shown
    return [
      AnswerFields.row("slot", BigInt(slot)),
      AnswerFields.row("beaconRoot", beaconRoot),
      ...(blockHash === null ? [] : [AnswerFields.row("blockHash", blockHash)]),
      ...(blockNumber === null ? [] : [AnswerFields.row("blockNumber", BigInt(blockNumber))]),
      ...(timestamp === null ? [] : [AnswerFields.row("timestamp", BigInt(timestamp))]),
      { field: "signed by", text: signedBy(finality, participation) }
    ]
  }
  const common = [
    { field: "network", text: network },
    { field: "period", text: period },
    { field: "checkpoint", text: checkpoint }
  ]
  const groups = [
    ["Optimistic: signed, and can still be reorganised", rowsOf(optimistic)],
    ["Finalized", rowsOf(finalized)],
    ["From", common]
  ] as const
  const label = AnswerFields.labelWidth(groups.flatMap(([, rows]) => rows))
  return groups.flatMap(([title, rows], at) => [
    ...(at === 0 ? [] : [""]),
    style.title(title),
    ...AnswerFields.lines(rows, { style, claimed: new Set(), label })
  ])
}

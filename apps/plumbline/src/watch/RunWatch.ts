/** Runs `plumbline watch`. Loaded when the command is called. */
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as ChainWatch from "@plumbline/eth-methods/verified/ChainWatch"
import * as HeadWatch from "@plumbline/eth-methods/verified/HeadWatch"
import * as LogWatch from "@plumbline/eth-methods/verified/LogWatch"
import type { ProvenNodes } from "@plumbline/eth-methods/verified/ProvenNodes"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as ReaderTrust from "../answer/ReaderTrust.ts"
import { Shutdown } from "../home/Shutdown.ts"
import * as PollFlag from "../node/PollFlag.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as CursorFile from "./CursorFile.ts"
import * as Outage from "./Outage.ts"
import * as WatchedLines from "./WatchedLines.ts"
import * as WatchedNodes from "./WatchedNodes.ts"
import * as WatchFlags from "./WatchFlags.ts"
import * as WatchView from "./WatchView.ts"

/** An item of a watch: the place behind it, its line, and a notice for the operator. */
interface WatchedItem {
  readonly place: ChainWatch.Cursor
  readonly line?: CursorFile.WatchLine
  readonly notice?: string
}

/** Begins a watch. */
type OpenWatch = (
  nodes: ProvenNodes<VerdictEthClient.Client>,
  options: ChainWatch.ChainWatchOptions
) => Stream.Stream<WatchedItem, ChainWatch.ChainWatchError>

export const heads = (flags: WatchFlags.WatchFlags) =>
  run(flags, undefined, (nodes, options) =>
    Stream.map(HeadWatch.watch(nodes, options), (item) => ({ place: item.cursor, line: WatchView.head(item) }))
  )

export const logs = (flags: WatchFlags.WatchLogsFlags) =>
  Effect.flatMap(Effect.fromResult(WatchFlags.selection(flags)), (filter) =>
    run(flags, filter, (nodes, options) => Stream.map(LogWatch.watch(nodes, filter, options), itemOfLog))
  )

/** A line, or after the last log of a read the node's own mistakes. */
const itemOfLog = (item: LogWatch.LogItem): WatchedItem => {
  if (item._tag !== "Reached") return { place: item.cursor, line: WatchView.log(item) }
  const repaired = item.proven.find(EthEvidence.LogsRepaired.is)
  return {
    place: item.cursor,
    ...(repaired === undefined ? {} : { notice: `up to block ${item.block.number}: ${repaired.sentence}` })
  }
}

/** Follows the chain, until the process gets a signal to stop, or all nodes or a beacon node lie. */
const run = Effect.fnUntraced(function* (
  flags: WatchFlags.WatchFlags,
  filter: LogFilter.Selection | undefined,
  open: OpenWatch
) {
  if (Option.isSome(flags.trust)) return yield* noMove("a fixed --trust proves no block that is newer than itself")
  const pollInterval = yield* Effect.fromResult(PollFlag.interval(flags.poll))
  const from = yield* Effect.fromResult(WatchFlags.from(flags.from))
  // a service that does not run, or a name that it does not have, is the first thing to say
  const endpoints = yield* WatchedNodes.endpoints(flags)
  const forks = yield* LaterForksFile.ofFlag(flags.forks)
  const { chainId, layer, rollup } = yield* ReaderTrust.layer(undefined, WatchedNodes.ofFirst(flags), {
    forks,
    isMoving: true
  })
  if (chainId === undefined) return yield* noMove("without trust every line would be the node's word")
  if (rollup?.l1Trust !== undefined) return yield* noMove("a fixed --l1-trust proves no newer block of the rollup")
  const lines = yield* WatchedLines.open(flags, CursorFile.subjectOf(chainId, filter))
  const outage = new Outage.Outage({ isOfSeveral: endpoints.length > 1 })
  const head = Option.getOrElse(flags.head, () => (rollup === undefined ? ("latest" as const) : ("finalized" as const)))
  const follow = Effect.fnUntraced(function* (nodes: ProvenNodes<VerdictEthClient.Client>) {
    const cursor = yield* lines.begin(startOf(nodes, from, head))
    yield* Outage.say(beginning({ chainId, cursor, filter, head }))
    if (lines.stored !== undefined) yield* warnOfAhead(nodes, { file: lines.stored, head, place: cursor })
    const watched = open(nodes, {
      cursor,
      head,
      pollInterval,
      maxLacks: Infinity,
      isPassing: Outage.isPassing,
      isPassingError: outage.isPassingError,
      onRetry: outage.waits,
      onRead: outage.answered
    })
    yield* Stream.runForEachArray(watched, (items) =>
      Effect.andThen(
        Effect.forEach(
          items,
          ({ line, notice, place }) => {
            const told = line === undefined ? lines.passed(place) : lines.tell(place, line)
            return notice === undefined ? told : Effect.andThen(Outage.say(notice), told)
          },
          { discard: true }
        ),
        lines.settle
      )
    )
  })
  const following = (nodes: ProvenNodes<VerdictEthClient.Client>) =>
    follow(nodes).pipe(
      Effect.ensuring(lines.settleAtEnd),
      Effect.catchIf(
        (error) => error instanceof RefutedError,
        (refuted) => Print.print(flags, { reply: ReadAnswer.refused(refuted, null), view: () => [] })
      )
    )
  const watching = WatchedNodes.open(endpoints, layer, { chainId, forks, outage }).pipe(
    Effect.flatMap(following),
    Effect.catchIf(
      (error) => error instanceof RefutedError,
      (refuted) => Print.beaconLie(flags, refuted)
    )
  )
  yield* Effect.raceFirst(watching, yield* Shutdown)
}, Effect.scoped)

/** Returns the cursor of a watch that begins at a block, or at the head of a tag, and warns of a block that is still to come. */
const startOf = Effect.fnUntraced(function* (
  nodes: ProvenNodes<VerdictEthClient.Client>,
  from: WatchFlags.WatchStart | undefined,
  head: "latest" | "safe" | "finalized"
) {
  if (typeof from !== "bigint") return ChainWatch.start(yield* numberOf(nodes, from ?? head))
  const newest = yield* newestOf(nodes, head)
  if (newest !== undefined && from > newest) {
    yield* Outage.say(`--from ${from} is above the ${head} block, ${newest}: nothing is told before it`)
  }
  return ChainWatch.start(from)
})

/** Warns of a stored place above the head: the chain of a devnet may have begun again, and would never be told. */
const warnOfAhead = Effect.fnUntraced(function* (
  nodes: ProvenNodes<VerdictEthClient.Client>,
  {
    file,
    head,
    place
  }: { readonly file: string; readonly head: "latest" | "safe" | "finalized"; readonly place: ChainWatch.Cursor }
) {
  const last = place.blocks.at(-1)?.number ?? place.from - 1
  const newest = yield* newestOf(nodes, head)
  if (newest === undefined || BigInt(last) <= newest) return
  yield* Outage.say(
    `--cursor: its block, ${last}, is above the ${head} block, ${newest}: nothing is told before the chain is above it. If this is another chain, or the chain began again, delete ${file} to begin anew`
  )
})

/** Returns the number of the block of a tag; undefined if it is not known yet: the watch itself waits for it. */
const newestOf = (nodes: ProvenNodes<VerdictEthClient.Client>, tag: "latest" | "safe" | "finalized") =>
  Effect.catchTags(numberOf(nodes, tag), {
    JsonRpcError: () => Effect.undefined,
    UnprovenError: () => Effect.undefined
  })

/** Returns the number of the block of a tag. */
const numberOf = (nodes: ProvenNodes<VerdictEthClient.Client>, tag: "latest" | "safe" | "finalized") =>
  nodes.read((eth) =>
    Effect.flatMap(eth.getBlockByNumber(tag), (found) => {
      const number = found.value?.number ?? null
      const isAccepted = found._tag === "VERIFIED" || found.anchor?.accepted === true
      return isAccepted && number !== null
        ? Effect.succeed(number)
        : Effect.fail(new UnprovenError({ subject: `the block "${tag}"`, claims: found.claimed }))
    })
  )

/** Says what is watched, and from where. */
const beginning = ({
  chainId,
  cursor,
  filter,
  head
}: {
  readonly chainId: bigint
  readonly cursor: ChainWatch.Cursor
  readonly filter: LogFilter.Selection | undefined
  readonly head: string
}): string => {
  const last = cursor.blocks.at(-1)
  const place = last === undefined ? `from block ${cursor.from}` : `on from block ${last.number}`
  const what = filter === undefined ? "blocks" : `logs of ${JSON.stringify(filter)}`
  return `watches chain ${chainId} up to its ${head} block, ${place}: ${what}`
}

const noMove = (why: string): UsageError =>
  new UsageError({
    problem: `watch needs a trust that moves with the chain: ${why}. Give --checkpoint and --beacon, and for a rollup also --l1 and --rollup`
  })

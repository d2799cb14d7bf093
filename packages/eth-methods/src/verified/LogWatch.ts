/**
 * Follows the logs that a filter selects, from a block on: each log once, in order, across reorganisations and restarts.
 *
 * **When to use**
 *
 * For a program that acts on events, such as a bridge or an indexer. A page proves that no log is missing, so an event
 * can neither be forged nor withheld. To read a range that has an end, use `LogRange`.
 *
 * **Details**
 *
 * Each item has a cursor, a plain JSON value. Store it together with the effect of the item: a watch that begins with it
 * goes on behind this item, if its filter is the same. After a reorganisation the watch first tells the blocks that are
 * no longer on the chain, newest first, then the logs in their place.
 */
import type { Evidence } from "@plumbline/verdict/Evidence"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as ChainFollower from "./chainFollower.ts"
import * as ChainWatch from "./ChainWatch.ts"
import * as LogRange from "./LogRange.ts"
import * as OnlyProven from "./OnlyProven.ts"
import * as PageSize from "./pageSize.ts"
import type { ProvenNodes } from "./ProvenNodes.ts"
import type * as VerdictEthClient from "./VerdictEthClient.ts"

export { Cursor, DeepReorgError, MAX_BLOCKS, start } from "./ChainWatch.ts"

/** An item of a watch, with the proof behind it and the cursor behind it. */
export type LogItem = ChainWatch.WatchStanding & { readonly cursor: ChainWatch.Cursor } & (
    | /** A log on the chain. */ { readonly _tag: "Log"; readonly log: Log.Log }
    /** A block that is no longer on the chain. The logs of it that were told, `logs` in number, are void. */
    | { readonly _tag: "Removed"; readonly block: ChainWatch.WatchedBlock; readonly logs: number }
    /**
     * All logs up to this block were told. `proven` is the evidence of those since the last item of this kind: it has
     * `LogsRepaired` if the node's own logs were wrong.
     */
    | { readonly _tag: "Reached"; readonly block: ChainWatch.WatchedBlock; readonly proven: ReadonlyArray<Evidence> }
  )

/** The reads that a watch needs. */
export type WatchClient = Pick<VerdictEthClient.Client, "getLogs" | "getBlockByNumber">

/** The options of a watch of logs. */
export interface LogWatchOptions extends ChainWatch.ChainWatchOptions {
  /** Maximum number of blocks of one read, at least 1. Default: 1024. */
  readonly pageBlocks?: number | undefined
}

/** The defaults of the options. */
export const defaults: typeof ChainWatch.defaults & { readonly pageBlocks: number } = {
  ...ChainWatch.defaults,
  pageBlocks: LogRange.defaults.pageBlocks
}

/**
 * Follows the logs that a filter selects. Does not end by itself.
 *
 * Reads that fail with a `retryable` error (or as `isPassingError` says) are tried again. So are those for which the node lacks a block or its
 * receipts, 16 times in a row: it may be behind, or move to another branch. Fails with `RefutedError` if the node lies,
 * with `UnprovenError` if no proof leads to the head or to a page, with `JsonRpcError` if a read fails otherwise, and
 * with `DeepReorgError`. Over several nodes (`ProvenNodes`), a node that fails, lies or proves nothing is left for the next
 * one, and the watch fails only if all of them do.
 *
 * ```ts import.meta.vitest
 * import { LogWatch, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, { call: () => Effect.succeed(null), callAll: () => Effect.succeed([]) })
 * const client = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const program = VerdictEthClient.VerdictEthClient.use((eth) =>
 *   Stream.runDrain(LogWatch.watch(eth, {}, { cursor: LogWatch.start(1n), pollInterval: "1 millis" }))
 * )
 * // the node knows no block, so there is no head to follow
 * const failure = await Effect.runPromise(Effect.flip(Effect.provide(program, client)))
 * failure._tag // => "UnprovenError"
 * ```
 */
export const watch = (
  nodes: WatchClient | ProvenNodes<WatchClient>,
  selection: LogFilter.Selection,
  options: LogWatchOptions
): Stream.Stream<LogItem, ChainWatch.ChainWatchError> => {
  const size = PageSize.sizeOf(options.pageBlocks ?? defaults.pageBlocks)
  if (size === undefined) return Stream.fail(PageSize.invalid("LogWatch.watch"))
  const source: ChainFollower.FollowedSource<Log.Log, WatchClient> = {
    name: "LogWatch.watch",
    size,
    read: (client, [from, to]) => Effect.flatMap(LogRange.page(client, selection, from, to), partOf),
    placeOf: ({ blockHash, blockNumber }) => ({ number: blockNumber!, hash: blockHash! }),
    standingOf: (_, { standing }) => standing
  }
  return Stream.map(ChainFollower.follow(nodes, source, options), itemOf)
}

const partOf = ({
  linked,
  logs,
  to
}: LogRange.LogPage): Effect.Effect<ChainFollower.FollowedPart<Log.Log>, UnprovenError> => {
  const outcome = OnlyProven.from(logs)
  const standing = ChainFollower.standingOf(logs)
  return outcome._tag === "Unproven" || linked === undefined || standing === undefined
    ? Effect.fail(new UnprovenError({ subject: "eth_getLogs", claims: logs.claimed }))
    : Effect.succeed({
        things: outcome.value,
        parent: linked.parent,
        last: { number: to, hash: linked.hash },
        standing,
        proven: logs.proven
      })
}

const itemOf = (item: ChainFollower.FollowedItem<Log.Log>): LogItem => {
  switch (item._tag) {
    case "Told": {
      const { _tag, thing, ...rest } = item
      return { _tag: "Log", log: thing, ...rest }
    }
    case "Removed": {
      const { told, ...rest } = item
      return { ...rest, logs: told }
    }
    case "Reached":
      return item
  }
}

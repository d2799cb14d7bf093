/**
 * Proves logs by the receipts of their blocks. The blocks of a range are proven by their parent hashes.
 *
 * The answer comes from the receipts. The node's own answer to `eth_getLogs` is asked for, and only compared: what it
 * leaves out or adds is repaired, and becomes evidence.
 */
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { claim, type Verdict, weaken } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as EthReason from "../proof/EthReason.ts"
import type { BlockLocator } from "./blockLocator.ts"
import * as LogSearch from "./logSearch.ts"
import type { LogBounds } from "./logWork.ts"
import * as BlockLogs from "./provenBlockLogs.ts"
import * as RangeLogs from "./rangeLogs.ts"
import { type ReorgFailure, retryOnReorg } from "./reorgRetry.ts"
import type { Client } from "./verdictClient.ts"

type Logs = LogSearch.Logs

export const make = (chain: BlockLocator, bounds: LogBounds): Pick<Client, "getLogs"> => {
  const { eth } = chain
  const { maxTime } = bounds
  const blockLogs = BlockLogs.make(chain)
  const range = RangeLogs.make(chain, blockLogs, { maxTime, maxWork: Math.max(1, Math.floor(bounds.maxWork)) })

  /** Reads one block and its logs, by the block's hash. */
  const ofOne = Effect.fnUntraced(function* (
    filter: LogFilter.LogFilter,
    parameter: BlockParameter.BlockParameter
  ): Effect.fn.Return<Verdict<Logs> | UnprovenError, ReorgFailure> {
    const [located, said] = yield* chain.about<LogSearch.Said>(
      parameter,
      undefined,
      (hash) => Effect.result(eth.getLogs(LogSearch.about(filter, hash))),
      Effect.map(eth.getLogs(filter), Result.succeed)
    )
    return located._tag === "Missing"
      ? claim(yield* Effect.fromResult(said), located.reason)
      : yield* blockLogs.ofLocated(located, said, filter)
  })

  const getLogs = Effect.fnUntraced(function* (
    filter: LogFilter.LogFilter,
    end: number
  ): Effect.fn.Return<Verdict<Logs> | UnprovenError, ReorgFailure> {
    if (filter.blockHash !== undefined) return yield* ofOne(filter, filter.blockHash)
    const { fromBlock = "latest", toBlock = "latest" } = filter
    if (fromBlock === toBlock) return yield* ofOne(filter, toBlock)
    const begins = typeof fromBlock === "bigint" ? fromBlock : undefined
    const [{ guess, located: last }, beginsAt] = yield* Effect.all(
      [
        chain.along<RangeLogs.Ahead | undefined, never>(toBlock, undefined, {
          guess: (to) =>
            typeof to === "bigint" && begins !== undefined && begins < to
              ? range.ahead(filter, begins, to)
              : Effect.undefined
        }),
        begins === undefined ? Effect.result(chain.locate(fromBlock)) : Effect.undefined
      ],
      { concurrency: 2 }
    )
    if (last._tag === "Missing") return claim(yield* eth.getLogs(filter), last.reason)
    const first = beginsAt === undefined ? undefined : yield* Effect.fromResult(beginsAt)
    if (first?._tag === "Missing") return claim(yield* eth.getLogs(filter), first.reason)
    const from = first === undefined ? begins! : first.verdict.value.number!
    const to = last.verdict.value.number!
    if (from > to) return claim(yield* eth.getLogs(filter), EthReason.RangeReversed({ from, to }))
    if (from === to && first === undefined) {
      const said = yield* Effect.result(eth.getLogs(LogSearch.about(filter, last.hash)))
      return yield* blockLogs.ofLocated(last, said, filter)
    }
    const ahead = guess ?? (yield* range.ahead(filter, from, to))
    const verdict = yield* range.prove({ filter, from, first, last, ahead, end })
    // a node without the first blocks begins at a later one, and any block could pass for that
    return fromBlock === "earliest" && from > 0n && verdict._tag !== "UnprovenError"
      ? weaken(verdict, EthReason.Tag({ tag: fromBlock }))
      : verdict
  })

  return {
    getLogs: (filter) =>
      Effect.flatMap(
        Effect.clockWith((clock) => retryOnReorg("eth_getLogs", getLogs(filter, Monotonic.millis(clock) + maxTime))),
        (found): Effect.Effect<Verdict<Logs>, UnprovenError> =>
          found._tag === "UnprovenError" ? Effect.fail(found) : Effect.succeed(found)
      )
  }
}

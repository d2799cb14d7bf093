/**
 * Reads the logs of a range of any length in pages, oldest first, so that neither memory nor one read bounds the range.
 *
 * Each page is proven by itself, from a block that the trusted one leads to. That lead is short where the states hold the
 * hashes of older blocks (EIP-2935, since Prague). Before that, a page that is more than `maxSteps` blocks older than the
 * trusted one is CLAIMED; `getLogs` of the client then proves more, because it goes down from the newest block.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as PageSize from "./pageSize.ts"
import type * as VerdictEthClient from "./VerdictEthClient.ts"

/** The logs of consecutive blocks. */
export interface LogPage {
  readonly from: bigint
  /** The last block of the page. A read that ended here goes on with the next block. */
  readonly to: bigint
  readonly logs: Verdict<ReadonlyArray<Log.Log>>
  /** The hashes at the ends of the page, if it is proven. */
  readonly linked: LogPageLink | undefined
}

/** The hashes at the ends of a page. */
export interface LogPageLink {
  /** The hash of the block before the first one. */
  readonly parent: Hash32.Hash32
  /** The hash of the last block. */
  readonly hash: Hash32.Hash32
}

/** The reads that a range needs. */
export type LogClient = Pick<VerdictEthClient.Client, "getLogs">

/** The range, and the size of its pages. */
export interface LogRangeOptions {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /**
   * Maximum number of blocks of a page, at least 1. A page that needs more than the client's `maxLogWork` is made
   * shorter. Default: 1024.
   */
  readonly pageBlocks?: number | undefined
  /** Number of pages that are read at the same time. Default: 2. */
  readonly concurrency?: number | undefined
}

/** The defaults of the options. */
export const defaults: { readonly pageBlocks: number; readonly concurrency: number } = {
  pageBlocks: 1024,
  concurrency: 2
}

/** The errors of a page. */
export type LogRangeError = Effect.Error<ReturnType<LogClient["getLogs"]>>

/**
 * Returns the pages of a range, oldest first and without a gap: `to` of the last page is the progress.
 *
 * Fails with the errors of `getLogs`. To go on after an error, begin behind the last page.
 *
 * ```ts import.meta.vitest
 * import { LogRange, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer, Stream } from "effect"
 *
 * // a node that knows no block: its word about logs stays a claim
 * const node = Layer.succeed(Transport.Transport, {
 *   call: ({ method }) => Effect.succeed(method === "eth_getLogs" ? [] : null),
 *   callAll: () => Effect.succeed([])
 * })
 * const client = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const program = VerdictEthClient.VerdictEthClient.use((eth) =>
 *   Stream.runCollect(LogRange.pages(eth, {}, { fromBlock: 1n, toBlock: 9n, pageBlocks: 4 }))
 * )
 * const pages = await Effect.runPromise(Effect.provide(program, client))
 * pages.map(({ from, to }) => [from, to]) // => [[1n, 4n], [5n, 8n], [9n, 9n]]
 * pages[0]?.logs._tag // => "CLAIMED"
 * ```
 */
export const pages = (
  client: LogClient,
  selection: LogFilter.Selection,
  { concurrency = defaults.concurrency, fromBlock, pageBlocks = defaults.pageBlocks, toBlock }: LogRangeOptions
): Stream.Stream<LogPage, LogRangeError> => {
  const size = PageSize.sizeOf(pageBlocks)
  if (size === undefined) return Stream.fail(PageSize.invalid("LogRange.pages"))
  return Stream.fromIterable(starts(fromBlock, toBlock, size)).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((from) => whole(client, selection, from, least(from + size - 1n, toBlock)), { concurrency }),
    Stream.flatMap((pages) => Stream.fromIterable(pages))
  )
}

/**
 * Reads one page, which begins with the block `from`. It ends with the block `to`, or earlier if the client's `maxLogWork`
 * does not suffice.
 */
export const page = (
  client: LogClient,
  selection: LogFilter.Selection,
  from: bigint,
  to: bigint
): Effect.Effect<LogPage, LogRangeError> =>
  Effect.flatMap(
    Effect.result(client.getLogs({ ...selection, fromBlock: from, toBlock: to })),
    (outcome): Effect.Effect<LogPage, LogRangeError> => {
      const within = shorter(outcome)
      if (within !== undefined && within < to) return page(client, selection, from, within)
      return Effect.map(Effect.fromResult(outcome), (logs) => ({ from, to, logs, linked: linkOf(logs, from, to) }))
    }
  )

/** Reads all blocks of a range in as many pages as the client's bound on the work demands. */
const whole = Effect.fnUntraced(function* (
  client: LogClient,
  selection: LogFilter.Selection,
  from: bigint,
  to: bigint
): Effect.fn.Return<ReadonlyArray<LogPage>, LogRangeError> {
  const found: Array<LogPage> = []
  for (let next = from; next <= to; next = found.at(-1)!.to + 1n) found.push(yield* page(client, selection, next, to))
  return found
})

/** Returns the end of a shorter range if the client's bound on the work was reached. */
const shorter = (outcome: Result.Result<Verdict<unknown>, LogRangeError>): bigint | undefined => {
  const claims = Result.isSuccess(outcome)
    ? outcome.success.claimed
    : outcome.failure._tag === "UnprovenError"
      ? outcome.failure.claims
      : []
  const reason = claims.map((claim) => claim.reason).find(EthReason.RangeTooLong.is)
  return reason?.within
}

const linkOf = ({ proven }: Verdict<unknown>, from: bigint, to: bigint): LogPageLink | undefined => {
  const linked = proven.find(EthEvidence.Linked.is)
  return linked === undefined || linked.from !== from || linked.to !== to
    ? undefined
    : { parent: linked.parent, hash: linked.hash }
}

function* starts(from: bigint, to: bigint, size: bigint): Generator<bigint> {
  for (let at = from; at <= to; at += size) yield at
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

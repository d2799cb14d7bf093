/** Proves the logs of a range of blocks: of each block by its receipts, and the blocks by their parent hashes. */
import * as Hex from "@plumbline/codec/hex/Hex"
import { JsonRpcError, TimeoutError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type * as Block from "../model/Block.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as SpeculativeReads from "../trust/speculativeReads.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import * as LogSearch from "./logSearch.ts"
import * as LogWork from "./logWork.ts"
import * as ParentWalk from "./parentWalk.ts"
import type { BlockLogs } from "./provenBlockLogs.ts"
import { type ReorgFailure, reorgMismatch } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"

type Logs = LogSearch.Logs
type ProvenBlock = Verified<Block.WithHashes>

export type OfRange = typeof LogFilter.OfRange.Type

/** The answers about a range that are requested together with the last block of the range. */
export interface Ahead {
  readonly logs: LogSearch.Said
  readonly guesses: SpeculativeReads.SpeculativeReads
}

/** A range whose last block is proven. The first block is given if a tag names it, and `end` is the time to be done. */
export interface LogRangeQuestion {
  readonly filter: OfRange
  readonly from: bigint
  readonly first: FoundBlock<Block.WithHashes> | undefined
  readonly last: FoundBlock<Block.WithHashes>
  readonly ahead: Ahead
  readonly end: number
}

/** The steps of a read of a range. */
export interface RangeLogs {
  /** Reads the logs of a range from the node and, at the same time, the blocks before its end. */
  readonly ahead: (filter: OfRange, from: bigint, to: bigint) => Effect.Effect<Ahead>
  /** Proves the logs of a range. From the last block, parent hashes lead to the earlier blocks. */
  readonly prove: (range: LogRangeQuestion) => Effect.Effect<Verdict<Logs> | UnprovenError, ReorgFailure>
}

export const make = (chain: BlockLocator, blockLogs: BlockLogs, bounds: LogWork.LogBounds): RangeLogs => {
  const { maxTime, maxWork } = bounds

  /** True if the headers of a range alone are more than the bound. None of them is read then. */
  const isBeyond = (from: bigint, to: bigint): boolean => to - from >= maxWork

  /** The node's logs are not waited for longer than half of the time, because the answer does not need them. */
  const ahead = (filter: OfRange, from: bigint, to: bigint): Effect.Effect<Ahead> =>
    Effect.all(
      {
        logs: inTime(
          Effect.result(chain.eth.getLogs({ ...filter, fromBlock: from, toBlock: to })),
          maxTime / 2,
          Effect.sync(() => Result.fail(lateLogs(maxTime / 2)))
        ),
        guesses: isBeyond(from, to) ? Effect.succeed(SpeculativeReads.none) : ParentWalk.before(chain, from, to)
      },
      { concurrency: 2 }
    )

  const prove = Effect.fnUntraced(function* (
    range: LogRangeQuestion
  ): Effect.fn.Return<Verdict<Logs> | UnprovenError, ReorgFailure> {
    const { ahead: read, end, first, from, last } = range
    const to = last.verdict.value.number!
    const proof = new RangeProof(chain, blockLogs, bounds, range)
    let why: Reason | undefined
    if (isBeyond(from, to)) why = LogWork.tooLong(bounds, "work", { from, to, next: to })
    else {
      const parts = ParentWalk.partsOf(chain, from, to, read.guesses)
      const walk = Stream.runForEachWhile(parts, (guesses) =>
        Effect.map(proof.walk(guesses), (over) => {
          why = over
          return over === undefined
        })
      )
      const late = Effect.sync(() => {
        why = LogWork.tooLong(bounds, "time", { from, to, next: proof.below })
      })
      yield* inTime(walk, yield* left(end), late)
    }
    if (why !== undefined) {
      if (Result.isSuccess(read.logs)) return claim(read.logs.success, why)
      return LogSearch.refused(why, read.logs.failure) ?? (yield* Effect.fail(read.logs.failure))
    }
    const { hash, parentHash } = proof.oldest.value
    if (first !== undefined && !Hex.equals(first.hash, hash!)) {
      return yield* Effect.fail(reorgMismatch(`block ${from} was ${first.hash}, and is ${hash} before block ${to}`))
    }
    const value = proof.logs
    const proven = [
      EthEvidence.LogsOfRange({ selected: value.length, from, to }),
      EthEvidence.Linked({ from, to, parent: parentHash, hash: last.hash }),
      ...proof.evidence
    ]
    return settle(last.link, Proven.make({ value, anchor: Anchor.block(last.hash), proven, claimed: proof.claimed }))
  })

  return { ahead, prove }
}

/** The proof of a range as far as it has come, from the last block downwards. */
class RangeProof {
  readonly #chain: BlockLocator
  readonly #blockLogs: BlockLogs
  readonly #bounds: LogWork.LogBounds
  readonly #from: bigint
  readonly #to: bigint
  readonly #search: LogSearch.Search
  /** The node's logs by the numbers of their blocks; undefined if it sent none. */
  readonly #said: ReadonlyMap<bigint | null, Logs> | undefined
  readonly #claimed = new Map<string, Claim.Claim>()
  /** The proven logs of each block that has some, newest first. */
  readonly #found: Array<Logs> = []
  /** Proven blocks whose logs are not proven yet. */
  #unchecked: ReadonlyArray<ProvenBlock>
  /** The oldest block that is proven. */
  oldest: ProvenBlock
  /** The newest block whose logs are not proven yet. */
  below: bigint

  constructor(
    chain: BlockLocator,
    blockLogs: BlockLogs,
    bounds: LogWork.LogBounds,
    { ahead, filter, first, from, last }: LogRangeQuestion
  ) {
    this.#chain = chain
    this.#blockLogs = blockLogs
    this.#bounds = bounds
    this.oldest = last.verdict as ProvenBlock
    this.#from = from
    this.#to = this.below = this.oldest.value.number!
    this.#unchecked = [this.oldest]
    this.#search = LogSearch.make(filter)
    const said = Result.getOrUndefined(ahead.logs)
    this.#said = said === undefined ? undefined : Map.groupBy(said, (log) => log.blockNumber)
    if (said !== undefined) LogSearch.checkOrder(said, from, this.#to, this.#search.differences)
    for (const claim of beginning(first)) this.#claimed.set(claim.field, claim)
  }

  get logs(): Logs {
    return this.#found.toReversed().flat()
  }

  get claimed(): ReadonlyArray<Claim.Claim> {
    return [...this.#claimed.values()]
  }

  get evidence() {
    return this.#search.differences.evidence
  }

  /** Proves one part of the range. Returns undefined if the walk goes on, otherwise the reason why it does not. */
  readonly walk = Effect.fnUntraced(
    { self: this },
    function* (guesses: SpeculativeReads.SpeculativeReads): Effect.fn.Return<Reason | undefined, ReorgFailure> {
      const { blocks, end } = yield* ParentWalk.parentsOf(this.#chain, this.oldest, this.#from, guesses)
      for (const some of portions([...this.#unchecked, ...blocks], this.#search)) {
        const why = yield* this.#check(some)
        if (why !== undefined) return why
      }
      if (end !== undefined) return yield* Effect.fromResult(end)
      this.oldest = blocks.at(-1) ?? this.oldest
      this.#unchecked = []
      return undefined
    }
  )

  /**
   * Proves the logs of blocks in order. If the logs of a block are only claimed, returns the reason; otherwise returns
   * undefined.
   */
  readonly #check = Effect.fnUntraced({ self: this }, function* (all: ReadonlyArray<ProvenBlock>): Effect.fn.Return<
    Reason | undefined,
    ReorgFailure
  > {
    const blocks = all.slice(0, this.#withinBound(all))
    const outcomes = yield* Effect.forEach(blocks, (block) => Effect.result(this.#ofBlock(block)), {
      concurrency: "unbounded"
    })
    for (const [i, outcome] of outcomes.entries()) {
      // the joined answers may have been too large or too many, so ask again for single blocks
      const again = blocks.length > 1 && Result.isFailure(outcome) && outcome.failure._tag === "JsonRpcError"
      const verdict = yield* again ? this.#ofBlock(blocks[i]!) : Effect.fromResult(outcome)
      if (verdict._tag === "CLAIMED") {
        return EthReason.LogsOfBlock({ number: blocks[i]!.value.number!, cause: verdict.claimed[0]!.reason })
      }
      for (const claim of verdict.claimed) this.#claimed.set(claim.field, claim)
      if (verdict.value.length > 0) this.#found.push(verdict.value)
    }
    const next = all[blocks.length]?.value.number
    this.below = (blocks.at(-1)?.value.number ?? this.below + 1n) - 1n
    return next == null ? undefined : LogWork.tooLong(this.#bounds, "work", { from: this.#from, to: this.#to, next })
  })

  #ofBlock(block: ProvenBlock): Effect.Effect<Verdict<Logs>, ReorgFailure> {
    const said = this.#said === undefined ? undefined : (this.#said.get(block.value.number) ?? [])
    return this.#blockLogs.ofNumber(said, this.#search, block)
  }

  /** Returns how many of these blocks are within the bound, and counts their work. */
  #withinBound(blocks: ReadonlyArray<ProvenBlock>): number {
    const { done, mayMatch } = this.#search
    for (const [at, { value }] of blocks.entries()) {
      const more = LogWork.workOf(value, mayMatch(value.logsBloom!))
      // the last block of the range is always proven, so that a caller who takes smaller ranges gets on
      if (done.work + more > this.#bounds.maxWork && value.number! < this.#to) return at
      done.work += more
    }
    return blocks.length
  }
}

/**
 * Maximum number of blocks whose transactions and receipts are read at the same time. A block has up to 3 MB on
 * mainnet, and a transport accepts answers of up to 32 MiB.
 */
const WHOLE = 8

/** Splits a list of blocks so that each part has at most `WHOLE` blocks whose receipts are needed. */
const portions = (
  blocks: ReadonlyArray<ProvenBlock>,
  { mayMatch }: LogSearch.Search
): ReadonlyArray<ReadonlyArray<ProvenBlock>> => {
  const portions: Array<Array<ProvenBlock>> = []
  let needed = WHOLE
  for (const block of blocks) {
    const needs = mayMatch(block.value.logsBloom!)
    if (portions.length === 0 || (needs && needed === WHOLE)) {
      portions.push([])
      needed = 0
    }
    portions.at(-1)!.push(block)
    if (needs) needed++
  }
  return portions
}

/**
 * Returns the claim about the tag at the start of a range. Nothing proves that tag, even if the end of the range is
 * proven.
 */
const beginning = (first: FoundBlock<Block.WithHashes> | undefined): ReadonlyArray<Claim.Claim> => {
  if (first === undefined) return []
  const { link } = first
  return link._tag === "Vouched"
    ? link.claimed.map(({ reason }) => Claim.question("fromBlock", reason))
    : [Claim.question("fromBlock", link.reason)]
}

/** Runs an effect for at most this many milliseconds, then the other one. */
const inTime = <A, E>(effect: Effect.Effect<A, E>, millis: number, late: Effect.Effect<A>): Effect.Effect<A, E> =>
  millis === Infinity ? effect : Effect.timeoutOrElse(effect, { duration: millis, orElse: () => late })

/** Returns the milliseconds from now to a time. */
const left = (end: number): Effect.Effect<number> =>
  Effect.clockWith((clock) => Effect.succeed(Math.max(0, end - Monotonic.millis(clock))))

const lateLogs = (millis: number): JsonRpcError =>
  new JsonRpcError({ method: "eth_getLogs", reason: new TimeoutError({ after: Duration.millis(millis) }) })

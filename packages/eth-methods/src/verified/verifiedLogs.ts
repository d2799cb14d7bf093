/**
 * Proves logs by the receipts of their blocks. The blocks of a range are proven by their parent hashes.
 *
 * The answer comes from the receipts. The node's own answer to `eth_getLogs` is asked for, and only compared: what it
 * leaves out or adds is repaired, and becomes evidence.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import { JsonRpcError, TimeoutError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { claim, type Verdict, type Verified, weaken } from "@plumbline/verdict/Verdict"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as LogsBloom from "../model/LogsBloom.ts"
import type * as Receipt from "../model/Receipt.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import { selectedLogs, verifyLogs } from "../proof/verifyLogs.ts"
import { verifyReceipts } from "../proof/verifyReceipts.ts"
import * as SpeculativeReads from "../trust/speculativeReads.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import { LogDifferences } from "./logDifferences.ts"
import { type ReorgFailure, reorgMismatch, type ReorgRead, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client } from "./verdictClient.ts"
import { oneByOne, provable, receiptsOf } from "./verifiedReceipts.ts"

type Logs = ReadonlyArray<Log.Log>

type OfRange = typeof LogFilter.OfRange.Type

/** The node's logs, or its refusal to send them. Proven receipts have the same logs. */
type Said = Result.Result<Logs, JsonRpcError>

/** The answers about a range that are requested together with the last block of the range. */
interface Ahead {
  readonly logs: Said
  readonly guesses: SpeculativeReads.SpeculativeReads
}

/** Blocks before a proven block, and the reason why the walk ended early: a fault, or a block that cannot be proven. */
interface Parents {
  readonly blocks: ReadonlyArray<Verified<Block.WithHashes>>
  readonly end: Result.Result<Reason, JsonRpcError | RefutedError> | undefined
}

/** A filter with what is known during a read: the test of blooms, the differences found so far, and the work done. */
interface Search {
  readonly filter: LogFilter.LogFilter
  readonly mayMatch: (logsBloom: Hex.Hex) => boolean
  readonly differences: LogDifferences
  readonly done: { work: number }
}

const searchOf = (filter: LogFilter.LogFilter): Search => ({
  filter,
  mayMatch: LogsBloom.matcher(filter),
  differences: new LogDifferences(),
  done: { work: 0 }
})

/** The bounds of one read: work, and milliseconds. */
export interface LogBounds {
  readonly maxWork: number
  readonly maxTime: number
}

export const make = (chain: BlockLocator, { maxTime, maxWork }: LogBounds): Pick<Client, "getLogs"> => {
  const { eth } = chain
  const max = Math.max(1, Math.floor(maxWork))

  /**
   * Proves the logs of one proven block. If its receipts cannot be proven, the node's logs are claimed; without them,
   * the claim is about no logs.
   */
  const ofBlock = Effect.fnUntraced(function* (
    said: Logs | undefined,
    { differences, done, filter, mayMatch }: Search,
    block: Verified<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    if (!mayMatch(block.value.logsBloom!)) {
      return yield* Effect.fromResult(
        repaired(said, differences, [], (logs) => verifyLogs(logs, filter, block, null, chain))
      )
    }
    const hash = block.value.hash!
    const [whole, joined] = yield* Effect.all(
      [chain.byHash(hash, { full: true, senders: false }), receiptsOf(chain, hash)],
      { concurrency: 2 }
    )
    const header = whole === null ? undefined : yield* provable(chain, whole, hash)
    const receipts = header === undefined ? null : (joined ?? (yield* oneByOne(chain, header.value)))
    if (header === undefined || receipts === null) {
      return yield* Effect.fromResult(verifyLogs(said ?? [], filter, block, null, chain))
    }
    const verdict = yield* Effect.fromResult(verifyReceipts(receipts, header, chain))
    if (verdict._tag === "CLAIMED") {
      return claim(said ?? [], EthReason.LogsMayBe({ cause: verdict.claimed[0]!.reason }))
    }
    const selected = selectedLogs(filter, verdict)
    // the number of receipts was estimated, because nothing proves the list of hashes in a header's answer
    done.work += verdict.value.length - receiptsIn(block.value) + kilobytesOf(verdict.value, selected)
    return yield* Effect.fromResult(
      repaired(said, differences, selected, (logs) => verifyLogs(logs, filter, header, verdict, chain))
    )
  })

  /** Proves the logs of a located block. Without the node's logs, only proven logs are an answer. */
  const settled = Effect.fnUntraced(function* (
    { link, verdict }: FoundBlock<Block.WithHashes>,
    said: Said,
    filter: LogFilter.LogFilter
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    const search = searchOf(filter)
    const block = verdict as Verified<Block.WithHashes>
    const found = yield* ofBlock(Result.getOrUndefined(said), search, block)
    if (found._tag === "CLAIMED") {
      yield* Effect.fromResult(said)
      return found
    }
    const { hash, number, parentHash } = block.value
    const linked = EthEvidence.Linked({ from: number!, to: number!, parent: parentHash, hash: hash! })
    const { evidence, isLie } = search.differences
    const mayBeOfOther = isLie && Result.isSuccess(said) && said.success.every(namesOther(hash!))
    const differences = mayBeOfOther && !(yield* isStill(block)) ? [] : evidence
    return settle(link, Proven.amend(found, { proven: [...found.proven, linked, ...differences] }))
  })

  /**
   * True if the node names this block for its number. If it does not, its logs may be of another block: erigon answers a
   * question about a removed block with the logs of the one that took its place, if any.
   */
  const isStill = ({ value: { hash, number } }: Verified<Block.WithHashes>): Effect.Effect<boolean> =>
    Effect.map(
      Effect.result(eth.getBlockByNumber(number!)),
      (now) => Result.isSuccess(now) && now.success?.hash != null && Hex.equals(now.success.hash, hash!)
    )

  /** Reads one block and its logs, by the block's hash. */
  const ofOne = Effect.fnUntraced(function* (
    filter: LogFilter.LogFilter,
    parameter: BlockParameter.BlockParameter
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    const [located, said] = yield* chain.about<Said>(
      parameter,
      undefined,
      (hash) => Effect.result(eth.getLogs(about(filter, hash))),
      Effect.map(eth.getLogs(filter), Result.succeed)
    )
    return located._tag === "Missing"
      ? claim(yield* Effect.fromResult(said), located.reason)
      : yield* settled(located, said, filter)
  })

  /**
   * Proves the logs of one block of a range. A range is requested by numbers, so the node may have answered from
   * another branch, and logs that all name another block of this number are not compared. If the node sent no logs of a
   * block that has some, the client asks again by the block's hash: only if they are missing there too, and the node
   * still has this block, the node is to blame.
   */
  const ofNumber = Effect.fnUntraced(function* (
    logs: Logs | undefined,
    search: Search,
    block: Verified<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    const hash = block.value.hash!
    if (logs === undefined || (logs.length > 0 && logs.every(namesOther(hash))))
      return yield* ofBlock(undefined, search, block)
    if (logs.length > 0 || search.differences.isLie) return yield* ofBlock(logs, search, block)
    const own: Search = { ...search, differences: new LogDifferences() }
    const verdict = yield* ofBlock(logs, own, block)
    if (own.differences.isLie && search.differences.mayAskAgain()) {
      const again = yield* Effect.result(eth.getLogs(about(search.filter, hash)))
      const isMissing = Result.isSuccess(again) && again.success.length === 0
      if (isMissing && (yield* isStill(block))) search.differences.join(own.differences)
    }
    return verdict
  })

  /** True if the headers of a range alone are more than the bound. None of them is read then. */
  const isBeyond = (from: bigint, to: bigint): boolean => to - from >= max

  const tooLong = (bound: "work" | "time", from: bigint, to: bigint, next: bigint): Reason =>
    EthReason.RangeTooLong({
      bound,
      from,
      to,
      max: bound === "work" ? max : maxTime,
      next,
      // if none was read, half of the work may be for receipts; if the node is slow, one block is the most to hope for
      within: from + (next < to ? to - next : bound === "work" ? BigInt(Math.ceil(max / 2)) : 1n) - 1n
    })

  /**
   * Reads the logs of a range and, at the same time, the blocks before its end. The node's logs are not waited for longer
   * than half of the time, because the answer does not need them.
   */
  const ahead = (filter: OfRange, from: bigint, to: bigint): Effect.Effect<Ahead> =>
    Effect.all(
      {
        logs: inTime(
          Effect.result(eth.getLogs({ ...filter, fromBlock: from, toBlock: to })),
          maxTime / 2,
          Effect.sync(() => Result.fail(lateLogs(maxTime / 2)))
        ),
        guesses: isBeyond(from, to) ? Effect.succeed(SpeculativeReads.none) : before(from, to)
      },
      { concurrency: 2 }
    )

  /** Reads the blocks of a range that come before the given block, at most `SpeculativeReads.MOST` of them. */
  const before = (from: bigint, number: bigint): Effect.Effect<SpeculativeReads.SpeculativeReads> => {
    const least = number - BigInt(SpeculativeReads.MOST)
    return SpeculativeReads.read(eth, least > from ? least : from, number - 1n)
  }

  /**
   * Returns the blocks of a range before its end, newest first, in parts of at most `SpeculativeReads.MOST`. The first
   * part was read with the end. Some of the further parts are read at the same time.
   */
  const partsOf = (from: bigint, to: bigint, first: SpeculativeReads.SpeculativeReads) =>
    Stream.concat(
      Stream.succeed(first),
      Stream.fromIterable(endsOf(from, to - BigInt(SpeculativeReads.MOST))).pipe(
        Stream.rechunk(1),
        Stream.mapEffect((number) => before(from, number), { concurrency: PARTS })
      )
    )

  /**
   * Reads the blocks before a proven block, and returns them newest first. It returns all blocks that `guesses` has,
   * but at least one block.
   */
  const parentsOf = Effect.fnUntraced(function* (
    child: Verified<Block.WithHashes>,
    from: bigint,
    guesses: SpeculativeReads.SpeculativeReads
  ): Effect.fn.Return<Parents> {
    const blocks: Array<Verified<Block.WithHashes>> = []
    let hash = child.value.parentHash
    for (let number = child.value.number! - 1n; number >= from; number--) {
      if (number < guesses.from && blocks.length > 0) break
      const guess = SpeculativeReads.proven(guesses, number, hash, chain)
      const isNone = Result.isSuccess(guess) && guess.success === undefined
      const read = isNone ? yield* Effect.result(chain.byHash(hash)) : guess
      if (Result.isFailure(read)) return { blocks, end: Result.fail(read.failure) }
      const parent = read.success
      if (parent == null) return { blocks, end: Result.succeed(EthReason.ParentUnknown({ number, hash })) }
      if (parent._tag === "CLAIMED") {
        return {
          blocks,
          end: Result.succeed(EthReason.AncestorUnprovable({ number, cause: parent.claimed[0]!.reason }))
        }
      }
      if (parent.value.number !== number) {
        return { blocks, end: Result.fail(refute("block.number", number, parent.value.number)) }
      }
      blocks.push(parent)
      hash = parent.value.parentHash
    }
    return { blocks, end: undefined }
  })

  /** Proves the logs of a range whose last block is proven. From there, parent hashes lead to the earlier blocks. */
  const ofRange = Effect.fnUntraced(function* (
    filter: OfRange,
    from: bigint,
    first: FoundBlock<Block.WithHashes> | undefined,
    last: FoundBlock<Block.WithHashes>,
    read: Ahead,
    end: number
  ): Effect.fn.Return<Verdict<Logs> | UnprovenError, ReorgFailure> {
    const to = last.verdict.value.number!
    const search = searchOf(filter)
    const said = Result.getOrUndefined(read.logs)
    const byBlock = said === undefined ? undefined : Map.groupBy(said, (log) => log.blockNumber)
    if (said !== undefined) checkOrder(said, from, to, search.differences)
    const claimed = new Map<string, Claim.Claim>()
    for (const claim of beginning(first)) claimed.set(claim.field, claim)

    const ofPart = (block: Verified<Block.WithHashes>): ReorgRead<Verdict<Logs>> =>
      ofNumber(byBlock === undefined ? undefined : (byBlock.get(block.value.number) ?? []), search, block)
    /** The proven logs of each block that has some, newest first. */
    const found: Array<Logs> = []
    const { done } = search
    /** The newest block whose logs are not proven yet. */
    let below = to
    let child = last.verdict as Verified<Block.WithHashes>
    let unchecked = [child]
    let why: Reason | undefined

    /**
     * Proves the logs of blocks in order. If the logs of a block are only claimed, returns the reason; otherwise returns
     * undefined.
     */
    const check = Effect.fnUntraced(function* (
      all: ReadonlyArray<Verified<Block.WithHashes>>
    ): Effect.fn.Return<Reason | undefined, ReorgFailure> {
      const blocks = all.slice(0, withinBound(all))
      const outcomes = yield* Effect.forEach(blocks, (block) => Effect.result(ofPart(block)), {
        concurrency: "unbounded"
      })
      for (const [i, outcome] of outcomes.entries()) {
        // the joined answers may have been too large or too many, so ask again for single blocks
        const again = blocks.length > 1 && Result.isFailure(outcome) && outcome.failure._tag === "JsonRpcError"
        const verdict = yield* again ? ofPart(blocks[i]!) : Effect.fromResult(outcome)
        if (verdict._tag === "CLAIMED") {
          return EthReason.LogsOfBlock({ number: blocks[i]!.value.number!, cause: verdict.claimed[0]!.reason })
        }
        for (const claim of verdict.claimed) claimed.set(claim.field, claim)
        if (verdict.value.length > 0) found.push(verdict.value)
      }
      const next = all[blocks.length]?.value.number
      below = (blocks.at(-1)?.value.number ?? below + 1n) - 1n
      return next == null ? undefined : tooLong("work", from, to, next)
    })

    /** Returns how many of these blocks are within the bound, and counts their work. */
    const withinBound = (blocks: ReadonlyArray<Verified<Block.WithHashes>>): number => {
      for (const [at, { value }] of blocks.entries()) {
        const more = workOf(value, search)
        // the last block of the range is always proven, so that a caller who takes smaller ranges gets on
        if (done.work + more > max && value.number! < to) return at
        done.work += more
      }
      return blocks.length
    }

    /** Proves one part of the range. Returns true if the walk goes on. */
    const walk = Effect.fnUntraced(function* (
      guesses: SpeculativeReads.SpeculativeReads
    ): Effect.fn.Return<boolean, ReorgFailure> {
      const { blocks, end } = yield* parentsOf(child, from, guesses)
      for (const some of portions([...unchecked, ...blocks], search)) {
        why = yield* check(some)
        if (why !== undefined) return false
      }
      if (end !== undefined) {
        why = yield* Effect.fromResult(end)
        return false
      }
      child = blocks.at(-1) ?? child
      unchecked = []
      return true
    })

    if (isBeyond(from, to)) why = tooLong("work", from, to, to)
    else {
      const late = Effect.sync(() => {
        why = tooLong("time", from, to, below)
      })
      yield* inTime(Stream.runForEachWhile(partsOf(from, to, read.guesses), walk), yield* left(end), late)
    }
    if (why !== undefined) {
      if (EthReason.RangeTooLong.is(why) && said === undefined) {
        return new UnprovenError({ subject: "eth_getLogs", claims: [Claim.whole(why)] })
      }
      return claim(yield* Effect.fromResult(read.logs), why)
    }
    const { hash, parentHash } = child.value
    if (first !== undefined && !Hex.equals(first.hash, hash!)) {
      return yield* Effect.fail(reorgMismatch(`block ${from} was ${first.hash}, and is ${hash} before block ${to}`))
    }
    const value = found.toReversed().flat()
    const proven = [
      EthEvidence.LogsOfRange({ selected: value.length, from, to }),
      EthEvidence.Linked({ from, to, parent: parentHash, hash: last.hash }),
      ...search.differences.evidence
    ]
    return settle(
      last.link,
      Proven.make({ value, anchor: Anchor.block(last.hash), proven, claimed: [...claimed.values()] })
    )
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
        chain.along<Ahead | undefined, never>(toBlock, undefined, {
          guess: (to) =>
            typeof to === "bigint" && begins !== undefined && begins < to ? ahead(filter, begins, to) : Effect.undefined
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
      return yield* settled(last, yield* Effect.result(eth.getLogs(about(filter, last.hash))), filter)
    }
    const verdict = yield* ofRange(filter, from, first, last, guess ?? (yield* ahead(filter, from, to)), end)
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

/**
 * Verifies the node's logs of one block. If they are wrong, verifies the proven ones in their place, and notes the
 * differences. The proven ones are also taken if the node sent none.
 */
const repaired = (
  said: Logs | undefined,
  differences: LogDifferences,
  proven: Logs,
  verify: (logs: Logs) => Result.Result<Verdict<Logs>, RefutedError>
): Result.Result<Verdict<Logs>, RefutedError> => {
  if (said === undefined) return verify(proven)
  const checked = verify(said)
  if (Result.isSuccess(checked)) return checked
  differences.add(checked.failure, said, proven)
  return verify(proven)
}

/**
 * Maximum number of blocks whose transactions and receipts are read at the same time. A block has up to 3 MB on
 * mainnet, and a transport accepts answers of up to 32 MiB.
 */
const WHOLE = 8

/** Maximum number of parts of a range whose headers are read at the same time. */
const PARTS = 4

/** Returns the numbers after which the further parts of a range begin, downwards. */
function* endsOf(from: bigint, to: bigint): Generator<bigint> {
  for (let number = to; number > from; number -= BigInt(SpeculativeReads.MOST)) yield number
}

/** Returns the work of one block before its receipts are known: its header, and its receipts if they are needed. */
const workOf = (block: Block.WithHashes, { mayMatch }: Search): number =>
  1 + (mayMatch(block.logsBloom!) ? receiptsIn(block) : 0)

/**
 * Returns the number of receipts of a block by the node's list of hashes, but at most as many as the proven gas can pay
 * for: a list that is too long must not make a block look expensive.
 */
const receiptsIn = ({ gasUsed, transactions }: Block.WithHashes): number =>
  Math.min(transactions.length, Math.ceil(Number(gasUsed) / GAS))

/** Gas that a transaction of Ethereum costs at least. Some transactions of other chains cost none. */
const GAS = 21_000

/** The size of a log without its data, in bytes: its address, topics and places. */
const LOG = 512

/** Returns the size of the selected logs and of the data of all logs of a block, in kilobytes, rounded down. */
const kilobytesOf = (receipts: ReadonlyArray<Receipt.Receipt>, selected: Logs): number => {
  let bytes = LOG * selected.length
  for (const { logs } of receipts) for (const { data } of logs) bytes += data.length / 2 - 1
  return Math.floor(bytes / 1024)
}

/** Splits a list of blocks so that each part has at most `WHOLE` blocks whose receipts are needed. */
const portions = (
  blocks: ReadonlyArray<Verified<Block.WithHashes>>,
  { mayMatch }: Search
): ReadonlyArray<ReadonlyArray<Verified<Block.WithHashes>>> => {
  const portions: Array<Array<Verified<Block.WithHashes>>> = []
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

/** Returns a test of logs: true for those that name another block. */
const namesOther =
  (hash: Hash32.Hash32) =>
  ({ blockHash }: Log.Log): boolean =>
    blockHash !== null && !Hex.equals(blockHash, hash)

/** Runs an effect for at most this many milliseconds, then the other one. */
const inTime = <A, E>(effect: Effect.Effect<A, E>, millis: number, late: Effect.Effect<A>): Effect.Effect<A, E> =>
  millis === Infinity ? effect : Effect.timeoutOrElse(effect, { duration: millis, orElse: () => late })

/** Returns the milliseconds from now to a time. */
const left = (end: number): Effect.Effect<number> =>
  Effect.clockWith((clock) => Effect.succeed(Math.max(0, end - Monotonic.millis(clock))))

const lateLogs = (millis: number): JsonRpcError =>
  new JsonRpcError({ method: "eth_getLogs", reason: new TimeoutError({ after: Duration.millis(millis) }) })

/** Returns the filter, restricted to the block with this hash. */
const about = (filter: LogFilter.LogFilter, blockHash: Hash32.Hash32): LogFilter.LogFilter => ({
  ...(filter.address === undefined ? {} : { address: filter.address }),
  ...(filter.topics === undefined ? {} : { topics: filter.topics }),
  blockHash
})

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

/** Checks that logs come in the order of the chain, and only from the range. Notes those that do not. */
const checkOrder = (logs: Logs, from: bigint, to: bigint, differences: LogDifferences): void => {
  let before = from
  let wrong: RefutedError | undefined
  let foreign = 0
  for (const [at, { blockNumber: number }] of logs.entries()) {
    const isInside = number !== null && number >= from && number <= to
    if (!isInside) foreign++
    if (!isInside || number < before) wrong ??= refute(`logs[${at}].blockNumber`, `from ${before} to ${to}`, number)
    else before = number
  }
  if (wrong !== undefined) differences.addForeign(wrong, foreign)
}

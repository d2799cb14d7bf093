/** Proves logs by the receipts of their blocks. The blocks of a range are proven by their parent hashes. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified, weaken } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { isUnsupported } from "../client/unsupportedReads.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Log from "../model/Log.ts"
import * as LogFilter from "../model/LogFilter.ts"
import * as LogsBloom from "../model/LogsBloom.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import { verifyLogs } from "../proof/verifyLogs.ts"
import { verifyReceipts } from "../proof/verifyReceipts.ts"
import * as SpeculativeReads from "../trust/speculativeReads.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
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

export const make = (chain: BlockLocator, maxBlocks: number): Pick<Client, "getLogs"> => {
  const { eth } = chain

  /**
   * Checks those logs of the answer that are in one proven block. Without an answer, returns the logs of the proven
   * receipts, or a claim if there are none.
   */
  const ofBlock = Effect.fnUntraced(function* (
    said: Logs | undefined,
    filter: LogFilter.LogFilter,
    block: Verified<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    if (!LogsBloom.mayMatch(block.value.logsBloom!, filter)) {
      return yield* Effect.fromResult(verifyLogs(said ?? [], filter, block, null, chain))
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
    const logs = said ?? verdict.value.flatMap((receipt) => receipt.logs).filter(LogFilter.selector(filter))
    return yield* Effect.fromResult(verifyLogs(logs, filter, header, verdict, chain))
  })

  /** Checks the logs of a located block. Without the node's logs, only proven logs are an answer. */
  const settled = Effect.fnUntraced(function* (
    { link, verdict }: FoundBlock<Block.WithHashes>,
    said: Said,
    filter: LogFilter.LogFilter
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    const checked = yield* ofBlock(yield* unlessRefused(said), filter, verdict as Verified<Block.WithHashes>)
    if (checked._tag === "CLAIMED") yield* Effect.fromResult(said)
    return settle(link, checked)
  })

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
   * Checks one block of a range. A range is requested by numbers, so the node may have answered from another branch.
   * Logs that name another block of this number came from another branch. If there are no logs at all, the client asks
   * again by the block's hash, because that answer can only be true or a lie.
   */
  const ofNumber = Effect.fnUntraced(function* (
    logs: Logs | undefined,
    filter: LogFilter.LogFilter,
    block: Verified<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    if (logs === undefined) return yield* ofBlock(undefined, filter, block)
    const hash = block.value.hash!
    const { number } = block.value
    const another = logs[0]?.blockHash
    if (another != null && logs.every((log) => log.blockHash !== null && !Hex.equals(log.blockHash, hash))) {
      return yield* Effect.fail(reorgMismatch(`block ${number} was ${hash}, and is ${another} in the logs`))
    }
    const read = ofBlock(logs, filter, block)
    if (logs.length > 0) return yield* read
    return yield* Effect.catchTag(read, "RefutedError", () =>
      Effect.andThen(
        whereWilling(Effect.flatMap(eth.getLogs(about(filter, hash)), (again) => ofBlock(again, filter, block))),
        Effect.fail(reorgMismatch(`block ${number} was ${hash}, and the range has no logs of it`))
      )
    )
  })

  /** Reads the logs of a range and, at the same time, the blocks before its end. */
  const ahead = (filter: OfRange, from: bigint, to: bigint): Effect.Effect<Ahead> =>
    Effect.all(
      {
        logs: Effect.result(eth.getLogs({ ...filter, fromBlock: from, toBlock: to })),
        guesses: to - from >= BigInt(maxBlocks) ? Effect.succeed(SpeculativeReads.none) : before(from, to)
      },
      { concurrency: 2 }
    )

  /** Reads the blocks of a range that come before the given block, at most `SpeculativeReads.MOST` of them. */
  const before = (from: bigint, number: bigint): Effect.Effect<SpeculativeReads.SpeculativeReads> => {
    const least = number - BigInt(SpeculativeReads.MOST)
    return SpeculativeReads.read(eth, least > from ? least : from, number - 1n)
  }

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
    read: Ahead
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    const to = last.verdict.value.number!
    if (to - from >= BigInt(maxBlocks)) {
      return claim(
        yield* Effect.fromResult(read.logs),
        EthReason.RangeTooLong({ blocks: to - from + 1n, max: maxBlocks })
      )
    }
    const said = yield* unlessRefused(read.logs)
    const byBlock = said === undefined ? undefined : Map.groupBy(said, (log) => log.blockNumber)
    const wrong = said === undefined ? undefined : checkOrder(said, from, to)
    if (wrong !== undefined) return yield* wrong
    const whole = new Map<bigint, Logs>()
    const claimed = new Map<string, Claim.Claim>()
    for (const claim of beginning(first)) claimed.set(claim.field, claim)

    const ofPart = (block: Verified<Block.WithHashes>): ReorgRead<Verdict<Logs>> =>
      ofNumber(byBlock === undefined ? undefined : (byBlock.get(block.value.number) ?? []), filter, block)
    /** The proven logs of each block, newest first. */
    const found: Array<Logs> = []

    /**
     * Checks blocks in order. If the logs of a block are only claimed, returns the reason; otherwise returns undefined.
     */
    const check = Effect.fnUntraced(function* (
      blocks: ReadonlyArray<Verified<Block.WithHashes>>
    ): Effect.fn.Return<Reason | undefined, ReorgFailure> {
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
        whole.set(blocks[i]!.value.number!, verdict.value)
        for (const claim of verdict.claimed) claimed.set(claim.field, claim)
        found.push(verdict.value)
      }
      return undefined
    })

    let child = last.verdict as Verified<Block.WithHashes>
    let unchecked = [child]
    let { guesses } = read
    for (;;) {
      const { blocks, end } = yield* parentsOf(child, from, guesses)
      for (const some of portions([...unchecked, ...blocks], filter)) {
        const reason = yield* check(some)
        if (reason !== undefined) return claim(yield* Effect.fromResult(read.logs), reason)
      }
      if (end !== undefined) {
        const reason = yield* Effect.fromResult(end)
        return claim(yield* Effect.fromResult(read.logs), reason)
      }
      child = blocks.at(-1) ?? child
      const { hash, number } = child.value
      if (number === from) {
        if (first !== undefined && !Hex.equals(first.hash, hash!)) {
          return yield* Effect.fail(reorgMismatch(`block ${from} was ${first.hash}, and is ${hash} before block ${to}`))
        }
        break
      }
      unchecked = []
      guesses = yield* before(from, number!)
    }
    const logs = said ?? found.toReversed().flat()
    const proven = [EthEvidence.LogsOfRange({ selected: logs.length, from, to }), EthEvidence.Linked({ from, to })]
    // blocks were checked from the newest to the oldest
    const value = [...whole.keys()].toSorted((a, b) => (a < b ? -1 : 1)).flatMap((number) => whole.get(number)!)
    return settle(
      last.link,
      Proven.make({ value, anchor: Anchor.block(last.hash), proven, claimed: [...claimed.values()] })
    )
  })

  const getLogs = Effect.fnUntraced(function* (
    filter: LogFilter.LogFilter
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
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
    const verdict = yield* ofRange(filter, from, first, last, guess ?? (yield* ahead(filter, from, to)))
    // a node without the first blocks begins at a later one, and any block could pass for that
    return fromBlock === "earliest" && from > 0n ? weaken(verdict, EthReason.Tag({ tag: fromBlock })) : verdict
  })

  return { getLogs: (filter) => retryOnReorg("eth_getLogs", getLogs(filter)) }
}

/**
 * Maximum number of blocks whose transactions and receipts are read at the same time. A block has up to 3 MB on
 * mainnet, and a transport accepts answers of up to 32 MiB.
 */
const WHOLE = 8

/** Splits a list of blocks so that each part has at most `WHOLE` blocks whose receipts are needed. */
const portions = (
  blocks: ReadonlyArray<Verified<Block.WithHashes>>,
  filter: LogFilter.LogFilter
): ReadonlyArray<ReadonlyArray<Verified<Block.WithHashes>>> => {
  const portions: Array<Array<Verified<Block.WithHashes>>> = []
  let needed = WHOLE
  for (const block of blocks) {
    const needs = LogsBloom.mayMatch(block.value.logsBloom!, filter)
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
 * Returns the node's logs; undefined if the node refuses them, because the range or the answer exceeds a limit, or
 * because it lacks the method. Any other fault fails the read.
 */
const unlessRefused = (said: Said): Effect.Effect<Logs | undefined, JsonRpcError> => {
  if (Result.isSuccess(said)) return Effect.succeed(said.success)
  const { reason } = said.failure
  const isSlow = reason._tag === "RemoteError" && reason.kind === "timedOut"
  return isSlow || isUnsupported(said.failure) ? Effect.undefined : Effect.fail(said.failure)
}

/** Ignores the error if the node refuses this optional read. A lie in the answer still fails. */
const whereWilling = (read: ReorgRead<unknown>): ReorgRead<unknown> =>
  Effect.catch(read, (error) => (error._tag !== "Moved" && isUnsupported(error) ? Effect.void : Effect.fail(error)))

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

/** Checks that logs come in the order of the chain, and only from the range. */
const checkOrder = (logs: Logs, from: bigint, to: bigint): RefutedError | undefined => {
  let before = from
  for (const [at, log] of logs.entries()) {
    const number = log.blockNumber
    if (number === null || number < before || number > to) {
      return refute(`logs[${at}].blockNumber`, `from ${before} to ${to}`, number)
    }
    before = number
  }
  return undefined
}

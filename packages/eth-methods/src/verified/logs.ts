/** Logs, proven through the receipts of their blocks, the blocks of a range through their parent hashes. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import { isUnwilling } from "../client/unwilling.ts"
import type * as Block from "../model/Block.ts"
import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as LogsBloom from "../model/LogsBloom.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import { verifyLogs } from "../proof/logs.ts"
import { verifyReceipts } from "../proof/receipts.ts"
import type { Client, Read } from "./client.ts"
import type { Chain, Found } from "./locate.ts"
import { type Failure, moved, steady } from "./moved.ts"
import { provable, receiptsOf } from "./receipts.ts"
import { settle } from "./tie.ts"

type Logs = ReadonlyArray<Log.Log>

export const make = (chain: Chain, maxBlocks: number): Pick<Client, "getLogs"> => {
  const { eth } = chain

  /** Checks the logs of the answer that are in one proven block. */
  const ofBlock = Effect.fnUntraced(function* (
    logs: Logs,
    filter: LogFilter.LogFilter,
    block: Verified<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, JsonRpcError | Refuted> {
    if (!LogsBloom.mayMatch(block.value.logsBloom!, filter)) {
      return yield* Effect.fromResult(verifyLogs(logs, filter, block, null))
    }
    const hash = block.value.hash!
    const [whole, receipts] = yield* Effect.all(
      [chain.byHash(hash, { full: true, senders: false }), receiptsOf(chain, hash)],
      { concurrency: 2 }
    )
    const provableBlock = whole === null ? null : yield* provable(chain, whole, hash)
    if (provableBlock === null || receipts === null) {
      return yield* Effect.fromResult(verifyLogs(logs, filter, block, null))
    }
    const verdict = yield* Effect.fromResult(verifyReceipts(receipts, provableBlock))
    return yield* Effect.fromResult(
      verifyLogs(logs, filter, provableBlock, verdict._tag === "VERIFIED" ? verdict : null)
    )
  })

  const ofOne = Effect.fnUntraced(function* (
    filter: LogFilter.LogFilter,
    located: Found<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, Failure> {
    const logs = yield* eth.getLogs(about(filter, located.hash))
    return settle(located.tie, yield* ofBlock(logs, filter, located.verdict as Verified<Block.WithHashes>))
  })

  /**
   * Checks one block of a range. A range is requested by numbers, so the node may have answered from another branch.
   * Logs that name another block of this number came from another branch. If there are no logs at all, the client asks
   * again by the block's hash: the answer to that question is either true or a lie.
   */
  const ofNumber = Effect.fnUntraced(function* (
    logs: Logs,
    filter: LogFilter.LogFilter,
    block: Verified<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, Failure> {
    const hash = block.value.hash!
    const { number } = block.value
    const another = logs[0]?.blockHash
    if (another != null && logs.every((log) => log.blockHash !== null && !Hex.equals(log.blockHash, hash))) {
      return yield* Effect.fail(moved(`block ${number} was ${hash}, and is ${another} in the logs`))
    }
    const read = ofBlock(logs, filter, block)
    if (logs.length > 0) return yield* read
    return yield* Effect.catchTag(read, "Refuted", () =>
      Effect.andThen(
        whereWilling(Effect.flatMap(eth.getLogs(about(filter, hash)), (again) => ofBlock(again, filter, block))),
        Effect.fail(moved(`block ${number} was ${hash}, and the range has no logs of it`))
      )
    )
  })

  /** A range that ends in a proven block: from there the blocks follow by their parent hashes. */
  const ofRange = Effect.fnUntraced(function* (
    filter: typeof LogFilter.OfRange.Type,
    from: bigint,
    first: Found<Block.WithHashes> | undefined,
    last: Found<Block.WithHashes>
  ): Effect.fn.Return<Verdict<Logs>, Failure> {
    const to = last.verdict.value.number!
    const logs = yield* eth.getLogs({ ...filter, fromBlock: from, toBlock: to })
    if (to - from >= BigInt(maxBlocks)) {
      return claim(logs, EthReason.RangeTooLong({ blocks: to - from + 1n, max: maxBlocks }))
    }
    const byBlock = Map.groupBy(logs, (log) => log.blockNumber)
    const wrong = checkOrder(logs, from, to)
    if (wrong !== undefined) return yield* wrong
    const claimed = new Map<string, Claim.Claim>()
    for (const claim of beginning(first)) claimed.set(claim.field, claim)
    let block = last.verdict as Verified<Block.WithHashes>
    for (;;) {
      const number = block.value.number!
      const verdict = yield* ofNumber(byBlock.get(number) ?? [], filter, block)
      if (verdict._tag === "CLAIMED") {
        return claim(logs, EthReason.LogsOfBlock({ number, cause: verdict.claimed[0]!.reason }))
      }
      for (const claim of verdict.claimed) claimed.set(claim.field, claim)
      if (number === from) {
        const hash = block.value.hash!
        if (first !== undefined && !Hex.equals(first.hash, hash)) {
          return yield* Effect.fail(moved(`block ${from} was ${first.hash}, and is ${hash} before block ${to}`))
        }
        break
      }
      const parent = yield* chain.byHash(block.value.parentHash)
      if (parent === null || parent._tag === "CLAIMED") {
        return claim(logs, EthReason.ParentUnknown({ number: number - 1n, hash: block.value.parentHash }))
      }
      if (parent.value.number !== number - 1n) return yield* refute("block.number", number - 1n, parent.value.number)
      block = parent
    }
    const proven = [EthEvidence.LogsOfRange({ selected: logs.length, from, to }), EthEvidence.Linked({ from, to })]
    return settle(
      last.tie,
      Proven.make({ value: logs, anchor: last.verdict.anchor!, proven, claimed: [...claimed.values()] })
    )
  })

  const getLogs = Effect.fnUntraced(function* (filter: LogFilter.LogFilter): Effect.fn.Return<Verdict<Logs>, Failure> {
    if (filter.blockHash !== undefined) {
      const located = yield* chain.locate(filter.blockHash)
      return located._tag === "Missing"
        ? claim(yield* eth.getLogs(filter), located.reason)
        : yield* ofOne(filter, located)
    }
    const { fromBlock = "latest", toBlock = "latest" } = filter
    const last = yield* chain.locate(toBlock)
    if (last._tag === "Missing") return claim(yield* eth.getLogs(filter), last.reason)
    if (fromBlock === toBlock) return yield* ofOne(filter, last)
    const first = typeof fromBlock === "bigint" ? undefined : yield* chain.locate(fromBlock)
    if (first?._tag === "Missing") return claim(yield* eth.getLogs(filter), first.reason)
    const from = first === undefined ? (fromBlock as bigint) : first.verdict.value.number!
    const to = last.verdict.value.number!
    return from > to
      ? claim(yield* eth.getLogs(filter), EthReason.RangeReversed({ from, to }))
      : from === to && first === undefined
        ? yield* ofOne(filter, last)
        : yield* ofRange(filter, from, first, last)
  })

  return { getLogs: (filter) => steady("eth_getLogs", getLogs(filter)) }
}

/** A read whose outcome does not matter where the node will not give it. A lie in it is one. */
const whereWilling = (read: Read<unknown>): Read<unknown> =>
  Effect.catch(read, (error) => (isUnwilling(error) ? Effect.void : Effect.fail(error)))

/** The same selection, about the very block that was located. */
const about = (filter: LogFilter.LogFilter, blockHash: Hash32.Hash32): LogFilter.LogFilter => ({
  ...(filter.address === undefined ? {} : { address: filter.address }),
  ...(filter.topics === undefined ? {} : { topics: filter.topics }),
  blockHash
})

/** That a tag means the block where a range begins may be the node's word, whatever is known of where it ends. */
const beginning = (first: Found<Block.WithHashes> | undefined): ReadonlyArray<Claim.Claim> => {
  if (first === undefined) return []
  const { tie } = first
  return tie._tag === "Tied"
    ? tie.claimed.map(({ reason }) => Claim.question("fromBlock", reason))
    : [Claim.question("fromBlock", tie.reason)]
}

/** Logs come in the order of the chain, from the range and from nowhere else. */
const checkOrder = (logs: Logs, from: bigint, to: bigint): Refuted | undefined => {
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

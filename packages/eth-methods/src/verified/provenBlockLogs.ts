/** Proves the logs of one proven block by its receipts, or by its bloom. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import { selectedLogs, verifyLogs } from "../proof/verifyLogs.ts"
import { verifyReceipts } from "../proof/verifyReceipts.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import { LogDifferences } from "./logDifferences.ts"
import * as LogSearch from "./logSearch.ts"
import * as LogWork from "./logWork.ts"
import type { ReorgFailure } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import { oneByOne, provable, receiptsOf } from "./verifiedReceipts.ts"

type Logs = LogSearch.Logs
type ProvenBlock = Verified<Block.WithHashes>

/** Proofs of the logs of blocks. */
export interface BlockLogs {
  /** Proves the logs of a block that was located. Without the node's logs, only proven logs are an answer. */
  readonly ofLocated: (
    found: FoundBlock<Block.WithHashes>,
    said: LogSearch.Said,
    filter: LogFilter.LogFilter
  ) => Effect.Effect<Verdict<Logs> | UnprovenError, ReorgFailure>
  /** Proves the logs of one block of a range. `logs` are those that the node sent, if it sent any for the range. */
  readonly ofNumber: (
    logs: Logs | undefined,
    search: LogSearch.Search,
    block: ProvenBlock
  ) => Effect.Effect<Verdict<Logs>, ReorgFailure>
}

export const make = (chain: BlockLocator): BlockLogs => {
  const { eth } = chain

  /**
   * Proves the logs of one proven block. If its receipts cannot be proven, the node's logs are claimed; without them,
   * the claim is about no logs.
   */
  const ofBlock = Effect.fnUntraced(function* (
    said: Logs | undefined,
    { differences, done, filter, mayMatch }: LogSearch.Search,
    block: ProvenBlock
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    if (!mayMatch(block.value.logsBloom!)) {
      return yield* Effect.fromResult(
        LogSearch.repaired(said, differences, [], (logs) => verifyLogs(logs, filter, block, null, chain))
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
    done.work += verdict.value.length - LogWork.receiptsIn(block.value) + LogWork.kilobytesOf(verdict.value, selected)
    return yield* Effect.fromResult(
      LogSearch.repaired(said, differences, selected, (logs) => verifyLogs(logs, filter, header, verdict, chain))
    )
  })

  const ofLocated = Effect.fnUntraced(function* (
    { link, verdict }: FoundBlock<Block.WithHashes>,
    said: LogSearch.Said,
    filter: LogFilter.LogFilter
  ): Effect.fn.Return<Verdict<Logs> | UnprovenError, ReorgFailure> {
    const search = LogSearch.make(filter)
    const block = verdict as ProvenBlock
    const found = yield* ofBlock(Result.getOrUndefined(said), search, block)
    if (found._tag === "CLAIMED") {
      if (Result.isSuccess(said)) return found
      return LogSearch.refused(found.claimed[0]!.reason, said.failure) ?? (yield* Effect.fail(said.failure))
    }
    const { hash, number, parentHash } = block.value
    const linked = EthEvidence.Linked({ from: number!, to: number!, parent: parentHash, hash: hash! })
    const { evidence, isLie } = search.differences
    const mayBeOfOther = isLie && Result.isSuccess(said) && said.success.every(LogSearch.namesOther(hash!))
    const differences = mayBeOfOther && !(yield* isStill(block)) ? [] : evidence
    return settle(link, Proven.amend(found, { proven: [...found.proven, linked, ...differences] }))
  })

  /**
   * True if the node names this block for its number. If it does not, its logs may be of another block: erigon answers a
   * question about a removed block with the logs of the one that took its place, if any.
   */
  const isStill = ({ value: { hash, number } }: ProvenBlock): Effect.Effect<boolean> =>
    Effect.map(
      Effect.result(eth.getBlockByNumber(number!)),
      (now) => Result.isSuccess(now) && now.success?.hash != null && Hex.equals(now.success.hash, hash!)
    )

  /**
   * A range is requested by numbers, so the node may have answered from another branch, and logs that all name another
   * block of this number are not compared. If the node sent no logs of a block that has some, the client asks again by
   * the block's hash: only if they are missing there too, and the node still has this block, the node is to blame.
   */
  const ofNumber = Effect.fnUntraced(function* (
    logs: Logs | undefined,
    search: LogSearch.Search,
    block: ProvenBlock
  ): Effect.fn.Return<Verdict<Logs>, ReorgFailure> {
    const hash = block.value.hash!
    if (logs === undefined || (logs.length > 0 && logs.every(LogSearch.namesOther(hash))))
      return yield* ofBlock(undefined, search, block)
    if (logs.length > 0 || search.differences.isLie) return yield* ofBlock(logs, search, block)
    const own: LogSearch.Search = { ...search, differences: new LogDifferences() }
    const verdict = yield* ofBlock(logs, own, block)
    if (own.differences.isLie && search.differences.mayAskAgain()) {
      const again = yield* Effect.result(eth.getLogs(LogSearch.about(search.filter, hash)))
      const isMissing = Result.isSuccess(again) && again.success.length === 0
      if (isMissing && (yield* isStill(block))) search.differences.join(own.differences)
    }
    return verdict
  })

  return { ofLocated, ofNumber }
}

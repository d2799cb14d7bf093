/**
 * Proves the logs that a filter selects from the proven receipts of their block: exactly these logs, in order, none
 * missing.
 *
 * Without receipts, the block's logsBloom can prove that there are none.
 */
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import type * as Log from "../model/Log.ts"
import * as LogFilter from "../model/LogFilter.ts"
import * as LogsBloom from "../model/LogsBloom.ts"
import type * as Receipt from "../model/Receipt.ts"
import * as EthereumChains from "./ethereumChains.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, difference } from "./provenDifference.ts"
import * as StateSync from "./stateSync.ts"

/**
 * Proves the logs of one proven block that a filter selects.
 *
 * **Details**
 *
 * Only the addresses and topics of the filter are used: the caller has already resolved its block. Pass the block's
 * proven receipts, or `null` without them. Without receipts the answer is CLAIMED, unless the block's logsBloom
 * excludes the filter: that proves that there are no logs. The value has every field that follows from the proof, even
 * if the node left it out. The logs of a block that shows a state-sync transaction of Polygon are CLAIMED, also if
 * there are none, unless the chain is known to be one of Ethereum. If nodes read a filter differently (see
 * `LogFilter.selector`), both readings are accepted.
 *
 * Fails with `RefutedError`: `logs` (their number), `logs[i].<field>`.
 */
export const verifyLogs = (
  logs: ReadonlyArray<Log.Log>,
  filter: LogFilter.Selection,
  block: Verified<Block.Block>,
  receipts: Verified<ReadonlyArray<Receipt.Receipt>> | null,
  options: EthereumChains.OfChain = {}
): Result.Result<Verdict<ReadonlyArray<Log.Log>>, RefutedError> => {
  const verdict = verify(logs, filter, block, receipts)
  if (EthereumChains.isEthereum(options.chainId ?? EthereumChains.namedBy(block.value.transactions))) return verdict
  const besideRoot = (proven: Verdict<ReadonlyArray<Log.Log>>) =>
    claim(logs, EthReason.StateSyncLogs({}), proven.proven)
  if (Result.isSuccess(verdict)) return showsStateSync(block, receipts) ? Result.map(verdict, besideRoot) : verdict
  // logs of a state-sync transaction are in no receipt of the root, and not in the block's bloom
  const isSelected = LogFilter.selector(LogFilter.trimmed(filter))
  const isOwn = (log: Log.Log): boolean =>
    log.transactionHash === null || !StateSync.isOf(log.transactionHash, block.value) || !isSelected(log)
  const own = logs.filter(isOwn)
  return own.length === logs.length ? verdict : Result.map(verify(own, filter, block, receipts), besideRoot)
}

/** True if the block or its receipts show a state-sync transaction. */
const showsStateSync = (
  { value }: Verified<Block.Block>,
  receipts: Verified<ReadonlyArray<Receipt.Receipt>> | null
): boolean =>
  StateSync.isLastOf(value) ||
  (receipts !== null && receipts.claimed.some(({ reason }) => EthReason.StateSync.is(reason)))

/** Returns the logs of proven receipts that a filter selects, as geth reads the filter. */
export const selectedLogs = (
  filter: LogFilter.Selection,
  receipts: Verified<ReadonlyArray<Receipt.Receipt>>
): ReadonlyArray<Log.Log> => allLogs(receipts).filter(LogFilter.selector(filter))

/** Returns all logs of proven receipts, without those of a receipt that is only claimed. */
const allLogs = (receipts: Verified<ReadonlyArray<Receipt.Receipt>>): ReadonlyArray<Log.Log> => {
  const beside = new Set(receipts.claimed.map(({ field }) => field))
  return receipts.value.flatMap((receipt, i) => (beside.has(`receipts[${i}]`) ? [] : receipt.logs))
}

const verify = (
  logs: ReadonlyArray<Log.Log>,
  filter: LogFilter.Selection,
  block: Verified<Block.Block>,
  receipts: Verified<ReadonlyArray<Receipt.Receipt>> | null
): Result.Result<Verdict<ReadonlyArray<Log.Log>>, RefutedError> => {
  if (receipts === null) return withoutReceipts(logs, filter, block)
  const all = allLogs(receipts)
  const claimed: Array<Claim.Claim> = receipts.claimed
    .filter(({ field }) => field.startsWith(LOGS))
    .map(({ field, reason }) => Claim.of(field.slice("receipts[].".length), reason))
  const isClaimed = (path: string): boolean => claimed.some(({ field }) => field === `logs${path}`)
  const compare = (wanted: LogFilter.Selection): Result.Result<ReadonlyArray<Log.Log>, RefutedError> => {
    const proven = all.filter(LogFilter.selector(wanted))
    for (const [at, log] of logs.entries()) {
      if (at >= proven.length) break
      const wrong = difference(log, proven[at], `logs[${at}]`, (field) => {
        if (claimed.every((claim) => claim.field !== field))
          claimed.push(Claim.of(field, EthReason.NotCovered({ by: "receipts" })))
      })
      if (wrong !== undefined) return Result.fail(wrong)
    }
    return logs.length === proven.length
      ? Result.succeed(completed(logs, proven, isClaimed))
      : Result.fail(refute("logs", `${proven.length} logs`, `${logs.length} logs`))
  }
  const exact = compare(filter)
  const trimmed = Result.isFailure(exact) ? compare(LogFilter.trimmed(filter)) : exact
  return Result.map(Result.isSuccess(trimmed) ? trimmed : exact, (value) =>
    Proven.make({
      value,
      anchor: block.anchor,
      proven: [EthEvidence.LogsOfReceipts({ selected: logs.length, of: all.length })],
      claimed: logs.length === 0 ? [] : claimed
    })
  )
}

const LOGS = "receipts[].logs[]."

const withoutReceipts = (
  logs: ReadonlyArray<Log.Log>,
  filter: LogFilter.Selection,
  block: Verified<Block.Block>
): Result.Result<Verdict<ReadonlyArray<Log.Log>>, RefutedError> => {
  if (LogsBloom.mayMatch(block.value.logsBloom!, filter)) {
    return Result.succeed(claim(logs, EthReason.LogsMayBe({})))
  }
  return logs.length > 0
    ? Result.fail(refute("logs", "none: the block's logsBloom excludes the filter", `${logs.length} logs`))
    : Result.succeed(
        Proven.make({
          value: logs,
          anchor: block.anchor,
          proven: [EthEvidence.NoLogsByBloom({})],
          claimed: []
        })
      )
}

/** A search for logs: its filter, what is known during the read, and the comparison with the logs that the node sent. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as LogsBloom from "../model/LogsBloom.ts"
import * as EthReason from "../proof/EthReason.ts"
import { LogDifferences } from "./logDifferences.ts"

export type Logs = ReadonlyArray<Log.Log>

/** The node's logs, or its refusal to send them. Proven receipts have the same logs. */
export type Said = Result.Result<Logs, JsonRpcError>

/** A filter with what is known during a read: the test of blooms, the differences found so far, and the work done. */
export interface Search {
  readonly filter: LogFilter.LogFilter
  readonly mayMatch: (logsBloom: Hex.Hex) => boolean
  readonly differences: LogDifferences
  readonly done: { work: number }
}

export const make = (filter: LogFilter.LogFilter): Search => ({
  filter,
  mayMatch: LogsBloom.matcher(filter),
  differences: new LogDifferences(),
  done: { work: 0 }
})

/** Returns the filter, restricted to the block with this hash. */
export const about = (filter: LogFilter.LogFilter, blockHash: Hash32.Hash32): LogFilter.LogFilter => ({
  ...(filter.address === undefined ? {} : { address: filter.address }),
  ...(filter.topics === undefined ? {} : { topics: filter.topics }),
  blockHash
})

/**
 * Verifies the node's logs of one block. If they are wrong, verifies the proven ones in their place, and notes the
 * differences. The proven ones are also taken if the node sent none.
 */
export const repaired = (
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
 * Returns the error of a read whose logs are not proven, if the node refused its own logs; undefined if the node's refusal
 * says more than the reason.
 */
export const refused = (why: Reason, refusal: JsonRpcError): UnprovenError | undefined => {
  const cause = EthReason.LogsOfBlock.is(why) ? why.cause : why
  if (EthReason.RangeTooLong.is(cause)) return unproven(why)
  if (!EthReason.StateSyncLogs.is(cause)) return undefined
  const named = EthReason.StateSyncLogs({ refusal })
  return unproven(EthReason.LogsOfBlock.is(why) ? EthReason.LogsOfBlock({ number: why.number, cause: named }) : named)
}

const unproven = (why: Reason): UnprovenError =>
  new UnprovenError({ subject: "eth_getLogs", claims: [Claim.whole(why)] })

/** Returns a test of logs: true for those that name another block. */
export const namesOther =
  (hash: Hash32.Hash32) =>
  ({ blockHash }: Log.Log): boolean =>
    blockHash !== null && !Hex.equals(blockHash, hash)

/** Checks that logs come in the order of the chain, and only from the range. Notes those that do not. */
export const checkOrder = (logs: Logs, from: bigint, to: bigint, differences: LogDifferences): void => {
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

/** Reads the logs of a block, proven by all its receipts. Logs that a node pushes are ignored. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Log from "@plumbline/eth-methods/model/Log"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as LogsBloom from "@plumbline/eth-methods/model/LogsBloom"
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import type { Client } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"

import type { FollowFault } from "./provenHeads.ts"
import type { ChainHead } from "./reorgTracker.ts"

/** Reads the logs of a block that a filter selects. */
export type LogsOf = (
  head: ChainHead,
  selection: LogFilter.Selection
) => Effect.Effect<Verdict<ReadonlyArray<Log.Log>>, FollowFault>

/**
 * Maximum number of blocks whose receipts are kept, because listeners with other filters ask for the same receipts
 * shortly after.
 */
const KEPT = 8

/** Number of tries for logs that the node cannot give yet. The waits are 100 ms to 6.4 s, 13 s in total. */
const TRIES = 7

export const make = (client: Client): Effect.Effect<LogsOf> =>
  Effect.map(
    Cache.makeWith(
      (hash: Hash32.Hash32): Effect.Effect<Receipts, FollowFault> =>
        Effect.flatMap(
          client.getBlockReceipts({ blockHash: hash }, { senders: false }),
          (verdict): Effect.Effect<Receipts, FollowFault> =>
            verdict.value === null ? Effect.fail({ _tag: "Absent", hash }) : Effect.succeed(verdict as Receipts)
        ),
      { capacity: KEPT, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero) }
    ),
    (receipts): LogsOf => {
      /** Returns the node's own logs, which are only claimed, because the node lacks the receipts of the block. */
      const said = ({ hash }: ChainHead, { address, topics }: LogFilter.Selection): ReturnType<LogsOf> =>
        client
          .getLogs({
            blockHash: hash,
            ...(address === undefined ? {} : { address }),
            ...(topics === undefined ? {} : { topics })
          })
          // only a range of blocks reaches the bound on the work
          .pipe(Effect.catchTag("UnprovenError", Effect.die))
      const proven = (head: ChainHead, selection: LogFilter.Selection): ReturnType<LogsOf> =>
        Effect.matchEffect(Cache.get(receipts, head.hash), {
          onSuccess: (found): ReturnType<LogsOf> =>
            found._tag === "CLAIMED"
              ? said(head, selection)
              : Effect.succeed(logsIn(found, selection, head.block.value.timestamp)),
          onFailure: (fault): ReturnType<LogsOf> => (lacks(fault) ? said(head, selection) : Effect.fail(fault))
        })
      return (head, selection) =>
        LogsBloom.mayMatch(head.block.value.logsBloom!, selection)
          ? Effect.retry(proven(head, selection), { while: mayPass, schedule: WAITS })
          : Effect.succeed(map(head.block, () => [], { claims: () => [] }))
    }
  )

type Receipts = Verdict<ReadonlyArray<Receipt.Receipt>>

/** Returns the logs with known fields only: the receipts prove these fields, and the header proves the time. */
const logsIn = (
  receipts: Receipts,
  selection: LogFilter.Selection,
  blockTimestamp: bigint
): Verdict<ReadonlyArray<Log.Log>> =>
  map(
    receipts,
    (receipts) =>
      receipts
        .flatMap(({ logs }) => logs)
        .filter(LogFilter.selector(selection))
        .map((log): Log.Log => {
          const { address, blockHash, blockNumber, data, logIndex, topics, transactionHash, transactionIndex } = log
          return {
            address,
            blockHash,
            blockNumber,
            blockTimestamp,
            data,
            logIndex,
            topics,
            transactionHash,
            transactionIndex,
            removed: false
          }
        }),
    {
      claims: ({ field, reason }) => {
        const name = field.startsWith(OF_LOG) ? field.slice(OF_LOG.length) : ""
        return Log.knownFields.has(name) ? [Claim.of(`[].${name}`, reason)] : []
      }
    }
  )

const OF_LOG = "receipts[].logs[]."

const WAITS = Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(TRIES)])

const lacks = (fault: FollowFault): boolean =>
  fault._tag === "JsonRpcError" && fault.reason._tag === "RemoteError" && fault.reason.kind === "methodNotFound"

const mayPass = (fault: FollowFault): boolean => fault._tag === "Absent" || isRetryable(fault)

const isRetryable = (fault: FollowFault): fault is JsonRpcError => fault._tag === "JsonRpcError" && fault.retryable

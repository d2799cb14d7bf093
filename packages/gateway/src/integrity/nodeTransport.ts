/** The transport of a proving client to one node. It records the node's answers during a call. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import { JsonRpcError, ProtocolError, RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Retry from "@plumbline/jsonrpc-core/middleware/Retry"
import { oneByOne, type Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

import type { LieDrill, Upstream } from "../networks/Upstream.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"

/** The record of one call by a caller. That one call can lead to several calls to the node. */
export interface AnswerLedger {
  /** Number of calls to the node. */
  asked: number
  /** The first fault of the node. */
  fault: UpstreamError | undefined
  /** The last error object that the node sent. */
  refusal: ErrorObject | undefined
  /** The last result that the node sent, as a JSON value. */
  result: unknown
  /** True if the source of trust failed. Then the node is not at fault. */
  isTrustless: boolean
  /** True if the call was not run, because of its own nature: no other node can change that. */
  isNotRun: boolean
  /** The order by which the service itself changed an answer of the node; undefined if it changed none. */
  drill: LieDrill | undefined
}

/** Returns an empty record for a new call. */
export const ledger = (): AnswerLedger => ({
  asked: 0,
  fault: undefined,
  refusal: undefined,
  result: undefined,
  isTrustless: false,
  isNotRun: false,
  drill: undefined
})

/**
 * The record of the current call. It is in the context of the fiber, because a client uses one transport for all calls.
 */
export const Current: Context.Reference<AnswerLedger> = Context.Reference<AnswerLedger>(
  "@plumbline/gateway/integrity/Ledger",
  {
    defaultValue: ledger
  }
)

/**
 * Makes the transport. It writes faults, errors and results of the node to the record of the current call.
 *
 * A read that fails by chance is tried again if the node has answered another read of the same proof: a long proof has
 * thousands of reads, and one failure must not void it. Otherwise the pool asks another node at once.
 */
export const make = (upstream: Upstream): Transport["Service"] => {
  const once: Transport["Service"]["call"] = ({ method, params }) =>
    Effect.flatMap(Current, (record) => {
      record.asked++
      return Effect.matchEffect(upstream.call(method, params), {
        onFailure: (error) => Effect.fail(new JsonRpcError({ method, reason: reasonOf(error, record) })),
        onSuccess: (answer) => {
          try {
            record.result = JSON.parse(decoder.decode(answer))
            return Effect.succeed(record.result)
          } catch {
            record.fault ??= NO_JSON
            return Effect.fail(
              new JsonRpcError({ method, reason: new ProtocolError({ detail: "the result is not JSON" }) })
            )
          }
        }
      })
    })
  const again = RETRY({ call: once, callAll: oneByOne(once) })
  const call: Transport["Service"]["call"] = (request) =>
    Effect.flatMap(Current, ({ result }) => (result === undefined ? once : again.call)(request))
  return { call, callAll: oneByOne(call) }
}

const RETRY = Retry.make({ times: 4, initial: "50 millis", maxDelay: "1 second" })

const NO_JSON = new UpstreamError({ reason: { _tag: "BadAnswer", problem: "not JSON-RPC" } })

const reasonOf = (error: ErrorObject | UpstreamError, record: AnswerLedger): RemoteError | TransportError => {
  if (error instanceof UpstreamError) {
    record.fault ??= error
    return new TransportError({ detail: error.message, retryable: isChance(error) })
  }
  record.refusal = error
  const { code, data, message } = error
  return new RemoteError(data === undefined ? { code, message } : { code, message, data })
}

/** True for a broken connection, or an HTTP status of a server that cannot answer now. */
const isChance = ({ reason }: UpstreamError): boolean =>
  reason._tag === "Unreachable" || (reason._tag === "BadStatus" && reason.status >= 500)

const decoder = new TextDecoder()

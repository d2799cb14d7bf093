/** Answers the calls that begin and end a subscription over a connection, and sends its notifications. */
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import type { Notice } from "@plumbline/provider/node/Notice"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import type { ProvingAnswer, ProvingNode } from "@plumbline/provider/node/ProvingNode"
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import * as AnswerTally from "./AnswerTally.ts"
import * as OperatorLines from "./OperatorLines.ts"

/** The result of a call as a server sends it, with its verdict. */
export interface ServedCall {
  readonly result: Uint8Array | Dispatcher.OpeningResult
  readonly verdict: Verdict<unknown>
}

/** Returns the result of an answer as a server sends it. */
export const answered = ({ result, verdict }: ProvingAnswer): ServedCall => ({
  result: encoder.encode(JSON.stringify(result) ?? "null"),
  verdict
})

/** Receives the events of subscriptions. */
export interface SubscriptionReports {
  readonly count: AnswerTally.AnswerTally["count"]
  /** Receives a line for the operator: the notification that is held back or waits, and why. */
  readonly say: (line: string) => void
}

/** Maximum number of different messages to print, because a node can cause any number of reasons. */
const MAX_SAID = 100

/**
 * Makes the function that handles the calls about subscriptions; it returns undefined for any other call. A
 * subscription that misses blocks closes its connection, because JSON-RPC has no message for a gap. The client connects
 * again and can read the missing blocks.
 */
export const make = (node: ProvingNode["Service"], { count, say }: SubscriptionReports) => {
  const said = new Set<string>()
  const sayOnce = (line: string): void => {
    if (said.has(line) || said.size >= MAX_SAID) return
    said.add(line)
    say(line)
  }

  /** Returns the content of the notification, if the notice has one. */
  const textsOf = (notice: Notice): Stream.Stream<string> => {
    switch (notice._tag) {
      case "Item":
        count(notice.verdict._tag)
        return Stream.make(JSON.stringify(notice.result))
      case "Held":
        count(AnswerTally.fateOf(notice.error.code), AnswerTally.checkOf(notice.error))
        sayOnce((notice.isYet === true ? OperatorLines.waits : OperatorLines.held)(notice.error.message))
        return Stream.empty
      case "Missed":
        count("FAILED")
        return Stream.die(notice.error.message)
    }
  }

  const begin = ({ notification, params, peer }: Dispatcher.DispatchedCall): ServedCallEffect => {
    // a caller that sends a notification would never receive the id
    if (peer === undefined || notification) return Effect.fail(needsConnection)
    return Effect.map(node.subscribe(params), ({ close, notices }): ServedCall => {
      const opening = peer.subscribe({
        name: "eth_subscription",
        wire: EthSubscriptions.newHeads.wire,
        items: Stream.flatMap(notices, textsOf),
        onDefect: () => Effect.void
      })
      const begun = (): ReturnType<typeof opening.begin> => {
        const id = opening.begin()
        // there are too many subscriptions: the new one is refused, and closed because no client reads its notices
        if (Result.isFailure(id)) Effect.runFork(close)
        return id
      }
      return { result: { begin: begun, sent: opening.sent }, verdict: claim(null, ProviderReason.Kept({})) }
    })
  }

  const end = ({ params, peer }: Dispatcher.DispatchedCall): ServedCallEffect => {
    if (peer === undefined) return Effect.fail(needsConnection)
    const id: unknown = Array.isArray(params) ? params[0] : undefined
    if (typeof id !== "string") return Effect.fail(ErrorObject.invalidParams("missing value for required argument 0"))
    return peer.unsubscribe("eth_unsubscribe", id)
      ? Effect.succeed(answered({ result: true, verdict: claim(true, ProviderReason.Kept({})) }))
      : Effect.fail(ErrorObject.make(ErrorCode.INVALID_INPUT, "subscription not found"))
  }

  return (call: Dispatcher.DispatchedCall): ServedCallEffect | undefined =>
    call.method === "eth_subscribe" ? begin(call) : call.method === "eth_unsubscribe" ? end(call) : undefined
}

type ServedCallEffect = Effect.Effect<ServedCall, ErrorObject.ErrorObject, Scope.Scope>

const needsConnection = ErrorObject.make(
  ProviderRefusal.UNSUPPORTED,
  "subscriptions need a connection that stays open: use the WebSocket of this proxy"
)

const encoder = new TextEncoder()

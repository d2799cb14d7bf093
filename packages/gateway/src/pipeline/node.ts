/** Step 7 of the pipeline: sends each call that passed the check to the node, and answers the others. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import * as Redaction from "../errors/Redaction.ts"
import { UpstreamFault } from "../networks/UpstreamFault.ts"
import type { Session } from "./admission.ts"
import type * as Packets from "./packets.ts"
import type { Subscriptions } from "./subscriptions.ts"

/** Answers the messages of a packet. The status of each call is set in its item. */
export const answersOf = (
  session: Session,
  packet: Packets.Packet,
  way: { readonly subscriptions?: Subscriptions | undefined }
): Effect.Effect<Message.Answers> => {
  const { config, network } = session
  const { answerBytes, batchConcurrency } = config.settings.limits
  const deadline = performance.now() + config.settings.timeouts.answer
  let resultBytes = 0

  const ask = (
    item: Packets.Item,
    method: string,
    called: Effect.Effect<Uint8Array, ErrorObject.ErrorObject | UpstreamFault>
  ) => {
    const start = performance.now()
    return Effect.matchEffect(called, {
      onSuccess: (result) => {
        config.states.set(network, "up")
        resultBytes += result.length
        return resultBytes > answerBytes ? answerTooLarge : Exit.succeed(result)
      },
      onFailure: (error) => {
        if (!(error instanceof UpstreamFault)) {
          config.states.set(network, "up")
          return Exit.fail(error)
        }
        const { _tag: reason } = error.reason
        config.states.set(network, reason === "TooLarge" ? "up" : "down")
        const said = faults[reason] ?? broken
        item.status = said.status
        return Effect.logWarning("upstream fault", error.message).pipe(
          Effect.annotateLogs({
            network: network.name,
            method,
            status: said.status,
            duration: `${Math.round(performance.now() - start)}ms`
          }),
          Effect.andThen(Exit.fail(said.error))
        )
      }
    })
  }

  const dispatcher = Dispatcher.make({
    // Bytes and time of the answers are limited here, where the statuses are set.
    limits: { concurrency: batchConcurrency, maxAnswerBytes: Infinity, timeout: "Infinity" },
    call: ({ method, notification, place }) => {
      const item = packet.items[place]!
      if (Result.isFailure(item.checked)) return item.checked.failure
      if (resultBytes > answerBytes) return answerTooLarge
      if (performance.now() > deadline) {
        item.status = timedOut.status
        return late
      }
      const params = item.checked.success
      const { feeds } = network
      if (feeds === undefined || (method !== feeds.subscribe && method !== feeds.unsubscribe)) {
        return ask(item, method, network.upstream.call(method, params))
      }
      const { subscriptions } = way
      if (subscriptions === undefined) return unnotified
      // The client would not know the id.
      if (notification) return unanswered
      if (method === feeds.unsubscribe) return subscriptions.unsubscribe(params[0])
      return ask(item, method, subscriptions.subscribe(feeds, params))
    },
    onDefect: (cause, { method, place }) => {
      packet.items[place]!.status = 500
      return Effect.logError("call died", Redaction.text(Cause.pretty(cause))).pipe(
        Effect.annotateLogs({ network: network.name, method })
      )
    }
  })
  return dispatcher.answer(packet.message)
}

/** The answer to a call that failed because of the service or the node. */
export const broken = { status: 502, error: ErrorObject.internalError() }
const timedOut = { status: 504, error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "request timed out") }
const wrongChain = {
  status: 502,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "the nodes of this network are of another chain")
}
// geth's code and text, although EIP-1474 has another meaning for the code.
const tooLarge = { status: 200, error: ErrorObject.make(ErrorCode.TRANSACTION_REJECTED, "response too large") }
/** The answer to a fault, by its reason. Any other fault is answered with `broken`. */
const faults: { readonly [Reason in UpstreamFault["reason"]["_tag"]]?: typeof broken } = {
  TimedOut: timedOut,
  TooLarge: tooLarge,
  WrongChain: wrongChain
}
const answerTooLarge = Exit.fail(tooLarge.error)
const late = Exit.fail(timedOut.error)
const unnotified = Exit.fail(ErrorObject.make(ErrorCode.METHOD_NOT_FOUND, "notifications not supported"))
const unanswered = Exit.succeed(new Uint8Array(0))

/** Step 7 of the pipeline: sends each call that passed the check to the node, and answers the other calls itself. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as DoorProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Tracer from "effect/Tracer"

import * as Redaction from "../errors/Redaction.ts"
import * as Exits from "../http/exits.ts"
import * as CallQueue from "../integrity/CallQueue.ts"
import * as LogRanges from "../integrity/logRanges.ts"
import * as RunMethods from "../integrity/runMethods.ts"
import * as VerdictSummary from "../integrity/verdictSummary.ts"
import type { ServiceMeters } from "../meters/serviceMeters.ts"
import type { Upstream, UpstreamAnswer } from "../networks/Upstream.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"
import * as Tracing from "../tracing/tracing.ts"
import * as CallPackets from "./callPackets.ts"
import type { ConnectionSubscriptions } from "./connectionSubscriptions.ts"
import type { CallerSession } from "./requestAdmission.ts"

/** Answers the messages of a packet, and sets the status of each call in its item. */
export const answersOf = (
  session: CallerSession,
  packet: CallPackets.CallPacket,
  way: {
    readonly subscriptions?: ConnectionSubscriptions | undefined
    readonly requestId?: string | undefined
    readonly span?: Tracer.Span | undefined
  },
  meters: ServiceMeters
): Effect.Effect<Message.Answers> => {
  const { config, network } = session
  const { answerBytes, batchConcurrency } = config.settings.limits
  const deadline = performance.now() + config.settings.timeouts.answer
  const { slowCall, tracing } = config.settings
  const owner = { id: session.holder.project.id, mayRead: session.rules.call }
  let resultBytes = 0

  /** The log fields of a call. Its parameters are left out, because they may be private. */
  const noted = (method: string, took: number, status?: number) => ({
    network: network.name,
    method,
    ...(status === undefined ? {} : { status }),
    duration: `${Math.round(took)}ms`,
    project: session.holder.project.id,
    requestId: way.requestId ?? ""
  })

  /** Counts a call that has ended, and logs it if it was slow. */
  const ended = <A, E>(method: string, start: number, then: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const took = performance.now() - start
    meters.answered(network.name, method, took)
    if (took <= slowCall) return then
    meters.slow++
    return Effect.andThen(Effect.annotateLogs(Effect.logWarning("slow call"), noted(method, took)), then)
  }

  const ask = (
    item: CallPackets.PacketItem,
    method: string,
    called: Effect.Effect<UpstreamAnswer, ErrorObject.ErrorObject | UpstreamError>,
    echo: (result: Uint8Array) => Uint8Array = same
  ) => {
    const start = performance.now()
    return Exits.matchEffect(called, {
      onSuccess: (result) => {
        config.states.set(network, "up")
        resultBytes += result.length
        if (network.isChecked === true)
          item.told =
            VerdictSummary.ofAnswer(result) ?? (network.filters?.has(method) === true ? VerdictSummary.KEPT : undefined)
        return ended(method, start, resultBytes > answerBytes ? answerTooLarge : Exit.succeed(echo(result)))
      },
      onFailure: (error) => {
        const answer = error instanceof UpstreamError ? refusalOf(method, error.reason) : error
        if (answer !== undefined) {
          const reason = answer === CallQueue.busy ? undefined : NODE_ERRORS.get(answer.code)
          if (reason !== undefined) meters.faulted(network.name, reason)
          config.states.set(network, "up")
          if (network.isChecked === true) item.told = VerdictSummary.ofError(answer)
          return ended(method, start, Exit.fail(answer))
        }
        const { reason } = error as UpstreamError
        meters.faulted(network.name, reason._tag)
        config.states.set(network, reason._tag === "TooLarge" ? "up" : "down")
        const said = saidOf(reason)
        item.status = said.status
        return ended(
          method,
          start,
          Effect.logWarning("upstream fault", error.message).pipe(
            Effect.annotateLogs(noted(method, performance.now() - start, said.status)),
            Effect.andThen(Exit.fail(said.error))
          )
        )
      }
    })
  }

  /** Names the project of a call to the queue of proven calls. A kept answer needs no turn. */
  const asProject = (method: string, called: ReturnType<Upstream["call"]>): ReturnType<Upstream["call"]> =>
    network.isChecked !== true || !needsTurn(method) || Exits.exitOf(called) !== undefined
      ? called
      : Effect.provideService(called, CallQueue.Caller, owner.id)

  const onDefect = (cause: Cause.Cause<unknown>, { method, place }: Asked) => {
    packet.items[place]!.status = 500
    return Effect.logError("call died", Redaction.text(Cause.pretty(cause))).pipe(
      Effect.annotateLogs({ network: network.name, method })
    )
  }

  const call = CallPackets.observing(packet, ({ method, notification, place }: Asked) => {
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
      const called =
        network.filters?.has(method) === true
          ? asProject(method, network.filters.call(method, params, owner))
          : asProject(method, network.upstream.call(method, params))
      const { echo } = item
      const form = echo === undefined ? same : (result: Uint8Array) => echoed(echo, packet, place, result)
      if (way.span === undefined) return ask(item, method, called, form)
      const attributes = { "rpc.system": "jsonrpc", "rpc.method": method, "plumbline.network": network.name }
      return ask(item, method, Tracing.call(tracing, way.span, method, attributes, called), form)
    }
    const { subscriptions } = way
    if (subscriptions === undefined) return unnotified
    // A notification gets no answer, so the caller would not get the subscription's id.
    if (notification) return unanswered
    if (method === feeds.unsubscribe) return subscriptions.unsubscribe(params[0])
    return ask(item, method, subscriptions.subscribe(feeds, params))
  })

  const { message } = packet
  // Most packets are one request. A dispatcher would cost more than the rest of this step.
  if (message._tag === "Single" && message.entry._tag === "Request") return oneOf(message.entry, call, onDefect)
  return Dispatcher.make({
    // The size and time of the answers are limited in this file, because it sets the statuses.
    limits: { concurrency: batchConcurrency, maxAnswerBytes: Infinity, timeout: "Infinity" },
    call,
    onDefect
  }).answer(message)
}

const same = (result: Uint8Array): Uint8Array => result

/** True if a proven answer to the method may wait for its turn. */
const needsTurn = (method: string): boolean => RunMethods.isRun(method) || LogRanges.isOf(method)

/** Returns a result with its repeated arguments as the caller wrote them. The node got them in canonical form. */
const echoed = (
  echo: (params: unknown, result: unknown) => unknown,
  { message }: CallPackets.CallPacket,
  place: number,
  result: Uint8Array
): Uint8Array => {
  const entry =
    message._tag === "Single" ? message.entry : message._tag === "Batch" ? message.entries[place] : undefined
  if (entry?._tag !== "Request") return result
  // most callers write the canonical form: then nothing is parsed
  const none = { storageProof: [] }
  if (echo(entry.params, none) === none) return result
  const plain = Result.try((): unknown => JSON.parse(new TextDecoder().decode(result)))
  // an unchecked answer need not be JSON in all its parts
  if (Result.isFailure(plain)) return result
  const written = echo(entry.params, plain.success)
  return written === plain.success ? result : new TextEncoder().encode(JSON.stringify(written))
}

/** The fields of a call that this step needs. */
type Asked = Pick<Dispatcher.DispatchedCall, "method" | "notification" | "place">

/** Answers one request as a dispatcher would. The answer is an exit if the outcome of the call is an exit. */
const oneOf = (
  { id, method }: { readonly id: Message.Id; readonly method: string },
  call: (call: Asked) => Effect.Effect<Uint8Array, ErrorObject.ErrorObject>,
  onDefect: (cause: Cause.Cause<unknown>, call: Asked) => Effect.Effect<void>
): Effect.Effect<Message.Answers> => {
  const asked: Asked = { method, notification: false, place: 0 }
  const succeeded = (result: Uint8Array) => Exit.succeed([Message.successBytes(id, result)])
  const failed = (cause: Cause.Cause<ErrorObject.ErrorObject>): Effect.Effect<Message.Answers> => {
    const error = Cause.findError(cause)
    return Result.isSuccess(error) && !Cause.hasDies(cause)
      ? Exit.succeed([Message.failureBytes(id, error.success)])
      : Effect.as(Effect.ignoreCause(Effect.suspend(() => onDefect(cause, asked))), [
          Message.failureBytes(id, ErrorObject.internalError())
        ])
  }
  try {
    const answer = call(asked)
    const known = Exits.exitOf(answer)
    if (known === undefined) return Effect.matchCauseEffect(answer, { onSuccess: succeeded, onFailure: failed })
    return known._tag === "Success" ? succeeded(known.value) : failed(known.cause)
  } catch (defect) {
    return failed(Cause.die(defect))
  }
}

/**
 * Returns the error for a call whose answers failed the integrity checks; undefined for another fault. Either every
 * node lied, or no node could prove its answer. The checks log the details.
 */
const refusalOf = (method: string, reason: UpstreamError["reason"]): ErrorObject.ErrorObject | undefined => {
  switch (reason._tag) {
    case "Refuted":
      return DoorProviderRefusal.refuted(method, reason, reason.anchor)
    case "Unproven":
      return ErrorObject.make(reason.code, reason.message, reason.data ?? undefined)
    default:
      return undefined
  }
}

/**
 * The errors that say more about the nodes than about the call, with the reason in metrics. They have the HTTP status
 * 200, so alerts cannot rely on the status.
 */
const NODE_ERRORS: ReadonlyMap<number, string> = new Map([
  [DoorProviderRefusal.REFUTED, "Refuted"],
  [DoorProviderRefusal.DISCONNECTED, "Disconnected"],
  [ErrorCode.RESOURCE_UNAVAILABLE, "Unavailable"],
  [ErrorCode.LIMIT_EXCEEDED, "Limited"],
  [ErrorCode.INTERNAL_ERROR, "InternalError"]
])

/** Returns the error that a caller gets for a fault. */
export const errorOf = (method: string, { reason }: UpstreamError): ErrorObject.ErrorObject =>
  refusalOf(method, reason) ?? saidOf(reason).error

/** The answer to a call that failed because of the service or the node. */
export const broken = { status: 502, error: ErrorObject.internalError() }
const timedOut = { status: 504, error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "request timed out") }
const wrongChain = {
  status: 502,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "the nodes of this network are of another chain")
}
// The service has exceeded its limits at the nodes, but the caller has exceeded no limit. So the status is 503, not
// 429.
const limited = {
  status: 503,
  error: ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, "the nodes of this network are over their limits")
}
const disagreement = {
  status: 502,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "the nodes of this network disagree")
}
// geth's code and text, although EIP-1474 has another meaning for the code.
const tooLarge = { status: 200, error: ErrorObject.make(ErrorCode.TRANSACTION_REJECTED, "response too large") }
/** The answer to each fault. A fault that is not listed is answered with `broken`. */
const faults: { readonly [Reason in UpstreamError["reason"]["_tag"]]?: typeof broken } = {
  Disagreement: disagreement,
  Limited: limited,
  TimedOut: timedOut,
  TooLarge: tooLarge,
  WrongChain: wrongChain
}
/** Returns the answer to a fault. A node's 429 gets the same answer as later calls that are held back because of it. */
const saidOf = (reason: UpstreamError["reason"]): typeof broken =>
  reason._tag === "BadStatus" && reason.status === TOO_MANY ? limited : (faults[reason._tag] ?? broken)

const TOO_MANY = 429

const answerTooLarge = Exit.fail(tooLarge.error)
const late = Exit.fail(timedOut.error)
const unnotified = Exit.fail(ErrorObject.make(ErrorCode.METHOD_NOT_FOUND, "notifications not supported"))
const unanswered = Exit.succeed(new Uint8Array(0))

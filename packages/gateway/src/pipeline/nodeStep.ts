/** Step 7 of the pipeline: sends each call that passed the check to the node, and answers the other calls itself. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
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
import { timesOf } from "../metering/latency/latencyRecorder.ts"
import type { ServiceMeters } from "../meters/serviceMeters.ts"
import type { PlainCall, UpstreamAnswer } from "../networks/Upstream.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"
import * as Tracing from "../tracing/tracing.ts"
import * as CallPackets from "./callPackets.ts"
import type { ConnectionSubscriptions } from "./connectionSubscriptions.ts"
import { NODE_ERRORS, refusalOf, saidOf, timedOut, tooLarge, unavailable } from "./nodeFaults.ts"
import type { CallerSession } from "./requestAdmission.ts"

/** The parts of a packet's transport that this step needs. */
interface NodeStepTransport {
  readonly subscriptions?: ConnectionSubscriptions | undefined
  readonly requestId?: string | undefined
  readonly span?: Tracer.Span | undefined
}

/** The fields of a call that this step needs. */
type Asked = Pick<Dispatcher.DispatchedCall, "method" | "notification" | "place">

type Request = Extract<Message.PacketEntry, { _tag: "Request" }>

/** The outcome of a call to the nodes. */
type NodeOutcome = Effect.Effect<UpstreamAnswer, ErrorObject.ErrorObject | UpstreamError>

/** The outcome of a call for its caller. */
type CallOutcome = Effect.Effect<Uint8Array, ErrorObject.ErrorObject>

/** The calls of one packet at the nodes of its network. It sets the status of each call in its item. */
export class NodeStep {
  readonly #session: CallerSession
  readonly #packet: CallPackets.CallPacket
  readonly #way: NodeStepTransport
  readonly #meters: ServiceMeters
  readonly #begun = performance.now()
  #resultBytes = 0

  constructor(session: CallerSession, packet: CallPackets.CallPacket, way: NodeStepTransport, meters: ServiceMeters) {
    this.#session = session
    this.#packet = packet
    this.#way = way
    this.#meters = meters
  }

  /** Answers the messages of the packet. */
  answers(): Effect.Effect<Message.Answers> {
    const { message } = this.#packet
    // Most packets are one request. A dispatcher would cost more than the rest of this step.
    if (message._tag === "Single" && message.entry._tag === "Request") return this.#one(message.entry)
    return Dispatcher.make({
      // The size and time of the answers are limited in this file, because it sets the statuses.
      limits: {
        concurrency: this.#session.config.settings.limits.batchConcurrency,
        maxAnswerBytes: Infinity,
        timeout: "Infinity"
      },
      call: (call) => this.#call(call),
      onDefect: (cause, call) => this.#onDefect(cause, call)
    }).answer(message)
  }

  /**
   * Answers a packet that is one request without an Effect, if its upstream can. `done` gets the answers, or an effect
   * that still has to run. Returns undefined if `answers` has to be used; then nothing was sent.
   */
  plainly(done: (answers: Effect.Effect<Message.Answers>) => void): PlainCall | undefined {
    const { items, message } = this.#packet
    const { network } = this.#session
    const { plain } = network.upstream.call
    if (plain === undefined || message._tag !== "Single" || message.entry._tag !== "Request") return undefined
    const { entry } = message
    const item = items[0]!
    const { checked } = item
    if (Result.isFailure(checked) || this.#way.span !== undefined || !this.#isOfUpstream(entry.method)) return undefined
    let isTold = false
    try {
      return plain(entry.method, checked.success, Infinity, (outcome) => {
        isTold = true
        done(this.#answered(entry, item, outcome))
      })
    } catch (defect) {
      if (isTold) throw defect
      done(this.#failed(entry, Cause.die(defect)))
      return NOTHING_UNDER_WAY
    }
  }

  /** Answers one request as a dispatcher would. The answer is an exit if the outcome of the call is an exit. */
  #one(entry: Request): Effect.Effect<Message.Answers> {
    try {
      return this.#written(entry, this.#call({ method: entry.method, notification: false, place: 0 }))
    } catch (defect) {
      return this.#failed(entry, Cause.die(defect))
    }
  }

  /** Writes the answer to a request whose call has ended at the nodes. */
  #answered(entry: Request, item: CallPackets.PacketItem, outcome: NodeOutcome): Effect.Effect<Message.Answers> {
    try {
      return this.#written(
        entry,
        this.#observed(item, this.#begun, this.#told(item, entry.method, this.#begun, outcome, 0))
      )
    } catch (defect) {
      return this.#failed(entry, Cause.die(defect))
    }
  }

  #written(entry: Request, outcome: CallOutcome): Effect.Effect<Message.Answers> {
    const known = Exits.exitOf(outcome)
    if (known !== undefined) {
      return known._tag === "Success" ? succeeded(entry, known.value) : this.#failed(entry, known.cause)
    }
    return Effect.matchCauseEffect(outcome, {
      onSuccess: (result) => succeeded(entry, result),
      onFailure: (cause) => this.#failed(entry, cause)
    })
  }

  #failed({ id, method }: Request, cause: Cause.Cause<ErrorObject.ErrorObject>): Effect.Effect<Message.Answers> {
    const error = Cause.findError(cause)
    return Result.isSuccess(error) && !Cause.hasDies(cause)
      ? Exit.succeed([Message.failureBytes(id, error.success)])
      : Effect.as(Effect.ignoreCause(Effect.suspend(() => this.#onDefect(cause, { method, place: 0 }))), [
          Message.failureBytes(id, ErrorObject.internalError())
        ])
  }

  #onDefect(cause: Cause.Cause<unknown>, { method, place }: Pick<Asked, "method" | "place">): Effect.Effect<void> {
    this.#packet.items[place]!.status = 500
    return Effect.logError("call died", Redaction.text(Cause.pretty(cause))).pipe(
      Effect.annotateLogs({ network: this.#session.network.name, method })
    )
  }

  /** Makes a call, and records its outcome and its time. */
  #call(asked: Asked): CallOutcome {
    const item = this.#packet.items[asked.place]!
    // The outcome is already known, and no node is asked.
    if (Result.isFailure(item.checked)) return item.checked.failure
    const start = performance.now()
    return this.#observed(item, start, this.#ask(asked, item, item.checked.success, start))
  }

  #ask(
    { method, notification, place }: Asked,
    item: CallPackets.PacketItem,
    params: ReadonlyArray<unknown>,
    start: number
  ) {
    const { config, network } = this.#session
    if (this.#resultBytes > config.settings.limits.answerBytes) return answerTooLarge
    if (start > this.#begun + config.settings.timeouts.answer) {
      item.status = timedOut.status
      return late
    }
    const { feeds } = network
    if (feeds === undefined || (method !== feeds.subscribe && method !== feeds.unsubscribe)) {
      return this.#told(item, method, start, this.#traced(method, this.#sent(method, params)), place)
    }
    const { subscriptions } = this.#way
    if (subscriptions === undefined) return unnotified
    // A notification gets no answer, so the caller would not get the subscription's id.
    if (notification) return unanswered
    if (method === feeds.unsubscribe) return subscriptions.unsubscribe(params[0])
    return this.#told(item, method, start, subscriptions.subscribe(feeds, params), place)
  }

  /** True if the upstream of the network answers the method itself. */
  #isOfUpstream(method: string): boolean {
    const { feeds, filters } = this.#session.network
    return method !== feeds?.subscribe && method !== feeds?.unsubscribe && filters?.has(method) !== true
  }

  /** Sends a call to the nodes. It names the project to the queue of proven calls; a kept answer needs no turn there. */
  #sent(method: string, params: ReadonlyArray<unknown>): NodeOutcome {
    const { holder, network, rules } = this.#session
    const { id } = holder.project
    const called =
      network.filters?.has(method) === true
        ? network.filters.call(method, params, { id, mayRead: rules.call })
        : network.upstream.call(method, params)
    return network.isChecked !== true || !needsTurn(method) || Exits.exitOf(called) !== undefined
      ? called
      : Effect.provideService(called, CallQueue.Caller, id)
  }

  #traced(method: string, called: NodeOutcome): NodeOutcome {
    const { span } = this.#way
    if (span === undefined) return called
    const { config, network } = this.#session
    const attributes = { "rpc.system": "jsonrpc", "rpc.method": method, "plumbline.network": network.name }
    return Tracing.call(config.settings.tracing, span, method, attributes, called)
  }

  /** Turns the outcome at the nodes into the outcome for the caller. */
  #told(item: CallPackets.PacketItem, method: string, start: number, outcome: NodeOutcome, place: number): CallOutcome {
    const known = Exits.exitOf(outcome)
    if (known?._tag === "Success") return this.#accept(item, method, start, known.value, place)
    const onFailure = (cause: Cause.Cause<ErrorObject.ErrorObject | UpstreamError>): CallOutcome => {
      const error = Cause.findError(cause)
      if (Result.isSuccess(error)) return this.#reject(item, method, start, error.success)
      return Cause.hasInterruptsOnly(cause) ? this.#cancelled(item, method, start) : Exit.failCause(error.failure)
    }
    return known === undefined
      ? Effect.matchCauseEffect(outcome, {
          onSuccess: (result) => this.#accept(item, method, start, result, place),
          onFailure
        })
      : onFailure(known.cause)
  }

  /**
   * Answers a call that the service cancelled itself, because the nodes of the network or the cache have ended. If the
   * packet is interrupted, its fiber does not come here.
   */
  #cancelled(item: CallPackets.PacketItem, method: string, start: number): CallOutcome {
    item.status = unavailable.status
    return this.#ended(method, start, Exit.fail(unavailable.error))
  }

  #accept(
    item: CallPackets.PacketItem,
    method: string,
    start: number,
    result: UpstreamAnswer,
    place: number
  ): CallOutcome {
    const { config, network } = this.#session
    config.states.set(network, "up")
    this.#resultBytes += result.length
    if (network.isChecked === true)
      item.told =
        VerdictSummary.ofAnswer(result) ?? (network.filters?.has(method) === true ? VerdictSummary.KEPT : undefined)
    if (this.#resultBytes > config.settings.limits.answerBytes) return this.#ended(method, start, answerTooLarge)
    const { echo } = item
    const answer = echo === undefined ? result : echoed(echo, this.#packet, place, result)
    return this.#ended(method, start, Exit.succeed(answer))
  }

  #reject(
    item: CallPackets.PacketItem,
    method: string,
    start: number,
    error: ErrorObject.ErrorObject | UpstreamError
  ): CallOutcome {
    const { config, network } = this.#session
    const answer = error instanceof UpstreamError ? refusalOf(method, error.reason) : error
    if (answer !== undefined) {
      const reason = answer === CallQueue.busy ? undefined : NODE_ERRORS.get(answer.code)
      if (reason !== undefined) this.#meters.faulted(network.name, reason)
      config.states.set(network, "up")
      if (network.isChecked === true) item.told = VerdictSummary.ofError(answer)
      return this.#ended(method, start, Exit.fail(answer))
    }
    const { reason } = error as UpstreamError
    this.#meters.faulted(network.name, reason._tag)
    config.states.set(network, reason._tag === "TooLarge" ? "up" : "down")
    const said = saidOf(reason)
    item.status = said.status
    return this.#ended(
      method,
      start,
      Effect.logWarning("upstream fault", error.message).pipe(
        Effect.annotateLogs(this.#noted(method, performance.now() - start, said.status)),
        Effect.andThen(Exit.fail(said.error))
      )
    )
  }

  /** Counts a call that has ended, and logs it if it was slow. */
  #ended(method: string, start: number, then: CallOutcome): CallOutcome {
    const took = performance.now() - start
    this.#meters.answered(this.#session.network.name, method, took)
    if (took <= this.#session.config.settings.slowCall) return then
    this.#meters.slow++
    return Effect.andThen(Effect.annotateLogs(Effect.logWarning("slow call"), this.#noted(method, took)), then)
  }

  /** The log fields of a call. Its parameters are left out, because they may be private. */
  #noted(method: string, took: number, status?: number) {
    return {
      network: this.#session.network.name,
      method,
      ...(status === undefined ? {} : { status }),
      duration: `${Math.round(took)}ms`,
      project: this.#session.holder.project.id,
      requestId: this.#way.requestId ?? ""
    }
  }

  /** Records the outcome and the time of a call. */
  #observed(item: CallPackets.PacketItem, start: number, outcome: CallOutcome): CallOutcome {
    const times = timesOf(this.#packet.times, item.method)
    const known = Exits.exitOf(outcome)
    if (known?._tag === "Success") {
      times.add(performance.now() - start)
      return known
    }
    return Exits.matchEffect(outcome, {
      onSuccess: (result) => {
        times.add(performance.now() - start)
        return Exit.succeed(result)
      },
      onFailure: (error) => {
        times.add(performance.now() - start)
        // For any other status, the outcome follows from that status.
        if (item.status === 200) item.outcome = CallPackets.outcomeOf(error)
        return Exit.fail(error)
      }
    })
  }
}

const NOTHING_UNDER_WAY: PlainCall = { abort: () => undefined }

const succeeded = ({ id }: Request, result: Uint8Array): Effect.Effect<Message.Answers> =>
  Exit.succeed([Message.successBytes(id, result)])

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

const answerTooLarge = Exit.fail(tooLarge.error)
const late = Exit.fail(timedOut.error)
const unnotified = Exit.fail(ErrorObject.make(ErrorCode.METHOD_NOT_FOUND, "notifications not supported"))
const unanswered = Exit.succeed(new Uint8Array(0))

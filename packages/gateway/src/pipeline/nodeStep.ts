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
import type { StepEnd } from "../http/workEnd.ts"
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

/** The outcome of a call for its caller: the result, or an effect with the result or the error. */
type CallOutcome = Uint8Array | Effect.Effect<Uint8Array, ErrorObject.ErrorObject>

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
    return Effect.callback((resume) => {
      const call = this.begin({
        succeeded: (answers) => resume(Exit.succeed(answers)),
        continued: resume
      })
      return call && Effect.sync(() => call.abort())
    })
  }

  /**
   * Answers the messages of the packet, without a fiber as far as possible, and tells `end`, perhaps before it returns.
   * Returns the call that is under way at a node without a fiber, if there is one.
   */
  begin(end: StepEnd<Message.Answers>): PlainCall | undefined {
    const { message } = this.#packet
    // Most packets are one request. A dispatcher would cost more than the rest of this step.
    if (message._tag === "Single" && message.entry._tag === "Request") return this.#one(message.entry, end)
    const dispatcher = Dispatcher.make({
      // The size and time of the answers are limited in this file, because it sets the statuses.
      limits: {
        concurrency: this.#session.config.settings.limits.batchConcurrency,
        maxAnswerBytes: Infinity,
        timeout: "Infinity"
      },
      call: (call) => effectOf(this.#call(call, performance.now())),
      onDefect: (cause, call) => this.#onDefect(cause, call)
    })
    end.continued(dispatcher.answer(message))
    return undefined
  }

  /** Answers a packet that is one request. */
  #one(entry: Request, end: StepEnd<Message.Answers>): PlainCall | undefined {
    let isTold = false
    let outcome: CallOutcome
    try {
      const sent = this.#plainly(entry, (outcome) => {
        isTold = true
        this.#answer(entry, outcome, end)
      })
      if (sent !== undefined) return sent
      outcome = this.#call({ method: entry.method, notification: false, place: 0 }, this.#begun)
    } catch (defect) {
      if (isTold) throw defect
      end.continued(this.#failed(entry, Cause.die(defect)))
      return undefined
    }
    this.#write(entry, outcome, end)
    return undefined
  }

  /** Sends one request to a node without an Effect. Returns undefined if that cannot be; then nothing was sent. */
  #plainly({ method }: Request, done: (outcome: NodeOutcome) => void): PlainCall | undefined {
    const { plain } = this.#session.network.upstream.call
    const { checked } = this.#packet.items[0]!
    if (plain === undefined || this.#way.span !== undefined || checked._tag === "Failure") return undefined
    return this.#isOfUpstream(method) ? plain(method, checked.success, Infinity, done) : undefined
  }

  /** Answers a request whose call has ended at the nodes. */
  #answer(entry: Request, outcome: NodeOutcome, end: StepEnd<Message.Answers>): void {
    let told: CallOutcome
    try {
      told = this.#told(this.#packet.items[0]!, entry.method, this.#begun, outcome, 0)
    } catch (defect) {
      return end.continued(this.#failed(entry, Cause.die(defect)))
    }
    return this.#write(entry, told, end)
  }

  /** Writes the answer to a request, as a dispatcher would. */
  #write(entry: Request, outcome: CallOutcome, end: StepEnd<Message.Answers>): void {
    if (outcome instanceof Uint8Array) return end.succeeded([Message.successBytes(entry.id, outcome)])
    const known = Exits.exitOf(outcome)
    const refused = known?._tag === "Failure" ? refusedWith(entry, known.cause) : undefined
    if (refused !== undefined) return end.succeeded(refused)
    return end.continued(
      Effect.matchCauseEffect(outcome, {
        onSuccess: (result) => Exit.succeed([Message.successBytes(entry.id, result)]),
        onFailure: (cause) => this.#failed(entry, cause)
      })
    )
  }

  #failed(entry: Request, cause: Cause.Cause<ErrorObject.ErrorObject>): Effect.Effect<Message.Answers> {
    const refused = refusedWith(entry, cause)
    if (refused !== undefined) return Exit.succeed(refused)
    const { id, method } = entry
    return Effect.as(Effect.ignoreCause(Effect.suspend(() => this.#onDefect(cause, { method, place: 0 }))), [
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
  #call(asked: Asked, start: number): CallOutcome {
    const item = this.#packet.items[asked.place]!
    // The outcome is already known, and no node is asked.
    return item.checked._tag === "Failure"
      ? Exit.fail(item.checked.failure)
      : this.#ask(asked, item, item.checked.success, start)
  }

  #ask(
    { method, notification, place }: Asked,
    item: CallPackets.PacketItem,
    params: ReadonlyArray<unknown>,
    start: number
  ): CallOutcome {
    const { config, network } = this.#session
    if (this.#resultBytes > config.settings.limits.answerBytes) return this.#observed(item, start, answerTooLarge)
    if (start > this.#begun + config.settings.timeouts.answer) {
      item.status = timedOut.status
      return this.#observed(item, start, late)
    }
    const { feeds } = network
    if (feeds === undefined || (method !== feeds.subscribe && method !== feeds.unsubscribe)) {
      return this.#told(item, method, start, this.#traced(method, this.#sent(method, params)), place)
    }
    const { subscriptions } = this.#way
    if (subscriptions === undefined) return this.#observed(item, start, unnotified)
    // A notification gets no answer, so the caller would not get the subscription's id.
    if (notification) return this.#observed(item, start, unanswered)
    if (method === feeds.unsubscribe) return this.#observed(item, start, subscriptions.unsubscribe(params[0]))
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

  /** Turns the outcome at the nodes into the outcome for the caller, and records it with its time. */
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
          onSuccess: (result) => effectOf(this.#accept(item, method, start, result, place)),
          onFailure: (cause) => effectOf(onFailure(cause))
        })
      : onFailure(known.cause)
  }

  /**
   * Answers a call that the service cancelled itself, because the nodes of the network or the cache have ended. If the
   * packet is interrupted, its fiber does not come here.
   */
  #cancelled(item: CallPackets.PacketItem, method: string, start: number): CallOutcome {
    item.status = unavailable.status
    return this.#ended(item, method, start, Exit.fail(unavailable.error))
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
    if (this.#resultBytes > config.settings.limits.answerBytes) {
      return this.#ended(item, method, start, refuse(item, tooLarge.error))
    }
    const { echo } = item
    return this.#ended(item, method, start, echo === undefined ? result : echoed(echo, this.#packet, place, result))
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
      return this.#ended(item, method, start, refuse(item, answer))
    }
    const { reason } = error as UpstreamError
    this.#meters.faulted(network.name, reason._tag)
    config.states.set(network, reason._tag === "TooLarge" ? "up" : "down")
    const said = saidOf(reason)
    item.status = said.status
    return this.#ended(
      item,
      method,
      start,
      Effect.logWarning("upstream fault", error.message).pipe(
        Effect.annotateLogs(this.#noted(method, performance.now() - start, said.status)),
        Effect.andThen(Exit.fail(said.error))
      )
    )
  }

  /** Counts a call that has ended, and logs it if it was slow. */
  #ended(item: CallPackets.PacketItem, method: string, start: number, then: CallOutcome): CallOutcome {
    const took = performance.now() - start
    timesOf(this.#packet.times, item.method).add(took)
    this.#meters.answered(this.#session.network.name, method, took)
    if (took <= this.#session.config.settings.slowCall) return then
    this.#meters.slow++
    return Effect.andThen(
      Effect.annotateLogs(Effect.logWarning("slow call"), this.#noted(method, took)),
      effectOf(then)
    )
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

  /** Records the outcome and the time of a call that no node answers. */
  #observed(
    item: CallPackets.PacketItem,
    start: number,
    outcome: Effect.Effect<Uint8Array, ErrorObject.ErrorObject>
  ): CallOutcome {
    const times = timesOf(this.#packet.times, item.method)
    return Exits.matchEffect(outcome, {
      onSuccess: (result) => {
        times.add(performance.now() - start)
        return Exit.succeed(result)
      },
      onFailure: (error) => {
        times.add(performance.now() - start)
        return refuse(item, error)
      }
    })
  }
}

/** Fails a call. For any other status than 200, the outcome follows from the status. */
const refuse = (
  item: CallPackets.PacketItem,
  error: ErrorObject.ErrorObject
): Exit.Exit<never, ErrorObject.ErrorObject> => {
  if (item.status === 200) item.outcome = CallPackets.outcomeOf(error)
  return Exit.fail(error)
}

const effectOf = (outcome: CallOutcome): Effect.Effect<Uint8Array, ErrorObject.ErrorObject> =>
  outcome instanceof Uint8Array ? Exit.succeed(outcome) : outcome

/** Returns the answer with the error of a call; undefined for a defect. */
const refusedWith = ({ id }: Request, cause: Cause.Cause<ErrorObject.ErrorObject>): Message.Answers | undefined => {
  const error = Cause.findError(cause)
  return Result.isSuccess(error) && !Cause.hasDies(cause) ? [Message.failureBytes(id, error.success)] : undefined
}

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

/** The calls of one packet as work of a project: what they cost, how they are made, and what the caller gets. */
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"

import { membersOf } from "../accounts/limitedMembers.ts"
import type { RequestWork } from "../http/callDoor.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { PacketAnswer } from "../http/PacketAnswer.ts"
import type { StepEnd } from "../http/workEnd.ts"
import type { LimitedMembers } from "../limits/KeyLimits.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import { overLimit } from "../metering/Usage.ts"
import type { ServiceMeters } from "../meters/serviceMeters.ts"
import type { PlainCall } from "../networks/Upstream.ts"
import * as AnswerVerdicts from "./answerVerdicts.ts"
import * as CallPackets from "./callPackets.ts"
import type { ConnectionSubscriptions } from "./connectionSubscriptions.ts"
import * as Joining from "./joining.ts"
import * as NodeFaults from "./nodeFaults.ts"
import { NodeStep } from "./nodeStep.ts"
import type { ProjectWork, WorkOutcome } from "./projectWork.ts"
import type { CallerSession } from "./requestAdmission.ts"

/**
 * The transport of a packet. Messages on a WebSocket have no status, so there a refusal is an error object.
 */
export interface PacketTransport {
  readonly kind: "http" | "webSocket"
  /** Returns the status of interrupted calls: 499 if the caller has left, 503 if the service gave them up. */
  readonly interrupted: () => number
  /** The span of the request or message; undefined if it is not traced. */
  readonly span?: Tracer.Span | undefined
  /** The id of the request in the log. For a WebSocket it is the id of the handshake. */
  readonly requestId?: string | undefined
  /** True if each answer has its verdict in the member `plumbline`. The caller asked for that. */
  readonly annotates?: boolean | undefined
  /** Begins and ends subscriptions for the packet's calls. Absent if the transport cannot send notifications. */
  readonly subscriptions?: ConnectionSubscriptions | undefined
}

/** What the caller of a packet gets. */
export type PacketReply = PacketAnswer | HttpRefusal.HttpRefusal

/** One object for each packet: closures in its place would be a third of the memory that a call takes. */
export class PacketJob implements ProjectWork<PacketReply>, RequestWork, StepEnd<Message.Answers> {
  readonly #session: CallerSession
  readonly #packet: CallPackets.CallPacket
  readonly #way: PacketTransport
  readonly #meters: ServiceMeters
  /** The call that is under way without a fiber, and what takes the outcome. */
  #call: PlainCall | undefined
  #end: StepEnd<WorkOutcome<PacketReply>> | undefined
  readonly credits: number
  readonly members: LimitedMembers | undefined

  constructor(session: CallerSession, packet: CallPackets.CallPacket, way: PacketTransport, meters: ServiceMeters) {
    this.#session = session
    this.#packet = packet
    this.#way = way
    this.#meters = meters
    this.credits = CallPackets.reserved(session, packet)
    this.members = membersOf(session.holder, packet.items.length)
  }

  get project() {
    return this.#session.holder.project
  }

  get users() {
    return this.#session.config.users
  }

  work(): Effect.Effect<WorkOutcome<PacketReply>> {
    return this.#settled(this.#calls().answers())
  }

  begin(end: StepEnd<WorkOutcome<PacketReply>>): RequestWork | undefined {
    this.#end = end
    this.#call = this.#calls().begin(this)
    return this.#call === undefined ? undefined : this
  }

  interruptUnsafe(): void {
    this.#call?.abort()
    this.#end?.succeeded(this.#interrupted())
  }

  /** Takes the answer to a packet that is one request. */
  succeeded(answers: Message.Answers): void {
    let outcome: WorkOutcome<PacketReply>
    try {
      outcome = this.#answered(this.#annotated(answers))
    } catch (defect) {
      return this.#end!.continued(Exit.die(defect))
    }
    return this.#end!.succeeded(outcome)
  }

  continued(answers: Effect.Effect<Message.Answers>): void {
    this.#end!.continued(this.#settled(answers))
  }

  exceeded(exceeded: LimitExceeded.LimitExceeded): WorkOutcome<PacketReply> {
    const { error, headers, status } = LimitExceeded.answer(exceeded, this.#session.config.settings.wording)
    CallPackets.end(this.#packet, status, overLimit(exceeded.limit))
    return this.#outcome(Message.refuse(this.#packet.message, error), status, headers)
  }

  /** Returns the outcome of a fault of the service itself, which is free of charge. */
  closed(): WorkOutcome<PacketReply> {
    const { status } = HttpRefusal.unavailable
    CallPackets.end(this.#packet, status)
    if (this.#way.kind === "webSocket") {
      return this.#outcome(Message.refuse(this.#packet.message, NodeFaults.unavailable.error), status)
    }
    const bytesOut = HttpRefusal.body(HttpRefusal.unavailable).length
    const usages = CallPackets.usages(this.#session, this.#packet, [], { status, bytesOut })
    return { answer: HttpRefusal.unavailable, usages }
  }

  unmetered(): WorkOutcome<PacketReply> {
    this.#way.subscriptions?.abandoned()
    return this.closed()
  }

  #calls(): NodeStep {
    return new NodeStep(this.#session, this.#packet, this.#way, this.#meters)
  }

  #settled(answers: Effect.Effect<Message.Answers>): Effect.Effect<WorkOutcome<PacketReply>> {
    return Effect.flatMap(Effect.exit(Effect.interruptible(answers)), (exit) =>
      exit._tag === "Failure" ? Effect.sync(() => this.#interrupted()) : this.#joined(exit.value)
    )
  }

  /** Returns the outcome of answers of any number and size. */
  #joined(given: Message.Answers): Effect.Effect<WorkOutcome<PacketReply>> {
    return Effect.suspend(() => {
      const answers = this.#annotated(given)
      return Joining.isLarge(this.#packet.message, answers)
        ? Effect.map(Joining.join(answers), (body) => this.#answered(answers, body))
        : Exit.succeed(this.#answered(answers))
    })
  }

  #annotated(answers: Message.Answers): Message.Answers {
    return this.#session.network.isChecked === true
      ? AnswerVerdicts.annotated(this.#packet, answers, this.#way)
      : answers
  }

  #answered(answers: Message.Answers, body?: Uint8Array): WorkOutcome<PacketReply> {
    return this.#outcome(answers, undefined, AnswerVerdicts.headersOf(this.#session, this.#packet, answers), body)
  }

  #interrupted(): WorkOutcome<PacketReply> {
    this.#way.subscriptions?.abandoned()
    const status = this.#way.interrupted()
    if (status === HttpRefusal.unavailable.status) return this.closed()
    // Here the caller has left.
    CallPackets.end(this.#packet, status)
    return this.#outcome([], status)
  }

  #outcome(
    answers: Message.Answers,
    status = this.#packet.isBatch ? 200 : this.#packet.items[0]!.status,
    headers = NO_HEADERS,
    body = Message.join(this.#packet.message, answers)
  ): WorkOutcome<PacketReply> {
    const bytesOut = body?.length ?? 0
    const usages = CallPackets.usages(this.#session, this.#packet, answers, { status, bytesOut })
    return { answer: answer(body, status, headers), usages }
  }
}

const NO_HEADERS: ReadonlyArray<string> = []

export const answer = (
  body: Uint8Array | undefined,
  status = 200,
  headers: ReadonlyArray<string> = NO_HEADERS
): PacketAnswer => ({ _tag: "Answer", status, headers, body })

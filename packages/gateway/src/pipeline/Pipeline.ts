/**
 * The order in which a call travels through the service, with the reason for each place in it.
 *
 * Once per HTTP request or WebSocket, from its head alone, so that an unknown caller cannot make the service hold five
 * megabytes:
 *
 * 1. **The address** (`address.ts`). One request is taken from the bucket of the caller's address. This alone bounds
 *    guesses at keys, so it comes before the key is read.
 * 2. **Authentication** (`Authentication.ts`). A caller without a key learns nothing: neither networks and methods
 *    nor the accepted content types.
 * 3. **Admission** (`admission.ts`): checks of the project, not of the call. They are suspension, the allowlists of
 *    origins and user agents, the product's card rule, the network of the Host header, and the allowlist of networks. A
 *    refusal here saves all later work. A WebSocket is checked again with each message, and twice a second while it is
 *    idle.
 *
 * Then for each body or message, as a whole:
 *
 * 4. **Check** (`packets.ts`, `CallCheck.ts`). Only calls of known methods with valid parameters pass, in their
 *    canonical form, and of those only the ones that the allowlists of methods and addresses permit. It comes before
 *    anything is counted, because a price needs a known method, and before the node, because nodes are lenient. Messages
 *    and values are counted before any is parsed. All of this runs in steps, between which the event loop has its turn
 *    (`turns.ts`): no packet delays the others.
 * 5. **Metering is ready** (`settlement.ts`, as steps 6, 8 and 9). Work that cannot be recorded does not begin.
 * 6. **Limits.** All calls of a packet are admitted, or none, at their maximum cost, by the limits of the project and
 *    of its key together. It comes after the check,
 *    because the cost of a packet is known only then. It is the last step before the node, so every call that takes
 *    credits is admitted.
 * 7. **The node** (`node.ts`), for each call. The only step that waits for an outside service.
 * 8. **Usage.** The final status of each call is known, and with it the cost. An acknowledged call is on the disk
 *    before its answer leaves.
 * 9. **Settlement.** The limits get the charged credits; a place among the calls under way is free again. It comes
 *    after the usage: an unrecorded call is not charged.
 * 10. **The answer** leaves. Its HTTP status follows from the outcomes of the calls.
 *
 * From step 6 on every call is completed: a caller that leaves interrupts its calls, and calls under way are recorded
 * under 499 and settled. Calls that the service itself gives up are 503, and free. A refusal of a known project is
 * limited, recorded and charged in the same way (`refusals.ts`), at the cost of refusals. Unknown callers are not
 * metered.
 *
 * A subscription begins and ends with a call like any other. Its events skip these steps, and are settled every second:
 * an event that cannot be paid for or recorded ends the WebSocket (`eventSettlement.ts`).
 *
 * Other protocols than JSON-RPC go through the first three steps with key and secret in one header or with the key of the
 * path (`openBasic`), or as a holder for callers without a key (`openAs`), and pass in their terms (`terms.ts`): the limits, charges and wording of their refusals. The rate of an IPFS command is
 * checked before its query and the allowlist of methods, so all later refusals are bounded. It costs no credits; its
 * usage is on the disk before its answer ends.
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"

import type { Holder } from "../accounts/Account.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import { membersOf } from "../accounts/members.ts"
import type { Answer } from "../http/Answer.ts"
import type { Work } from "../http/exchange.ts"
import * as Exits from "../http/exits.ts"
import { type Fork, WHOLE } from "../http/fork.ts"
import { InFlight } from "../http/inFlight.ts"
import * as Refusal from "../http/Refusal.ts"
import type { Limiter } from "../limits/Limiter.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import type { Metering } from "../metering/Metering.ts"
import { overLimit } from "../metering/Usage.ts"
import { Meters } from "../meters/meters.ts"
import type { Policy } from "./AccessPolicy.ts"
import * as Address from "./address.ts"
import * as Admission from "./admission.ts"
import type { Admitted, Caller, Known, Session } from "./admission.ts"
import type { Live } from "./config.ts"
import * as Joining from "./joining.ts"
import * as Node from "./node.ts"
import * as Packets from "./packets.ts"
import * as Refusals from "./refusals.ts"
import * as Settlement from "./settlement.ts"
import type { Subscriptions } from "./subscriptions.ts"
import type { Terms } from "./terms.ts"
import { Turns } from "./turns.ts"
import * as Verdicts from "./verdicts.ts"

export type { Answer } from "../http/Answer.ts"
export type { Work } from "../http/exchange.ts"
export type { Fork } from "../http/fork.ts"
export type { Meters } from "../meters/meters.ts"
export type { Job, Outcome, Settlement } from "./settlement.ts"
export type { Config, Live } from "./config.ts"
export type { Admitted, Caller, Known, Session } from "./admission.ts"
export type { Subscriptions } from "./subscriptions.ts"
export type { Terms } from "./terms.ts"
export type { Turns } from "./turns.ts"
export type { Bytes } from "./refusals.ts"

/**
 * The transport of a packet. A WebSocket has no statuses, so there a refusal is an error object.
 */
export interface Way {
  readonly kind: "http" | "webSocket"
  /** Returns the status of interrupted calls: 499 if the caller has left, 503 if the service gives them up. */
  readonly interrupted: () => number
  /** The span of the request or message; undefined if it is not traced. */
  readonly span?: Tracer.Span | undefined
  /** The id of the request in the log. On a WebSocket it is the id of the handshake. */
  readonly requestId?: string | undefined
  /** True if each answer has its verdict in the member `plumbline`. */
  readonly annotates?: boolean | undefined
  /** The subscriptions of its calls. Absent if the transport cannot notify. */
  readonly subscriptions?: Subscriptions | undefined
}

/**
 * The steps, in order: `open` covers everything about the caller, `handle` the rest for one body or message. Both HTTP
 * and WebSocket use it, so a call is treated alike on both.
 */
export interface Pipeline {
  /** Admits a caller at an address. A refusal of a known project is recorded and charged first. */
  readonly open: (address: string, caller: Caller) => Effect.Effect<Session, Refusal.Refusal>
  /**
   * Admits a caller of a protocol other than JSON-RPC: by the key of the path, or without one by key and secret in the
   * Authorization header. `place` is the protocol's name in allowlists and usage, where JSON-RPC has the name of a
   * network; `method` the metered name of the call, if the path names a known one.
   */
  readonly openBasic: (
    address: string,
    caller: Caller,
    place: string,
    terms: Terms,
    method?: string
  ) => Effect.Effect<Admitted, Refusal.Refusal>
  /** Admits a caller without credentials as a holder that the operator chose, such as the public of a gateway. */
  readonly openAs: (
    address: string,
    holder: Holder,
    caller: Caller,
    place: string,
    terms: Terms
  ) => Effect.Effect<Admitted, Refusal.Refusal>
  /** Checks that the caller of a WebSocket would still be admitted. It costs almost nothing if nothing has changed. */
  readonly renew: (session: Session) => Effect.Effect<Session, Refusal.Refusal>
  /**
   * Runs a packet. It can be interrupted, even in an uninterruptible fiber, while it waits for the node or the store of
   * projects. It then ends with the recorded outcome.
   */
  readonly handle: (session: Session, packet: Uint8Array, way: Way) => Effect.Effect<Answer | Refusal.Refusal>
  /**
   * Runs a packet as `handle` does, and calls back once, perhaps before it returns. Only what waits gets a fiber. The
   * returned work can be interrupted as a fiber of `handle` can.
   */
  readonly begin: (
    session: Session,
    packet: Uint8Array,
    way: Way,
    fork: Fork,
    onExit: (exit: Exit.Exit<Answer | Refusal.Refusal>) => void
  ) => Work
  /** Returns the answer over a WebSocket to a message that failed because of the service. */
  readonly fail: (session: Session, packet: Uint8Array, refusal: Refusal.Refusal) => Answer
  /** Records and charges a refusal of a known project, and returns the refusal to send. */
  readonly refuse: (known: Known, refusal: Refusal.Refusal, bytes: Refusals.Bytes) => Effect.Effect<Refusal.Refusal>
  /** Runs work for a project within its limits, and records its outcome. */
  readonly settle: Settlement.Settlement["run"]
  /** Ends when all work that began is recorded and settled. */
  readonly idle: Effect.Effect<void>
}

/**
 * Makes the pipeline over a state and the configuration at the time of each call. It is made once; a call makes no
 * layers and no Schemas.
 */
export const make = (options: {
  readonly accounts: Accounts["Service"]
  readonly limiter: Limiter["Service"]
  readonly metering: Metering["Service"]
  readonly policy: Policy
  readonly live: Live
  /** The turns that this pipeline shares with other work. Default: new turns. */
  readonly turns?: Turns | undefined
  /** The counters of the service. Default: counters that nothing reads. */
  readonly meters?: Meters | undefined
}): Pipeline => {
  const { limiter, meters = new Meters(), turns = new Turns() } = options
  const admission = Admission.make(options)
  const settlement = Settlement.make(limiter, options.metering, meters)
  const { latencies } = options.metering
  const reading = new InFlight<object>()

  /** The body may have been read before the caller is refused after all. */
  const settleRefused = <A>(
    { isHead }: Caller,
    entered: Effect.Effect<A, Admission.Refused>,
    bytesIn = 0
  ): Effect.Effect<A, Refusal.Refusal> => {
    const exit = Exits.exitOf(entered)
    if (exit?._tag === "Success") return Exit.succeed(exit.value)
    return Effect.catch(Effect.interruptible(entered), ({ known, refusal }) =>
      known === undefined
        ? Effect.fail(refusal)
        : Effect.flatMap(
            Refusals.refuse(settlement, known, refusal, { bytesIn, bytesOut: isHead ? 0 : undefined }),
            Effect.fail
          )
    )
  }

  const jobOf = (session: Session, packet: Packets.Packet, way: Way): Settlement.Job<Answer | Refusal.Refusal> => {
    const { config, holder } = session

    const outcome = (
      answers: Message.Answers,
      status = packet.isBatch ? 200 : packet.items[0]!.status,
      headers: ReadonlyArray<string> = [],
      body = Message.join(packet.message, answers)
    ): Settlement.Outcome<Answer | Refusal.Refusal> => {
      const bytesOut = body?.length ?? 0
      return {
        answer: answer(body, status, headers),
        usages: Packets.usages(session, packet, answers, { status, bytesOut })
      }
    }

    /** The service's own fault: free of charge. */
    const refused = (): Settlement.Outcome<Answer | Refusal.Refusal> => {
      const { status } = Refusal.unavailable
      Packets.end(packet, status)
      if (way.kind === "webSocket") return outcome(Message.refuse(packet.message, serviceUnavailable), status)
      const bytesOut = Refusal.body(Refusal.unavailable).length
      return { answer: Refusal.unavailable, usages: Packets.usages(session, packet, [], { status, bytesOut }) }
    }

    const ended = (exit: Exit.Exit<Message.Answers>): Effect.Effect<Settlement.Outcome<Answer | Refusal.Refusal>> => {
      if (exit._tag === "Success") {
        const answers = session.network.isChecked === true ? Verdicts.annotated(packet, exit.value, way) : exit.value
        return Exits.flatMap(Joining.join(packet.message, answers), (body) =>
          Exit.succeed(outcome(answers, undefined, Verdicts.headersOf(session, packet, answers), body))
        )
      }
      way.subscriptions?.abandoned()
      const status = way.interrupted()
      if (status === Refusal.unavailable.status) return Exit.succeed(refused())
      // The caller has left.
      Packets.end(packet, status)
      return Exit.succeed(outcome([], status))
    }

    return {
      project: holder.project,
      users: config.users,
      credits: Packets.reserved(session, packet),
      members: membersOf(holder, packet.items.length),
      work: () => {
        const answered = Node.answersOf(session, packet, way, meters)
        const known = Exits.exitOf(answered)
        return known === undefined ? Effect.flatMap(Effect.exit(Effect.interruptible(answered)), ended) : ended(known)
      },
      exceeded: (exceeded) => {
        const { error, headers, status } = LimitExceeded.answer(exceeded, config.settings.wording)
        Packets.end(packet, status, overLimit(exceeded.limit))
        return outcome(Message.refuse(packet.message, error), status, headers)
      },
      closed: refused,
      unmetered: () => {
        way.subscriptions?.abandoned()
        return refused().answer
      }
    }
  }

  const handle = (session: Session, packet: Packets.Packet, way: Way): Effect.Effect<Answer | Refusal.Refusal> =>
    settlement.run(jobOf(session, packet, way))

  /** Reads and checks a packet, when it is its turn. */
  const packetOf = (session: Session, body: Uint8Array): Effect.Effect<Packets.Packet> =>
    turns.run(session.holder.project.id, Packets.read(session, body, latencies.of(session.network.name)))

  /** Continues with a packet. */
  const read = (
    session: Session,
    packet: Effect.Effect<Packets.Packet>,
    way: Way
  ): Effect.Effect<Answer | Refusal.Refusal> => {
    const known = Exits.exitOf(packet)
    if (known?._tag === "Success") return handle(session, known.value, way)
    // While it waits for its turn, its nodes stay open, and the service does not end.
    const token = {}
    const { users } = session.config
    reading.add(token)
    users.add(token)
    return Effect.flatMap(packet, (packet) => handle(session, packet, way)).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          reading.delete(token)
          users.delete(token)
        })
      ),
      Effect.uninterruptible
    )
  }

  const whole = (session: Session, body: Uint8Array, way: Way): Effect.Effect<Answer | Refusal.Refusal> =>
    Effect.suspend(() => {
      if (session.config === options.live.current) return read(session, packetOf(session, body), way)
      // A reload came during the body, and the previous node may be closed.
      return Effect.matchEffect(settleRefused(session.caller, admission.renew(session), body.length), {
        onFailure: Effect.succeed,
        onSuccess: (session) => read(session, packetOf(session, body), way)
      })
    })

  return {
    open: (from, caller) =>
      Exits.flatMap(Address.admit(limiter, meters, from), () => settleRefused(caller, admission.enter(caller))),
    openBasic: (from, caller, place, terms, method) =>
      Exits.flatMap(Address.admit(limiter, meters, from), () =>
        settleRefused(caller, admission.enterBasic(caller, place, terms, method))
      ),
    openAs: (from, holder, caller, place, terms) =>
      Exits.flatMap(Address.admit(limiter, meters, from), () =>
        settleRefused(caller, admission.enterAs(holder, caller, place, terms))
      ),
    renew: (session) => Exits.mapError(admission.renew(session), ({ refusal }) => refusal),
    handle: whole,
    begin: (session, body, way, fork, onExit) => {
      const isCurrent = session.config === options.live.current
      const packet = isCurrent ? packetOf(session, body) : undefined
      const known = packet && Exits.exitOf(packet)
      if (known?._tag === "Success") return settlement.begin(jobOf(session, known.value, way), fork, onExit)
      const fiber = fork(packet === undefined ? whole(session, body, way) : read(session, packet, way), WHOLE)
      fiber.addObserver(onExit)
      return fiber
    },
    fail: (session, body, { status }) => {
      const packet = Packets.ids(session, body)
      const error = status === Refusal.unavailable.status ? serviceUnavailable : Node.broken.error
      return answer(Message.join(packet, Message.refuse(packet, error)), status)
    },
    refuse: (known, refusal, bytes) => {
      if (refusal === Refusal.busy) meters.limited("capacity")
      else if (refusal === Refusal.tooManySockets) meters.limited("sockets")
      return Refusals.refuse(settlement, known, refusal, bytes)
    },
    settle: settlement.run,
    idle: Effect.andThen(reading.idle, settlement.idle)
  }
}

const answer = (body: Uint8Array | undefined, status = 200, headers: ReadonlyArray<string> = []): Answer => ({
  _tag: "Answer",
  status,
  headers,
  body
})

const serviceUnavailable = ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "service unavailable")

/**
 * The order in which a call travels through the service, with the reason for each place in it.
 *
 * Once per HTTP request or WebSocket, from its head alone, so that a stranger cannot make the service hold five megabytes:
 *
 * 1. **The address** (`address.ts`). One request is taken of the bucket of the caller's address: it is all that bounds
 *    guessing at keys, so it comes before the key is looked at.
 * 2. **Authentication** (`Authentication.ts`). A caller without a key is told nothing: not which networks and methods there
 *    are, not which content types are taken.
 * 3. **Admission** (`admission.ts`): what concerns the project and not the call. Whether it is suspended, its allowlists of
 *    origins and user agents, whether it may use the product as the card rule says, the network that the Host header leads
 *    to, the allowlist of networks. It saves all work for those it refuses. A WebSocket is asked all this again with each
 *    message, and twice a second while it is idle.
 *
 * Then for each body or message, as a whole:
 *
 * 4. **Check** (`packets.ts`, `CallCheck.ts`). Only calls of known methods with good parameters go on, in their canonical
 *    form, and of those only what the allowlists of methods and addresses have. Before anything is counted, because a price
 *    needs a known method; before the node, because nodes are lenient. Messages and values are counted before any is
 *    parsed, and all of this is done in steps, between which the event loop has its turn (`turns.ts`): no packet holds up
 *    the others.
 * 5. **Metering is ready** (`settlement.ts`, as steps 6, 8 and 9). What cannot be recorded is not begun.
 * 6. **Limits.** All calls of a packet are let through, or none, at what they may cost at the most. Behind the check: what
 *    a packet costs is known only then. The last thing before the node: what is taken here was let through.
 * 7. **The node** (`node.ts`), for each call. The only step that waits for something outside.
 * 8. **Usage.** The final status of each call is known, and so what it costs. An acknowledged call is on the disk before
 *    its answer leaves.
 * 9. **Settlement.** Limits are told what was charged; a place among the calls under way is free again. Behind the usage:
 *    what could not be recorded is not charged.
 * 10. **The answer** leaves. Its HTTP status follows from what became of the calls.
 *
 * From step 6 on nothing is left undone: a caller that leaves interrupts its calls, and what was begun is recorded under
 * 499 and settled; what the service itself gives up is 503, and free. A refusal of a known project is limited, recorded and
 * charged in the same way (`refusals.ts`), at what refusals cost. Callers that are not known are not metered.
 *
 * A subscription begins and ends with a call like any other. Its events are sent without these steps, and settled every
 * second: what cannot be paid for or recorded ends the WebSocket (`eventSettlement.ts`).
 *
 * Another protocol than JSON-RPC goes through the first three steps with key and secret in one header (`openBasic`), and
 * hands in its terms (`terms.ts`): how its refusals are limited, charged and worded. The rate of an IPFS command is looked
 * at before its query and the allowlist of methods: so all that is refused behind it is bounded. What it costs is no
 * credits; its usage is on the disk before its answer ends.
 *
 * @since 0.1.0
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { Accounts } from "../accounts/Accounts.ts"
import type { Answer } from "../http/Answer.ts"
import * as Exits from "../http/exits.ts"
import { InFlight } from "../http/inFlight.ts"
import * as Refusal from "../http/Refusal.ts"
import type { Limiter } from "../limits/Limiter.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import type { Metering } from "../metering/Metering.ts"
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

export type { Answer } from "../http/Answer.ts"
export type { Job, Outcome, Settlement } from "./settlement.ts"
export type { Config, Live } from "./config.ts"
export type { Admitted, Caller, Known, Session } from "./admission.ts"
export type { Subscriptions } from "./subscriptions.ts"
export type { Terms } from "./terms.ts"
export type { Bytes } from "./refusals.ts"

/**
 * How a packet came. Over a WebSocket there are no statuses, so that a refusal is said in error objects.
 *
 * @since 0.1.0
 */
export interface Way {
  readonly kind: "http" | "webSocket"
  /** The status of what is interrupted: 499 if the caller has left, 503 if the service gives it up. */
  readonly interrupted: () => number
  /** What its calls can subscribe with. Absent where nobody could be notified. */
  readonly subscriptions?: Subscriptions | undefined
}

/**
 * The steps, in order: `open` is all that concerns the caller, `handle` does the rest for one body or message. Both HTTP
 * and WebSocket go through here, so a call is treated alike on both.
 *
 * @since 0.1.0
 */
export interface Pipeline {
  /** Admits a caller that comes from an address. A refusal of a known project is recorded and charged first. */
  readonly open: (address: string, caller: Caller) => Effect.Effect<Session, Refusal.Refusal>
  /**
   * The same for another protocol than JSON-RPC, whose callers have key and secret in the Authorization header. `place` is
   * its name in allowlists and usage, as that of a network.
   */
  readonly openBasic: (
    address: string,
    caller: Caller,
    place: string,
    terms: Terms
  ) => Effect.Effect<Admitted, Refusal.Refusal>
  /** Whether the caller of a WebSocket would still be let in. Costs next to nothing if nothing has changed. */
  readonly renew: (session: Session) => Effect.Effect<Session, Refusal.Refusal>
  /**
   * In a fiber that cannot be interrupted it can be all the same where it waits for the node or the store of projects: then
   * it ends with what was recorded, also if it is given up.
   */
  readonly handle: (session: Session, packet: Uint8Array, way: Way) => Effect.Effect<Answer | Refusal.Refusal>
  /** The answer over a WebSocket to a message that the service itself has failed. */
  readonly fail: (session: Session, packet: Uint8Array, refusal: Refusal.Refusal) => Answer
  /** Records and charges a refusal of a known project, and gives the one to answer with. */
  readonly refuse: (known: Known, refusal: Refusal.Refusal, bytes: Refusals.Bytes) => Effect.Effect<Refusal.Refusal>
  /** Does work for a project within its limits, and records what became of it. */
  readonly settle: Settlement.Settlement["run"]
  /** Ends when all that was begun is recorded and settled. */
  readonly idle: Effect.Effect<void>
}

/**
 * The pipeline over a state and the configuration that holds when a call comes. It is made once; a call makes no layers
 * and no Schemas.
 *
 * @since 0.1.0
 */
export const make = (options: {
  readonly accounts: Accounts["Service"]
  readonly limiter: Limiter["Service"]
  readonly metering: Metering["Service"]
  readonly policy: Policy
  readonly live: Live
}): Pipeline => {
  const { limiter } = options
  const admission = Admission.make(options)
  const settlement = Settlement.make(limiter, options.metering)
  const turns = new Turns()
  const reading = new InFlight<object>()

  /** A body may have been read when it turns out that nobody is let in any more. */
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

  const handle = (session: Session, packet: Packets.Packet, way: Way): Effect.Effect<Answer | Refusal.Refusal> => {
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

    /** The service's own fault: free. */
    const refused = (): Settlement.Outcome<Answer | Refusal.Refusal> => {
      const { status } = Refusal.unavailable
      Packets.end(packet, status)
      if (way.kind === "webSocket") return outcome(Message.refuse(packet.message, serviceUnavailable), status)
      const bytesOut = Refusal.body(Refusal.unavailable).length
      return { answer: Refusal.unavailable, usages: Packets.usages(session, packet, [], { status, bytesOut }) }
    }

    return settlement.run<Answer | Refusal.Refusal>({
      project: holder.project,
      users: config.users,
      credits: Packets.reserved(session, packet),
      work: () =>
        Effect.flatMap(Effect.exit(Effect.interruptible(Node.answersOf(session, packet, way))), (exit) => {
          if (exit._tag === "Success") {
            const answers = exit.value
            return Exits.flatMap(Joining.join(packet.message, answers), (body) =>
              Exit.succeed(outcome(answers, undefined, undefined, body))
            )
          }
          way.subscriptions?.abandoned()
          const status = way.interrupted()
          if (status === Refusal.unavailable.status) return Exit.succeed(refused())
          // Nobody waits for the answer.
          Packets.end(packet, status)
          return Exit.succeed(outcome([], status))
        }),
      exceeded: (exceeded) => {
        const { error, headers, status } = LimitExceeded.answer(exceeded, config.settings.wording)
        Packets.end(packet, status)
        return outcome(Message.refuse(packet.message, error), status, headers)
      },
      closed: refused,
      unmetered: () => {
        way.subscriptions?.abandoned()
        return refused().answer
      }
    })
  }

  /** Reads and checks a packet, when it is its turn, and goes on with it. */
  const read = (session: Session, body: Uint8Array, way: Way): Effect.Effect<Answer | Refusal.Refusal> => {
    const packet = turns.run(session.holder.project.id, Packets.read(session, body))
    const known = Exits.exitOf(packet)
    if (known?._tag === "Success") return handle(session, known.value, way)
    // Where it waits for its turn, the nodes that it is for stay, and the service does not end.
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

  return {
    open: (from, caller) =>
      Exits.flatMap(Address.admit(limiter, from), () => settleRefused(caller, admission.enter(caller))),
    openBasic: (from, caller, place, terms) =>
      Exits.flatMap(Address.admit(limiter, from), () =>
        settleRefused(caller, admission.enterBasic(caller, place, terms))
      ),
    renew: (session) => Exits.mapError(admission.renew(session), ({ refusal }) => refusal),
    handle: (session, body, way) =>
      Effect.suspend(() => {
        if (session.config === options.live.current) return read(session, body, way)
        // While its body came there was a reload, and the node of then may be closed.
        return Effect.matchEffect(settleRefused(session.caller, admission.renew(session), body.length), {
          onFailure: Effect.succeed,
          onSuccess: (session) => read(session, body, way)
        })
      }),
    fail: (session, body, { status }) => {
      const packet = Packets.ids(session, body)
      const error = status === Refusal.unavailable.status ? serviceUnavailable : Node.broken.error
      return answer(Message.join(packet, Message.refuse(packet, error)), status)
    },
    refuse: (known, refusal, bytes) => Refusals.refuse(settlement, known, refusal, bytes),
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

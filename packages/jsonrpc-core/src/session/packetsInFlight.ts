/** The packets in flight on one connection. Answers are assigned to these packets. */
import * as Result from "effect/Result"

import { ProtocolError, type Reason } from "../error/JsonRpcError.ts"
import type { EnvelopeOutcome } from "../transport/envelope.ts"

/** One call or one batch. Call `i` of the packet has the id `firstId + i`. */
export interface PacketInFlight {
  readonly text: string
  readonly firstId: number
  /**
   * Outcomes by call. A call that cannot be written as JSON has its outcome from the start, and is omitted from the
   * text.
   */
  readonly outcomes: Array<EnvelopeOutcome | undefined>
  /** Number of calls in the text. */
  readonly size: number
  /** Number of calls without an outcome. */
  unanswered: number
  /** Position in the order of sending on this connection, starting at 1. */
  nth: number
  /** Called with the result if it arrives after the packet was abandoned. */
  readonly onLate?: ((result: unknown) => void) | undefined
}

/** An abandoned call without an answer yet. It does not refer to the packet, which may be large. */
interface AbandonedCall {
  readonly nth: number
  readonly onLate: PacketInFlight["onLate"]
}

/**
 * The packets in flight.
 *
 * A refusal that names no call belongs to one of the suspects: the packets that were in flight when the refusal came.
 * Once the number of remaining suspects equals the number of refusals, each of these suspects was refused, and the
 * refusals are assigned to them. With one packet in flight this happens at once.
 */
export interface PacketsInFlight<P extends PacketInFlight> {
  /** Returns the number of calls that wait for their answers. */
  readonly size: () => number
  readonly packets: () => ReadonlyArray<P>
  readonly packetOf: (id: number) => P | undefined
  readonly add: (packet: P) => void
  readonly answer: (id: number, outcome: EnvelopeOutcome) => void
  /** Ends the unanswered calls of a packet. */
  readonly fail: (packet: P, reason: Reason) => void
  /** Marks a packet as abandoned. An answer may still arrive. */
  readonly abandon: (packet: P) => void
  /** Records the answer to an abandoned call. Returns the packet's `onLate`, to be called with the answer's result. */
  readonly late: (id: number) => PacketInFlight["onLate"]
  /**
   * Handles a refusal that names no call. Returns false if no packet can have been refused, or if the refused packet
   * cannot be determined.
   */
  readonly refuse: (reason: Reason) => boolean
  /** Returns the only packet that a message without an id can belong to, or `undefined` if there are several. */
  readonly only: () => P | undefined
}

/**
 * Makes an empty flight. It remembers up to `maxAbandoned` abandoned calls. If more calls are abandoned, it ignores
 * refusals that name no call.
 */
export const make = <P extends PacketInFlight>(
  maxAbandoned: number,
  onEnd: (packet: P) => void
): PacketsInFlight<P> => {
  const pending = new Map<number, P>()
  const abandoned = new Map<number, AbandonedCall>()
  let knowsAbandoned = true
  let packets = 0
  let sent = 0

  let refusals = 0
  let verdict: Reason | undefined
  // Number of unanswered packets and abandoned calls whose `nth` is at most `lastSuspect`.
  let suspects = 0
  let lastSuspect = 0

  const end = (packet: P): void => {
    packets--
    if (packet.nth <= lastSuspect) {
      suspects--
    }
    onEnd(packet)
  }

  const answer = (id: number, outcome: EnvelopeOutcome): void => {
    const packet = pending.get(id)!
    pending.delete(id)
    packet.outcomes[id - packet.firstId] = outcome
    packet.unanswered--
    if (packet.unanswered === 0) {
      end(packet)
      judge()
    }
  }

  const fail = (packet: P, reason: Reason): void => {
    for (const [index, outcome] of packet.outcomes.entries()) {
      if (outcome === undefined) {
        answer(packet.firstId + index, Result.fail(reason))
      }
    }
  }

  const judge = (): void => {
    if (verdict === undefined || suspects > refusals) {
      return
    }
    const reason = verdict
    const refused = uniquePackets(lastSuspect)
    for (const [id, { nth }] of abandoned) {
      if (nth <= lastSuspect) {
        abandoned.delete(id)
      }
    }
    verdict = undefined
    refusals = suspects = lastSuspect = 0
    for (const packet of refused) {
      fail(packet, reason)
    }
  }

  const uniquePackets = (upTo: number): ReadonlyArray<P> => {
    const found = new Set<P>()
    for (const packet of pending.values()) {
      if (packet.nth > upTo) {
        break
      }
      found.add(packet)
    }
    return [...found]
  }

  return {
    size: () => pending.size,
    packets: () => uniquePackets(sent),
    packetOf: (id) => pending.get(id),
    add: (packet) => {
      packets++
      packet.nth = ++sent
      for (const [index, outcome] of packet.outcomes.entries()) {
        if (outcome === undefined) {
          pending.set(packet.firstId + index, packet)
        }
      }
    },
    answer,
    fail,
    abandon: (packet) => {
      packets--
      if (packet.nth <= lastSuspect) {
        suspects += packet.unanswered - 1
      }
      for (const [index, outcome] of packet.outcomes.entries()) {
        if (outcome === undefined) {
          pending.delete(packet.firstId + index)
          knowsAbandoned &&= abandoned.size < maxAbandoned
          if (knowsAbandoned) {
            abandoned.set(packet.firstId + index, { nth: packet.nth, onLate: packet.onLate })
          }
        }
      }
    },
    late: (id) => {
      const call = abandoned.get(id)
      if (call !== undefined) {
        abandoned.delete(id)
        if (call.nth <= lastSuspect) {
          suspects--
          judge()
        }
      }
      return call?.onLate
    },
    refuse: (reason) => {
      if (!knowsAbandoned || packets + abandoned.size === 0) {
        return false
      }
      verdict = verdict === undefined || isSame(verdict, reason) ? reason : ambiguous()
      refusals++
      suspects = packets + abandoned.size
      lastSuspect = sent
      judge()
      return true
    },
    only: () => (knowsAbandoned && abandoned.size === 0 && packets === 1 ? pending.values().next().value : undefined)
  }
}

/** Returns the reason for two refusals with different texts, if it is unknown which packet got which refusal. */
const ambiguous = (): ProtocolError =>
  new ProtocolError({ detail: "refused, together with other calls, and the server does not say which for what reason" })

const isSame = (one: Reason, other: Reason): boolean =>
  one._tag === "RemoteError" && other._tag === "RemoteError" && one.code === other.code && one.message === other.message

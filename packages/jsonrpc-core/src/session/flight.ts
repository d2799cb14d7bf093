/** The packets under way on one connection, and to which of them belongs what comes back. */
import * as Result from "effect/Result"

import { ProtocolError, type Reason } from "../error/JsonRpcError.ts"
import type { Outcome } from "../transport/envelope.ts"

/** One call or one batch. Call `i` of it has the id `firstId + i`. */
export interface Packet {
  readonly text: string
  readonly firstId: number
  /** By call; a call that is not JSON has its outcome from the start, and no place in the text. */
  readonly outcomes: Array<Outcome | undefined>
  /** How many calls the text holds, and how many of them have no outcome. */
  readonly size: number
  unanswered: number
  /** The how manyth it was to be sent on its connection, from 1. */
  nth: number
  /** Told the result that comes when nobody waits for the packet any more. */
  readonly onLate?: ((result: unknown) => void) | undefined
}

/** An abandoned call without an answer yet. It holds nothing of the packet, which may be large. */
interface Stray {
  readonly nth: number
  readonly onLate: Packet["onLate"]
}

/**
 * What is under way.
 *
 * A refusal that names no call belongs to one of the packets that were under way when it came, the suspects. It waits
 * until as many suspects are left as there are refusals: these were refused. With one packet under way that is at once.
 */
export interface Flight<P extends Packet> {
  /** How many calls wait for their answers. */
  readonly size: () => number
  readonly packets: () => ReadonlyArray<P>
  readonly packetOf: (id: number) => P | undefined
  readonly add: (packet: P) => void
  readonly answer: (id: number, outcome: Outcome) => void
  /** Ends what of a packet is unanswered. */
  readonly fail: (packet: P, reason: Reason) => void
  /** Nobody waits for the packet any more, but it may still be answered. */
  readonly abandon: (packet: P) => void
  /** Notes the answer to a call that nobody waits for, and gives who wants to know its result all the same. */
  readonly late: (id: number) => Packet["onLate"]
  /** Takes a refusal that names no call; false when nothing can have been refused, or nobody can say what. */
  readonly refuse: (reason: Reason) => boolean
  /** The packet to which a message without any name belongs, if it can be no other's. */
  readonly only: () => P | undefined
}

/** Nothing under way. Of abandoned calls `maxStrays` are remembered; beyond that refusals without a name are ignored. */
export const make = <P extends Packet>(maxStrays: number, onEnd: (packet: P) => void): Flight<P> => {
  const pending = new Map<number, P>()
  const strays = new Map<number, Stray>()
  let knowsStrays = true
  let packets = 0
  let sent = 0

  let refusals = 0
  let verdict: Reason | undefined
  // Packets and strays without an answer that were sent up to `lastSuspect`.
  let suspects = 0
  let lastSuspect = 0

  const end = (packet: P): void => {
    packets--
    if (packet.nth <= lastSuspect) {
      suspects--
    }
    onEnd(packet)
  }

  const answer = (id: number, outcome: Outcome): void => {
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
    for (const [id, { nth }] of strays) {
      if (nth <= lastSuspect) {
        strays.delete(id)
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
          knowsStrays &&= strays.size < maxStrays
          if (knowsStrays) {
            strays.set(packet.firstId + index, { nth: packet.nth, onLate: packet.onLate })
          }
        }
      }
    },
    late: (id) => {
      const stray = strays.get(id)
      if (stray !== undefined) {
        strays.delete(id)
        if (stray.nth <= lastSuspect) {
          suspects--
          judge()
        }
      }
      return stray?.onLate
    },
    refuse: (reason) => {
      if (!knowsStrays || packets + strays.size === 0) {
        return false
      }
      verdict = verdict === undefined || isSame(verdict, reason) ? reason : ambiguous()
      refusals++
      suspects = packets + strays.size
      lastSuspect = sent
      judge()
      return true
    },
    only: () => (knowsStrays && strays.size === 0 && packets === 1 ? pending.values().next().value : undefined)
  }
}

/** Two refusals with different words: who got which cannot be known. */
const ambiguous = (): ProtocolError =>
  new ProtocolError({ detail: "refused, together with other calls, and the server does not say which for what reason" })

const isSame = (one: Reason, other: Reason): boolean =>
  one._tag === "RemoteError" && other._tag === "RemoteError" && one.code === other.code && one.message === other.message

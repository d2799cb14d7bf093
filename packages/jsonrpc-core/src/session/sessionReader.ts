/**
 * Reads messages, and finds the packet that each message answers.
 *
 * Faults of servers are handled as follows:
 *
 * - An answer with an unknown id, or to an abandoned call, is counted and ignored. But a subscription that is granted
 *   too late is cancelled at once, because otherwise the server would send notifications for ever.
 * - A call without an answer in the array that answers its batch fails alone. So does a call with two answers.
 * - A refusal that names no call belongs to the only packet in flight. If several are in flight, the reader waits until
 *   all but one are answered; then the refusal belongs to the remaining one.
 * - A message that is not JSON-RPC at all counts as the answer to the only packet in flight, if there are no
 *   subscriptions. Otherwise the message may have been any answer or notification, so the connection is closed, and all
 *   packets in flight fail.
 * - A message that is too large ends the connection. By the same rule it counts as the answer to the only packet in
 *   flight.
 */
import * as Result from "effect/Result"

import { ProtocolError, type Reason, TransportError } from "../error/JsonRpcError.ts"
import * as Envelope from "../transport/envelope.ts"
import type * as PacketsInFlight from "./packetsInFlight.ts"
import type * as SessionSubscriptions from "./sessionSubscriptions.ts"

/** A received message: text, or bytes in UTF-8. */
export type ReceivedText = string | ArrayBuffer | Uint8Array

/** Returns the size of a message in bytes. For text, returns the length of the text instead. */
export const sizeOf = (message: ReceivedText): number =>
  typeof message === "string" ? message.length : message.byteLength

export interface SessionReader {
  readonly receive: (message: ReceivedText) => void
  /** Handles a message that was larger than `maxBytes`. */
  readonly receiveTooLarge: () => void
  /** Returns the number of ignored messages. */
  readonly ignored: () => number
}

export interface SessionReaderOptions<P extends PacketsInFlight.PacketInFlight> {
  /** Returns the flight of the current connection. */
  readonly flight: () => PacketsInFlight.PacketsInFlight<P>
  readonly subscriptions: SessionSubscriptions.SubscriptionRegistry
  /** Ends the connection. */
  readonly giveUp: (reason: Reason) => void
  readonly maxBytes: number
  readonly redact: Envelope.RedactText
}

type Members = Readonly<Record<string, unknown>>

export const make = <P extends PacketsInFlight.PacketInFlight>(options: SessionReaderOptions<P>): SessionReader => {
  const { flight, maxBytes, redact, subscriptions } = options
  let ignored = 0

  const receive = (message: ReceivedText): void => {
    const size = sizeOf(message)
    if (size > maxBytes) {
      receiveTooLarge()
      return
    }
    const parsed = parse(message)
    if (Result.isFailure(parsed)) {
      unreadable(parsed.failure)
      return
    }
    const value = parsed.success
    if (Array.isArray(value) ? !receiveAll(value, size) : !receiveOne(value, size, answer)) {
      unreadable(new ProtocolError({ detail: "the answer is not JSON-RPC" }))
    }
  }

  const receiveTooLarge = (): void => {
    const what = `larger than ${maxBytes} bytes`
    options.giveUp(
      onlyAnswerTo() === undefined
        ? new TransportError({ detail: `connection lost (a message was ${what})`, retryable: true })
        : new TransportError({ detail: `the answer is ${what}`, retryable: false })
    )
  }

  /**
   * Returns the packet that an unreadable message answers. Returns undefined if there are subscriptions, because the
   * message may have been a notification.
   */
  const onlyAnswerTo = (): P | undefined => (subscriptions.mayHear() ? undefined : flight().only())

  const unreadable = (reason: ProtocolError): void => {
    const only = onlyAnswerTo()
    if (only !== undefined) {
      flight().fail(only, reason)
    } else if (flight().size() > 0 || subscriptions.mayHear()) {
      options.giveUp(reason)
    } else {
      ignored++
    }
  }

  /**
   * Classifies a message, and passes the answer to a call to `onAnswer`. Returns false if the message is not JSON-RPC.
   */
  const receiveOne = (message: unknown, size: number, onAnswer: (id: number, reply: Members) => void): boolean => {
    if (!Envelope.isObject(message)) {
      return false
    }
    const { id, method } = message
    const hasError = Object.hasOwn(message, "error")
    if (typeof method === "string" && !hasError && !Object.hasOwn(message, "result")) {
      // A message with an id is a request of the server, and clients do not answer requests.
      if (!isAbsent(id) || !subscriptions.notify(method, message["params"], size)) {
        ignored++
      }
      return true
    }
    if (isAbsent(id)) {
      if (hasError && !flight().refuse(readRefusal(message))) {
        ignored++
      }
      return hasError
    }
    if (typeof id === "number" && flight().packetOf(id) !== undefined) {
      onAnswer(id, message)
    } else {
      ignored++
      if (typeof id === "number") {
        const onLate = flight().late(id)
        const outcome = onLate && Envelope.readReply(message, id, {}, redact)
        if (outcome !== undefined && Result.isSuccess(outcome)) {
          onLate!(outcome.success)
        }
      }
    }
    return true
  }

  const answer = (id: number, reply: Members): void => {
    const packet = flight().packetOf(id)!
    const outcome = Envelope.readReply(reply, id, {}, redact)
    const isBatch = packet.size > 1 && packet.unanswered === packet.size
    if (isBatch && Result.isFailure(outcome) && Envelope.isRefusal(reply, packet.firstId)) {
      flight().fail(packet, outcome.failure)
    } else {
      flight().answer(id, outcome)
    }
  }

  /** Handles an array of messages. Returns false if none of them is JSON-RPC. */
  const receiveAll = (messages: ReadonlyArray<unknown>, size: number): boolean => {
    // `undefined` marks a call that has two answers.
    const replies = new Map<number, Members | undefined>()
    const collect = (id: number, reply: Members): void => void replies.set(id, replies.has(id) ? undefined : reply)
    let isJsonRpc = false
    for (const message of messages) {
      isJsonRpc = receiveOne(message, size / messages.length, collect) || isJsonRpc
    }
    const packets = new Set<P>()
    for (const [id, reply] of replies) {
      // A refusal in the same array may have ended the packet.
      const packet = flight().packetOf(id)
      if (packet !== undefined) {
        packets.add(packet)
        if (reply === undefined) {
          flight().answer(id, Envelope.doubleAnswer())
        } else if (messages.length === 1) {
          answer(id, reply)
        } else {
          flight().answer(id, Envelope.readReply(reply, id, {}, redact))
        }
      }
    }
    for (const packet of packets) {
      flight().fail(packet, new ProtocolError({ detail: Envelope.MISSING_ANSWER }))
    }
    return isJsonRpc
  }

  const readRefusal = (message: Members): Reason => {
    const outcome = Envelope.readError(message, {}, redact)
    return outcome !== undefined && Result.isFailure(outcome)
      ? outcome.failure
      : new ProtocolError({ detail: "the error has no code or no message" })
  }

  return { receive, receiveTooLarge, ignored: () => ignored }
}

const isAbsent = (id: unknown): boolean => id === null || id === undefined

const parse = (message: ReceivedText): Result.Result<unknown, ProtocolError> => {
  const text = typeof message === "string" ? message : decodeUtf8(message)
  return text === undefined ? Envelope.protocolError("the answer is not UTF-8") : Envelope.parse(text)
}

const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true })

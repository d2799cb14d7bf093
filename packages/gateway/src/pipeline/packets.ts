/**
 * A packet of calls: read, checked and priced as a whole before any of them begins, and recorded when all have ended.
 */
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import * as Allowlist from "../accounts/Allowlist.ts"
import { LEFT } from "../http/exchange.ts"
import * as Exits from "../http/exits.ts"
import type { Told } from "../integrity/told.ts"
import { type NetworkTimes, timesOf } from "../metering/latency/recorder.ts"
import { type Outcome, UNKNOWN_METHOD, type Usage } from "../metering/Usage.ts"
import type { Session } from "./admission.ts"
import * as CallCheck from "./CallCheck.ts"
import type { Job } from "./turns.ts"

/** One message of a packet. */
export interface Item {
  /** The metered name. */
  readonly method: string
  /** The cost if the call succeeds. */
  readonly credits: number
  readonly bytesIn: number
  /** The canonical parameters, or the answer to a call that does not go to the node. */
  readonly checked: Result.Result<ReadonlyArray<unknown>, Exit.Exit<never, ErrorObject.ErrorObject>>
  /** The status of this message, or the one that it would have alone. */
  status: number
  /** The verdict on its answer, if it has one. */
  told?: Told | undefined
  /** The outcome, if the status does not tell it. */
  outcome: Outcome | undefined
}

export interface Packet {
  readonly message: Message.Packet
  readonly bytesIn: number
  readonly items: ReadonlyArray<Item>
  /** True if an array surrounds the items, which costs too. */
  readonly isBatch: boolean
  /** Receives the times that the packet's calls took at the node. */
  readonly times: NetworkTimes
}

/** The metered name of a message that is not a request. */
const INVALID = "invalid"

/** The metered name of a batch's array. */
const BATCH = "batch"

/** Begins to read a packet. */
const reader = ({ config }: Session, body: Uint8Array): Message.Reader => {
  const { batch, bodyBytes, depth, values } = config.settings.limits
  return Message.reader(body, { maxBytes: bodyBytes, maxBatch: batch, maxDepth: depth, maxValues: values })
}

/** Maximum size of a packet that is read a second time, for its ids, in bytes. */
const SMALL = 64 * 1024

/** Returns the packet in a form that can be answered with one error for all; a large one without its ids. */
export const ids = (session: Session, body: Uint8Array): Message.Packet => {
  if (body.length > SMALL) return { _tag: "Single", entry: { _tag: "Invalid", id: Message.NULL_ID, error: unread } }
  const { step } = reader(session, body)
  let message = step()
  while (message === undefined) message = step()
  return message
}

const unread = ErrorObject.internalError()

/** Bytes of checked messages after which a step ends. */
const CHECKED = 16 * 1024

/** Reads and checks a packet, in steps: each parses or checks one large message, or some small ones. */
export const read = (session: Session, body: Uint8Array, times: NetworkTimes): Job<Packet> => {
  // Made in the first step: even its start takes time if a packet begins with much white space.
  let reading: Message.Reader | undefined
  let message: Message.Packet | undefined
  let sizes: ReadonlyArray<number> = []
  const items: Array<Item> = []

  const check = (message: Message.Packet): Packet | undefined => {
    const bytesIn = body.length
    switch (message._tag) {
      case "Refused":
        return { message, bytesIn, items: [invalid(session, bytesIn)], isBatch: false, times }
      case "Single":
        return { message, bytesIn, items: [itemOf(session, message.entry, bytesIn)], isBatch: false, times }
      case "Batch": {
        const { entries } = message
        let checked = 0
        while (items.length < entries.length) {
          // A batch that is too large was not read: one entry stands for all of it.
          const size = sizes[items.length] ?? 0
          items.push(itemOf(session, entries[items.length]!, size))
          checked += size
          if (checked >= CHECKED && items.length < entries.length) return undefined
        }
        return { message, bytesIn, items, isBatch: true, times }
      }
    }
  }

  return {
    step: () => {
      if (message !== undefined) return check(message)
      reading ??= reader(session, body)
      message = reading.step()
      if (message === undefined) return undefined
      sizes = reading.sizes()
      // A small packet takes one step.
      return body.length > CHECKED ? undefined : check(message)
    }
  }
}

const itemOf = (session: Session, entry: Message.Entry, bytesIn: number): Item => {
  if (entry._tag !== "Request" && entry._tag !== "Notification") return invalid(session, bytesIn)
  const { config, network, rules } = session
  const { costs } = config.settings
  const { feeds } = network
  const isOfFeeds = entry.method === feeds?.subscribe || entry.method === feeds?.unsubscribe
  const isKnown = isOfFeeds || network.methods.get(entry.method) !== undefined
  const method = isKnown ? entry.method : UNKNOWN_METHOD
  const credits = costs.call(network.name, method)
  const checked = CallCheck.check(network.methods, entry, feeds)
  if (Result.isFailure(checked)) {
    return { method, credits, bytesIn, checked: Result.fail(Exit.fail(checked.failure)), status: 200, outcome: "error" }
  }
  if (!rules.call(entry.method, checked.success)) {
    return { method, credits, bytesIn, checked: notAllowed, status: Allowlist.rejected.status, outcome: undefined }
  }
  return { method, credits, bytesIn, checked: Result.succeed(checked.success), status: 200, outcome: undefined }
}

const notAllowed = Result.fail(Exit.fail(Allowlist.rejected.error))
const unasked: Item["checked"] = Result.succeed([])

const invalid = ({ config }: Session, bytesIn: number): Item => ({
  method: INVALID,
  credits: config.settings.costs.charged(0, 400),
  bytesIn,
  checked: unasked,
  status: 200,
  outcome: "error"
})

/** Returns the maximum cost of a packet. */
export const reserved = ({ config }: Session, { isBatch, items }: Packet): number => {
  const { costs } = config.settings
  let sum = 0
  for (const { credits, status } of items) {
    // An admitted call can still end as a refusal, which for a cheap method costs more.
    const refused = costs.charged(credits, LEFT)
    sum += status === 200 ? Math.max(credits, refused) : refused
  }
  return isBatch ? costs.batch(sum) : sum
}

/** Ends all items with this status, if none of them gets a separate answer. */
export const end = ({ items }: Packet, status: number, outcome?: Outcome): void => {
  for (const item of items) {
    item.status = status
    item.outcome = outcome
  }
}

/** Returns the function that answers calls, which also notes the outcome and the time of each. */
export const observing =
  <C extends { readonly place: number }>(
    { items, times }: Packet,
    answer: (call: C) => Effect.Effect<Uint8Array, ErrorObject.ErrorObject>
  ) =>
  (call: C): Effect.Effect<Uint8Array, ErrorObject.ErrorObject> => {
    const item = items[call.place]!
    const answered = answer(call)
    // Its outcome is known already, and no node is asked.
    if (Result.isFailure(item.checked)) return answered
    const start = performance.now()
    return Exits.matchEffect(answered, {
      onSuccess: (result) => {
        timesOf(times, item.method).add(performance.now() - start)
        return Exit.succeed(result)
      },
      onFailure: (error) => {
        timesOf(times, item.method).add(performance.now() - start)
        // Another status tells it already.
        if (item.status === 200) item.outcome = outcomeOf(error)
        return Exit.fail(error)
      }
    })
  }

/**
 * Returns the outcome of an error object: `reverted` for the codes and words by which nodes report that a contract
 * reverted. 3 is geth's code, and that of most nodes; -32015 is Nethermind's; 40 and 41 are those of the second chain.
 */
export const outcomeOf = ({ code, message }: ErrorObject.ErrorObject): Outcome =>
  code === 3 || code === -32_015 || code === 40 || code === 41 || /\breverted\b/iu.test(message) ? "reverted" : "error"

/**
 * Returns the usages of a packet whose answer has this status and size. A batch has one more usage than items: it has
 * the bytes outside of the items, so that the sums are the bytes of the whole request and answer.
 */
export const usages = (
  session: Session,
  { bytesIn, isBatch, items }: Packet,
  answers: Message.Answers,
  answer: { readonly status: number; readonly bytesOut: number }
): ReadonlyArray<Usage> => {
  const { config, holder, place, product } = session
  const { costs } = config.settings
  const common = { project: holder.project.id, product, network: place, key: holder.key.id }
  let inItems = 0
  let inAnswers = 0
  const all: Array<Usage> = []
  for (const [index, { bytesIn, credits, method, outcome, status }] of items.entries()) {
    const bytesOut = isBatch ? (answers[index]?.length ?? 0) : answer.bytesOut
    inItems += bytesIn
    inAnswers += bytesOut
    const charged = costs.charged(credits, status)
    all.push({ ...common, method, status, outcome, calls: 1, credits: charged, bytesIn, bytesOut })
  }
  if (isBatch) {
    all.push({
      ...common,
      method: BATCH,
      status: answer.status,
      calls: 0,
      credits: answer.status < 400 ? costs.batch(0) : 0,
      bytesIn: bytesIn - inItems,
      bytesOut: answer.bytesOut - inAnswers
    })
  }
  return all
}

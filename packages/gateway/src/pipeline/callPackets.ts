/**
 * A packet of calls. It is read, checked and priced as a whole before any call begins. It is recorded when all calls
 * have ended.
 */
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import * as Result from "effect/Result"

import * as Allowlist from "../accounts/Allowlist.ts"
import { LEFT } from "../http/exchange.ts"
import type { VerdictSummary } from "../integrity/verdictSummary.ts"
import type { NetworkTimes } from "../metering/latency/latencyRecorder.ts"
import { type UsageOutcome, UNKNOWN_METHOD, type Usage } from "../metering/Usage.ts"
import * as CallCheck from "./CallCheck.ts"
import type { CallerSession } from "./requestAdmission.ts"
import type { SteppedJob } from "./stepScheduler.ts"

/** One message of a packet. */
export interface PacketItem {
  /** The method's name in the metering. */
  readonly method: string
  /** The cost if the call succeeds. */
  readonly credits: number
  readonly bytesIn: number
  /** The canonical parameters. For a call that does not go to the node, the error of the answer instead. */
  readonly checked: Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject>
  /** Repeats the caller's arguments in the result, if the method does that. */
  readonly echo?: Method.Any["echo"]
  /** The status of this message, as it would be in a separate request. */
  status: number
  /** The verdict on the answer, if there is one. */
  told?: VerdictSummary | undefined
  /** The outcome, if it does not follow from the status. */
  outcome: UsageOutcome | undefined
}

export interface CallPacket {
  readonly message: Message.Packet
  readonly bytesIn: number
  readonly items: ReadonlyArray<PacketItem>
  /** True if the items are in an array. The array has a cost too. */
  readonly isBatch: boolean
  /** Collects the times that the packet's calls took at the node. */
  readonly times: NetworkTimes
}

/** The name under which an invalid message is metered. */
const INVALID = "invalid"

/** The name under which a batch itself is metered. */
const BATCH = "batch"

/** Begins to read a packet. */
const reader = ({ config }: CallerSession, body: Uint8Array): Message.PacketSteps => {
  const { batch, bodyBytes, depth, values } = config.settings.limits
  return Message.reader(body, { maxBytes: bodyBytes, maxBatch: batch, maxDepth: depth, maxValues: values })
}

/** Maximum size of a packet that is parsed a second time to find its ids, in bytes. */
const SMALL = 64 * 1024

/** Returns a packet that can be answered with one error. A packet above `SMALL` bytes has no ids. */
export const ids = (session: CallerSession, body: Uint8Array): Message.Packet => {
  if (body.length > SMALL) return { _tag: "Single", entry: { _tag: "Invalid", id: Message.NULL_ID, error: unread } }
  const { step } = reader(session, body)
  let message = step()
  while (message === undefined) message = step()
  return message
}

const unread = ErrorObject.internalError()

/** Number of bytes of checked messages after which a step ends. */
const CHECKED = 16 * 1024

/** Reads and checks a packet in steps. Each step parses or checks one large message, or several small ones. */
export const read = (session: CallerSession, body: Uint8Array, times: NetworkTimes): SteppedJob<CallPacket> => {
  // The reader is made in the first step: its start takes time too if a packet begins with much white space.
  let reading: Message.PacketSteps | undefined
  let message: Message.Packet | undefined
  let sizes: ReadonlyArray<number> = []
  const items: Array<PacketItem> = []

  const check = (message: Message.Packet): CallPacket | undefined => {
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
          // A batch that is too large was not parsed. It has a single entry.
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
      // A small packet is read and checked in one step.
      return body.length > CHECKED ? undefined : check(message)
    }
  }
}

const itemOf = (session: CallerSession, entry: Message.PacketEntry, bytesIn: number): PacketItem => {
  if (entry._tag !== "Request" && entry._tag !== "Notification") return invalid(session, bytesIn)
  const { config, network, rules } = session
  const { costs } = config.settings
  const { feeds } = network
  const isOfFeeds = entry.method === feeds?.subscribe || entry.method === feeds?.unsubscribe
  const definition = network.methods.get(entry.method)
  const method = isOfFeeds || definition !== undefined ? entry.method : UNKNOWN_METHOD
  const credits = costs.call(network.name, method)
  const checked = CallCheck.check(network.methods, entry, feeds, definition)
  if (checked._tag === "Failure") return { method, credits, bytesIn, checked, status: 200, outcome: "error" }
  if (!rules.call(entry.method, checked.success)) {
    return { method, credits, bytesIn, checked: notAllowed, status: Allowlist.rejected.status, outcome: undefined }
  }
  return {
    method,
    credits,
    bytesIn,
    checked,
    echo: definition?.echo,
    status: 200,
    outcome: undefined
  }
}

const notAllowed = Result.fail(Allowlist.rejected.error)
const unasked: PacketItem["checked"] = Result.succeed([])

const invalid = ({ config }: CallerSession, bytesIn: number): PacketItem => ({
  method: INVALID,
  credits: config.settings.costs.charged(0, 400),
  bytesIn,
  checked: unasked,
  status: 200,
  outcome: "error"
})

/** Returns the maximum cost of a packet. */
export const reserved = ({ config }: CallerSession, { isBatch, items }: CallPacket): number => {
  const { costs } = config.settings
  let sum = 0
  for (const { credits, status } of items) {
    // An admitted call can still be refused later. A refusal costs more than a cheap method.
    const refused = costs.charged(credits, LEFT)
    sum += status === 200 ? Math.max(credits, refused) : refused
  }
  return isBatch ? costs.batch(sum) : sum
}

/** Sets this status for all items. Use it if none of them gets a separate answer. */
export const end = ({ items }: CallPacket, status: number, outcome?: UsageOutcome): void => {
  for (const item of items) {
    item.status = status
    item.outcome = outcome
  }
}

/**
 * Returns the outcome of an error object. It is `reverted` for the codes and words with which nodes report a reverted
 * contract. Code 3 is used by geth and most other nodes, -32015 by Nethermind, 40 and 41 by nodes of the second chain. It
 * is `refuted` for an answer that a check refuted.
 */
export const outcomeOf = (error: ErrorObject.ErrorObject): UsageOutcome => {
  const { code, message } = error
  // a node can send this code too
  if (code === ProviderRefusal.REFUTED && ProviderRefusal.isOwn(error)) return "refuted"
  return code === 3 || code === -32_015 || code === 40 || code === 41 || /\breverted\b/iu.test(message)
    ? "reverted"
    : "error"
}

/**
 * Returns the usages of a packet whose answer has this status and size. A batch has one usage more than it has items,
 * for the bytes outside of the items. So the sums are the bytes of the whole request and answer.
 */
export const usages = (
  session: CallerSession,
  { bytesIn, isBatch, items }: CallPacket,
  answers: Message.Answers,
  answer: { readonly status: number; readonly bytesOut: number }
): ReadonlyArray<Usage> => {
  const { config, holder, place, product } = session
  const { costs } = config.settings
  const project = holder.project.id
  const key = holder.key.id
  let inItems = 0
  let inAnswers = 0
  const all: Array<Usage> = []
  for (let index = 0; index < items.length; index++) {
    const { bytesIn, credits, method, outcome, status } = items[index]!
    const bytesOut = isBatch ? (answers[index]?.length ?? 0) : answer.bytesOut
    inItems += bytesIn
    inAnswers += bytesOut
    const charged = costs.charged(credits, status)
    all.push({
      project,
      product,
      network: place,
      key,
      method,
      status,
      outcome,
      calls: 1,
      credits: charged,
      bytesIn,
      bytesOut
    })
  }
  if (isBatch) {
    all.push({
      project,
      product,
      network: place,
      key,
      method: BATCH,
      status: answer.status,
      outcome: undefined,
      calls: 0,
      credits: answer.status < 400 ? costs.batch(0) : 0,
      bytesIn: bytesIn - inItems,
      bytesOut: answer.bytesOut - inAnswers
    })
  }
  return all
}

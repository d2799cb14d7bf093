/** A packet of calls: read, checked and priced as a whole before any of them begins, and billed when all have ended. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/Message"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import * as Allowlist from "../Allowlist.ts"
import * as Check from "../Check.ts"
import { UNKNOWN_METHOD, type Usage } from "../Usage.ts"
import type { Session } from "./entrance.ts"
import { LEFT } from "./turningAway.ts"

/** One message of a packet. */
export interface Item {
  /** The name that it is metered under. */
  readonly method: string
  /** What it costs if it goes well. */
  readonly credits: number
  readonly bytesIn: number
  /** The canonical parameters; what it is answered with, if it does not go to the node. */
  readonly checked: Result.Result<ReadonlyArray<unknown>, Exit.Exit<never, ErrorObject>>
  /** The status that it has, or would have alone. */
  status: number
}

export interface Packet {
  readonly message: Message.Packet
  readonly bytesIn: number
  readonly items: ReadonlyArray<Item>
  /** Whether there is an array around the items, which costs too. */
  readonly isBatch: boolean
}

/** What is metered that is no request at all. */
const INVALID = "invalid"

/** The array around the calls of a batch, as it is metered. */
const BATCH = "batch"

export const parse = ({ config }: Session, body: Uint8Array): Message.Packet => {
  const { batch, bodyBytes, depth } = config.settings.limits
  return Message.parse(body, { maxBytes: bodyBytes, maxBatch: batch, maxDepth: depth })
}

export const read = (session: Session, body: Uint8Array): Packet => {
  const message = parse(session, body)
  switch (message._tag) {
    case "Refused":
      return { message, bytesIn: body.length, items: [invalid(session, body.length)], isBatch: false }
    case "Single":
      return { message, bytesIn: body.length, items: [itemOf(session, message.entry, body.length)], isBatch: false }
    case "Batch": {
      // Of a batch that is too large nothing was read: there is one entry for all of it, and it may have millions.
      const { length } = message.entries
      const ranges = Message.ranges(body, length + 1)
      const isWhole = ranges.length === length
      const items = message.entries.map((entry, place) => {
        const { end, start } = isWhole ? ranges[place]! : { start: 0, end: 0 }
        return itemOf(session, entry, end - start)
      })
      return { message, bytesIn: body.length, items, isBatch: true }
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
  const checked = Check.check(network.methods, entry, feeds)
  if (Result.isFailure(checked)) {
    return { method, credits, bytesIn, checked: Result.fail(Exit.fail(checked.failure)), status: 200 }
  }
  if (!rules.call(entry.method, checked.success)) {
    return { method, credits, bytesIn, checked: notAllowed, status: Allowlist.rejected.status }
  }
  return { method, credits, bytesIn, checked: Result.succeed(checked.success), status: 200 }
}

const notAllowed = Result.fail(Exit.fail(Allowlist.rejected.error))
const unasked: Item["checked"] = Result.succeed([])

const invalid = ({ config }: Session, bytesIn: number): Item => ({
  method: INVALID,
  credits: config.settings.costs.charged(0, 400),
  bytesIn,
  checked: unasked,
  status: 200
})

/** The most that a packet may come to cost. */
export const reserved = ({ config }: Session, { isBatch, items }: Packet): number => {
  const { costs } = config.settings
  let sum = 0
  for (const { credits, status } of items) {
    // What is let in can still end as a refusal, which for a cheap method is dearer.
    const refused = costs.charged(credits, LEFT)
    sum += status === 200 ? Math.max(credits, refused) : refused
  }
  return isBatch ? costs.batch(sum) : sum
}

/** None of them has an answer of its own: all end with this status. */
export const end = ({ items }: Packet, status: number): void => {
  for (const item of items) item.status = status
}

/**
 * What a packet has used, when its answer of so many bytes has the given status. Sums over the usages are those of the
 * request: what is not of an item is the array around them.
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
  for (const [index, { bytesIn, credits, method, status }] of items.entries()) {
    const bytesOut = isBatch ? (answers[index]?.length ?? 0) : answer.bytesOut
    inItems += bytesIn
    inAnswers += bytesOut
    all.push({ ...common, method, status, calls: 1, credits: costs.charged(credits, status), bytesIn, bytesOut })
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

/**
 * `--annotate`, or `?annotate` in a client's URL: adds a member `plumbline` beside `result` or `error` of each answer,
 * with its verdict, its anchor and the claimed fields. JSON-RPC 2.0 does not forbid other members of a response, but strict clients
 * exist, so the member is off by default. An answer without a verdict, such as the answer to wrong parameters, has no
 * such member.
 */
import * as Message from "@plumbline/jsonrpc-core/message/Message"

import type { AnswerFate } from "./AnswerTally.ts"
import * as ProxyCalls from "./ProxyCalls.ts"

/**
 * Returns the verdict of an outcome, in the words of clients; undefined for an outcome without a verdict. A refused
 * answer counts as CLAIMED.
 */
export const verdictOf = (fate: AnswerFate): "VERIFIED" | "CLAIMED" | "REFUTED" | undefined =>
  fate === "FAILED" ? undefined : fate === "REFUSED" ? "CLAIMED" : fate

/**
 * True if a URL asks for the member: `?annotate`, as for the gateway. It is in the URL because a page cannot set
 * headers of a WebSocket.
 */
export const isAsked = (url: string): boolean => /\?(?:[^#]*&)?annotate(?:=(?:1|true))?(?:[&#]|$)/u.test(url)

/** The answers to a packet: a mark that is true if they are a list, and the outcome of each answer, in order. */
export interface AnsweredPacket {
  readonly isBatch: boolean
  readonly told: ReadonlyArray<ProxyCalls.CallVerdict | undefined>
}

/**
 * Returns the answers to a packet. `others` lists the kinds of messages that the server answers besides requests. A
 * packet that is refused as a whole has no verdict.
 */
export const answered = (
  packet: Uint8Array,
  told: ReadonlyArray<ProxyCalls.CallVerdict>,
  others: ReadonlySet<Message.PacketEntry["_tag"]>
): AnsweredPacket => {
  const read = Message.parse(packet, { ...Message.defaults, ...ProxyCalls.limits })
  if (read._tag === "Refused") return { isBatch: false, told: [] }
  const entries = read._tag === "Single" ? [read.entry] : read.entries
  const byPlace = new Map(told.map((one) => [one.place, one]))
  return {
    isBatch: read._tag !== "Single",
    told: entries.flatMap(({ _tag }, place) => (_tag === "Request" || others.has(_tag) ? [byPlace.get(place)] : []))
  }
}

/** Returns the bytes of the answers to a packet, with the member `plumbline` added. */
export const add = (answer: Uint8Array, { told }: AnsweredPacket): Uint8Array =>
  told.length === 0 ? answer : encoder.encode(insert(decoder.decode(answer), told.map(memberOf)))

const memberOf = (told: ProxyCalls.CallVerdict | undefined): string => {
  const verdict = told === undefined ? undefined : verdictOf(told.fate)
  if (told === undefined || verdict === undefined) return ""
  return `,"plumbline":${JSON.stringify({ verdict, anchor: told.anchor, claimed: told.claimed })}`
}

/**
 * Inserts a text before the end of each object, in a text that is one object or a list of objects. All other bytes stay
 * the same.
 */
const insert = (json: string, members: ReadonlyArray<string>): string => {
  const outer = json.startsWith("[") ? 1 : 0
  let depth = 0
  let at = 0
  return json.replace(TOKENS, (token) => {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") {
      depth--
      if (token === "}" && depth === outer) return `${members[at++] ?? ""}}`
    }
    return token
  })
}

/** Matches strings and brackets. Strings are matched so that brackets inside them do not count. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gsu

const encoder = new TextEncoder()
const decoder = new TextDecoder()

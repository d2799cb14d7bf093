/**
 * `--annotate`: a member `plumbline` beside `result` or `error` of each answer, with its verdict and what is only
 * claimed. JSON-RPC 2.0 names the members of a response and forbids no others, but strict clients exist: it is off by
 * default. An answer without a verdict, such as that to wrong parameters, has no such member.
 */
import * as Message from "@plumbline/jsonrpc-core/message/Message"

import * as Calls from "./Calls.ts"
import type { Fate } from "./Tally.ts"

/**
 * The verdict of an outcome, in the words that clients know; undefined if it has none. A refused answer counts as
 * CLAIMED.
 */
export const verdictOf = (fate: Fate): "VERIFIED" | "CLAIMED" | "REFUTED" | undefined =>
  fate === "FAILED" ? undefined : fate === "REFUSED" ? "CLAIMED" : fate

/**
 * Returns the answer to a packet with the members inserted. `answered` says which messages of the packet the server
 * itself answered, in addition to requests.
 */
export const add = (
  packet: Uint8Array,
  answer: Uint8Array,
  told: ReadonlyArray<Calls.Told>,
  answered: ReadonlySet<Message.Entry["_tag"]>
): Uint8Array => {
  const read = Message.parse(packet, { ...Message.defaults, ...Calls.limits })
  if (read._tag === "Refused") return answer
  const entries = read._tag === "Single" ? [read.entry] : read.entries
  const byPlace = new Map(told.map((one) => [one.place, one]))
  const members = entries.flatMap(({ _tag }, place) =>
    _tag === "Request" || answered.has(_tag) ? [memberOf(byPlace.get(place))] : []
  )
  return encoder.encode(insert(decoder.decode(answer), members))
}

const memberOf = (told: Calls.Told | undefined): string => {
  const verdict = told === undefined ? undefined : verdictOf(told.fate)
  return verdict === undefined ? "" : `,"plumbline":${JSON.stringify({ verdict, claimed: told!.claimed })}`
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

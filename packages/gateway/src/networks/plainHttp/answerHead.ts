/**
 * The heads of answers that `NodeConnections` reads itself: a small part of what undici accepts, with the same status,
 * headers and end.
 *
 * This is not a parser: a head either has exactly this form or is undici's. Each line is a name of letters, digits and
 * hyphens and a value of visible ASCII. There is exactly one length in its only spelling, or `chunked`.
 */
import type { Buffer } from "node:buffer"

import type { AnswerHeaders } from "./answerHandler.ts"

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number
  readonly headers: AnswerHeaders
  /** False if the node closes the connection after this answer. */
  readonly keepsAlive: boolean
  /** Milliseconds for which the node keeps an idle connection open, if it said so. */
  readonly keptFor: number | undefined
  /** The length of the body; undefined if it comes in chunks. */
  readonly length: number | undefined
}

/** A head in some bytes, and the offset of what follows it. */
interface FoundHead {
  readonly head: AnswerHead
  readonly start: number
}

/** Maximum size of a head, in bytes. Half of undici's limit, so undici never refuses a head that is accepted here. */
const MAX_HEAD = 8192

/** Reads the heads of one node, which differ in the digits of their length only, except once a second. */
export class AnswerHeads {
  #before = ""
  #after = ""
  #known: AnswerHead | undefined

  /** Finds the head at the beginning. Returns undefined if the bytes do not begin with a whole head of the form. */
  find(bytes: Buffer): FoundHead | undefined {
    const end = bytes.indexOf("\r\n\r\n", 0, "latin1")
    if (end === -1 || end > MAX_HEAD) return undefined
    const text = bytes.toString("latin1", 0, end + 2)
    const head = this.#same(text) ?? this.#learn(text)
    return head && { head, start: end + 4 }
  }

  /** The last head with other digits is the same head, because the same text has the same meaning. */
  #same(text: string): AnswerHead | undefined {
    const known = this.#known
    if (known === undefined || !text.startsWith(this.#before) || !text.endsWith(this.#after)) return undefined
    const digits = text.slice(this.#before.length, -this.#after.length)
    if (known.length === undefined) return digits === "" ? known : undefined
    return LENGTH.test(digits) ? { ...known, length: Number(digits) } : undefined
  }

  #learn(text: string): AnswerHead | undefined {
    const head = accept(text)
    if (head === undefined) return undefined
    const line = head.length === undefined ? undefined : LENGTH_LINE.exec(text)!
    this.#known = head
    this.#before = line === undefined ? text.slice(0, -2) : text.slice(0, line.index + line[1]!.length)
    this.#after = text.slice(this.#before.length + (line?.[2]!.length ?? 0))
    return head
  }
}

/** Reads a whole head without its empty line. Returns undefined if it is not exactly of the form. */
export const accept = (text: string): AnswerHead | undefined => {
  START.lastIndex = 0
  const status = Number(START.exec(text)?.[1] ?? 0)
  // an answer with one of these has no body, whatever its headers say
  if (status === 0 || status === 204 || status === 304) return undefined
  const known: Partial<Record<string, string>> = Object.create(null)
  for (let at = START.lastIndex; at < text.length; at = LINE.lastIndex) {
    LINE.lastIndex = at
    const line = LINE.exec(text)
    if (line === null) return undefined
    const name = line[1]!.toLowerCase()
    if (NEVER.has(name)) return undefined
    if (!READ.has(name)) continue
    if (known[name] !== undefined) return undefined
    known[name] = line[2]!
  }
  return headOf(status, known)
}

const headOf = (status: number, known: Partial<Record<string, string>>): AnswerHead | undefined => {
  const digits = known["content-length"]
  const coding = known["transfer-encoding"]
  const keeps = KEEPS.get((known["connection"] ?? "keep-alive").toLowerCase())
  if (keeps === undefined) return undefined
  if (coding === undefined) {
    if (digits === undefined || !LENGTH.test(digits)) return undefined
    // the status of chunks is told only with the whole body, so any other status is undici's
  } else if (coding !== "chunked" || digits !== undefined || status !== 200 || !keeps) return undefined
  const hint = known["keep-alive"] === undefined ? undefined : KEPT_FOR.exec(known["keep-alive"])
  if (hint === null) return undefined
  return {
    status,
    headers: known["retry-after"] === undefined ? none : { "retry-after": known["retry-after"] },
    keepsAlive: keeps,
    keptFor: hint && Number(hint[1]) * 1000,
    length: digits === undefined ? undefined : Number(digits)
  }
}

const none: AnswerHeaders = {}

const START = /HTTP\/1\.1 ([2-5][0-9]{2}) [\x20-\x7e]{0,64}\r\n/y
const LINE = /([A-Za-z0-9][A-Za-z0-9-]*): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\r\n/y
const LENGTH = /^(?:0|[1-9][0-9]{0,9})$/u
const LENGTH_LINE = /(\r\ncontent-length: ?)([0-9]+)\r\n/iu
const KEPT_FOR = /^timeout=([0-9]{1,6})(?:, ?max=[0-9]{1,9})?$/u
const KEEPS: ReadonlyMap<string, boolean> = new Map([
  ["keep-alive", true],
  ["close", false]
])

/** The headers that are read. None may come twice. */
const READ: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "retry-after",
  "transfer-encoding"
])

/** Headers that move the end of an answer or of a connection. */
const NEVER: ReadonlySet<string> = new Set(["proxy-connection", "te", "trailer", "upgrade"])

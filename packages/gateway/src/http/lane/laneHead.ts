/**
 * The heads that the lane accepts: a small part of what `node:http` accepts, with the same target, headers and end.
 *
 * This is not a parser: a head either has exactly this form or is not the lane's. So no head can be read in two ways:
 * each line is a name of letters, digits and hyphens and a value of visible ASCII, no name comes twice, and there is
 * exactly one length in its only spelling.
 */
import { Buffer } from "node:buffer"
import { type IncomingHttpHeaders, maxHeaderSize } from "node:http"

/** The head of a call. All calls of a connection whose heads have the same bytes share it. */
export interface LaneHead {
  /** The target of the request: a path without a query. */
  readonly url: string
  /** The headers as `node:http` returns them, except Content-Length, in which heads may differ. */
  readonly headers: IncomingHttpHeaders
  /** False if the client asks for `Connection: close`. */
  readonly keepsAlive: boolean
}

/** A head that was found in some bytes, with the place of its body. */
export interface FoundHead {
  readonly head: LaneHead
  /** The offset of the body, and its length. */
  readonly start: number
  readonly length: number
}

/** Maximum size of a head, in bytes. Half of Node's limit, so that Node never refuses a head that the lane accepts. */
export const MAX_HEAD: number = Math.min(8192, maxHeaderSize / 2)

/** Finds a head at an offset. Returns undefined if the bytes there are not a whole head that the lane accepts. */
export const find = (bytes: Buffer, from: number): FoundHead | undefined => {
  const end = bytes.indexOf(END, from)
  if (end === -1 || end + END.length - from > MAX_HEAD) return undefined
  const start = end + END.length
  const read = accept(bytes.toString("latin1", from, start))
  return read && { ...read, start }
}

/** Reads a whole head with its empty line. Returns undefined if it is not exactly of the lane's form. */
export const accept = (text: string): { readonly head: LaneHead; readonly length: number } | undefined => {
  START.lastIndex = 0
  const url = START.exec(text)?.[1]
  if (url === undefined) return undefined
  const headers: Record<string, string> = Object.create(null)
  let at = START.lastIndex
  for (let lines = 0; at < text.length - EMPTY_LINE.length; lines++) {
    LINE.lastIndex = at
    const line = LINE.exec(text)
    if (line === null || lines === MAX_LINES) return undefined
    const name = line[1]!.toLowerCase()
    if (NEVER.has(name) || headers[name] !== undefined) return undefined
    headers[name] = line[2]!
    at = LINE.lastIndex
  }
  if (text.slice(at) !== EMPTY_LINE) return undefined
  const { connection = "keep-alive", "content-length": digits, host, ...others } = headers
  if (digits === undefined || host === undefined || !LENGTH.test(digits) || !HOST.test(host)) return undefined
  const keeps = KEEPS.get(connection.toLowerCase())
  if (keeps === undefined) return undefined
  return { head: { url, headers: { ...others, host }, keepsAlive: keeps }, length: Number(digits) }
}

/**
 * The bytes of a head around the digits of its Content-Length. The same bytes have the same meaning, so a later head
 * needs only a comparison.
 */
export class HeadMemo {
  readonly head: LaneHead
  readonly #before: Buffer
  readonly #after: Buffer

  constructor(bytes: Buffer, from: number, { head, start }: FoundHead) {
    const text = bytes.toString("latin1", from, start)
    const [{ length: before }, { length: digits }] = LENGTH_LINE.exec(text)!.slice(1) as [string, string]
    this.head = head
    // copies: a part of the bytes that arrived would keep all of them in memory
    this.#before = Buffer.from(text.slice(0, before), "latin1")
    this.#after = Buffer.from(text.slice(before + digits), "latin1")
  }

  /** Finds a head with the same bytes at an offset; undefined if there is none, or if it is not whole. */
  find(bytes: Buffer, from: number): FoundHead | undefined {
    const before = this.#before
    const after = this.#after
    let at = from + before.length
    if (bytes.length < at || bytes.compare(before, 0, before.length, from, at) !== 0) return undefined
    const first = at
    let length = 0
    for (; at < bytes.length && at - first < MAX_DIGITS; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) break
      length = length * 10 + digit
    }
    const isPlain = at > first && (bytes[first] !== ZERO || at === first + 1)
    const start = at + after.length
    if (!isPlain || start > bytes.length) return undefined
    return bytes.compare(after, 0, after.length, at, start) === 0 ? { head: this.head, start, length } : undefined
  }
}

const END = Buffer.from("\r\n\r\n")
const EMPTY_LINE = "\r\n"
const MAX_LINES = 64
const MAX_DIGITS = 5
const ZERO = 0x30

const START = /POST (\/[A-Za-z0-9._~/-]{1,256}) HTTP\/1\.1\r\n/y
const LINE = /([A-Za-z0-9][A-Za-z0-9-]*): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\r\n/y
const LENGTH = /^(?:0|[1-9][0-9]{0,4})$/u
const LENGTH_LINE = /^([^]*?\r\ncontent-length: ?)([0-9]+)\r\n/iu
const HOST = /^[A-Za-z0-9._:[\]-]+$/u
const KEEPS: ReadonlyMap<string, boolean> = new Map([
  ["keep-alive", true],
  ["close", false]
])

/** Headers that move the end of a message or of a connection, or that `node:http` treats in its own way. */
const NEVER: ReadonlySet<string> = new Set([
  "content-encoding",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** A call that the lane has read, and its answer. */
import { Buffer } from "node:buffer"
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"

import type { CallHead } from "../callDoor.ts"
import type { LaneHead } from "./laneHead.ts"

/** The connection of a call. */
export interface CallConnection {
  readonly socket: Socket
  /** The text of the headers that keep the connection open. */
  readonly keepAlive: string
  /** Sends the answers that are ready, in the order of the calls. */
  readonly flush: () => void
  /** True if no byte was read behind a call. */
  readonly isLatest: (call: LaneCall) => boolean
}

/**
 * An answer is given whole (`answer`), or piece by piece (`begin`, `write`, `finish`). Answers after the end are ignored.
 *
 * A call does not hold its body: that would stay in memory until the answer.
 */
export class LaneCall {
  readonly connection: CallConnection
  readonly head: LaneHead
  /** What the path of a call knows about the head. Calls with the same head share it. */
  readonly known: CallHead
  /** Size of the body, in bytes. */
  readonly length: number
  /** Called once, if the connection was lost before the answer was written. */
  onLost: (() => void) | undefined
  /** Called when the connection takes pieces again. */
  #onDrain: (() => void) | undefined
  /** The parts of the answer that wait for the answers to earlier calls. */
  readonly #parts: Array<string | Uint8Array> = []
  #status: number | undefined
  #isWhole = false
  #isFirst = false
  #isWritten = false
  #isLost = false
  #closes = false

  constructor(connection: CallConnection, head: LaneHead, known: CallHead, length: number) {
    this.connection = connection
    this.head = head
    this.known = known
    this.length = length
  }

  /** The status of the answer; undefined before the answer. */
  get status(): number | undefined {
    return this.#status
  }

  /** True if the connection was lost before the whole answer was written. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** True if no further message has begun on the connection. */
  get isLatest(): boolean {
    return this.connection.isLatest(this)
  }

  /** True if the answer says that the connection closes after it. */
  get closes(): boolean {
    return this.#closes
  }

  /** True if at most one piece waits to be written. */
  get isOneWrite(): boolean {
    return this.#parts.length < 2
  }

  /** Number of bytes that wait for earlier answers. */
  get waiting(): number {
    return this.#parts.reduce((sum, { length }) => sum + length, 0)
  }

  /**
   * Gives the whole answer. `headers` is a flat list: name, value, name, value; it has no Date. `closes`: the connection
   * closes after this answer, and the headers say so.
   */
  answer(status: number, headers: ReadonlyArray<string>, body: Uint8Array | undefined, closes: boolean): void {
    if (this.#status !== undefined || this.#isLost) return
    const head = this.#headOf(status, headers, closes)
    if (body === undefined) this.#parts.push(head)
    else if (body.length > ONE_WRITE) this.#parts.push(head, body)
    // Latin-1 keeps every byte, and one text costs less than two writes.
    else this.#parts.push(head + Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1"))
    this.#isWhole = true
    this.connection.flush()
  }

  /** Begins an answer of unknown length, which is sent in chunks. */
  begin(status: number, headers: ReadonlyArray<string>, closes: boolean): void {
    if (this.#status !== undefined || this.#isLost) return
    this.#parts.push(this.#headOf(status, [...headers, "transfer-encoding", "chunked"], closes))
    this.connection.flush()
  }

  /** Writes a piece. Returns false if the bytes are still buffered; `onDrain` then reports when they are sent. */
  write(piece: Uint8Array): boolean {
    if (this.#isWhole || this.#isLost) return false
    if (piece.length > 0) this.#parts.push(`${piece.length.toString(16)}\r\n`, piece, "\r\n")
    this.connection.flush()
    return this.#parts.length === 0 && !this.connection.socket.writableNeedDrain
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback
  }

  /** Ends an answer that `begin` has started. */
  finish(): void {
    if (this.#isWhole || this.#isLost) return
    this.#parts.push("0\r\n\r\n")
    this.#isWhole = true
    this.connection.flush()
  }

  /** Breaks off an answer that `begin` has started: the client gets a message without its end. */
  breakOff(): void {
    if (!this.#isWritten) this.connection.socket.destroy()
  }

  // For the connection alone.

  /** Writes what waits. Called while this call is the first of its connection. Returns true if the answer is complete. */
  send(): boolean {
    const { socket } = this.connection
    for (const part of this.#parts) socket.write(part, "latin1")
    this.#parts.length = 0
    if (!this.#isWhole) {
      // the pieces that come from now on are not held back by an earlier answer
      if (!this.#isFirst && this.#status !== undefined && !socket.writableNeedDrain) this.drained()
      this.#isFirst = true
      return false
    }
    this.#isWritten = true
    return true
  }

  drained(): void {
    const callback = this.#onDrain
    this.#onDrain = undefined
    callback?.()
  }

  lose(): void {
    this.#isLost = true
    this.#parts.length = 0
    this.onLost?.()
  }

  #headOf(status: number, headers: ReadonlyArray<string>, closes: boolean): string {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`
    for (let index = 0; index < headers.length; index += 2) {
      const value = headers[index + 1]!
      if (UNFIT.test(value)) throw new TypeError(`the header ${headers[index]} has a character that no header may have`)
      head += `${headers[index]}: ${value}\r\n`
    }
    this.#status = status
    this.#closes = closes || !this.head.keepsAlive
    const connection = closes ? "" : this.head.keepsAlive ? this.connection.keepAlive : CLOSE
    return `${head}Date: ${dateOf(Date.now())}\r\n${connection}\r\n`
  }
}

const CLOSE = "Connection: close\r\n"

/** Matches what would end a header, or what `node:http` refuses to send. */
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/u

/** Maximum size of a body that is written together with its head, in bytes. */
const ONE_WRITE = 4096

let second = 0
let date = ""

/** Returns the date of an answer. The text is made once a second. */
const dateOf = (now: number): string => {
  const current = Math.floor(now / 1000)
  if (current !== second) {
    second = current
    date = new Date(now).toUTCString()
  }
  return date
}

/**
 * A connection of the lane: reads whole calls and writes their answers in order.
 *
 * It refuses nothing and waits for nothing. At the first message that is not the lane's, or did not arrive in one read,
 * the connection is handed over: the bytes from the beginning of that message on go to `node:http`, after the answers to
 * all earlier calls were written.
 */
import { Buffer } from "node:buffer"
import type { Socket } from "node:net"

import type { CallHead } from "../callDoor.ts"
import { type CallConnection, LaneCall } from "./laneCall.ts"
import * as LaneHead from "./laneHead.ts"

/** What a connection needs of its lane. */
export interface ConnectionLane {
  /** Returns what the path of a call knows about a head; undefined if the head is not the lane's. */
  readonly open: (head: LaneHead.LaneHead) => CallHead | undefined
  /** True if a body of this size may be read now. */
  readonly admits: (bytes: number) => boolean
  readonly onCall: (call: LaneCall, body: Uint8Array) => void
  /** Gives the socket to `node:http`, which reads the rest. */
  readonly handOver: (connection: LaneConnection) => void
  /** Called when the socket is closed. */
  readonly onClose: (connection: LaneConnection) => void
  /** True if the client was told that it gets no further answer. */
  readonly isEnded: (socket: Socket) => boolean
  readonly keepAlive: string
  /** Changes when `open` may decide differently about a head. */
  readonly version: number
}

export class LaneConnection implements CallConnection {
  readonly socket: Socket
  readonly #lane: ConnectionLane
  /** The calls without a complete answer, in the order in which they came. */
  readonly #calls: Array<LaneCall> = []
  /** The bytes that are handed over, from the first message on that is not whole or not the lane's. */
  #pieces: Array<Buffer> = []
  #held = 0
  /** The last head that was taken, what is known about it, and the version of the lane that took it. */
  #memo: LaneHead.HeadMemo | undefined
  #known: CallHead | undefined
  #version = -1
  #isReading = false
  /** Number of bytes behind the message that is being read. */
  #rest = 0
  #isPaused = false
  /** True while the connection waits for its last answers in the lane. */
  #isLeaving = false
  /** True if no further message is read: the client said so, has closed its side, or the connection is lost. */
  #isClosing = false
  /** True once a byte arrived. */
  #isUsed = false
  /** Milliseconds since the last bytes arrived, or since the last answer. */
  #quiet = 0

  constructor(lane: ConnectionLane, socket: Socket) {
    this.#lane = lane
    this.socket = socket
    socket.on("data", this.#onData)
    socket.on("end", this.#onEnd)
    socket.on("drain", this.#onDrain)
    socket.on("error", nothing)
    socket.on("close", this.#onClose)
  }

  /** True if no call is under way, and no byte of another one has arrived. */
  get isIdle(): boolean {
    return this.#calls.length === 0 && this.#held === 0
  }

  get isUsed(): boolean {
    return this.#isUsed
  }

  get keepAlive(): string {
    return this.#lane.keepAlive
  }

  isLatest(call: LaneCall): boolean {
    const unread = this.#rest + this.#held + this.socket.readableLength
    return this.#calls.at(-1) === call && unread === 0
  }

  /**
   * Adds the pause before a sweep, and returns the milliseconds for which the connection was idle. Pauses are added
   * instead of reading the time, so time in which the process did not run does not count.
   */
  sweep(pause: number): number {
    return this.isIdle ? (this.#quiet += pause) : 0
  }

  readonly flush = (): void => {
    // The answers that are given while calls are read go out together.
    if (this.#isReading || !this.socket.writable) return
    const calls = this.#calls
    let closes = false
    // Most answers are one write, for which a cork would only make the stream keep a list.
    const isCorked = calls.length > 1 || calls[0]?.isOneWrite === false
    if (isCorked) this.socket.cork()
    while (calls.length > 0 && calls[0]!.send()) closes = calls.shift()!.closes || closes
    if (isCorked) this.socket.uncork()
    if (closes) return this.#close()
    if (calls.length === 0) {
      this.#quiet = 0
      if (this.#isLeaving) return this.#pass()
    }
    this.#wake()
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#isUsed = true
    if (this.#isClosing || this.#lane.isEnded(this.socket)) return
    if (this.#isLeaving) return this.#keep(bytes)
    this.#quiet = 0
    this.#read(bytes)
  }

  /** Reads as many messages as there are. */
  #read(bytes: Buffer): void {
    this.#isReading = true
    let from = 0
    while (from < bytes.length && !this.#isClosing) {
      if (this.#isFull()) {
        this.#pause(bytes.subarray(from))
        break
      }
      const size = this.#readOne(bytes, from)
      if (size === 0) break
      from += size
    }
    this.#isReading = false
    this.#rest = 0
    this.flush()
  }

  /** Reads the message at an offset and returns its size; 0 if it is not whole, or not the lane's. */
  #readOne(bytes: Buffer, from: number): number {
    const found = this.#find(bytes, from)
    const size = found === undefined ? Infinity : found.start + found.length - from
    if (found === undefined || from + size > bytes.length || !this.#lane.admits(found.length)) {
      this.#keep(bytes.subarray(from))
      this.#leave()
      return 0
    }
    const body = bodyOf(bytes, found)
    const call = new LaneCall(this, found.head, this.#known!, found.length)
    if (this.#memo === undefined) this.#known = undefined
    this.#calls.push(call)
    // What follows such a request is not read (RFC 9112, section 9.6).
    if (!found.head.keepsAlive) this.#isClosing = true
    this.#rest = bytes.length - from - size
    this.#lane.onCall(call, body)
    return size
  }

  /** Finds a head of the lane at an offset, and what is known about it. */
  #find(bytes: Buffer, from: number): LaneHead.FoundHead | undefined {
    const { version } = this.#lane
    const same = this.#version === version ? this.#memo?.find(bytes, from) : undefined
    if (same !== undefined) return same
    const found = LaneHead.find(bytes, from)
    const known = found && this.#lane.open(found.head)
    if (found === undefined || known === undefined) return undefined
    this.#version = version
    this.#known = known
    this.#memo = found.start - from <= MAX_MEMO ? new LaneHead.HeadMemo(bytes, from, found) : undefined
    return found
  }

  #keep(bytes: Buffer): void {
    this.#pieces.push(bytes)
    this.#held += bytes.length
    if (this.#held > MAX_HELD) this.#pause()
  }

  /** True if no more is read for now: the client must take its answers first, or earlier calls must be answered. */
  #isFull(): boolean {
    const calls = this.#calls
    if (calls.length >= MAX_CALLS || this.#held > MAX_HELD) return true
    const { writableLength } = this.socket
    return calls.reduce((sum, { waiting }) => sum + waiting, writableLength) > MAX_WAITING
  }

  #pause(rest?: Buffer): void {
    this.#isPaused = true
    this.socket.pause()
    if (rest !== undefined) this.socket.unshift(rest)
  }

  #wake(): void {
    if (!this.#isPaused || this.#isFull()) return
    this.#isPaused = false
    this.socket.resume()
  }

  /** Leaves the lane once all its answers are written. */
  #leave(): void {
    this.#isLeaving = true
    if (this.#calls.length === 0 && !this.#isReading) this.#pass()
  }

  /** Gives the socket and the bytes of the message that is not the lane's to `node:http`. */
  #pass(): void {
    const { socket } = this
    this.#isClosing = true
    socket.off("data", this.#onData)
    socket.off("end", this.#onEnd)
    socket.off("drain", this.#onDrain)
    socket.off("error", nothing)
    socket.off("close", this.#onClose)
    const rest = Buffer.concat(this.#pieces, this.#held)
    this.#pieces = []
    socket.pause()
    socket.unshift(rest)
    this.#lane.handOver(this)
    socket.resume()
  }

  readonly #onDrain = (): void => {
    this.#calls[0]?.drained()
    this.#wake()
  }

  /** The client has closed its side. As with `node:http`, it gets no answer that is not ready. */
  readonly #onEnd = (): void => {
    this.#isClosing = true
    this.socket.end()
  }

  #close(): void {
    this.#isClosing = true
    this.socket.destroySoon()
  }

  readonly #onClose = (): void => {
    this.#isClosing = true
    this.#pieces = []
    this.#lane.onClose(this)
    for (const call of this.#calls.splice(0)) call.lose()
  }
}

const nothing = (): void => undefined

/**
 * Returns the body behind a head. A body that is the smaller part of the bytes is copied: the memory budget counts only
 * the body, and a part of the bytes would keep all of them in memory.
 */
const bodyOf = (bytes: Buffer, { length, start }: LaneHead.FoundHead): Uint8Array => {
  const body = bytes.subarray(start, start + length)
  return length * 2 < bytes.length && bytes.length > MAX_SHARED ? new Uint8Array(body) : body
}

/** Maximum number of bytes that a small body may keep in memory. So a call with an ordinary head is not copied. */
const MAX_SHARED = 2048

/** Maximum size of a head that a connection remembers, in bytes. Longer heads are read each time. */
const MAX_MEMO = 2048

/** Number of bytes that a connection that leaves holds while it waits for its last answers. Then it reads no more. */
const MAX_HELD = 16 * 1024

/** Maximum number of calls of a connection that are under way, and of bytes that wait for its client. */
const MAX_CALLS = 32
const MAX_WAITING = 64 * 1024

/**
 * A connection to a node, with one request at a time. Reads answers whose head has the form of `answerHead.ts`, and gives
 * every other answer to undici, byte for byte.
 */
import type { Buffer } from "node:buffer"
import type { Socket } from "node:net"

import { errors } from "undici"

import { AnswerChunks, type ChunksState } from "./answerChunks.ts"
import type { AnswerHandler, NodeRequest, RequestControl } from "./answerHandler.ts"
import type { AnswerHead, AnswerHeads } from "./answerHead.ts"

/** A request, and what hears of its answer. */
export class SentRequest implements RequestControl {
  readonly request: NodeRequest
  readonly handler: AnswerHandler
  /** Where the request waits for a connection. */
  readonly #waiting: Set<SentRequest>
  connection: NodeConnection | undefined

  constructor(request: NodeRequest, handler: AnswerHandler, waiting: Set<SentRequest>) {
    this.request = request
    this.handler = handler
    this.#waiting = waiting
  }

  abort(): void {
    if (this.connection === undefined) this.#waiting.delete(this)
    else this.connection.giveUp(this)
  }
}

/** What a connection needs of those that it belongs to. */
export interface ConnectionOwner {
  readonly heads: AnswerHeads
  /** The number of bytes that the body of an answer may have. */
  readonly maxAnswerBytes: number
  /** The answer is complete, and the connection can be used again. Called before the end of the answer is told. */
  readonly onIdle: (connection: NodeConnection) => void
  /** The connection takes no further request. */
  readonly onEnd: (connection: NodeConnection) => void
  /** Lets undici read the answer. The bytes are those that have arrived, from the first byte of the answer on. */
  readonly handOver: (sent: SentRequest, socket: Socket, bytes: ReadonlyArray<Buffer>) => void
}

export class NodeConnection {
  readonly #owner: ConnectionOwner
  readonly #socket: Socket
  #sent: SentRequest | undefined
  /** The head of the answer that is being read. */
  #head: AnswerHead | undefined
  #chunks: AnswerChunks | undefined
  /** Number of bytes left of a body with a length. */
  #left = 0
  #isEnded = false
  /** The time up to which it can be used while it is idle, on the clock of `performance.now`. */
  idleUntil = performance.now() + IDLE

  constructor(owner: ConnectionOwner, socket: Socket) {
    this.#owner = owner
    this.#socket = socket
    socket.unref()
    socket.on("data", this.#onData)
    socket.on("end", this.#onEnd)
    socket.on("error", this.#onError)
    socket.on("close", this.#onEnd)
  }

  /** True until the connection has ended or was given to undici. */
  get isOpen(): boolean {
    return !this.#isEnded
  }

  /** Sends a request. `text` is what is written. */
  send(sent: SentRequest, text: string, encoding: BufferEncoding): void {
    this.#sent = sent
    sent.connection = this
    this.#socket.ref()
    this.#socket.write(text, encoding)
  }

  /** Ends the connection if the request is under way. */
  giveUp(sent: SentRequest): void {
    if (this.#sent === sent) this.destroy()
  }

  /** Ends the connection. A request that is under way hears nothing more, unless there is an error. */
  destroy(error?: Error): void {
    if (this.#isEnded) return
    const sent = this.#leave()
    this.#socket.on("error", nothing)
    this.#socket.destroy()
    if (error !== undefined) sent?.handler.onResponseError(sent, error)
  }

  /** Forgets the socket, and returns the request that was under way. */
  #leave(): SentRequest | undefined {
    const sent = this.#sent
    this.#isEnded = true
    this.#sent = undefined
    this.#chunks = undefined
    this.#socket.off("data", this.#onData)
    this.#socket.off("end", this.#onEnd)
    this.#socket.off("error", this.#onError)
    this.#socket.off("close", this.#onEnd)
    this.#owner.onEnd(this)
    return sent
  }

  readonly #onData = (bytes: Buffer): void => {
    // A node that sends what nobody asked for could also answer the next request before it was sent.
    if (this.#sent === undefined) return this.destroy()
    try {
      this.#read(this.#sent, bytes)
    } catch (error) {
      // A handler's defect ends its own request, as with undici, and not the process.
      this.destroy(error as Error)
    }
  }

  #read(sent: SentRequest, bytes: Buffer): void {
    if (this.#chunks !== undefined) this.#readChunks(this.#chunks, this.#chunks.push(bytes))
    else if (this.#head !== undefined) this.#readBody(sent, this.#head, bytes)
    else this.#begin(sent, bytes)
  }

  #begin(sent: SentRequest, bytes: Buffer): void {
    const found = this.#owner.heads.find(bytes)
    if (found === undefined) return this.#handOver([bytes])
    const { head, start } = found
    this.#head = head
    if (head.length === undefined) {
      this.#chunks = new AnswerChunks(this.#owner.maxAnswerBytes, bytes)
      return this.#readChunks(this.#chunks, this.#chunks.read(bytes.subarray(start)))
    }
    this.#left = head.length
    sent.handler.onResponseStart(sent, head.status, head.headers)
    // the handler may have given up
    if (this.#sent === sent) this.#readBody(sent, head, bytes.subarray(start))
  }

  #readBody(sent: SentRequest, head: AnswerHead, bytes: Buffer): void {
    const rest = bytes.length - this.#left
    const piece = rest > 0 ? bytes.subarray(0, this.#left) : bytes
    this.#left -= piece.length
    if (piece.length > 0) sent.handler.onResponseData(sent, piece)
    if (this.#left === 0 && this.#sent === sent) this.#finish(sent, head, rest > 0)
  }

  #readChunks(chunks: AnswerChunks, state: ChunksState): void {
    if (state === "more") return
    if (state === "other") return this.#handOver(chunks.raw)
    const sent = this.#sent!
    const head = this.#head!
    sent.handler.onResponseStart(sent, head.status, head.headers)
    if (this.#sent === sent) sent.handler.onResponseData(sent, chunks.body)
    if (this.#sent === sent) this.#finish(sent, head, chunks.rest > 0)
  }

  #finish(sent: SentRequest, head: AnswerHead, hasMore: boolean): void {
    const most = Math.min((head.keptFor ?? IDLE + MARGIN) - MARGIN, LONGEST_IDLE)
    // A node that answers before it has read the request may never read the next one.
    const isUnread = this.#socket.writableLength > 0
    if (hasMore || isUnread || !head.keepsAlive || most <= 0) this.destroy()
    else {
      this.#sent = undefined
      this.#head = undefined
      this.#chunks = undefined
      this.#socket.unref()
      this.idleUntil = performance.now() + most
      this.#owner.onIdle(this)
    }
    try {
      sent.handler.onResponseEnd(sent)
    } catch (error) {
      // the connection may belong to another request by now
      sent.handler.onResponseError(sent, error as Error)
    }
  }

  #handOver(bytes: ReadonlyArray<Buffer>): void {
    const socket = this.#socket
    const sent = this.#leave()!
    this.#owner.handOver(sent, socket, bytes)
  }

  readonly #onEnd = (): void => {
    // undici names the end of a body that was to end with the connection in another way
    if (this.#chunks !== undefined) this.#handOver(this.#chunks.raw)
    else if (this.#head?.keepsAlive === false) this.destroy(new errors.ResponseContentLengthMismatchError())
    else this.destroy(new errors.SocketError("other side closed"))
  }

  readonly #onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === "ECONNRESET" && this.#head?.keepsAlive === false) this.#onEnd()
    else this.destroy(error)
  }
}

const nothing = (): void => undefined

/** Milliseconds for which an idle connection is kept if the node says nothing, as undici's default. */
const IDLE = 4000

/** A connection is not used in the last milliseconds for which the node keeps it. */
const MARGIN = 2000

const LONGEST_IDLE = 600_000

/**
 * The connections to a node behind plain HTTP. They read only the usual forms of answers, which costs a fraction of
 * undici's processor time. A node that answers in another form has its calls over undici for a while.
 */
import { Buffer } from "node:buffer"
import type { Socket } from "node:net"

import { buildConnector, errors } from "undici"

import type { AnswerHandler, NodeAddress, NodeRequest } from "./answerHandler.ts"
import { AnswerHeads } from "./answerHead.ts"
import { type ConnectionOwner, NodeConnection, SentRequest } from "./nodeConnection.ts"
import { readWithUndici } from "./undiciReading.ts"

/** Times are in milliseconds. */
export interface NodeConnectionsOptions {
  readonly url: URL
  /** The headers of most requests. */
  readonly headers: ReadonlyArray<string>
  readonly connections: number
  readonly connectTimeout: number
  readonly maxAnswerBytes: number
  /** Sends a request over undici. */
  readonly undici: (request: NodeRequest, handler: AnswerHandler) => void
}

export class NodeConnections implements ConnectionOwner {
  readonly heads = new AnswerHeads()
  readonly maxAnswerBytes: number
  readonly #options: NodeConnectionsOptions
  readonly #address: NodeAddress
  readonly #connect: buildConnector.connector
  /** What comes before the length of a request with the usual headers; undefined if undici has to send it. */
  readonly #usual: string | undefined
  /** Requests that wait for a connection, in the order in which they came. */
  readonly #waiting = new Set<SentRequest>()
  readonly #open = new Set<NodeConnection>()
  /** The last one was used last. */
  #idle: Array<NodeConnection> = []
  /** The sockets that undici reads. */
  readonly #handedOver = new Set<Socket>()
  #connecting = 0
  /** The number of connections that are read before they are used again. */
  #checking = 0
  #isClosed = false
  #sweeps: NodeJS.Timeout | undefined
  /** The time up to which requests go over undici, on the clock of `performance.now`. */
  #awayUntil = -Infinity

  constructor(options: NodeConnectionsOptions) {
    const { connectTimeout, headers, maxAnswerBytes, url } = options
    this.#options = options
    this.maxAnswerBytes = maxAnswerBytes
    this.#address = { origin: url.origin, path: url.pathname + url.search }
    this.#usual = this.#headOf(headers)
    this.#connect = buildConnector({ allowH2: false, timeout: connectTimeout })
  }

  dispatch(request: NodeRequest, handler: AnswerHandler): void {
    if (this.#textBefore(request) === undefined || this.#isAway(performance.now())) {
      return this.#options.undici(request, handler)
    }
    const sent = new SentRequest(request, handler, this.#waiting)
    this.#waiting.add(sent)
    handler.onRequestStart(sent)
    this.#next()
  }

  /** Ends all connections and requests. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweeps)
    const error = new errors.ClientDestroyedError()
    this.#leave((sent) => sent.handler.onResponseError(sent, error))
    for (const connection of this.#open) connection.destroy(error)
    for (const socket of this.#handedOver) socket.destroy()
  }

  onIdle(connection: NodeConnection): void {
    // What follows the answer, such as the node's end, is read in the next turn of the loop at the earliest.
    this.#check(connection, () => {
      this.#idle.push(connection)
      this.#next()
    })
  }

  onEnd(connection: NodeConnection): void {
    this.#open.delete(connection)
    if (this.#waiting.size > 0) this.#next()
  }

  handOver(sent: SentRequest, socket: Socket, bytes: ReadonlyArray<Buffer>): void {
    this.#handedOver.add(socket)
    socket.once("close", () => this.#handedOver.delete(socket))
    readWithUndici(this.#address, sent.request, sent.handler, socket, bytes)
    this.#awayUntil = performance.now() + AWAY
    this.#leave(({ handler, request }) => this.#options.undici(request, handler))
  }

  #isAway(now: number): boolean {
    return this.#isClosed || now < this.#awayUntil
  }

  /** Ends the idle connections, and returns the requests that wait. */
  #leave(each: (sent: SentRequest) => void): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const connection of this.#idle.splice(0)) connection.destroy()
    for (const sent of waiting) each(sent)
  }

  /** Finds connections for the requests that wait, and opens some for the others. */
  #next(): void {
    const now = performance.now()
    while (this.#waiting.size > this.#checking) {
      const connection = this.#pop(now)
      if (connection === undefined) break
      // the end of an old connection calls this function too
      if (this.#waiting.size > this.#checking) this.#check(connection, () => this.#use(connection))
      else this.#idle.push(connection)
    }
    const { connections } = this.#options
    while (this.#connecting + this.#checking < this.#waiting.size && this.#connecting + this.#open.size < connections) {
      this.#openOne()
    }
  }

  #pop(now: number): NodeConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (!connection.isOpen) continue
      if (now < connection.idleUntil) return connection
      connection.destroy()
    }
    return undefined
  }

  /**
   * Lets a connection read what waits at its socket. Bytes that nobody asked for would otherwise be taken for the answer
   * to the next request, and the node's end would cost that request.
   */
  #check(connection: NodeConnection, then: () => void): void {
    this.#checking++
    setImmediate(() => {
      this.#checking--
      if (!connection.isOpen) this.#next()
      else if (this.#isAway(performance.now())) connection.destroy()
      else then()
    })
  }

  #use(connection: NodeConnection): void {
    const [sent] = this.#waiting
    if (sent === undefined) return void this.#idle.push(connection)
    this.#waiting.delete(sent)
    this.#send(connection, sent)
  }

  #send(connection: NodeConnection, sent: SentRequest): void {
    const { body } = sent.request
    const head = this.#textBefore(sent.request)!
    const length = Buffer.byteLength(body)
    connection.send(sent, `${head}${length}\r\n\r\n${body}`, length === body.length ? "latin1" : "utf8")
  }

  #openOne(): void {
    this.#connecting++
    const { host, hostname, port, protocol } = this.#options.url
    const at = { host, hostname: hostname.replaceAll(/[[\]]/gu, ""), port, protocol }
    this.#connect(at, (error, socket) => {
      this.#connecting--
      if (error !== null) this.#refuse(error)
      else if (this.#isAway(performance.now())) socket.destroy()
      else this.#add(socket)
    })
  }

  #add(socket: Socket): void {
    const connection = new NodeConnection(this, socket)
    this.#open.add(connection)
    this.#sweeps ??= setInterval(() => this.#sweep(), SWEEP).unref()
    this.#use(connection)
  }

  /** Each connection is opened for a request, so a request fails for each one that is not. */
  #refuse(error: Error): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#waiting.delete(first)
    first.handler.onResponseError(first, error)
    this.#next()
  }

  #sweep(): void {
    const now = performance.now()
    this.#idle = this.#idle.filter((connection) => {
      if (now >= connection.idleUntil) connection.destroy()
      return connection.isOpen
    })
  }

  /** Returns what comes before the length of a request; undefined if undici has to send it. */
  #textBefore({ headers }: NodeRequest): string | undefined {
    return headers === this.#options.headers ? this.#usual : this.#headOf(headers)
  }

  /** Returns the head of a request up to the digits of its length; undefined if undici has to make it. */
  #headOf(headers: ReadonlyArray<string>): string | undefined {
    let text = `POST ${this.#address.path} HTTP/1.1\r\nhost: ${this.#options.url.host}\r\nconnection: keep-alive\r\n`
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!
      const value = headers[at + 1]!
      if (!NAME.test(name) || UNUSUAL.has(name.toLowerCase()) || !VALUE.test(value)) return undefined
      text += `${name}: ${value}\r\n`
    }
    return `${text}content-length: `
  }
}

/** Milliseconds for which the calls of a node go over undici after an answer of an unusual form. */
const AWAY = 10 * 60_000

/** Milliseconds between two looks for connections that were idle for too long. */
const SWEEP = 1000

const NAME = /^[A-Za-z0-9][A-Za-z0-9-]*$/u
const VALUE = /^[\x20-\x7e]*$/u

/** Headers that undici treats in its own way. */
const UNUSUAL: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

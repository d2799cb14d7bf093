/**
 * The TCP connections of the listener. They are closed without losing a request.
 *
 * Node's `server.close()` destroys idle connections, and loses requests that the clients are sending at that moment.
 * This module sends a last answer on an idle connection and closes only its sending side. It then reads until the
 * client closes the other side. It processes no request that arrives meanwhile.
 */
import type { Server } from "node:http"
import { Server as SecureServer } from "node:https"
import type { Socket } from "node:net"

import { reset } from "./reset.ts"

const STATE = Symbol("connection")

/** An answer, of `node:http` or of the lane. */
interface TrackedAnswer {
  /** True once the whole answer was written. */
  readonly writableFinished: boolean
}

interface ConnectionState {
  /** The bytes that the system has taken, and those that it still holds of the write under way, at the last sweep. */
  sent: number
  underWay: number
  /** The number of sweeps in a row at which bytes waited, and none had been taken. */
  stuck: number
  /** The answer to the last request that was read. */
  latest: TrackedAnswer | undefined
  /** The connection in the lane; undefined if `node:http` reads the socket. */
  lane: { readonly isIdle: boolean } | undefined
  /** True if the client was told that the connection gets no further answer. */
  isEnded: boolean
}

type Tracked = Socket & { [STATE]?: ConnectionState; readonly _handle?: { readonly writeQueueSize?: number } | null }

export class Connections {
  readonly #server: Server
  readonly #open = new Set<Tracked>()
  /** The TCP connections of a TLS server, including those before their handshake. */
  readonly #raw = new Set<Socket>()
  #accepted = 0
  #isDraining = false
  readonly #closed = Promise.withResolvers<void>()
  #sweeping: NodeJS.Timeout | undefined

  readonly #writeTimeout: () => number
  #watching: NodeJS.Timeout | undefined

  /** `writeTimeout` is the maximum time for which a client may read nothing of what waits for it, in milliseconds. */
  constructor(server: Server, writeTimeout: () => number) {
    this.#server = server
    this.#writeTimeout = writeTimeout
    server.once("close", () => clearTimeout(this.#watching))
    this.#watch()
    const isSecure = server instanceof SecureServer
    if (isSecure) {
      server.on("connection", (socket: Socket) => {
        this.#accepted++
        this.#raw.add(socket)
        socket.once("close", () => this.#raw.delete(socket))
      })
    }
    server.on(isSecure ? "secureConnection" : "connection", (socket: Tracked) => {
      if (!isSecure) this.#accepted++
      this.#open.add(socket)
      socket[STATE] = { latest: undefined, lane: undefined, isEnded: false, sent: 0, underWay: 0, stuck: 0 }
      if (this.#isDraining) closeInStages(socket)
      socket.once("close", () => this.#open.delete(socket))
    })
    // If this event has a listener, Node does not destroy the idle connection itself.
    server.on("timeout", (socket: Tracked) => this.endIdle(socket))
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open.size
  }

  /** Records a request. Returns false if it arrived after the connection's last answer, and must not be processed. */
  begin(socket: Tracked, answer: TrackedAnswer): boolean {
    const state = socket[STATE]
    if (state === undefined) return true
    if (state.isEnded) return false
    state.latest = answer
    return true
  }

  /** True if the client of the connection was told that it gets no further answer. */
  isEnded(socket: Tracked): boolean {
    return socket[STATE]?.isEnded === true
  }

  /** Records that the lane reads the socket. */
  enter(socket: Tracked, lane: { readonly isIdle: boolean }): void {
    const state = socket[STATE]
    if (state !== undefined) state.lane = lane
  }

  /** Records that `node:http` reads the socket from now on. */
  leave(socket: Tracked): void {
    const state = socket[STATE]
    if (state !== undefined) state.lane = undefined
  }

  /** True if `answer` answers the last request that was read on the connection. */
  isLatest(socket: Tracked, answer: TrackedAnswer): boolean {
    return socket[STATE]?.latest === answer
  }

  /**
   * Records that an answer with `Connection: close` is sent. No further request on the connection is processed (RFC
   * 9112, section 9.6).
   */
  end(socket: Tracked): void {
    const state = socket[STATE]
    if (state !== undefined) state.isEnded = true
  }

  /** From now on, every connection is closed in stages after its last answer. */
  drain(): void {
    this.#isDraining = true
    for (const socket of this.#open) closeInStages(socket)
  }

  /**
   * Closes the listener at a moment when no connection waits to be accepted. The system would reset a waiting
   * connection, and its client may have sent a request already.
   *
   * A process cannot see waiting connections. So this method accepts connections until none has arrived for a while.
   * Then it sets the backlog to zero, so that at most one connection can wait, and accepts again until none arrives.
   * (Linux does not answer other clients meanwhile; they are refused after the close.) `closed` resolves when the last
   * connection is closed.
   *
   * The order matters: with a short backlog, Linux drops connections that arrive together.
   */
  async stop(): Promise<void> {
    const server = this.#server
    await this.#quiet(BEHIND_OTHERS, EMPTYING_AT_MOST)
    keepNoneWaiting(server)
    // If two connections arrive together, Linux completes both handshakes, but drops the second connection while the
    // first one waits. The second connection arrives again when its client repeats its first bytes. So after each
    // accepted connection, another one may follow.
    await this.#quiet(REPEATED, ACCEPTING_AT_MOST)
    // `close` would call this method to destroy idle connections. The property hides it for this one call.
    server.closeIdleConnections = () => undefined
    server.close(() => {
      clearInterval(this.#sweeping)
      this.#closed.resolve()
    })
    Reflect.deleteProperty(server, "closeIdleConnections")
    this.#endIdle()
    // The head of an answer that was sent before the drain keeps its connection open, so such connections become idle
    // later.
    this.#sweeping = setInterval(() => this.#endIdle(), SWEEP)
    const accepted = new Set(this.#raw)
    setTimeout(() => this.#endHandshakes(accepted), LINGER).unref()
  }

  /**
   * Accepts connections until none has arrived for `QUIET` milliseconds, or for `behind` milliseconds if one has
   * arrived since this call. After `ACCEPTING` milliseconds, a pause of one millisecond is enough. The method
   * returns at the latest `ACCEPTING + atMost` milliseconds after the call.
   */
  async #quiet(behind: number, atMost: number): Promise<void> {
    const atFirst = this.#accepted
    const end = performance.now() + ACCEPTING
    let since = performance.now()
    let before = -1
    for (;;) {
      const now = performance.now()
      if (this.#accepted !== before) since = now
      const quiet = this.#accepted === atFirst ? QUIET : behind
      // If connections keep arriving, a short pause must be enough; after the deadline none is needed.
      const enough = now < end ? quiet : 1
      if (now - since >= enough || now > end + atMost) return
      // One turn of the event loop accepts one connection. So the timer runs only if none arrived in the last turn.
      if (this.#accepted === before) await new Promise((resolve) => setTimeout(resolve, 1))
      before = this.#accepted
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /**
   * Ends the connections whose clients read nothing for the write timeout. One timer sweeps all connections, because
   * answers of every kind share them: a time limit of a single answer is lost among pipelined answers, and answers of
   * mounts have none. The sweeps are counted, so time in which this process did not run does not count.
   */
  #watch(): void {
    const timeout = this.#writeTimeout()
    const pause = Math.max(MIN_WATCH, Math.min(MAX_WATCH, timeout / 4))
    this.#watching = setTimeout(() => {
      for (const socket of this.#open) if (stuckFor(socket) * pause >= timeout) reset(socket)
      this.#watch()
    }, pause)
    this.#watching.unref()
  }

  /** Resolves when the listener and all connections are closed. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy()
    for (const socket of this.#raw) socket.destroy()
  }

  /** Destroys connections that have not finished their TLS handshake: they carry no request. */
  #endHandshakes(before: ReadonlySet<Socket>): void {
    const secured = new Set([...this.#open].map(({ remotePort }) => remotePort))
    for (const socket of before) if (!secured.has(socket.remotePort)) socket.destroy()
  }

  #endIdle(): void {
    for (const socket of this.#idle()) endWithWord(socket)
  }

  /**
   * Ends a connection that was idle for the idle timeout. Node would destroy the connection, and lose a request that
   * the client is sending at that moment. A request that waits in the system's buffer is read and answered first.
   */
  endIdle(socket: Tracked): void {
    const { bytesRead } = socket
    // Timers fire before waiting bytes are read, so the check runs one turn of the event loop later.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) endWithWord(socket)
    })
  }

  /** Returns the connections without a request under way. A first byte counts as a request. */
  #idle(): ReadonlyArray<Tracked> {
    // Node counts a connection without any bytes as busy.
    const found = [...this.#open].filter((socket) => socket.bytesRead === 0 || socket[STATE]?.lane?.isIdle === true)
    // Only Node's parser knows the other idle connections. The parser reports an idle connection by destroying it.
    for (const socket of this.#open) {
      socket.destroy = () => {
        found.push(socket)
        return socket
      }
    }
    this.#server.closeIdleConnections()
    for (const socket of this.#open) Reflect.deleteProperty(socket, "destroy")
    return found
  }
}

/** Returns the number of sweeps, with this one, at which bytes waited for the client, and it had taken none. */
const stuckFor = (socket: Tracked): number => {
  const state = socket[STATE]
  if (state === undefined) return 0
  const waiting = socket.writableLength
  if (waiting === 0) return (state.stuck = 0)
  const sent = socket.bytesWritten - waiting
  // Node reports a large write only when the system has taken all of it. Its private counter shows the progress; if it
  // is missing, a single write must be taken within the timeout.
  const underWay = socket._handle?.writeQueueSize ?? 0
  const moved = sent !== state.sent || underWay !== state.underWay
  state.sent = sent
  state.underWay = underWay
  return (state.stuck = moved ? 0 : state.stuck + 1)
}

/**
 * Sets the backlog of a listening socket to zero. Node has no public function for it. If Node's private function is
 * missing, more connections wait, and are reset at the close.
 */
const keepNoneWaiting = (server: Server): void => {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } | null }
  handle?.listen?.(0)
}

/** Replaces `destroySoon`, which Node calls after the last answer: now it closes only our side of the connection. */
const closeInStages = (socket: Socket): void => {
  socket.destroySoon = () => endHalf(socket)
}

/**
 * Closes our side of the connection and keeps reading. With unread data the system would reset the connection, and the
 * client could get the reset before the answer.
 */
const endHalf = (socket: Socket): void => {
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once("close", () => clearTimeout(timer))
}

/** Ends an idle connection with a last answer, which says that no further request is processed. */
const endWithWord = (socket: Tracked): void => {
  const state = socket[STATE]
  if (state === undefined || state.isEnded || !socket.writable || state.latest?.writableFinished === false) return
  state.isEnded = true
  // If a client sends a request at this moment, it reads these bytes as the answer. The status 408 means that the
  // request was not processed, and that the client may send it again on another connection (RFC 9110, section 15.5.9).
  // Other clients ignore the bytes.
  socket.write(LAST_WORD)
  endHalf(socket)
}

const LAST_WORD =
  "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n" +
  "content-length: 16\r\n\r\nrequest timeout\n"

/** Time for a client to close its side, in milliseconds. On a busy machine a proxy may notice our close late. */
const LINGER = 3000

/** Minimum and maximum time between two sweeps for clients that do not read, in milliseconds. */
const MIN_WATCH = 10
const MAX_WATCH = 5000

/** Time between two searches for connections that have become idle, in milliseconds. */
const SWEEP = 50

/** Milliseconds to wait for a first new connection. If none arrives in that time, none is expected. */
const QUIET = 5

/** Milliseconds to wait for a further connection before the backlog is zero, while connections can still wait. */
const BEHIND_OTHERS = 100

/**
 * Milliseconds to wait for a further connection, with a backlog of zero. Linux repeats a client's first bytes after 200
 * ms.
 */
const REPEATED = 300

/** Milliseconds after which a pause of one millisecond between two connections is enough. */
const ACCEPTING = 1000

/**
 * Further milliseconds after which no pause is needed. `EMPTYING_AT_MOST` applies before the backlog is set to zero,
 * and `ACCEPTING_AT_MOST` after that. One turn of the event loop accepts one connection, so on a busy machine a long
 * queue takes seconds.
 */
const EMPTYING_AT_MOST = 4000
const ACCEPTING_AT_MOST = 1500

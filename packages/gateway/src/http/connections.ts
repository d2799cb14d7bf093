/**
 * The TCP connections of the listener, and how they end without losing a request.
 *
 * Node's `server.close()` destroys idle connections, and with them requests that are on their way. Here an idle
 * connection gets a final answer, and our half of it is closed. It is read until its client has closed the other half,
 * and what arrives by then is never processed.
 */
import type { Server, ServerResponse } from "node:http"
import { Server as SecureServer } from "node:https"
import type { Socket } from "node:net"

const STATE = Symbol("connection")

interface State {
  /** The answer to the last request that was read. */
  latest: ServerResponse | undefined
  /** True if the client was told that the connection gets no further answer. */
  isEnded: boolean
}

type Tracked = Socket & { [STATE]?: State }

export class Connections {
  readonly #server: Server
  readonly #open = new Set<Tracked>()
  /** The connections below those of TLS, also before their handshake. */
  readonly #raw = new Set<Socket>()
  #accepted = 0
  #isDraining = false
  readonly #closed = Promise.withResolvers<void>()
  #sweeping: NodeJS.Timeout | undefined

  constructor(server: Server) {
    this.#server = server
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
      socket[STATE] = { latest: undefined, isEnded: false }
      if (this.#isDraining) closeInStages(socket)
      socket.once("close", () => this.#open.delete(socket))
    })
    // With a listener for this event, Node leaves the end of an idle connection to it.
    server.on("timeout", (socket: Tracked) => this.#onIdle(socket))
  }

  /** The number of open connections. */
  get size(): number {
    return this.#open.size
  }

  /** Notes a request. False if it came after the last answer of its connection: then it must not be processed. */
  begin(socket: Tracked, response: ServerResponse): boolean {
    const state = socket[STATE]
    if (state === undefined) return true
    if (state.isEnded) return false
    state.latest = response
    return true
  }

  /** True if the client of the connection was told that it gets no further answer. */
  isEnded(socket: Tracked): boolean {
    return socket[STATE]?.isEnded === true
  }

  /** True if no request was read after the one that this response answers. */
  isLatest(socket: Tracked, response: ServerResponse): boolean {
    return socket[STATE]?.latest === response
  }

  /** Records that an answer with `Connection: close` is sent: nothing after it is processed (RFC 9112, section 9.6). */
  end(socket: Tracked): void {
    const state = socket[STATE]
    if (state !== undefined) state.isEnded = true
  }

  /** Makes every connection close in stages after its last answer, from now on. */
  drain(): void {
    this.#isDraining = true
    for (const socket of this.#open) closeInStages(socket)
  }

  /**
   * Closes the listener at a moment when no connection waits to be accepted, because the system resets waiting ones,
   * and their clients may have sent a request already. A process cannot see such a connection. So this accepts until
   * none has come for a while. Then the system is told to keep none waiting beside the next one (Linux does not answer
   * others, and they are refused later), and this accepts again. `closed` tells when the last connection is gone.
   *
   * The order matters: with a short queue, Linux forgets connections that come together.
   */
  async stop(): Promise<void> {
    const server = this.#server
    await this.#quiet(BEHIND_OTHERS, EMPTYING_AT_MOST)
    keepNoneWaiting(server)
    // The system completes two connections at once if they come together. It forgets the second one, as long as the first
    // one waits, until the client repeats its first bytes. So one that was accepted may not be the last.
    await this.#quiet(REPEATED, ACCEPTING_AT_MOST)
    // Node would destroy idle connections. The property hides the method of the prototype for this one call.
    server.closeIdleConnections = () => undefined
    server.close(() => {
      clearInterval(this.#sweeping)
      this.#closed.resolve()
    })
    Reflect.deleteProperty(server, "closeIdleConnections")
    this.#endIdle()
    // An answer that began before the end has kept its connection open.
    this.#sweeping = setInterval(() => this.#endIdle(), SWEEP)
    const accepted = new Set(this.#raw)
    setTimeout(() => this.#endHandshakes(accepted), LINGER).unref()
  }

  /**
   * Accepts until no connection has come for some milliseconds: for `behind`, if one has come since this began. It ends
   * in any case `atMost` after the time in which it insists on that.
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
      // If connections come all the time, one turn without any must suffice; at the deadline this ends anyway.
      const enough = now < end ? quiet : 1
      if (now - since >= enough || now > end + atMost) return
      // One turn of the event loop accepts one connection, so waiting ones must not wait for a timer.
      if (this.#accepted === before) await new Promise((resolve) => setTimeout(resolve, 1))
      before = this.#accepted
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Resolves when the listener and all connections are closed. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy()
    for (const socket of this.#raw) socket.destroy()
  }

  /** Ends connections without a closing handshake, because no request came on them. */
  #endHandshakes(before: ReadonlySet<Socket>): void {
    const secured = new Set([...this.#open].map(({ remotePort }) => remotePort))
    for (const socket of before) if (!secured.has(socket.remotePort)) socket.destroy()
  }

  #endIdle(): void {
    for (const socket of this.#idle()) endWithWord(socket)
  }

  /**
   * Ends a connection on which nothing has come for the time of idle connections. Node would destroy it, and with it a
   * request that is on its way. A request that waits in the system is read first, and answered.
   */
  #onIdle(socket: Tracked): void {
    const { bytesRead } = socket
    // Timers fire before waiting bytes are read, so a turn of the event loop lies between.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) endWithWord(socket)
    })
  }

  /** Returns connections on which no request is under way, not even the first byte of one. */
  #idle(): ReadonlyArray<Tracked> {
    // Node counts a connection without any bytes as busy.
    const found = [...this.#open].filter((socket) => socket.bytesRead === 0)
    // Only Node's parser knows the other idle connections. It reports them by destroying them.
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

/**
 * Sets the backlog of a listening socket to zero. Node has no public way to do so; without it, more connections wait
 * and are reset.
 */
const keepNoneWaiting = (server: Server): void => {
  const { _handle: handle } = server as { _handle?: { listen?: (backlog: number) => number } | null }
  handle?.listen?.(0)
}

/** Makes Node's `destroySoon`, which ends a connection after its last answer, leave the other half to the client. */
const closeInStages = (socket: Socket): void => {
  socket.destroySoon = () => endHalf(socket)
}

/**
 * Ends our half and keeps reading: unread data would make the system reset the connection, and the reset can overtake
 * the answer.
 */
const endHalf = (socket: Socket): void => {
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once("close", () => clearTimeout(timer))
}

/** Tells the client of an idle connection that nothing more is processed on it. Leaves a connection in use as it is. */
const endWithWord = (socket: Tracked): void => {
  const state = socket[STATE]
  if (state === undefined || state.isEnded || !socket.writable || state.latest?.writableFinished === false) return
  state.isEnded = true
  // A client that sends a request at this moment takes this for the answer: nothing was processed, and it may send the
  // request again elsewhere (RFC 9110, section 15.5.9). Clients without a request drop it.
  socket.write(LAST_WORD)
  endHalf(socket)
}

const LAST_WORD =
  "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n" +
  "content-length: 16\r\n\r\nrequest timeout\n"

/** Milliseconds for a client to close its half. Where processors are few, a proxy may notice the end late. */
const LINGER = 3000

/** Milliseconds between looks for connections that have become idle. */
const SWEEP = 50

/** Milliseconds without a new connection. */
const QUIET = 5

/** The same, while the system keeps others waiting. */
const BEHIND_OTHERS = 100

/** The same, while it keeps none waiting: longer than the 200 ms after which Linux repeats the first bytes. */
const REPEATED = 300

/** Milliseconds after which a pause between two connections suffices. */
const ACCEPTING = 1000

/**
 * Further milliseconds after which no pause is needed. One turn of the event loop accepts one connection, so where
 * processors are few a long queue takes seconds.
 */
const EMPTYING_AT_MOST = 4000
const ACCEPTING_AT_MOST = 1500

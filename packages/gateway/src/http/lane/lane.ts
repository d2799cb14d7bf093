/**
 * The lane: answers common calls on the sockets of a server without `node:http`, and hands everything else over to it.
 *
 * The lane takes the place of Node's own listener of new connections, and calls that listener for a connection that it
 * hands over. So the server accepts, counts, limits and closes connections as before, and its timeouts apply.
 *
 * The reasons are in docs/decisions/http.md.
 */
import type { Server } from "node:http"
import { Server as SecureServer } from "node:https"
import type { Socket } from "node:net"

import type { CallHead } from "../callDoor.ts"
import type { LaneCall } from "./laneCall.ts"
import { type ConnectionLane, LaneConnection } from "./laneConnection.ts"
import type { LaneHead } from "./laneHead.ts"

export interface LaneOptions {
  /** True if new connections begin in the lane, and connections of the lane may stay in it. */
  readonly isOn: () => boolean
  /** Returns what the path of a call knows about a head; undefined if the head is not the lane's. */
  readonly open: (head: LaneHead) => CallHead | undefined
  /** True if a body of this size may be read now. */
  readonly admits: (bytes: number) => boolean
  readonly onCall: (call: LaneCall) => void
  /** Called for a connection that begins in the lane, and when it leaves the lane open. */
  readonly onEnter?: ((connection: LaneConnection) => void) | undefined
  readonly onLeave?: ((connection: LaneConnection) => void) | undefined
  readonly isEnded?: ((socket: Socket) => boolean) | undefined
  /** Ends a connection that has been idle for too long. */
  readonly onIdle: (socket: Socket) => void
  /** Refuses a connection whose first byte does not come. */
  readonly onSilent: (socket: Socket) => void
}

/** Times in milliseconds. */
export interface LaneTimes {
  /** Maximum time until the first byte. */
  readonly first: number
  /** Maximum time without a call, as it is promised to clients. The lane waits a second longer, as `node:http` does. */
  readonly idle: number
}

export class Lane implements ConnectionLane {
  readonly #options: LaneOptions
  readonly #server: Server
  readonly #connections = new Set<LaneConnection>()
  readonly #own: (socket: Socket) => void
  #times: LaneTimes
  #sweeping: NodeJS.Timeout | undefined
  version = 0
  keepAlive = ""
  /** Number of connections that were handed over. */
  handedOver = 0

  /** Puts a lane in front of a server. Its first listener of new connections must be Node's own. */
  constructor(server: Server, times: LaneTimes, options: LaneOptions) {
    this.#options = options
    this.#server = server
    this.#times = times
    const event = server instanceof SecureServer ? "secureConnection" : "connection"
    const own = server.listeners(event).at(0)
    if (own === undefined) throw new Error(`the server has no listener of "${event}"`)
    this.#own = own as (socket: Socket) => void
    server.off(event, this.#own)
    server.on(event, (socket: Socket) => this.#enter(socket))
    server.once("close", () => clearTimeout(this.#sweeping))
    this.configure(times)
    this.#sweepLater()
  }

  get size(): number {
    return this.#connections.size
  }

  /** Applies other times, and asks `open` again about the heads that are known. */
  configure(times: LaneTimes): void {
    this.#times = times
    this.version++
    // as `node:http` writes it
    const seconds = Math.floor(times.idle / 1000)
    this.keepAlive = `Connection: keep-alive\r\n${seconds > 0 ? `Keep-Alive: timeout=${seconds}\r\n` : ""}`
  }

  open(head: LaneHead): CallHead | undefined {
    return this.#options.isOn() ? this.#options.open(head) : undefined
  }

  admits(bytes: number): boolean {
    return this.#options.admits(bytes)
  }

  onCall(call: LaneCall): void {
    this.#options.onCall(call)
  }

  handOver(connection: LaneConnection): void {
    this.#connections.delete(connection)
    this.handedOver++
    this.#options.onLeave?.(connection)
    this.#own.call(this.#server, connection.socket)
  }

  onClose(connection: LaneConnection): void {
    this.#connections.delete(connection)
  }

  isEnded(socket: Socket): boolean {
    return this.#options.isEnded?.(socket) === true
  }

  #enter(socket: Socket): void {
    if (!this.#options.isOn()) return this.#own.call(this.#server, socket)
    const connection = new LaneConnection(this, socket)
    this.#connections.add(connection)
    this.#options.onEnter?.(connection)
  }

  /** One timer for all connections, because a timer for each call would cost more than the rest of the lane. */
  #sweepLater(): void {
    const { first, idle } = this.#times
    const pause = Math.max(MIN_PAUSE, Math.min(MAX_PAUSE, first / 4, idle / 4))
    this.#sweeping = setTimeout(() => {
      for (const connection of this.#connections) {
        const quiet = connection.sweep() * pause
        if (connection.isUsed ? quiet > idle + BEHIND_PROMISE : quiet > first) this.#end(connection)
      }
      this.#sweepLater()
    }, pause)
    this.#sweeping.unref()
  }

  #end(connection: LaneConnection): void {
    const { isUsed, socket } = connection
    if (isUsed) return this.#options.onIdle(socket)
    this.#connections.delete(connection)
    this.#options.onSilent(socket)
  }
}

/** Minimum and maximum time between two sweeps, in milliseconds. */
const MIN_PAUSE = 10
const MAX_PAUSE = 250

/** Time for which a connection stays open after the time that its client was promised, in milliseconds. */
const BEHIND_PROMISE = 1000

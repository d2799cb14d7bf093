/**
 * A node behind a socket of this machine: a Unix socket, or a named pipe of Windows. The node can push events.
 *
 * Only programs that may open the file reach such a node. No web page can.
 */
import { Buffer } from "node:buffer"
import { EventEmitter } from "node:events"
import { connect, type Socket } from "node:net"

import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

import type { GatewayError } from "../errors/GatewayError.ts"
import * as Setting from "../schema/Setting.ts"
import { socketFields } from "./connectionSettings.ts"
import * as NodeSocket from "./nodeSocket.ts"
import type { Subscribe, Upstream } from "./Upstream.ts"
import type { WebSocketUpstreamOptions } from "./WebSocketUpstream.ts"

const settings = Schema.Struct(socketFields)

/** The defaults of the options. */
export const defaults = Setting.defaultsOf(settings)

/**
 * The path of the socket, and the limits of the connection. The defaults are those of `WebSocketUpstream`.
 */
export interface IpcUpstreamOptions extends Pick<
  WebSocketUpstreamOptions,
  "timeout" | "connectTimeout" | "maxAnswerBytes" | "maxBackoff"
> {
  /** The path of a Unix socket, or the name of a pipe such as `\\\\.\\pipe\\node`. */
  readonly path: string
}

/**
 * Makes the upstream of the node at a path. It connects with the first call, and again after a loss, as
 * `WebSocketUpstream` does. The connection closes with the scope.
 *
 * Each message is one line of JSON, as anvil and geth write them.
 *
 * ```ts import.meta.vitest
 * import { IpcUpstream } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const nobody = IpcUpstream.make({ path: "/nowhere/node.ipc" }).pipe(
 *   Effect.flatMap((node) => Effect.flip(node.call("eth_chainId", []))),
 *   Effect.scoped
 * )
 * const fault = await Effect.runPromise(nobody)
 * fault.message // => "the node cannot be reached (ENOENT)"
 * ```
 */
export const make = Effect.fnUntraced(function* (
  options: IpcUpstreamOptions
): Effect.fn.Return<Upstream & { readonly subscribe: Subscribe }, GatewayError, Scope.Scope> {
  const { connectTimeout, inFlight, maxAnswerBytes, maxBackoff, timeout } = yield* Effect.fromResult(
    Setting.resolve(settings, options)
  )
  return yield* NodeSocket.make({
    open: () => new Lines(options.path, maxAnswerBytes),
    // there is no key in a path
    redact: (text) => text,
    timeout,
    connectTimeout,
    inFlight,
    maxMessageBytes: maxAnswerBytes,
    // the system reports the end of a process of this machine at once
    heartbeat: Infinity,
    maxBackoff
  })
})

/** A connection whose messages are lines. */
class Lines extends EventEmitter implements NodeSocket.NodeConnection {
  readonly #socket: Socket
  readonly #maxBytes: number
  /** The pieces of a line that is not complete. */
  #pieces: Array<Buffer> = []
  #size = 0

  constructor(path: string, maxBytes: number) {
    super()
    this.#maxBytes = maxBytes
    this.#socket = connect(path)
      .on("connect", () => this.emit("open"))
      .on("error", (error) => this.emit("error", error))
      .on("close", () => this.emit("close"))
      .on("data", (chunk) => this.#read(chunk))
  }

  get bufferedAmount(): number {
    return this.#socket.writableLength
  }

  send(text: string, done?: () => void): void {
    this.#socket.write(`${text}\n`, done)
  }

  ping(): void {
    // nothing to ask: see heartbeat
  }

  terminate(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      const line = this.#take(chunk.subarray(start, end))
      start = end + 1
      if (line === undefined) return
      if (line.length > 0) this.emit("message", line, false)
    }
    if (start < chunk.length && this.#fits(chunk.length - start)) this.#pieces.push(chunk.subarray(start))
  }

  /** Returns the line that a last piece completes; undefined if the line is too long. */
  #take(last: Buffer): Buffer | undefined {
    if (!this.#fits(last.length)) return undefined
    const line = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#size = 0
    return line
  }

  #fits(bytes: number): boolean {
    this.#size += bytes
    if (this.#size <= this.#maxBytes) return true
    this.#pieces = []
    this.emit("error", Object.assign(new Error("a message is too long"), { code: NodeSocket.TOO_LONG }))
    return false
  }
}

const LINE_END = 0x0a

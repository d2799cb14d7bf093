/** The platform's WebSocket, as far as it is used. */

/** A socket. Browsers' fits, and so does that of `ws`, which can do more. */
export interface WebSocketLike {
  binaryType: string
  readonly bufferedAmount: number
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: any) => void): void
  send(data: string): void
  close(code?: number, reason?: string): void
  /** Asks the peer for a sign of life below the messages. */
  ping?(): void
  /** Stops and starts the reading. */
  pause?(): void
  resume?(): void
  /** Ends the connection without waiting for the peer. */
  terminate?(): void
  /** Events that browsers do not show: `ping`, `pong` and `unexpected-response`. */
  on?(event: string, listener: (...args: Array<any>) => void): unknown
}

/** The class of a socket. Options as a third parameter are for `ws` only. */
export type WebSocketClass = new (url: string, protocols?: string | Array<string>, options?: any) => WebSocketLike

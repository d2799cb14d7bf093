/** The part of the platform's WebSocket that the transport uses. */

/** The part of a WebSocket that the transport uses. The class of browsers and the class of `ws` both have it. */
export interface WebSocketLike {
  binaryType: string
  readonly bufferedAmount: number
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: any) => void): void
  send(data: string): void
  close(code?: number, reason?: string): void
  /** Sends a ping frame, which the peer must answer. */
  ping?(): void
  /** Stops reading. */
  pause?(): void
  resume?(): void
  /** Ends the connection without waiting for the peer. */
  terminate?(): void
  /** Listens to events that browsers do not have: `ping`, `pong` and `unexpected-response`. */
  on?(event: string, listener: (...args: Array<any>) => void): unknown
}

/** The class of a socket. Only `ws` takes options as a third parameter. */
export type WebSocketClass = new (url: string, protocols?: string | Array<string>, options?: any) => WebSocketLike

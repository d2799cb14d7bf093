/** The part of the platform's WebSocket that is used. */

/** The part of a WebSocket that is used here. Both the browsers' class and that of `ws` have it. */
export interface WebSocketLike {
  binaryType: string
  readonly bufferedAmount: number
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: any) => void): void
  send(data: string): void
  close(code?: number, reason?: string): void
  /** Sends a ping frame to ask the peer for a sign of life. */
  ping?(): void
  /** Stops reading. */
  pause?(): void
  resume?(): void
  /** Ends the connection without waiting for the peer. */
  terminate?(): void
  /** Events that browsers do not show: `ping`, `pong` and `unexpected-response`. */
  on?(event: string, listener: (...args: Array<any>) => void): unknown
}

/** The class of a socket. Only `ws` takes options as a third parameter. */
export type WebSocketClass = new (url: string, protocols?: string | Array<string>, options?: any) => WebSocketLike

/**
 * The answer to an HTTP body or a WebSocket message with calls.
 */

/**
 * `body` is JSON text; undefined if all calls were notifications. `status` is the HTTP status. `headers` are added to
 * the usual headers. A WebSocket ignores `status` and `headers`.
 */
export interface PacketAnswer {
  readonly _tag: "Answer"
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array | undefined
}

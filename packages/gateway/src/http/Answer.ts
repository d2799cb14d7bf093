/**
 * The answer to a body or message of calls.
 */

/**
 * JSON text, or no body if nothing was asked. `status` is the HTTP status, and `headers` are those beside the usual ones;
 * a WebSocket has neither.
 */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array | undefined
}

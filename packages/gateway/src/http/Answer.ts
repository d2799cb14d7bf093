/**
 * The answer to a body or message of calls.
 *
 * @since 0.1.0
 */

/**
 * JSON text, or no body if nothing was asked. `status` is the HTTP status, and `headers` are those beside the usual ones;
 * a WebSocket has neither.
 *
 * @since 0.1.0
 */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array | undefined
}

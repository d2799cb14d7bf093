/**
 * The answer to a body or message of calls.
 */

/**
 * JSON text, or no body if nothing was asked. `status` is the HTTP status, and `headers` are added to the usual ones; a
 * WebSocket uses neither.
 */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array | undefined
}

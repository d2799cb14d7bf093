/**
 * What a call hears of its request. A part of undici's handlers, so the same handler is used over undici and over
 * `NodeConnections`.
 */

/** Gives up a request. Its connection ends. */
export interface RequestControl {
  abort(reason: Error): void
}

export interface AnswerHandler {
  onRequestStart(control: RequestControl): void
  onResponseStart(control: RequestControl, status: number, headers: AnswerHeaders): void
  onResponseData(control: RequestControl, chunk: Uint8Array): void
  onResponseEnd(control: RequestControl): void
  onResponseError(control: RequestControl, error: Error): void
}

/** Header names are in lower case. Over `NodeConnections` only those are present that a handler reads. */
export type AnswerHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Where the requests of a node go. */
export interface NodeAddress {
  readonly origin: string
  readonly path: string
}

/** A request to a node. */
export interface NodeRequest {
  /** Names and values in turn. */
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

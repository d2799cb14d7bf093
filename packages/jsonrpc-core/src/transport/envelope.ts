/**
 * The client's side of the envelope: it encodes calls and decodes answers. Every transport reads answers through it.
 */
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"

import {
  EncodeError,
  isRetryableStatus,
  ProtocolError,
  type Reason,
  RemoteError,
  TransportError
} from "../error/JsonRpcError.ts"
import * as ErrorSentence from "./errorSentence.ts"
import type { RedactText } from "./errorSentence.ts"
import * as NotJson from "./notJson.ts"
import * as RetryAfter from "./RetryAfter.ts"
import type * as Transport from "./Transport.ts"

export type { RedactText } from "./errorSentence.ts"

/** The metadata of an answer. */
export interface AnswerMetadata {
  /** The HTTP status, if it means failure. */
  readonly failedStatus?: number | undefined
  readonly retryAfter?: Duration.Duration | undefined
}

/** The answer to one packet. */
export interface EnvelopeAnswer extends AnswerMetadata {
  readonly text: string
  /** The content type, unchanged, if there was one. */
  readonly contentType?: string | undefined
}

/** A result as the JSON value that arrived, or the reason why there is none. */
export type EnvelopeOutcome = Result.Result<unknown, Reason>

export const encodeCall = (id: number, call: Transport.WireCall): Result.Result<string, EncodeError> => {
  try {
    const params = JSON.stringify(call.params)
    return Result.succeed(`{"jsonrpc":"2.0","id":${id},"method":${nameText(call.method)},"params":${params}}`)
  } catch {
    // The platform's error is not passed on, because its text may show the value.
    return Result.fail(new EncodeError({ path: [], detail: "not JSON" }))
  }
}

/** The JSON text of a method's name. Nearly all names need no escapes, and a test costs less than `JSON.stringify`. */
const nameText = (name: string): string => (/^\w*$/.test(name) ? `"${name}"` : JSON.stringify(name))

/** Consecutive ids, like the ids of a packet. */
export interface EnvelopeIds {
  readonly first: number
  readonly count: number
}

/** A packet in text, with `count` consecutive ids. */
export interface EncodedBatch {
  readonly text: string
  readonly count: number
  /** The errors of calls that cannot be written as JSON. The text leaves these calls out. The key is the position. */
  readonly faults: ReadonlyMap<number, EncodeError> | undefined
}

/** Encodes the calls of a packet. */
export const encodeBatch = (firstId: number, calls: ReadonlyArray<Transport.WireCall>): EncodedBatch => {
  let text = "["
  let count = 0
  let faults: Map<number, EncodeError> | undefined
  calls.forEach((call, index) => {
    const encoded = encodeCall(firstId + count, call)
    if (Result.isFailure(encoded)) {
      faults ??= new Map()
      faults.set(index, encoded.failure)
    } else {
      text += count === 0 ? encoded.success : `,${encoded.success}`
      count++
    }
  })
  return { text: `${text}]`, count, faults }
}

export const readSingle = (answer: EnvelopeAnswer, id: number, redact: RedactText): EnvelopeOutcome => {
  const value = parse(answer.text, answer.contentType, redact)
  const outcome = Result.isFailure(value)
    ? value
    : Array.isArray(value.success)
      ? protocolError("an array in answer to a single call")
      : readReply(value.success, id, answer, redact)
  return blameStatus(outcome, answer, redact)
}

/** Returns the outcomes of the calls in the order of their ids; `undefined` where the answer leaves a call out. */
export const readBatch = (
  answer: EnvelopeAnswer,
  ids: EnvelopeIds,
  redact: RedactText
): ReadonlyArray<EnvelopeOutcome | undefined> => {
  const value = parse(answer.text, answer.contentType, redact)
  if (Result.isFailure(value)) {
    return forAll(ids, blameStatus(value, answer, redact))
  }
  if (!Array.isArray(value.success)) {
    const mayRefuse = !hasResult(value.success) && !namesOther(value.success, ids)
    const refusal = mayRefuse ? readError(value.success, answer, redact) : undefined
    return forAll(ids, blameStatus(refusal ?? protocolError(NO_ARRAY), answer, redact))
  }
  const replies: ReadonlyArray<unknown> = value.success
  if (replies.length === 1 && isRefusal(replies[0], ids.first)) {
    const refusal = readError(replies[0], answer, redact)
    if (refusal !== undefined) {
      return forAll(ids, refusal)
    }
  }
  const outcomes = forAll(ids, undefined)
  for (const reply of replies) {
    const place = isObject(reply) ? placeOf(reply["id"], ids) : -1
    if (place !== -1) {
      outcomes[place] =
        outcomes[place] === undefined
          ? blameStatus(readReply(reply, ids.first + place, answer, redact), answer, redact)
          : doubleAnswer()
    }
  }
  return answer.failedStatus === undefined
    ? outcomes
    : outcomes.map((outcome) => outcome ?? blameStatus(protocolError(""), answer, redact))
}

/** Returns the position of an id among consecutive ids, or -1. */
const placeOf = (id: unknown, { count, first }: EnvelopeIds): number =>
  Number.isInteger(id) && (id as number) >= first && (id as number) < first + count ? (id as number) - first : -1

/** True if a reply has an id that belongs to no call of the packet. */
const namesOther = (reply: unknown, ids: EnvelopeIds): boolean =>
  isObject(reply) && !isAbsent(reply["id"]) && placeOf(reply["id"], ids) === -1

const hasResult = (reply: unknown): boolean => isObject(reply) && Object.hasOwn(reply, "result")

const isAbsent = (id: unknown): boolean => id === null || id === undefined

/**
 * True if the only reply to a batch refuses the whole batch: the reply names no call, or it is geth's "batch too
 * large", which has the id of the first call.
 */
export const isRefusal = (reply: unknown, firstId: number | undefined): boolean => {
  if (!isObject(reply) || !isObject(reply["error"]) || hasResult(reply)) {
    return false
  }
  return isAbsent(reply["id"]) || (reply["id"] === firstId && reply["error"]["code"] === -32600)
}

export const readReply = (reply: unknown, id: number, answer: AnswerMetadata, redact: RedactText): EnvelopeOutcome => {
  if (!isObject(reply)) {
    return protocolError("the answer is not an object")
  }
  const isResult = hasResult(reply)
  const isError = Object.hasOwn(reply, "error")
  if (isError && !isResult && (reply["id"] === id || isAbsent(reply["id"]))) {
    // A server that could not read the id sends null as the id. Some servers omit it when they refuse by HTTP status.
    const error = readError(reply, answer, redact)
    if (error !== undefined) {
      return error
    }
  }
  if (reply["jsonrpc"] !== "2.0") {
    return protocolError('the answer has no jsonrpc "2.0"')
  }
  if (reply["id"] !== id) {
    return protocolError("the answer has another id than the call")
  }
  if (isResult === isError) {
    return protocolError(isResult ? "the answer has both result and error" : "the answer has no result and no error")
  }
  return isResult ? Result.succeed(reply["result"]) : protocolError("the error has no code or no message")
}

/**
 * Returns the error of a reply, if the reply has an error of the right shape.
 *
 * A missing `jsonrpc` is accepted if the HTTP status is a failure too, because the server's reason matters more than
 * its form.
 */
export const readError = (reply: unknown, answer: AnswerMetadata, redact: RedactText): EnvelopeOutcome | undefined => {
  if (!isObject(reply) || (reply["jsonrpc"] !== "2.0" && answer.failedStatus === undefined)) {
    return undefined
  }
  const error = reply["error"]
  if (!isObject(error)) {
    return undefined
  }
  const { code, message, data, ...others } = error
  if (!Number.isSafeInteger(code) || typeof message !== "string") {
    return undefined
  }
  // Some services write `details` and `event` beside the message instead of `data`.
  const extra = redactData(data === undefined && Object.keys(others).length > 0 ? others : data, redact)
  const said = { code: Number(code), message: redact(message), ...(extra === undefined ? {} : { data: extra }) }
  const retryAfter = answer.retryAfter ?? RetryAfter.ofError({ ...said, status: answer.failedStatus })
  return Result.fail(new RemoteError({ ...said, ...statusOf({ failedStatus: answer.failedStatus, retryAfter }) }))
}

/**
 * Replaces the outcome of an answer that has a failing HTTP status. A JSON-RPC error in the body stays unchanged. Any
 * other outcome becomes a `TransportError` with the status, and with the sentence in the body if there is one.
 */
const blameStatus = (outcome: EnvelopeOutcome, answer: EnvelopeAnswer, redact: RedactText): EnvelopeOutcome => {
  const status = answer.failedStatus
  if (status === undefined || (Result.isFailure(outcome) && outcome.failure._tag === "RemoteError")) {
    return outcome
  }
  const said = ErrorSentence.sentence(answer.text, redact)
  return Result.fail(
    new TransportError({
      detail: `HTTP status ${status}`,
      ...(said === undefined ? {} : { said }),
      retryable: isRetryableStatus(status),
      status,
      ...statusOf(answer)
    })
  )
}

const statusOf = (answer: AnswerMetadata): { readonly status?: number; readonly retryAfter?: Duration.Duration } => ({
  ...(answer.failedStatus === undefined ? {} : { status: answer.failedStatus }),
  ...(answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter })
})

/** Redacts data. Data that is nested too deeply to be searched is dropped. */
const redactData = (data: unknown, redact: RedactText): unknown => {
  if (data === undefined) {
    return undefined
  }
  try {
    const text = JSON.stringify(data)
    const redacted = redact(text)
    return redacted === text ? data : JSON.parse(redacted)
  } catch {
    return undefined
  }
}

/** Returns the JSON value of a text, or an error that describes the text. */
export const parse = (
  text: string,
  contentType?: string,
  redact?: RedactText
): Result.Result<unknown, ProtocolError> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    // The platform's error is not passed on, because its text shows a part of the body.
    return protocolError(NotJson.describe(text, contentType === undefined ? undefined : redact?.(contentType)))
  }
}

/** The error text of the calls of a batch whose answer is not a list. */
export const NO_ARRAY = "no array in answer to a batch"

/** The error text of a call without an answer in the answer to its batch. */
export const MISSING_ANSWER = "no answer to this call in the answer to the batch"

/** Returns the outcome of a call with two answers in the answer to its batch. */
export const doubleAnswer = (): EnvelopeOutcome =>
  protocolError("more than one answer to this call in the answer to the batch")

export const protocolError = (detail: string): Result.Result<never, ProtocolError> =>
  Result.fail(new ProtocolError({ detail }))

export const forAll = <O extends EnvelopeOutcome | undefined>(
  { count }: EnvelopeIds,
  outcome: O
): Array<EnvelopeOutcome | O> => Array.from<EnvelopeOutcome | O>({ length: count }).fill(outcome)

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

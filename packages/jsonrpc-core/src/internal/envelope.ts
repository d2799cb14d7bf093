/**
 * The client's side of the envelope: requests into text, answers into results. Shared by all transports that get one
 * answer per packet.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import {
  EncodeError,
  isRetryableStatus,
  JsonRpcError,
  ProtocolError,
  type Reason,
  RemoteError,
  TransportError
} from "../JsonRpcError.ts"
import type * as Transport from "../Transport.ts"

/** What came back for one packet. */
export interface Answer {
  readonly text: string
  /** The HTTP status, where it is one of failure. */
  readonly failedStatus?: number | undefined
  readonly retryAfter?: Duration.Duration | undefined
}

/** How packets travel. */
export interface Carrier {
  readonly exchange: (text: string) => Effect.Effect<Answer, Reason>
  /** Takes the carrier's secrets out of a text of the server's. */
  readonly redact: (text: string) => string
}

type Outcome = Result.Result<unknown, Reason>

/** A transport over a carrier, with numeric ids of its own. */
export const makeTransport = (carrier: Carrier): Transport.Transport["Service"] => {
  let lastId = 0

  const call = (call: Transport.Call): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      const id = ++lastId
      const text = encodeCall(id, call)
      if (Result.isFailure(text)) {
        return Effect.fail(new JsonRpcError({ method: call.method, reason: text.failure }))
      }
      return Effect.matchEffect(carrier.exchange(text.success), {
        onFailure: (reason) => Effect.fail(new JsonRpcError({ method: call.method, reason })),
        onSuccess: (answer) => {
          const outcome = readSingle(answer, id, carrier.redact)
          return Result.isSuccess(outcome)
            ? Effect.succeed(outcome.success)
            : Effect.fail(new JsonRpcError({ method: call.method, reason: outcome.failure }))
        }
      })
    })

  const callAll = (
    calls: ReadonlyArray<Transport.Call>
  ): Effect.Effect<ReadonlyArray<Result.Result<unknown, JsonRpcError>>> =>
    Effect.suspend(() => {
      if (calls.length <= 1) {
        // Some servers take no batches: one call alone need not be one.
        return Effect.forEach(calls, (only) => Effect.result(call(only)))
      }
      const ids = calls.map(() => ++lastId)
      const texts = calls.map((call, index) => encodeCall(ids[index]!, call))
      const sent = texts.filter(Result.isSuccess)
      const sentIds = ids.filter((_, index) => Result.isSuccess(texts[index]!))
      const outcomes =
        sent.length === 0
          ? Effect.succeed(new Map<number, Outcome>())
          : Effect.match(carrier.exchange(`[${sent.map((text) => text.success).join(",")}]`), {
              onFailure: (reason) => forAll(sentIds, Result.fail(reason)),
              onSuccess: (answer) => readBatch(answer, sentIds, carrier.redact)
            })
      return Effect.map(outcomes, (byId) =>
        calls.map((call, index) => {
          const text = texts[index]!
          const outcome: Outcome = Result.isFailure(text)
            ? text
            : (byId.get(ids[index]!) ?? protocolError("no answer to this call in the answer to the batch"))
          return Result.mapError(outcome, (reason) => new JsonRpcError({ method: call.method, reason }))
        })
      )
    })

  return { call, callAll }
}

const encodeCall = (id: number, call: Transport.Call): Result.Result<string, EncodeError> => {
  try {
    return Result.succeed(JSON.stringify({ jsonrpc: "2.0", id, method: call.method, params: call.params }))
  } catch {
    // The platform's text may show the value.
    return Result.fail(new EncodeError({ path: [], detail: "not JSON" }))
  }
}

const readSingle = (answer: Answer, id: number, redact: Carrier["redact"]): Outcome => {
  const value = parse(answer.text)
  const outcome = Result.isFailure(value)
    ? value
    : Array.isArray(value.success)
      ? protocolError("an array in answer to a single call")
      : readReply(value.success, id, answer, redact)
  return blameStatus(outcome, answer)
}

const readBatch = (
  answer: Answer,
  ids: ReadonlyArray<number>,
  redact: Carrier["redact"]
): ReadonlyMap<number, Outcome> => {
  const value = parse(answer.text)
  if (Result.isFailure(value)) {
    return forAll(ids, blameStatus(value, answer))
  }
  if (!Array.isArray(value.success)) {
    const refusal = readError(value.success, answer, redact)
    return forAll(ids, blameStatus(refusal ?? protocolError("no array in answer to a batch"), answer))
  }
  const replies: ReadonlyArray<unknown> = value.success
  if (replies.length === 1 && isRefusal(replies[0])) {
    const refusal = readError(replies[0], answer, redact)
    if (refusal !== undefined) {
      return forAll(ids, refusal)
    }
  }
  const waiting = new Set(ids)
  const outcomes = new Map<number, Outcome>()
  for (const reply of replies) {
    const id = isObject(reply) ? reply["id"] : undefined
    if (typeof id !== "number" || !waiting.has(id)) {
      continue
    }
    outcomes.set(
      id,
      outcomes.has(id)
        ? protocolError("more than one answer to this call in the answer to the batch")
        : blameStatus(readReply(reply, id, answer, redact), answer)
    )
  }
  if (answer.failedStatus !== undefined) {
    for (const id of ids) {
      if (!outcomes.has(id)) {
        outcomes.set(id, blameStatus(protocolError(""), answer))
      }
    }
  }
  return outcomes
}

/**
 * Whether the only reply to a batch refuses all of it: it names no call, or is geth's "batch too large", which carries
 * the id of the first call.
 */
const isRefusal = (reply: unknown): boolean => {
  if (!isObject(reply) || !isObject(reply["error"])) {
    return false
  }
  return reply["id"] === null || reply["id"] === undefined || reply["error"]["code"] === -32600
}

const readReply = (reply: unknown, id: number, answer: Answer, redact: Carrier["redact"]): Outcome => {
  if (!isObject(reply)) {
    return protocolError("the answer is no object")
  }
  const hasResult = Object.hasOwn(reply, "result")
  const hasError = Object.hasOwn(reply, "error")
  if (hasError && !hasResult && (reply["id"] === id || reply["id"] === null || reply["id"] === undefined)) {
    // A server that could not read the id answers null; some leave it out when they refuse by HTTP status.
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
  if (hasResult === hasError) {
    return protocolError(hasResult ? "the answer has both result and error" : "the answer has no result and no error")
  }
  return hasResult ? Result.succeed(reply["result"]) : protocolError("the error has no code or no message")
}

/**
 * The error of a reply, if it has one of the right shape.
 *
 * A missing `jsonrpc` is forgiven where the HTTP status says failure too: the server's reason is worth more than its form.
 */
const readError = (reply: unknown, answer: Answer, redact: Carrier["redact"]): Outcome | undefined => {
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
  // Some services write `details` and `event` beside the message instead of data.
  const extra = redactData(data === undefined && Object.keys(others).length > 0 ? others : data, redact)
  return Result.fail(
    new RemoteError({
      code: Number(code),
      message: redact(message),
      ...(extra === undefined ? {} : { data: extra }),
      ...statusOf(answer)
    })
  )
}

/** With a failing HTTP status, only an error of the server's own words stands; anything else is the status's fault. */
const blameStatus = (outcome: Outcome, answer: Answer): Outcome => {
  const status = answer.failedStatus
  if (status === undefined || (Result.isFailure(outcome) && outcome.failure._tag === "RemoteError")) {
    return outcome
  }
  return Result.fail(
    new TransportError({
      detail: `HTTP status ${status}`,
      retryable: isRetryableStatus(status),
      status,
      ...statusOf(answer)
    })
  )
}

const statusOf = (answer: Answer): { readonly status?: number; readonly retryAfter?: Duration.Duration } => ({
  ...(answer.failedStatus === undefined ? {} : { status: answer.failedStatus }),
  ...(answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter })
})

/** Data that cannot be looked through (nested too deeply to be written) is dropped. */
const redactData = (data: unknown, redact: Carrier["redact"]): unknown => {
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

const parse = (text: string): Result.Result<unknown, ProtocolError> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    // The platform's text shows a part of the body.
    const start = text.trimStart()
    return protocolError(
      start === ""
        ? "the answer is empty"
        : start.startsWith("<")
          ? "the answer is HTML, not JSON"
          : "the answer is not JSON"
    )
  }
}

const protocolError = (detail: string): Result.Result<never, ProtocolError> =>
  Result.fail(new ProtocolError({ detail }))

const forAll = (ids: ReadonlyArray<number>, outcome: Outcome): ReadonlyMap<number, Outcome> =>
  new Map(ids.map((id) => [id, outcome]))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A transport over any carrier that returns one answer per packet. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { JsonRpcError, type Reason } from "../error/JsonRpcError.ts"
import * as Envelope from "./envelope.ts"
import type * as Transport from "./Transport.ts"

/** The carrier of packets. */
export interface Carrier {
  readonly exchange: (text: string) => Effect.Effect<Envelope.Answer, Reason>
  readonly redact: Envelope.Redact
}

/** Makes a transport over a carrier, with numeric ids of its own. */
export const make = (carrier: Carrier): Transport.Transport["Service"] => {
  let lastId = 0

  const call = (call: Transport.Call): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      const id = ++lastId
      const text = Envelope.encodeCall(id, call)
      if (Result.isFailure(text)) {
        return Effect.fail(new JsonRpcError({ method: call.method, reason: text.failure }))
      }
      return Effect.matchEffect(carrier.exchange(text.success), {
        onFailure: (reason) => Effect.fail(new JsonRpcError({ method: call.method, reason })),
        onSuccess: (answer) => {
          const outcome = Envelope.readSingle(answer, id, carrier.redact)
          return Result.isSuccess(outcome)
            ? Effect.succeed(outcome.success)
            : Effect.fail(new JsonRpcError({ method: call.method, reason: outcome.failure }))
        }
      })
    })

  const callAll = (calls: ReadonlyArray<Transport.Call>): Effect.Effect<ReadonlyArray<Transport.Outcome>> =>
    Effect.suspend(() => {
      const first = calls[0]
      if (first === undefined) {
        return Effect.succeed([])
      }
      if (calls.length === 1) {
        // Some servers refuse batches, so a single call is sent outside of one.
        return Effect.map(Effect.result(call(first)), (outcome) => [outcome])
      }
      const ids = calls.map(() => ++lastId)
      const texts = calls.map((call, index) => Envelope.encodeCall(ids[index]!, call))
      const sent = texts.filter(Result.isSuccess)
      const sentIds = ids.filter((_, index) => Result.isSuccess(texts[index]!))
      const outcomes =
        sent.length === 0
          ? Effect.succeed(new Map<number, Envelope.Outcome>())
          : Effect.match(carrier.exchange(`[${sent.map((text) => text.success).join(",")}]`), {
              onFailure: (reason) => Envelope.forAll(sentIds, Result.fail(reason)),
              onSuccess: (answer) => Envelope.readBatch(answer, sentIds, carrier.redact)
            })
      return Effect.map(outcomes, (byId) =>
        calls.map((call, index) => {
          const text = texts[index]!
          const outcome: Envelope.Outcome = Result.isFailure(text)
            ? text
            : (byId.get(ids[index]!) ?? Envelope.protocolError(Envelope.MISSING_ANSWER))
          return Result.mapError(outcome, (reason) => new JsonRpcError({ method: call.method, reason }))
        })
      )
    })

  return { call, callAll }
}

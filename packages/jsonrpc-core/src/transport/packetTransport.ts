/** A transport over any carrier that returns one answer per packet. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { JsonRpcError, type Reason } from "../error/JsonRpcError.ts"
import * as Envelope from "./envelope.ts"
import type * as Transport from "./Transport.ts"

/** The carrier of packets. */
export interface PacketCarrier {
  /**
   * Sends a packet, and returns its answer. `isRepeatable` is true if every call of the packet is idempotent, so that the
   * packet may be sent twice.
   */
  readonly exchange: (text: string, isRepeatable: boolean) => Effect.Effect<Envelope.EnvelopeAnswer, Reason>
  readonly redact: Envelope.RedactText
}

/** Makes a transport over a carrier. The transport numbers its calls. */
export const make = (carrier: PacketCarrier): Transport.Transport["Service"] => {
  let lastId = 0

  const call = (call: Transport.WireCall): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      const id = ++lastId
      const text = Envelope.encodeCall(id, call)
      if (Result.isFailure(text)) {
        return Effect.fail(new JsonRpcError({ method: call.method, reason: text.failure }))
      }
      return Effect.matchEffect(carrier.exchange(text.success, isIdempotent(call)), {
        onFailure: (reason) => Effect.fail(new JsonRpcError({ method: call.method, reason })),
        onSuccess: (answer) => {
          const outcome = Envelope.readSingle(answer, id, carrier.redact)
          return Result.isSuccess(outcome)
            ? Effect.succeed(outcome.success)
            : Effect.fail(new JsonRpcError({ method: call.method, reason: outcome.failure }))
        }
      })
    })

  const callAll = (calls: ReadonlyArray<Transport.WireCall>): Effect.Effect<ReadonlyArray<Transport.WireOutcome>> =>
    Effect.suspend(() => {
      const first = calls[0]
      if (first === undefined) {
        return Effect.succeed([])
      }
      if (calls.length === 1) {
        // Some servers refuse batches, so a single call is sent without a batch.
        return Effect.map(Effect.result(call(first)), (outcome) => [outcome])
      }
      const { count, faults, text } = Envelope.encodeBatch(lastId + 1, calls)
      const ids = { first: lastId + 1, count }
      lastId += count
      const read = (
        outcomes: ReadonlyArray<Envelope.EnvelopeOutcome | undefined>
      ): ReadonlyArray<Transport.WireOutcome> => {
        let place = 0
        return calls.map((call, index) => {
          const fault = faults?.get(index)
          const outcome = fault === undefined ? (outcomes[place++] ?? MISSING) : Result.fail(fault)
          return Result.isSuccess(outcome)
            ? Result.succeed(outcome.success)
            : Result.fail(new JsonRpcError({ method: call.method, reason: outcome.failure }))
        })
      }
      return count === 0
        ? Effect.succeed(read([]))
        : Effect.match(carrier.exchange(text, calls.every(isIdempotent)), {
            onFailure: (reason) => read(Envelope.forAll(ids, Result.fail(reason))),
            onSuccess: (answer) => read(Envelope.readBatch(answer, ids, carrier.redact))
          })
    })

  return { call, callAll }
}

const isIdempotent = ({ idempotent }: Transport.WireCall): boolean => idempotent !== false

const MISSING = /* @__PURE__ */ Envelope.protocolError(Envelope.MISSING_ANSWER)

/** The services that a session provides: `Transport` and `Subscriptions`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { JsonRpcError } from "../error/JsonRpcError.ts"
import type * as Envelope from "../transport/envelope.ts"
import type { Subscriptions } from "../transport/Subscriptions.ts"
import type { WireCall, WireOutcome, Transport } from "../transport/Transport.ts"
import type { CallSession } from "./callSession.ts"
import type { SessionSubscription } from "./sessionSubscriptions.ts"

export const make = (session: CallSession): Transport["Service"] & Subscriptions["Service"] => {
  const exchange = (calls: ReadonlyArray<WireCall>): Effect.Effect<ReadonlyArray<Envelope.EnvelopeOutcome>> =>
    Effect.callback((resume) => {
      const sent = session.exchange(calls, (outcomes) => resume(Effect.succeed(outcomes)))
      return Effect.sync(() => session.withdraw(sent))
    })

  return {
    call: (call) => Effect.flatMap(exchange([call]), ([outcome]) => Effect.fromResult(ofCall(call, outcome!))),
    callAll: (calls) =>
      calls.length === 0
        ? Effect.succeed([])
        : Effect.map(exchange(calls), (outcomes) => calls.map((call, index) => ofCall(call, outcomes[index]!))),
    subscribe: (request) =>
      Stream.unwrap(
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => session.subscribe(request)),
            (subscription) => Effect.sync(subscription.end)
          ),
          (subscription) => Stream.fromPull(Effect.as(begin(subscription), subscription.pull))
        )
      )
  }
}

const ofCall = (call: WireCall, outcome: Envelope.EnvelopeOutcome): WireOutcome =>
  Result.mapError(outcome, (reason) => new JsonRpcError({ method: call.method, reason }))

const begin = (subscription: SessionSubscription): Effect.Effect<void, JsonRpcError> =>
  Effect.callback((resume) =>
    subscription.begin((error) => resume(error === undefined ? Effect.void : Effect.fail(error)))
  )

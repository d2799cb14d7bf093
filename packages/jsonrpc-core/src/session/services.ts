/** The services that a session provides: `Transport` and `Subscriptions`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { JsonRpcError } from "../error/JsonRpcError.ts"
import type * as Envelope from "../transport/envelope.ts"
import type { Subscriptions } from "../transport/Subscriptions.ts"
import type { Call, Outcome, Transport } from "../transport/Transport.ts"
import type { Session } from "./session.ts"
import type { Subscription } from "./subscriptions.ts"

export const make = (session: Session): Transport["Service"] & Subscriptions["Service"] => {
  const exchange = (calls: ReadonlyArray<Call>): Effect.Effect<ReadonlyArray<Envelope.Outcome>> =>
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

const ofCall = (call: Call, outcome: Envelope.Outcome): Outcome =>
  Result.mapError(outcome, (reason) => new JsonRpcError({ method: call.method, reason }))

const begin = (subscription: Subscription): Effect.Effect<void, JsonRpcError> =>
  Effect.callback((resume) =>
    subscription.begin((error) => resume(error === undefined ? Effect.void : Effect.fail(error)))
  )

/** Errors of the ledger of pins, made short. */
import { IpfsNodeError, PinRefused, type Reason } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Effect from "effect/Effect"

export const failure = (reason: Reason): IpfsNodeError => new IpfsNodeError({ reason })

export const refused = (subject: string, problem: PinRefused["problem"]): IpfsNodeError =>
  failure(new PinRefused({ subject, problem }))

/** What is there at once: a call of the ledger, which throws one of our errors; anything else is a defect. */
export const attemptNow = <A>(evaluate: () => A): Effect.Effect<A, IpfsNodeError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      return error instanceof IpfsNodeError ? Effect.fail(error) : Effect.die(error)
    }
  })

/** Takes the engines of a client from the context, where its options name none. */
import * as Effect from "effect/Effect"

import { CallEngine } from "../call/CallEngine.ts"
import { type RecoveryEngine, SenderRecovery } from "../sender/SenderRecovery.ts"

/** The options that name engines. */
interface Engines {
  readonly recovery?: RecoveryEngine | undefined
  readonly calls?: CallEngine | undefined
}

export const from = <O extends Engines>(options: O | undefined): Effect.Effect<Partial<O> & Engines> =>
  Effect.map(
    Effect.all([SenderRecovery, CallEngine]),
    ([recovery, calls]) =>
      ({
        ...options,
        recovery: options?.recovery ?? recovery,
        calls: options?.calls ?? calls
      }) as Partial<O> & Engines
  )

/** Takes the engines of a client from the context, where its options name none. */
import * as Effect from "effect/Effect"

import { CallEngine } from "../call/CallEngine.ts"
import { SenderRecovery } from "../sender/SenderRecovery.ts"
import type { VerdictEthClientOptions } from "./VerdictEthClient.ts"

export const from = <O extends VerdictEthClientOptions>(
  options: O | undefined
): Effect.Effect<Partial<O> & VerdictEthClientOptions> =>
  Effect.map(
    Effect.all([SenderRecovery, CallEngine]),
    ([recovery, calls]) =>
      ({
        ...options,
        recovery: options?.recovery ?? recovery,
        calls: options?.calls ?? calls
      }) as Partial<O> & VerdictEthClientOptions
  )

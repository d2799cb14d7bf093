/** Starts and tests an engine: it must recover a known key before it is used. */
import { type RecoveryEngine, works } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as Effect from "effect/Effect"

import { RecoveryUnavailableError } from "./RecoveryUnavailableError.ts"

/**
 * Makes an engine and tests it. Fails with `RecoveryUnavailableError` if the engine throws, finds a wrong key, or finds a
 * key for an invalid signature.
 */
export const start = (
  engine: string,
  make: () => RecoveryEngine | Promise<RecoveryEngine>
): Effect.Effect<RecoveryEngine, RecoveryUnavailableError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: async () => make(),
      catch: (cause) => new RecoveryUnavailableError({ engine, reason: firstLine(cause) })
    }),
    (made) =>
      works(made) ? Effect.succeed(made) : new RecoveryUnavailableError({ engine, reason: "it finds a wrong key" })
  )

const firstLine = (cause: unknown): string =>
  cause instanceof Error ? cause.message.split("\n", 1)[0]! : String(cause)

/** Chooses the first engine that starts. */
import { type RecoveryEngine, noble } from "@plumbline/eth-methods/sender/SenderRecovery"
import * as Effect from "effect/Effect"

import type { RecoveryUnavailableError } from "./RecoveryUnavailableError.ts"

/** Returns the first engine that starts, or the default engine if none starts. Later engines are not started. */
export const first = (
  engines: ReadonlyArray<Effect.Effect<RecoveryEngine, RecoveryUnavailableError>>
): Effect.Effect<RecoveryEngine> =>
  engines.reduceRight<Effect.Effect<RecoveryEngine>>(
    (otherwise, engine) => Effect.catch(engine, () => otherwise),
    Effect.succeed(noble)
  )

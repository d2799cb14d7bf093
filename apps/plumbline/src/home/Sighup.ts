/** The operator's signal to read the configuration again. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Listens for the signal until the scope closes, and returns an effect that waits for the next signal and can be run
 * repeatedly. A run ends with the next signal, or at once if a signal came since the last run. Default: no signal ever
 * comes.
 */
export const Sighup: Context.Reference<Effect.Effect<Effect.Effect<void>, never, Scope.Scope>> = Context.Reference<
  Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
>("plumbline/Hangup", { defaultValue: () => Effect.succeed(Effect.never) })

/** The operator's signal to read the configuration again. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Listens from now on, until the scope closes; then each wait ends with the next signal, or with one since the last
 * wait. Without a platform there is no signal.
 */
export const Hangup: Context.Reference<Effect.Effect<Effect.Effect<void>, never, Scope.Scope>> = Context.Reference<
  Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
>("plumbline/Hangup", { defaultValue: () => Effect.succeed(Effect.never) })

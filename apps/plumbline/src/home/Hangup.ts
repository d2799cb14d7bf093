/**
 * The wish of whoever runs the program that it reads its configuration again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Listens from now on, until the scope closes; then each wait ends with the next wish, or with one that was made since.
 * Nobody wishes it, unless a platform says otherwise.
 */
export const Hangup: Context.Reference<Effect.Effect<Effect.Effect<void>, never, Scope.Scope>> = Context.Reference<
  Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
>("plumbline/Hangup", { defaultValue: () => Effect.succeed(Effect.never) })

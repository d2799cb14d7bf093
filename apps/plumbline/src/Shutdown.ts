/**
 * The wish of whoever runs the program that it ends.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Waits until the program shall end, and says why. Never, where nobody can wish it. */
export const Shutdown: Context.Reference<Effect.Effect<string>> = Context.Reference<Effect.Effect<string>>(
  "plumbline/Shutdown",
  {
    defaultValue: () => Effect.never
  }
)

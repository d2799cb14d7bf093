/** The signal that ends the program. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Waits until the program is told to end, and returns the reason. It waits for ever if no platform can tell it. */
export const Shutdown: Context.Reference<Effect.Effect<string>> = Context.Reference<Effect.Effect<string>>(
  "plumbline/Shutdown",
  {
    defaultValue: () => Effect.never
  }
)

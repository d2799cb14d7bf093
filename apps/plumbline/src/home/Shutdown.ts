import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Waits for a signal to end, and returns the reason. It waits for ever on a platform without signals. */
export const Shutdown: Context.Reference<Effect.Effect<string>> = Context.Reference<Effect.Effect<string>>(
  "plumbline/Shutdown",
  {
    defaultValue: () => Effect.never
  }
)

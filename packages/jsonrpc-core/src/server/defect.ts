/** The default handling of defects: a log entry. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

export const logDefect = (cause: Cause.Cause<unknown>, call: { readonly method: string }): Effect.Effect<void> =>
  Effect.logError(`JSON-RPC call of ${call.method} died`, cause)

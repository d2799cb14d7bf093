/**
 * The variables of the environment, all of them: a configuration names those that it needs.
 */
import * as Context from "effect/Context"

/** By name, as they are when it is asked. */
export const Variables: Context.Reference<Readonly<Record<string, string | undefined>>> = Context.Reference<
  Readonly<Record<string, string | undefined>>
>("plumbline/Variables", { defaultValue: () => process.env })

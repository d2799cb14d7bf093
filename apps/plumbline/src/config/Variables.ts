/**
 * The variables of the environment, all of them: a configuration names those that it needs.
 */
import * as Context from "effect/Context"

import type * as Environment from "./Environment.ts"

/** By name, as they are when it is asked. */
export const Variables: Context.Reference<Environment.Variables> = Context.Reference<Environment.Variables>(
  "plumbline/Variables",
  { defaultValue: () => process.env }
)

/** All environment variables. A configuration names the variables that it needs. */
import * as Context from "effect/Context"

import type * as Environment from "./Environment.ts"

/** The variables by name, read at the time of use. */
export const Variables: Context.Reference<Environment.EnvironmentValues> =
  Context.Reference<Environment.EnvironmentValues>("plumbline/Variables", { defaultValue: () => process.env })

/** `plumbline status` */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminFlags from "./AdminFlags.ts"

const load = Effect.promise(() => import("./OperatorStatus.ts"))

/** Shows the state of a service. */
export const status = Command.make("status", AdminFlags.flags, (flags) =>
  Effect.flatMap(load, (found) => found.status(flags))
).pipe(
  Command.withDescription(
    "Show the state of networks, nodes and anchors, of limits, usage, cache and webhooks. Exits with 1 if a part does not work"
  ),
  Command.withExamples([
    { command: "plumbline status --json", description: "For a monitor: `problems` is empty or not" }
  ])
)

import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"

export const status = AdminCommandFactory.of(() => import("./OperatorStatus.ts"))(
  "status",
  {},
  ({ status }) => status
).pipe(
  Command.withDescription(
    "Show the state of networks, nodes and anchors, of limits, usage, cache and webhooks. Exits with 1 if a part does not work"
  ),
  Command.withExamples([
    { command: "plumbline status --json", description: "For a monitor: `problems` is empty or not" }
  ])
)

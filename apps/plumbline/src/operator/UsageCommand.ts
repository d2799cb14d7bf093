import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

export const usage = AdminCommandFactory.of(() => import("./OperatorUsage.ts"))(
  "usage",
  OperatorFlags.usage,
  ({ usage }) => usage
).pipe(
  Command.withDescription("Show what projects have used: calls, credits and bytes, by network, method and status"),
  Command.withExamples([
    { command: "plumbline usage --from 7d", description: "The last seven days" },
    { command: "plumbline usage --every 1h", description: "Each hour of the last day" },
    {
      command: "plumbline usage --from 2026-11-01 --to 2026-12-01 --json",
      description: "One month, for an invoice"
    }
  ])
)

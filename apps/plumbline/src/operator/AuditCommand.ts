import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

export const audit = AdminCommandFactory.of(() => import("./Audit.ts"))(
  "audit",
  OperatorFlags.audit,
  ({ audit }) => audit
).pipe(
  Command.withDescription("Show the changes of accounts, projects and keys, with their authors, the newest first"),
  Command.withExamples([
    { command: "plumbline audit --from 24h", description: "The changes of the last day" },
    { command: "plumbline audit --target 6f1c... --action project", description: "The history of one project" }
  ])
)

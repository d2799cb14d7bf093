/** `plumbline audit` */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as AdminCommand from "./AdminCommand.ts"
import * as AdminFlags from "./AdminFlags.ts"

const flags = {
  last: Flag.Int("last").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription("Maximum number of changes, the newest ones (default: 50)"),
    Flag.withDefault(50)
  ),
  by: AdminFlags.text("by", "label", "Only changes with the admin token of this label"),
  action: AdminFlags.text("action", "text", "Only actions that begin with this, such as key or project.update"),
  target: AdminFlags.text("target", "id", "Only changes of this account, project or key"),
  from: AdminFlags.text("from", "time", "Only changes since this time: an ISO time, a day, or 24h for 24 hours ago")
}

/** The values of the flags. */
export type AuditFlags = AdminCommand.Values<typeof flags>

/** Shows the changes that operators have made. */
export const audit = AdminCommand.of(() => import("./Audit.ts"))("audit", flags, ({ audit }) => audit).pipe(
  Command.withDescription("Show the changes of accounts, projects and keys, with their authors, the newest first"),
  Command.withExamples([
    { command: "plumbline audit --from 24h", description: "The changes of the last day" },
    { command: "plumbline audit --target 6f1c... --action project", description: "The history of one project" }
  ])
)

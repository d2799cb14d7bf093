import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

const command = AdminCommandFactory.of(() => import("./OperatorKeys.ts"))

const list = command("list", OperatorFlags.keys.list, (keys) => keys.list).pipe(
  Command.withDescription("List the valid keys of a project")
)

const issue = command("issue", OperatorFlags.keys.issue, (keys) => keys.issue).pipe(
  Command.withDescription("Make another key for a project, and show it once"),
  Command.withExamples([
    {
      command: "plumbline keys issue 6f1c... --label contractor --expires 30d --credits-per-day 100000",
      description: "A key that ends by itself, with a share of the project's credits"
    }
  ])
)

const update = command("update", OperatorFlags.keys.update, (keys) => keys.update).pipe(
  Command.withDescription("Change the label, the expiry or the limits of a key. Takes effect within one second"),
  Command.withExamples([
    { command: "plumbline keys update 6f1c... --requests-per-second 10", description: "Limit one key of a project" },
    { command: "plumbline keys update 6f1c... --expires never", description: "Remove the expiry" }
  ])
)

const rotate = command("rotate", OperatorFlags.keys.rotate, (keys) => keys.rotate).pipe(
  Command.withDescription("Replace a key by a new one, and show the new key once"),
  Command.withExamples([
    { command: "plumbline keys rotate 6f1c... --overlap 24h", description: "With a day to change programs" }
  ])
)

const revoke = command("revoke", OperatorFlags.keys.revoke, (keys) => keys.revoke).pipe(
  Command.withDescription("Revoke a key. Takes effect within one second")
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("Make, change, replace and revoke the API keys of a project"),
  Command.withSubcommands([list, issue, update, rotate, revoke])
)

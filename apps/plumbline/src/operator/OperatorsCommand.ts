import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

const command = AdminCommandFactory.of(() => import("./OperatorAccess.ts"))

const list = command("list", OperatorFlags.operators.list, (access) => access.list).pipe(
  Command.withDescription("List the admin tokens, and who has signed in")
)

const create = command("create", OperatorFlags.operators.create, (access) => access.create).pipe(
  Command.withDescription("Create an admin token with a role. It is shown once"),
  Command.withExamples([
    { command: "plumbline operators create 'support, Ada' --role support --expires 90d", description: "For 90 days" },
    {
      command: "plumbline operators create 'team a' --role operator --project 6f1c...",
      description: "For one project only"
    }
  ])
)

const revoke = command("revoke", OperatorFlags.operators.revoke, (access) => access.revoke).pipe(
  Command.withDescription("Revoke an admin token and end its sessions. Takes effect within one second")
)

const end = command("end", OperatorFlags.operators.end, (access) => access.end).pipe(
  Command.withDescription("End a session of the console at once")
)

/** The commands about operators: their admin tokens and sessions. */
export const operators = Command.make("operators").pipe(
  Command.withDescription("Create and revoke admin tokens with roles, and end sessions of the console"),
  Command.withSubcommands([list, create, revoke, end])
)

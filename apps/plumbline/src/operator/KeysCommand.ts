/** `plumbline keys ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as AdminCommand from "./AdminCommand.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"

const project = Argument.String("project").pipe(
  Argument.withDescription("The id of a project, or its name if no other project has it")
)

const key = Argument.String("key").pipe(
  Argument.withDescription("The id of a key, as `plumbline keys list` shows it; not the key itself")
)

const settings = {
  label: AdminFlags.text("label", "text|none", "A name for people, such as the program that has the key"),
  expires: AdminFlags.text(
    "expires",
    "time|never",
    "The time from which the key is refused: an ISO time, a day, or 30d for 30 days from now (default: never)"
  ),
  limits: LimitFlags.make({
    requestsPerSecond: "Requests per second of this key",
    burst: "Requests that can be sent at once, such as the calls of a batch (default: the requests per second)",
    creditsPerDay: "Credits per day of this key; a day begins at midnight UTC"
  })
}

const flags = {
  list: { id: project },
  issue: { id: project, ...settings },
  update: { id: key, ...settings },
  rotate: {
    id: key,
    overlap: AdminFlags.text(
      "overlap",
      "duration",
      "Time for which the old key is still accepted, such as 24h (default: none)"
    )
  },
  revoke: { id: key }
}

/** The values of the flags of each command. */
export type KeyFlags = AdminCommand.Values<typeof flags>

const command = AdminCommand.of(() => import("./OperatorKeys.ts"))

const list = command("list", flags.list, (keys) => keys.list).pipe(
  Command.withDescription("List the valid keys of a project")
)

const issue = command("issue", flags.issue, (keys) => keys.issue).pipe(
  Command.withDescription("Make another key for a project, and show it once"),
  Command.withExamples([
    {
      command: "plumbline keys issue 6f1c... --label contractor --expires 30d --credits-per-day 100000",
      description: "A key that ends by itself, with a share of the project's credits"
    }
  ])
)

const update = command("update", flags.update, (keys) => keys.update).pipe(
  Command.withDescription("Change the label, the expiry or the limits of a key. Takes effect within one second"),
  Command.withExamples([
    { command: "plumbline keys update 6f1c... --requests-per-second 10", description: "Limit one key of a project" },
    { command: "plumbline keys update 6f1c... --expires never", description: "Remove the expiry" }
  ])
)

const rotate = command("rotate", flags.rotate, (keys) => keys.rotate).pipe(
  Command.withDescription("Replace a key by a new one, and show the new key once"),
  Command.withExamples([
    { command: "plumbline keys rotate 6f1c... --overlap 24h", description: "With a day to change programs" }
  ])
)

const revoke = command("revoke", flags.revoke, (keys) => keys.revoke).pipe(
  Command.withDescription("Revoke a key. Takes effect within one second")
)

/** The commands about keys. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Make, change, replace and revoke the API keys of a project"),
  Command.withSubcommands([list, issue, update, rotate, revoke])
)

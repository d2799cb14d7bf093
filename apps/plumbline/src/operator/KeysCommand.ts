/** `plumbline keys ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminFlags from "./AdminFlags.ts"
import * as KeyFlags from "./KeyFlags.ts"

const load = Effect.promise(() => import("./OperatorKeys.ts"))

const project = Argument.String("project").pipe(
  Argument.withDescription("The id of a project, or its name if no other project has it")
)

const key = Argument.String("key").pipe(
  Argument.withDescription("The id of a key, as `plumbline keys list` shows it; not the key itself")
)

const list = Command.make("list", { id: project, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (keys) => keys.list(flags))
).pipe(Command.withDescription("List the valid keys of a project"))

const issue = Command.make("issue", { id: project, ...KeyFlags.flags, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (keys) => keys.issue(flags))
).pipe(
  Command.withDescription("Make another key for a project, and show it once"),
  Command.withExamples([
    {
      command: "plumbline keys issue 6f1c... --label contractor --expires 30d --credits-per-day 100000",
      description: "A key that ends by itself, with a share of the project's credits"
    }
  ])
)

const update = Command.make("update", { id: key, ...KeyFlags.flags, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (keys) => keys.update(flags))
).pipe(
  Command.withDescription("Change the label, the expiry or the limits of a key. Takes effect within one second"),
  Command.withExamples([
    { command: "plumbline keys update 6f1c... --requests-per-second 10", description: "Limit one key of a project" },
    { command: "plumbline keys update 6f1c... --expires never", description: "Remove the expiry" }
  ])
)

const rotate = Command.make(
  "rotate",
  {
    id: key,
    overlap: AdminFlags.text(
      "overlap",
      "duration",
      "Time for which the old key is still accepted, such as 24h (default: none)"
    ),
    ...AdminFlags.flags
  },
  (flags) => Effect.flatMap(load, (keys) => keys.rotate(flags))
).pipe(
  Command.withDescription("Replace a key by a new one, and show the new key once"),
  Command.withExamples([
    { command: "plumbline keys rotate 6f1c... --overlap 24h", description: "With a day to change programs" }
  ])
)

const revoke = Command.make("revoke", { id: key, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (keys) => keys.revoke(flags))
).pipe(Command.withDescription("Revoke a key. Takes effect within one second"))

/** The commands about keys. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Make, change, replace and revoke the API keys of a project"),
  Command.withSubcommands([list, issue, update, rotate, revoke])
)

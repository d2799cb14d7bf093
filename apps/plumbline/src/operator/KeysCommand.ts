/** `plumbline keys ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminFlags from "./AdminFlags.ts"

const load = Effect.promise(() => import("./Keys.ts"))

const project = Argument.String("project").pipe(Argument.withDescription("The id of a project"))

const key = Argument.String("key").pipe(
  Argument.withDescription("The id of a key, as `plumbline keys list` shows it; not the key itself")
)

const list = Command.make("list", { id: project, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (keys) => keys.list(flags))
).pipe(Command.withDescription("List the keys of a project that have not ended"))

const issue = Command.make("issue", { id: project, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (keys) => keys.issue(flags))
).pipe(Command.withDescription("Make one more key for a project, which is shown this once"))

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
).pipe(Command.withDescription("Take a key from everybody, within a second"))

/** The commands about keys. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Make, replace and revoke the API keys of a project"),
  Command.withSubcommands([list, issue, rotate, revoke])
)

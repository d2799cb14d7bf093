import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

const command = AdminCommandFactory.of(() => import("./OperatorTokens.ts"))

const show = command("show", OperatorFlags.tokens.one, (tokens) => tokens.show).pipe(
  Command.withDescription("Show the public keys and the rules of a project")
)

const set = command("set", OperatorFlags.tokens.set, (tokens) => tokens.set).pipe(
  Command.withDescription("Admit users with a token that the project signed. Takes effect within one second"),
  Command.withExamples([
    {
      command: "plumbline tokens set 6f1c... --keys public.jwks.json --required on",
      description: "Only users with a token"
    },
    { command: "plumbline tokens set 6f1c... --user-requests-per-second 5", description: "The keys stay as they are" }
  ])
)

const remove = command("remove", OperatorFlags.tokens.one, (tokens) => tokens.remove).pipe(
  Command.withDescription("Remove the keys and the rules: no token is valid, and none is required")
)

/** The commands about tokens of a project's users. */
export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Register the public keys of the tokens (JWT) that a project signs for its own users"),
  Command.withSubcommands([show, set, remove])
)

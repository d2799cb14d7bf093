/** `plumbline tokens ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as AdminCommand from "./AdminCommand.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"

const id = Argument.String("project").pipe(Argument.withDescription("The id of a project"))

const flags = {
  one: { id },
  set: {
    id,
    keys: AdminFlags.text(
      "keys",
      "file",
      "A JSON file with a public key (JWK), a list of them, or a JWK set. These keys replace the present ones"
    ),
    audience: AdminFlags.text("audience", "text", "The aud that a token must name (default: the id of the project)"),
    required: AdminFlags.onOff("required", "Require a token for every call of JSON-RPC (default: off)"),
    tolerance: AdminFlags.text("tolerance", "seconds", "Seconds by which clocks may differ (default: 30)"),
    limits: LimitFlags.make(
      {
        requestsPerSecond: "Requests per second of each user",
        burst: "Requests that a user can send at once (default: the requests per second)",
        creditsPerDay: "Credits per day of each user; a day begins at midnight UTC"
      },
      "user-"
    )
  }
}

/** The values of the flags of each command. */
export type TokenFlags = AdminCommand.Values<typeof flags>

const command = AdminCommand.of(() => import("./OperatorTokens.ts"))

const show = command("show", flags.one, (tokens) => tokens.show).pipe(
  Command.withDescription("Show the public keys and the rules of a project")
)

const set = command("set", flags.set, (tokens) => tokens.set).pipe(
  Command.withDescription("Admit users with a token that the project signed. Takes effect within one second"),
  Command.withExamples([
    {
      command: "plumbline tokens set 6f1c... --keys public.jwks.json --required on",
      description: "Only users with a token"
    },
    { command: "plumbline tokens set 6f1c... --user-requests-per-second 5", description: "The keys stay as they are" }
  ])
)

const remove = command("remove", flags.one, (tokens) => tokens.remove).pipe(
  Command.withDescription("Remove the keys and the rules: no token is valid, and none is required")
)

/** The commands about tokens of a project's users. */
export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Register the public keys of the tokens (JWT) that a project signs for its own users"),
  Command.withSubcommands([show, set, remove])
)

/** `plumbline tokens ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminFlags from "./AdminFlags.ts"

const load = Effect.promise(() => import("./OperatorTokens.ts"))

const id = Argument.String("project").pipe(Argument.withDescription("The id of a project"))

const show = Command.make("show", { id, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (tokens) => tokens.show(flags))
).pipe(Command.withDescription("Show the public keys and the rules of a project"))

const limit = (name: string, what: string) => AdminFlags.text(name, "number|none", what)

const set = Command.make(
  "set",
  {
    id,
    keys: AdminFlags.text(
      "keys",
      "file",
      "A JSON file with a public key (JWK), a list of them, or a JWK set. These keys replace the present ones"
    ),
    audience: AdminFlags.text("audience", "text", "The aud that a token must name (default: the id of the project)"),
    required: AdminFlags.onOff("required", "Require a token for every call of JSON-RPC (default: off)"),
    tolerance: AdminFlags.text("tolerance", "seconds", "Seconds by which clocks may differ (default: 30)"),
    requestsPerSecond: limit("user-requests-per-second", "Requests per second of each user"),
    burst: limit("user-burst", "Requests that a user can send at once (default: the requests per second)"),
    creditsPerDay: limit("user-credits-per-day", "Credits per day of each user; a day begins at midnight UTC"),
    ...AdminFlags.flags
  },
  (flags) => Effect.flatMap(load, (tokens) => tokens.set(flags))
).pipe(
  Command.withDescription("Admit users with a token that the project signed. Takes effect within one second"),
  Command.withExamples([
    {
      command: "plumbline tokens set 6f1c... --keys public.jwks.json --required on",
      description: "Only users with a token"
    },
    { command: "plumbline tokens set 6f1c... --user-requests-per-second 5", description: "The keys stay as they are" }
  ])
)

const remove = Command.make("remove", { id, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (tokens) => tokens.remove(flags))
).pipe(Command.withDescription("Remove the keys and the rules: no token is valid, and none is required"))

/** The commands about tokens of a project's users. */
export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Register the public keys of the tokens (JWT) that a project signs for its own users"),
  Command.withSubcommands([show, set, remove])
)

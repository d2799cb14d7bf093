import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

const command = AdminCommandFactory.of(() => import("./OperatorAccounts.ts"))

const list = command("list", OperatorFlags.accounts.list, (accounts) => accounts.list).pipe(
  Command.withDescription("List accounts")
)

const show = command("show", OperatorFlags.accounts.one, (accounts) => accounts.show).pipe(
  Command.withDescription("Show an account and its billing card")
)

const create = command("create", OperatorFlags.accounts.create, (accounts) => accounts.create).pipe(
  Command.withDescription("Make an account without projects")
)

const update = command("update", OperatorFlags.accounts.update, (accounts) => accounts.update).pipe(
  Command.withDescription("Change an account"),
  Command.withExamples([
    { command: "plumbline accounts update 6f1c... --card on", description: "Its projects may use IPFS" },
    {
      command: "plumbline accounts update 6f1c... --customer cus_N4...",
      description: "Take its card from Stripe's events"
    }
  ])
)

const remove = command("remove", OperatorFlags.accounts.one, (accounts) => accounts.remove).pipe(
  Command.withDescription("Remove an account that has no projects")
)

const move = Command.make("move", OperatorFlags.accounts.move, (flags) =>
  Effect.flatMap(
    Effect.promise(() => import("./MoveAccounts.ts")),
    ({ move }) => move(flags)
  )
).pipe(
  Command.withDescription(
    "Move accounts, keys, cards, usage, pins and the audit log of a data folder to Postgres, whole or not at all"
  ),
  Command.withExamples([
    {
      command: "plumbline accounts move --from ~/.local/share/plumbline --to-file postgres.url",
      description: "The folder stays as it is"
    }
  ])
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Make and change the accounts of a service, and their billing cards"),
  Command.withSubcommands([list, show, create, update, remove, move])
)

/** `plumbline accounts ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as AdminCommand from "./AdminCommand.ts"
import * as AdminFlags from "./AdminFlags.ts"

const id = Argument.String("account").pipe(Argument.withDescription("The id of an account"))

const flags = {
  list: {},
  one: { id },
  create: {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the account")),
    card: AdminFlags.onOff("card", "State that it has a billing card (default: off)")
  },
  update: {
    id,
    name: AdminFlags.text("name", "text", "The new name"),
    card: AdminFlags.onOff("card", "State that it has a billing card, or none; overrides the payment provider"),
    customer: AdminFlags.text("customer", "id|none", "The id of this account's customer at the payment provider")
  },
  move: {
    from: Flag.String("from").pipe(
      Flag.withMetavar("folder"),
      Flag.withDescription("The data folder of a stopped service")
    ),
    toFile: AdminFlags.text(
      "to-file",
      "file",
      "A file with the postgres:// URL of an empty database (default: $PLUMBLINE_STATE__POSTGRES)"
    ),
    json: JsonFlag.flag
  }
}

/** The values of the flags of each command. */
export type AccountFlags = AdminCommand.Values<typeof flags>

const command = AdminCommand.of(() => import("./OperatorAccounts.ts"))

const list = command("list", flags.list, (accounts) => accounts.list).pipe(Command.withDescription("List accounts"))

const show = command("show", flags.one, (accounts) => accounts.show).pipe(
  Command.withDescription("Show an account and its billing card")
)

const create = command("create", flags.create, (accounts) => accounts.create).pipe(
  Command.withDescription("Make an account without projects")
)

const update = command("update", flags.update, (accounts) => accounts.update).pipe(
  Command.withDescription("Change an account"),
  Command.withExamples([
    { command: "plumbline accounts update 6f1c... --card on", description: "Its projects may use IPFS" },
    {
      command: "plumbline accounts update 6f1c... --customer cus_N4...",
      description: "Take its card from Stripe's events"
    }
  ])
)

const remove = command("remove", flags.one, (accounts) => accounts.remove).pipe(
  Command.withDescription("Remove an account that has no projects")
)

const move = Command.make("move", flags.move, (flags) =>
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

/** The commands about accounts. */
export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Make and change the accounts of a service, and their billing cards"),
  Command.withSubcommands([list, show, create, update, remove, move])
)

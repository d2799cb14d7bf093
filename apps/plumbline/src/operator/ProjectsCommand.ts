/** `plumbline projects ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as AdminCommand from "./AdminCommand.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"

const id = Argument.String("project").pipe(
  Argument.withDescription("The id of a project, or its name if no other project has it")
)

const name = Argument.String("name").pipe(Argument.withDescription("Name of the project"))

const allow = (name: string, metavar: string, what: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`Allow ${what}; may be given several times (default: any)`),
    Flag.atLeast(0)
  )

const settings = {
  secretRequired: AdminFlags.onOff(
    "secret-required",
    "Require the secret beside the key for JSON-RPC calls; IPFS commands always need it"
  ),
  allow: {
    networks: allow("allow-network", "name", "this network"),
    methods: allow("allow-method", "name", "this method"),
    addresses: allow("allow-address", "0x...", "calls about this address"),
    origins: allow("allow-origin", "origin", "pages of this origin, such as https://*.example.com"),
    userAgents: allow("allow-agent", "text", "user agents with this in their name")
  },
  limits: LimitFlags.make({
    creditsPerSecond: "Credits per second",
    burst: "Credits that can be taken at once",
    creditsPerDay: "Credits per day, which begins at midnight UTC",
    concurrency: "Calls at a time",
    ipfsReadsPerSecond: "IPFS commands per second that are not writes",
    ipfsWritesPerSecond: "Calls of add, block/put, dag/put and pin/add per second, together",
    ipfsStored: "Bytes of IPFS content that can be pinned at a time",
    ipfsUploadedPerDay: "Bytes that can be sent to IPFS in a day by UTC",
    ipfsDownloadedPerDay: "Bytes that can be read from IPFS in a day by UTC"
  })
}

const flags = {
  create: {
    name,
    card: AdminFlags.onOff("card", "State that its new account has a billing card (default: off)"),
    account: AdminFlags.text("account", "id", "The account that it belongs to (default: a new one of the same name)"),
    ...settings
  },
  list: { account: AdminFlags.text("account", "id", "Only projects of this account") },
  update: {
    id,
    name: AdminFlags.text("name", "text", "The new name"),
    ...settings,
    clearAllowlist: Flag.Boolean("clear-allowlist").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Remove all entries of the allowlist first (default: replace only the kinds that you give)"),
      Flag.withDefault(false)
    )
  },
  one: { id }
}

/** The values of the flags of each command. */
export type ProjectFlags = AdminCommand.Values<typeof flags>

const command = AdminCommand.of(() => import("./OperatorProjects.ts"))

const create = command("create", flags.create, (projects) => projects.create).pipe(
  Command.withDescription("Make a project with its first API key, and show the key once"),
  Command.withExamples([
    { command: "plumbline projects create wallet --card on", description: "One that may use IPFS too" },
    {
      command: "plumbline projects create page --allow-origin https://app.example --credits-per-day 100000",
      description: "A project whose key may be in a web page"
    }
  ])
)

const list = command("list", flags.list, (projects) => projects.list).pipe(Command.withDescription("List projects"))

const show = command("show", flags.one, (projects) => projects.show).pipe(
  Command.withDescription("Show a project with its allowlist and its limits")
)

const update = command("update", flags.update, (projects) => projects.update).pipe(
  Command.withDescription("Change a project. Takes effect for every call within one second"),
  Command.withExamples([
    { command: "plumbline projects update 6f1c... --credits-per-day none", description: "Remove the limit of a day" },
    {
      command: "plumbline projects update 6f1c... --clear-allowlist",
      description: "Remove the allowlist, so that all calls are allowed"
    }
  ])
)

const suspend = command("suspend", flags.one, (projects) => projects.suspend).pipe(
  Command.withDescription("Refuse the calls of a project for the time being")
)

const resume = command("resume", flags.one, (projects) => projects.resume).pipe(
  Command.withDescription("Resume a suspended project")
)

const remove = command("remove", flags.one, (projects) => projects.remove).pipe(
  Command.withDescription("Remove a project with its keys; its usage stays recorded")
)

/** The commands about projects. */
export const projects = Command.make("projects").pipe(
  Command.withDescription("Make and change the projects of a service"),
  Command.withSubcommands([create, list, show, update, suspend, resume, remove])
)

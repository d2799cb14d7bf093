/** `plumbline projects ...` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminFlags from "./AdminFlags.ts"
import * as ProjectFlags from "./ProjectFlags.ts"

const load = Effect.promise(() => import("./OperatorProjects.ts"))

const id = Argument.String("project").pipe(
  Argument.withDescription("The id of a project, or its name if no other project has it")
)

const name = Argument.String("name").pipe(Argument.withDescription("Name of the project"))

const create = Command.make(
  "create",
  {
    name,
    card: AdminFlags.onOff("card", "State that its new account has a billing card (default: off)"),
    account: AdminFlags.text("account", "id", "The account that it belongs to (default: a new one of the same name)"),
    ...ProjectFlags.flags,
    ...AdminFlags.flags
  },
  (flags) => Effect.flatMap(load, (projects) => projects.create(flags))
).pipe(
  Command.withDescription("Make a project with its first API key, and show the key once"),
  Command.withExamples([
    { command: "plumbline projects create wallet --card on", description: "One that may use IPFS too" },
    {
      command: "plumbline projects create page --allow-origin https://app.example --credits-per-day 100000",
      description: "A project whose key may be in a web page"
    }
  ])
)

const list = Command.make(
  "list",
  { account: AdminFlags.text("account", "id", "Only projects of this account"), ...AdminFlags.flags },
  (flags) => Effect.flatMap(load, (projects) => projects.list(flags))
).pipe(Command.withDescription("List projects"))

const show = Command.make("show", { id, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (projects) => projects.show(flags))
).pipe(Command.withDescription("Show a project with its allowlist and its limits"))

const update = Command.make(
  "update",
  {
    id,
    name: AdminFlags.text("name", "text", "The new name"),
    ...ProjectFlags.flags,
    clearAllowlist: ProjectFlags.clearAllowlist,
    ...AdminFlags.flags
  },
  (flags) => Effect.flatMap(load, (projects) => projects.update(flags))
).pipe(
  Command.withDescription("Change a project. Takes effect for every call within one second"),
  Command.withExamples([
    { command: "plumbline projects update 6f1c... --credits-per-day none", description: "Remove the limit of a day" },
    {
      command: "plumbline projects update 6f1c... --clear-allowlist",
      description: "Remove the allowlist, so that all calls are allowed"
    }
  ])
)

const suspend = Command.make("suspend", { id, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (projects) => projects.suspend(true)(flags))
).pipe(Command.withDescription("Refuse the calls of a project for the time being"))

const resume = Command.make("resume", { id, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (projects) => projects.suspend(false)(flags))
).pipe(Command.withDescription("Resume a suspended project"))

const remove = Command.make("remove", { id, ...AdminFlags.flags }, (flags) =>
  Effect.flatMap(load, (projects) => projects.remove(flags))
).pipe(Command.withDescription("Remove a project with its keys; its usage stays recorded"))

/** The commands about projects. */
export const projects = Command.make("projects").pipe(
  Command.withDescription("Make and change the projects of a service"),
  Command.withSubcommands([create, list, show, update, suspend, resume, remove])
)

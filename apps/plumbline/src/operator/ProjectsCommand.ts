import * as Command from "effect/cli/Command"

import * as AdminCommandFactory from "./AdminCommandFactory.ts"
import * as OperatorFlags from "./OperatorFlags.ts"

const command = AdminCommandFactory.of(() => import("./OperatorProjects.ts"))

const create = command("create", OperatorFlags.projects.create, (projects) => projects.create).pipe(
  Command.withDescription("Make a project with its first API key, and show the key once"),
  Command.withExamples([
    { command: "plumbline projects create wallet --card on", description: "One that may use IPFS too" },
    {
      command: "plumbline projects create page --allow-origin https://app.example --credits-per-day 100000",
      description: "A project whose key may be in a web page"
    }
  ])
)

const list = command("list", OperatorFlags.projects.list, (projects) => projects.list).pipe(
  Command.withDescription("List projects")
)

const show = command("show", OperatorFlags.projects.one, (projects) => projects.show).pipe(
  Command.withDescription("Show a project with its allowlist and its limits")
)

const update = command("update", OperatorFlags.projects.update, (projects) => projects.update).pipe(
  Command.withDescription("Change a project. Takes effect for every call within one second"),
  Command.withExamples([
    { command: "plumbline projects update 6f1c... --credits-per-day none", description: "Remove the limit of a day" },
    {
      command: "plumbline projects update 6f1c... --clear-allowlist",
      description: "Remove the allowlist, so that all calls are allowed"
    }
  ])
)

const suspend = command("suspend", OperatorFlags.projects.one, (projects) => projects.suspend).pipe(
  Command.withDescription("Refuse the calls of a project for the time being")
)

const resume = command("resume", OperatorFlags.projects.one, (projects) => projects.resume).pipe(
  Command.withDescription("Resume a suspended project")
)

const remove = command("remove", OperatorFlags.projects.one, (projects) => projects.remove).pipe(
  Command.withDescription("Remove a project with its keys; its usage stays recorded")
)

export const projects = Command.make("projects").pipe(
  Command.withDescription("Make and change the projects of a service"),
  Command.withSubcommands([create, list, show, update, suspend, resume, remove])
)

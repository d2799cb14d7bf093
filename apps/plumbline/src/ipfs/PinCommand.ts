/** `plumbline ipfs pin add|rm|ls` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as IpfsFlags from "./IpfsFlags.ts"

const load = Effect.promise(() => import("./IpfsPins.ts"))

const recursive = Flag.Boolean("recursive").pipe(
  Flag.withAlias("r"),
  Flag.withDescription("Include everything that the content links to (default: yes)"),
  Flag.withDefault(true)
)

const paths = Argument.String("path").pipe(
  Argument.withDescription("CIDs, or paths that begin with one"),
  Argument.atLeast(1)
)

const add = Command.make(
  "add",
  {
    paths,
    recursive,
    name: Flag.String("name").pipe(
      Flag.withAlias("n"),
      Flag.withMetavar("text"),
      Flag.withDescription("Name of the pin, on nodes that keep names"),
      Flag.optional
    ),
    ...IpfsFlags.flags
  },
  (flags) => Effect.flatMap(load, (pins) => pins.add(flags))
).pipe(
  Command.withDescription("Have a node keep content"),
  Command.withExamples([{ command: "plumbline ipfs pin add bafy...", description: "With all that it links to" }])
)

const rm = Command.make("rm", { paths, recursive, ...IpfsFlags.flags }, (flags) =>
  Effect.flatMap(load, (pins) => pins.remove(flags))
).pipe(
  Command.withDescription("Remove pins"),
  Command.withExamples([{ command: "plumbline ipfs pin rm bafy...", description: "The node may forget it now" }])
)

const ls = Command.make(
  "ls",
  {
    paths: Argument.String("path").pipe(
      Argument.withDescription("CIDs, or paths that begin with one (default: all pins)"),
      Argument.variadic()
    ),
    type: Flag.Literals("type", ["all", "direct", "indirect", "recursive"]).pipe(
      Flag.withAlias("t"),
      Flag.withDescription("Which pins (default: all)"),
      Flag.withDefault("all")
    ),
    names: Flag.Boolean("names").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Print the names of the pins too"),
      Flag.withDefault(false)
    ),
    ...IpfsFlags.flags
  },
  (flags) => Effect.flatMap(load, (pins) => pins.list(flags))
).pipe(
  Command.withDescription("List pins"),
  Command.withExamples([
    {
      command: "plumbline ipfs pin ls --type recursive",
      description: "The pins that were requested, without the blocks below them"
    }
  ])
)

/** The commands about pins. */
export const pin = Command.make("pin").pipe(
  Command.withDescription("Pin content on a node, or unpin it. The result is CLAIMED, because only the node says so"),
  Command.withSubcommands([add, rm, ls])
)

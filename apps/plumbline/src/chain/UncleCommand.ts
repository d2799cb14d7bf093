/** `plumbline uncle <hash|number|tag> [index]` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const uncle = CommandFactory.make(
  "uncle",
  {
    block: Argument.String("block").pipe(
      Argument.withDescription(
        "The block that names the uncles: its hash, its number (decimal or 0x), or latest, earliest, pending, safe, finalized"
      )
    ),
    index: Argument.String("index").pipe(
      Argument.withDescription("The uncle's position in the block, from 0 (default: all of them)"),
      Argument.optional
    ),
    ...ReadFlags.flags
  },
  async () => (await import("./ReadUncle.ts")).run
).pipe(
  Command.withDescription("Read the uncles of a block, and prove them from its hash"),
  Command.withExamples([
    {
      command: "plumbline uncle 5 --trust 0x5f3c...",
      description: "All uncles of block 5, proven from a block you know"
    },
    { command: "plumbline uncle 0x88df... 0", description: "The first uncle of the block with this hash" },
    { command: "plumbline uncle 5 --network history", description: "On the embedded chain that has uncles" }
  ])
)

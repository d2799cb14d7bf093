/** `plumbline block <hash|number|tag> [--full]` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const block = CommandFactory.make(
  "block",
  {
    block: Argument.String("block").pipe(
      Argument.withDescription("A block hash, a number (decimal or 0x), or latest, earliest, pending, safe, finalized")
    ),
    full: Flag.Boolean("full").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Include whole transactions, and prove them with their order and senders"),
      Flag.withDefault(false)
    ),
    ...ReadFlags.flags
  },
  async () => (await import("./ReadBlock.ts")).run
).pipe(
  Command.withDescription("Read a block, and prove it from its hash"),
  Command.withExamples([
    {
      command: "plumbline block latest",
      description:
        "The newest block: VERIFIED if a light client follows the chain, as that of `plumbline up` does, otherwise CLAIMED"
    },
    { command: "plumbline block 0x5f3c... --full", description: "A block with its transactions, all proven" },
    { command: "plumbline block 17 --trust 0x5f3c...", description: "Block 17, proven to be the one you know" }
  ])
)

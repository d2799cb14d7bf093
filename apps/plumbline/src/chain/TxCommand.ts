/** `plumbline tx <hash>` and `plumbline tx --block <hash> --index <n>` */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as ReadFlags from "../answer/ReadFlags.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"

export const tx = CommandFactory.make(
  "tx",
  {
    hash: Argument.String("hash").pipe(Argument.withDescription("The transaction's hash"), Argument.optional),
    block: Flag.String("block").pipe(
      Flag.withMetavar("hash"),
      Flag.withDescription("Instead of the transaction's hash: the hash of its block"),
      Flag.optional
    ),
    index: Flag.String("index").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("With --block: the position in the block, from 0"),
      Flag.optional
    ),
    ...ReadFlags.flags
  },
  async () => (await import("./ReadTransaction.ts")).run
).pipe(
  Command.withDescription("Read a transaction, and prove it from its hash or its block's"),
  Command.withExamples([
    { command: "plumbline tx 0x88df...", description: "The transaction with this hash" },
    {
      command: "plumbline tx 0x88df... --trust 0x5f3c...",
      description: "The same, proven to be in the block you know"
    },
    { command: "plumbline tx --block 0x5f3c... --index 0", description: "The first transaction of a block" }
  ])
)
